// Eigenvalues of a symmetric tridiagonal matrix by multisection with Sturm counts. Before it: the parameter struct and EIGENVALUE_THREADS.
//
// A warp has an eigenvalue and divides its interval by 32 numbers at once. The count of eigenvalues below a number is that of the sign
// changes of the leading principal minors of the shifted matrix (W. Givens, "Numerical computation of the characteristic values of a real
// symmetric matrix", ORNL-1574, 1954), which are those of a matrix that differs by rounding (J. H. Wilkinson, "The Algebraic Eigenvalue
// Problem", 1965, chapter 5). All warps divide equal intervals in the same way, so that the eigenvalues are in ascending order whether or
// not computed counts are monotonic.
//
// A power of two scales the matrix to norm at most 1, and elements off the diagonal are at least LEAST, which moves no eigenvalue by more than
// 2 LEAST. A step then multiplies the larger of two successive minors by at least LEAST^2 / 4 and at most 4: eight steps from 1 neither underflow
// nor overflow, and a minor of zero is followed by one that is not. It has the sign of a positive or of a negative number: the sum of the
// sign changes before and after it is 1 in both cases.
constexpr u32 STEPS = 8;
constexpr f64 LEAST = 8.67361737988403547e-19;  // 2^-60
// Intervals of this length are not divided again, nor are those of neighbouring numbers.
constexpr f64 SHORTEST = 2.16840434497100887e-19;  // 2^-62
constexpr u32 MOST_PASSES = 16;

DEVICE f64 size_at(const f64 *x, u32 i, u32 n) { return i < n ? fabs(x[i]) : 0; }

// The number of eigenvalues less than x. `rows` has diagonal elements, and squares of those before them in the row; it ends with
// rows that have no sign changes.
DEVICE u32 eigenvalues_below(const f64 *rows, u32 n, f64 x) {
  f64 minor = 1, before = 0;
  u32 count = 0;
#pragma unroll 1
  for (u32 i = 0; i < n; i += STEPS, rows += 2 * STEPS) {
#pragma unroll
    for (u32 j = 0; j < STEPS; ++j) {
      const f64 next = fma(rows[2 * j] - x, minor, -(rows[2 * j + 1] * before));
      count += (u32)(__double2hiint(next) ^ __double2hiint(minor)) >> 31;
      before = minor;
      minor = next;
    }
    const int a = __double2hiint(minor) & 0x7ff00000, b = __double2hiint(before) & 0x7ff00000;
    const f64 by = __hiloint2double((2046 << 20) - (a > b ? a : b), 0);
    minor *= by;
    before *= by;
  }
  return count;
}

extern "C" __global__ void __launch_bounds__(EIGENVALUE_THREADS) tridiagonal_eigenvalues(const __grid_constant__ params p) {
  extern __shared__ __align__(16) f64 rows[];
  __shared__ f64 sizes[EIGENVALUE_THREADS / 32];
  const u32 n = p.n, lane = threadIdx.x % 32, padded = (n + STEPS - 1) / STEPS * STEPS;
  f64 bound = 0;
  for (u32 i = threadIdx.x; i < n; i += EIGENVALUE_THREADS) {
    const f64 left = i > 0 ? fabs(p.beside[i - 1]) : 0;
    bound = fmax(bound, fabs(p.diagonal[i]) + left + size_at(p.beside, i, n - 1));
  }
#pragma unroll
  for (u32 lanes = 16; lanes > 0; lanes /= 2) bound = fmax(bound, __shfl_xor_sync(~0u, bound, lanes));
  if (lane == 0) sizes[threadIdx.x / 32] = bound;
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < EIGENVALUE_THREADS / 32; ++i) bound = fmax(bound, sizes[i]);
  const bool is_zero = !(bound > 0), is_finite = bound < (f64)__int_as_float(0x7f800000);
  const int exponent = is_zero || !is_finite ? 0 : ilogb(bound) + 1;
  for (u32 i = threadIdx.x; i < padded; i += EIGENVALUE_THREADS) {
    const f64 beside = i > 0 && i < n ? fmax(ldexp(fabs(p.beside[i - 1]), -exponent), LEAST) : 0;
    rows[2 * i] = i < n ? ldexp(p.diagonal[i], -exponent) : 2;
    rows[2 * i + 1] = beside * beside;
  }
  __syncthreads();
  const u32 index = blockIdx.x * (EIGENVALUE_THREADS / 32) + threadIdx.x / 32;
  if (index >= n) return;
  f64 low = -1, high = 1;
#pragma unroll 1
  for (u32 pass = 0; pass < MOST_PASSES; ++pass) {
    const f64 length = high - low, x = fma(length, (lane + 1) * (1.0 / 33), low);
    if (!(length > SHORTEST) || !(length > 0x1p-52 * fmax(fabs(low), fabs(high)))) break;
    const u32 above = __ballot_sync(~0u, eigenvalues_below(rows, padded, x) > index);
    const u32 found = above ? __ffs((int)above) - 1 : 32;
    const f64 from = __shfl_sync(~0u, x, (int)(found - 1) & 31), to = __shfl_sync(~0u, x, (int)found & 31);
    if (found > 0) low = from;
    if (found < 32) high = to;
  }
  // Without finite elements there are no eigenvalues.
  const f64 value = is_finite ? ldexp(0.5 * (low + high), exponent) : (f64)__int_as_float(0x7fc00000);
  if (lane == 0) p.values[index] = is_zero ? 0 : value;
}
