// Common part of the kernels of small matrices. A block has one matrix in shared memory, in column-major order, and a
// team of lanes processes a column, or a pair of them, at a time. Required before it: `element`, `real` and SIDE, a
// multiple of TEAM and an upper bound of both sides. The column pitch keeps adjacent teams in different banks.
constexpr u32 TEAM = SIDE <= 64 ? 8 : SIDE <= 128 ? 16 : 32, EACH = SIDE / TEAM, LEADING = SIDE + TEAM;
constexpr real EPSILON = sizeof(real) == 4 ? (real)0x1p-23 : (real)0x1p-52;
extern __shared__ __align__(16) unsigned char memory[];

DEVICE real conjugate(real x) { return x; }
DEVICE complex<real> conjugate(complex<real> z) { return {z.re, -z.im}; }
DEVICE real real_part(real x) { return x; }
DEVICE real real_part(complex<real> z) { return z.re; }
DEVICE real square_of(real x) { return x * x; }
DEVICE real square_of(complex<real> z) { return z.re * z.re + z.im * z.im; }
DEVICE real size_of(real x) { return fabs(x); }
DEVICE real size_of(complex<real> z) { return sqrt(square_of(z)); }
DEVICE real times(real x, real by) { return x * by; }
DEVICE complex<real> times(complex<real> z, real by) { return {z.re * by, z.im * by}; }
// x * by + more, rounded once.
DEVICE real fused(real x, real by, real more) { return fma(x, by, more); }
DEVICE complex<real> fused(complex<real> z, real by, complex<real> more) { return {fma(z.re, by, more.re), fma(z.im, by, more.im)}; }
// x times two to the power of `by`.
DEVICE real shifted(real x, int by) { return ldexp(x, by); }
DEVICE complex<real> shifted(complex<real> z, int by) { return {ldexp(z.re, by), ldexp(z.im, by)}; }
// conj(x) * y + more.
DEVICE real along(real x, real y, real more) { return fma(x, y, more); }
DEVICE complex<real> along(complex<real> x, complex<real> y, complex<real> more) {
  return {fma(x.re, y.re, fma(x.im, y.im, more.re)), fma(x.re, y.im, fma(-x.im, y.re, more.im))};
}
// Factors a number into a real one and a phase: a real number has no phase.
DEVICE real without_phase(real x) { return x; }
DEVICE real without_phase(complex<real> z) { return size_of(z); }
DEVICE real phase_of(real, real) { return 1; }
DEVICE complex<real> phase_of(complex<real> z, real size) { return {z.re / size, z.im / size}; }
DEVICE real in_phase(real x, real) { return x; }
DEVICE complex<real> in_phase(complex<real> z, complex<real> phase) { return z * phase; }
template <class T = element> DEVICE T number(real x) {
  if constexpr (sizeof(T) == sizeof(real)) return x;
  else return {x, 0};
}

DEVICE real from_lane(real x, u32 far) { return __shfl_xor_sync(0xffffffff, x, far); }
DEVICE complex<real> from_lane(complex<real> z, u32 far) { return {from_lane(z.re, far), from_lane(z.im, far)}; }
// The sum over LANES adjacent lanes, the same in all of them. All lanes of a warp must call it.
template <u32 LANES, class T> DEVICE T sum_of(T x) {
#pragma unroll
  for (u32 far = LANES / 2; far > 0; far /= 2) x = x + from_lane(x, far);
  return x;
}

// Columns in shared memory.
struct columns {
  element *first;
  DEVICE element *operator[](u32 j) const { return first + j * LEADING; }
};
// Loads columns there, with zeros below them.
DEVICE void bring(columns to, const element *from, u32 rows, u32 count) {
  for (u32 e = threadIdx.x; e < SIDE * count; e += blockDim.x) {
    const u32 j = e / SIDE, r = e % SIDE;
    to[j][r] = r < rows ? from[j * rows + r] : number(0);
  }
}
DEVICE void bring_unit(columns to, u32 count) {
  for (u32 e = threadIdx.x; e < SIDE * count; e += blockDim.x) to[e / SIDE][e % SIDE] = number(e / SIDE == e % SIDE);
}

// A Jacobi rotation of two columns, of which the second is first multiplied by a phase, in terms of its sine and the
// tangent of half its angle: small angles have small rounding errors (H. Rutishauser, "The Jacobi method for real
// symmetric matrices", 1966).
struct turn {
  real sine, half;
  element phase;
  DEVICE void apply(element &x, element &y) const {
    const element other = in_phase(y, phase), first = x;
    x = fused(fused(first, half, other), -sine, first);
    y = fused(fused(other, -half, first), sine, other);
  }
  // Applies it to two columns, which begin with a lane's own row.
  DEVICE void apply_to(element *one, element *two) const {
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      element x = one[e * TEAM], y = two[e * TEAM];
      apply(x, y);
      one[e * TEAM] = x;
      two[e * TEAM] = y;
    }
  }
};
// The rotation of the smaller angle that annihilates the nonzero off-diagonal element of two diagonal elements. The
// first decreases by `change`, the second increases by it.
DEVICE turn turn_for(real first, real second, element beside, real &change) {
  const real size = without_phase(beside), slope = (second - first) / (2 * size);
  const real tangent = (slope < 0 ? (real)-1 : (real)1) / (fabs(slope) + sqrt(1 + slope * slope));
  const real cosine = 1 / sqrt(1 + tangent * tangent);
  change = tangent * size;
  return {cosine * tangent, cosine * tangent / (1 + cosine), conjugate(phase_of(beside, size))};
}
// The pairs of a round (round-robin order): of an even number of columns each meets every other once in a sweep of
// `even - 1` rounds.
DEVICE void pair_of(u32 even, u32 round, u32 k, u32 &i, u32 &j) {
  const u32 ring = even - 1;
  u32 one = round + k, two = k == 0 ? ring : round + ring - k;
  if (one >= ring) one -= ring;
  if (k != 0 && two >= ring) two -= ring;
  i = min(one, two);
  j = max(one, two);
}
// Rank of one value among several in ascending or descending order. A NaN is larger than any number.
DEVICE bool is_less(real a, real b) { return a < b || (b != b && a == a); }
template <bool RISING> DEVICE u32 rank_of(const real *values, u32 count, u32 j) {
  u32 rank = 0;
  for (u32 k = 0; k < count; ++k) {
    const bool less = is_less(values[k], values[j]), more = is_less(values[j], values[k]);
    rank += (RISING ? less : more) || (!less && !more && k < j);
  }
  return rank;
}
