// Reduction of small Hermitian matrices to real tridiagonal matrices by reflectors, and the product of those reflectors.
// A matrix has the lanes of a warp, or SIDE of them if that is less; all teams of a warp take the same branches around
// shuffles. A power of two first scales the largest element to at most 1, so that no square overflows. Required
// before it: `small.cuh`.
//
// A lane has the rows and columns lane, lane + LANES, ... of the matrix. Columns end with zeros, so that vectors of 16 bytes
// may be read from them and beyond them; their pitch is odd, so that lanes that read different columns read different
// banks.
constexpr u32 WARP = 32, LANES = SIDE < WARP ? SIDE : WARP, ROWS = SIDE / LANES, VECTOR = 16 / sizeof(element);
// Columns with no larger element are zeros: the reciprocal of a larger one is finite.
constexpr real SMALLEST = (real)(sizeof(real) == 4 ? 1e-37f : 1e-300);
// Squares of numbers whose sum is larger lose no digits to underflow.
constexpr real SQUARES = (real)(sizeof(real) == 4 ? 1e-30f : 1e-280);

DEVICE real part_size(real x) { return fabs(x); }
DEVICE real part_size(complex<real> z) { return max(fabs(z.re), fabs(z.im)); }
DEVICE real imaginary(real) { return 0; }
DEVICE real imaginary(complex<real> z) { return z.im; }
DEVICE real quotient(real x, real y) { return x / y; }
DEVICE complex<real> quotient(complex<real> x, complex<real> y) {
  const real size = square_of(y);
  return {fma(x.re, y.re, x.im * y.im) / size, fma(x.im, y.re, -(x.re * y.im)) / size};
}
template <class T> DEVICE T with_imaginary(real x, real y) {
  if constexpr (sizeof(T) == sizeof(real)) return x;
  else return {x, y};
}
DEVICE real largest_of(real x) {
#pragma unroll
  for (u32 far = LANES / 2; far > 0; far /= 2) x = max(x, from_lane(x, far));
  return x;
}

struct __align__(16) vector {
  element at[VECTOR];
};
// A matrix in shared memory, with the vectors of a reflection, which end with zeros.
struct workspace {
  element *a, *v, *image, *scales;
  u32 n, pitch, lane;
  DEVICE vector load(const element *from, u32 c) const { return *(const vector *)(from + c); }
};

// Column `k` below the diagonal becomes the vector v of the reflector I - scale v v^H that annihilates it but for its
// first element, which is returned; v begins with 1.
DEVICE real reflect(const workspace &w, u32 k, element &scale) {
  element *column = w.a + k * w.pitch, first = column[k + 1], own[ROWS];
  real tail = 0, most = 1;
#pragma unroll
  for (u32 j = 0; j < ROWS; ++j) {
    const u32 r = w.lane + j * LANES;
    own[j] = r > k + 1 && r < w.n ? column[r] : number(0);
    tail += square_of(own[j]);
  }
  tail = sum_of<LANES>(tail);
  const bool is_tiny = !(square_of(first) + tail > SQUARES);
  if (__any_sync(0xffffffff, is_tiny)) {
    real largest = part_size(first);
#pragma unroll
    for (u32 j = 0; j < ROWS; ++j) largest = max(largest, part_size(own[j]));
    largest = largest_of(largest);
    most = is_tiny ? largest : 1;
    const real by = most > SMALLEST ? 1 / most : 0;
    first = times(first, by);
    tail = 0;
#pragma unroll
    for (u32 j = 0; j < ROWS; ++j) tail += square_of(own[j] = times(own[j], by));
    tail = sum_of<LANES>(tail);
  }
  const bool is_unit = tail == 0 && imaginary(first) == 0;
  const real norm = sqrt(square_of(first) + tail), leading = real_part(first) < 0 ? norm : -norm;
  const element divisor = first - number(leading);
  scale = with_imaginary<element>((leading - real_part(first)) / leading, -imaginary(first) / leading);
  if (is_unit) scale = number(0);
  __syncwarp();
#pragma unroll
  for (u32 j = 0; j < ROWS; ++j) {
    const u32 r = w.lane + j * LANES;
    const bool is_part = !is_unit && r > k && r < w.n;
    const element x = !is_part ? number(0) : r == k + 1 ? number(1) : quotient(own[j], divisor);
    w.v[r] = x;
    if (is_part) column[r] = x;
  }
  __syncwarp();
  return (is_unit ? real_part(first) : leading) * most;
}

// A real tridiagonal matrix similar to `a`, whose columns become those of the reflectors.
DEVICE void reduce(const workspace &w, real *beside) {
  const u32 n = w.n, lane = w.lane;
#pragma unroll 1
  for (u32 k = 0; k + 1 < n; ++k) {
    element scale;
    const real size = reflect(w, k, scale);
    if (lane == 0) {
      if (beside) beside[k] = size;
      w.scales[k] = scale;
    }
    if (__all_sync(0xffffffff, real_part(scale) == 0 && imaginary(scale) == 0)) continue;
    const u32 start = (k + 1) / VECTOR * VECTOR;
    element product[ROWS], sum = number(0);
#pragma unroll
    for (u32 j = 0; j < ROWS; ++j) {
      const u32 r = lane + j * LANES;
      element x = number(0);
      if (r > k && r < n) {
        const element *own = w.a + r * w.pitch;
#pragma unroll 2
        for (u32 c = start; c < n; c += VECTOR) {
          const vector v = w.load(w.v, c);
#pragma unroll
          for (u32 e = 0; e < VECTOR; ++e) x = along(own[c + e], v.at[e], x);
        }
        x = x * scale;
        sum = along(x, w.v[r], sum);
      }
      product[j] = x;
    }
    const element half = times(scale * sum_of<LANES>(sum), (real)-0.5);
#pragma unroll
    for (u32 j = 0; j < ROWS; ++j) {
      const u32 r = lane + j * LANES;
      w.image[r] = product[j] = product[j] + half * w.v[r];
    }
    __syncwarp();
#pragma unroll
    for (u32 j = 0; j < ROWS; ++j) {
      const u32 r = lane + j * LANES;
      if (r <= k || r >= n) continue;
      element *own = w.a + r * w.pitch;
      const element by_image = times(product[j], (real)-1), by_v = times(w.v[r], (real)-1);
#pragma unroll 2
      for (u32 c = start; c < n; c += VECTOR) {
        const vector v = w.load(w.v, c), image = w.load(w.image, c);
#pragma unroll
        for (u32 e = 0; e < VECTOR; ++e) own[c + e] = along(by_image, v.at[e], along(by_v, image.at[e], own[c + e]));
      }
      own[r] = number(real_part(own[r]));
    }
    __syncwarp();
  }
}

// The product of the reflectors, in their place.
DEVICE void accumulate(const workspace &w) {
  const u32 n = w.n, lane = w.lane;
  __syncwarp();
  if (lane == 0) w.a[(n - 1) * w.pitch + n - 1] = number(1);
#pragma unroll 1
  for (u32 k = n - 1; k-- > 0;) {
    element *column = w.a + k * w.pitch;
    const element scale = w.scales[k];
    const bool is_unit = real_part(scale) == 0 && imaginary(scale) == 0;
    const u32 start = (k + 1) / VECTOR * VECTOR;
    __syncwarp();
    for (u32 r = lane; r < SIDE; r += LANES) {
      w.v[r] = r > k && r < n ? column[r] : number(0);
      if (r < n) column[r] = number(r == k);
    }
    __syncwarp();
    for (u32 c = lane; c < n; c += LANES) {
      if (c <= k) continue;
      element *own = w.a + c * w.pitch;
      own[k] = number(0);
      if (is_unit) continue;
      element x = number(0);
#pragma unroll 2
      for (u32 r = start; r < n; r += VECTOR) {
        const vector v = w.load(w.v, r);
#pragma unroll
        for (u32 e = 0; e < VECTOR; ++e) x = along(v.at[e], own[r + e], x);
      }
      x = times(x * scale, (real)-1);
#pragma unroll 2
      for (u32 r = start; r < n; r += VECTOR) {
        const vector v = w.load(w.v, r);
#pragma unroll
        for (u32 e = 0; e < VECTOR; ++e) own[r + e] = along(conjugate(v.at[e]), x, own[r + e]);
      }
    }
  }
  __syncwarp();
}

// Bytes of a matrix's workspace are `p.bytes`. The element after the last one off the diagonal is the exponent of the scale.
// All elements of a matrix with infinity or NaN become NaN, without elements off the diagonal.
extern "C" __global__ void __launch_bounds__(4 * WARP) small_hermitian_reduce(const __grid_constant__ params p) {
  const u32 n = p.n, lane = threadIdx.x % LANES, team = threadIdx.x / LANES;
  const u32 padded = (n + VECTOR - 1) / VECTOR * VECTOR, pitch = padded | 1;
  const u64 index = (u64)blockIdx.x * (blockDim.x / LANES) + team, matrix = min(index, (u64)p.batch - 1);
  const bool has_matrix = index < p.batch;
  element *first = (element *)(memory + (u64)team * p.bytes);
  const workspace w = {first + 3 * SIDE, first, first + SIDE, first + 2 * SIDE, n, pitch, lane};
  const element *given = (const element *)p.a + matrix * (n * n);
  bool odd = false;
  real largest = 0;
  for (u32 r = 0; r < n; ++r)
    for (u32 c = lane; c < n; c += LANES) {
      if (p.upper ? r > c : r < c) continue;
      element x = given[r * n + c];
      odd |= !is_finite(x);
      if (r == c) x = number(real_part(x));
      largest = max(largest, part_size(x));
      w.a[c * pitch + r] = x;
      w.a[r * pitch + c] = conjugate(x);
    }
  const u32 any = __ballot_sync(0xffffffff, odd) >> (threadIdx.x % WARP - lane);
  const bool finite = (any & (~0u >> (WARP - LANES))) == 0;
  largest = largest_of(largest);
  const int exponent = finite && largest > 0 ? ilogb(largest) + 1 : 0;
  __syncwarp();
  for (u32 c = 0; c < n; ++c)
    for (u32 r = lane; r < padded; r += LANES) {
      element *own = w.a + c * pitch + r;
      *own = r < n && finite ? shifted(*own, -exponent) : number(0);
    }
  __syncwarp();
  real *values = (real *)p.values + matrix * n, *beside = (real *)p.beside + matrix * n;
  reduce(w, has_matrix && finite ? beside : nullptr);
  const real no_number = (real)__int_as_float(0x7fc00000);
  if (has_matrix) {
    for (u32 r = lane; r < n; r += LANES) {
      values[r] = finite ? real_part(w.a[r * (pitch + 1)]) : no_number;
      if (!finite && r + 1 < n) beside[r] = 0;
    }
    if (lane == 0) beside[n - 1] = exponent;
  }
  if (!p.vectors) return;
  accumulate(w);
  if (!has_matrix) return;
  element *out = (element *)p.columns + matrix * (n * n);
  for (u32 r = 0; r < n; ++r)
    for (u32 c = lane; c < n; c += LANES) out[r * n + c] = finite ? w.a[c * pitch + r] : number(no_number);
}
