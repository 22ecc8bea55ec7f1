// Correlation of two sequences of float32 or complex64 by Fourier transforms in float64 (overlap-save), the second already
// conjugated. Required before it: `element`, REAL, the functions widened(element) and result_of(c128), and `params`.
//
// A block transforms LENGTH elements, multiplies the spectrum by that of the shorter sequence, and transforms back; a thread has
// RADIX elements. Of real numbers it transforms two parts of the longer sequence at once, one as the imaginary part. The
// transform back visits the stages in reverse order: the spectrum stays in the order in which the transform leaves it, and
// each exchange through shared memory is within the elements that a thread has just read.
//
// Error bound. With u = 2^-53, a stage of radix 2 multiplies by a root of unity that is rounded once, and adds; a transform has
// 12 of them. Its two multiplications by other roots, which have a relative error of 4.9 u, count as two further stages. The
// relative error of a transform in the 2-norm is at most (12 * 6.7 + 2 * 10.6) u < 102 u (N. J. Higham, "Accuracy and Stability
// of Numerical Algorithms", 2nd edition, 2002, theorem 24.2). Each result of the transform back is a sum of the LENGTH
// products, each of which gets an error of at most (12 * 4.9 + 2 * 8.8) u < 77 u: by the inequality of Cauchy and Schwarz the
// error of a result is at most (2 * 102 + 77 + 3) u ||a|| ||v|| < 288 u ||a|| ||v||. A result of which each component is at
// least 2^25 times that has a relative error of at most 2^-25 before it is rounded to float32: it is within one unit in the
// last place, and exact if the exact sum is a float32. All others, among them zeros, NaN and infinities, are sums of products in
// float64, by a warp each. A block with too many of them leaves its results to the kernel `correlate`.
constexpr u32 THREADS = 256, RADIX = 16, LENGTH = THREADS * RADIX;
// The index of element i in shared memory is i + i / RADIX: strides of RADIX elements meet different banks.
constexpr u32 FAR = THREADS + THREADS / RADIX, NEAR = RADIX + 1;
// Number of parts of the longer sequence that a block transforms.
constexpr u32 PARTS = REAL ? 2 : 1;
// Number of threads with results to sum beyond which a block leaves all of its results.
constexpr u32 MOST_THREADS = 16;
// The square of 2^25 * 288 u.
constexpr f64 LIMIT = 82944.0 / 72057594037927936.0;

extern __shared__ __align__(16) char memory[];

DEVICE c128 product(c128 a, c128 b) {
  return {__fma_rn(a.re, b.re, -(a.im * b.im)), __fma_rn(a.re, b.im, a.im * b.re)};
}
DEVICE c128 load(const c128 *from) {
  const double2 z = *(const double2 *)from;
  return {z.x, z.y};
}
DEVICE void store(c128 *to, c128 z) { *(double2 *)to = double2{z.re, z.im}; }
DEVICE c128 exchanged(c128 z) { return {z.im, z.re}; }
// Writes a result; zeros are positive, as sums that begin with zero are.
DEVICE void write(f32 *to, c128 z) { *to = (f32)(z.re + 0.0); }
DEVICE void write(c64 *to, c128 z) { *(float2 *)to = float2{(f32)(z.re + 0.0), (f32)(z.im + 0.0)}; }

// The product with the 16th root of unity exp(-2 pi i k / 16), for the k that a transform of 16 elements needs.
DEVICE c128 times_root(c128 a, u32 k) {
  constexpr f64 c = 0.92387953251128675613, s = 0.38268343236508977173, h = 0.70710678118654752440;
  switch (k) {
    case 0: return a;
    case 1: return {__fma_rn(a.re, c, a.im * s), __fma_rn(a.im, c, -(a.re * s))};
    case 2: return {(a.re + a.im) * h, (a.im - a.re) * h};
    case 3: return {__fma_rn(a.re, s, a.im * c), __fma_rn(a.im, s, -(a.re * c))};
    case 4: return {a.im, -a.re};
    case 6: return {(a.im - a.re) * h, -((a.re + a.im) * h)};
    default: return {__fma_rn(a.re, -c, -(a.im * s)), __fma_rn(a.im, -c, a.re * s)};
  }
}

// Transforms 4 elements that are STEP apart.
template <u32 STEP> DEVICE void transform4(c128 *x) {
  const c128 a = x[0] + x[2 * STEP], b = x[0] - x[2 * STEP], c = x[STEP] + x[3 * STEP], d = x[STEP] - x[3 * STEP];
  x[0] = a + c;
  x[STEP] = {b.re + d.im, b.im - d.re};
  x[2 * STEP] = a - c;
  x[3 * STEP] = {b.re - d.im, b.im + d.re};
}

// Transforms 16 elements.
DEVICE void transform(c128 (&x)[RADIX]) {
#pragma unroll
  for (u32 b = 0; b < 4; ++b) transform4<4>(x + b);
  c128 y[RADIX];
#pragma unroll
  for (u32 c = 0; c < 4; ++c) {
#pragma unroll
    for (u32 b = 0; b < 4; ++b) y[4 * c + b] = times_root(x[4 * c + b], b * c);
    transform4<1>(y + 4 * c);
  }
#pragma unroll
  for (u32 k = 0; k < RADIX; ++k) x[k] = y[k % 4 * 4 + k / 4];
}

// Multiplies by the roots of unity between two stages. Most of them are products of two that are loaded: loads take longer.
template <u32 APART> DEVICE void twist(c128 (&x)[RADIX], const c128 *roots) {
  const c128 w1 = load(roots + APART), w2 = load(roots + 2 * APART), w3 = load(roots + 3 * APART);
  x[1] = product(x[1], w1);
  x[2] = product(x[2], w2);
  x[3] = product(x[3], w3);
#pragma unroll
  for (u32 m = 4; m < RADIX; m += 4) {
    const c128 w = load(roots + m * APART);
    x[m] = product(x[m], w);
    x[m + 1] = product(x[m + 1], product(w, w1));
    x[m + 2] = product(x[m + 2], product(w, w2));
    x[m + 3] = product(x[m + 3], product(w, w3));
  }
}

template <u32 APART> DEVICE void put(c128 *to, const c128 (&x)[RADIX]) {
#pragma unroll
  for (u32 m = 0; m < RADIX; ++m) store(to + m * APART, x[m]);
}
template <u32 APART> DEVICE void get(c128 (&x)[RADIX], const c128 *from) {
#pragma unroll
  for (u32 m = 0; m < RADIX; ++m) x[m] = load(from + m * APART);
}

// The elements of a thread in each of the three stages, in shared memory, and its roots of unity.
struct addresses {
  c128 *first, *second, *third;
  const c128 *far_roots, *near_roots;
};
DEVICE addresses addresses_of(const params &p) {
  const u32 t = threadIdx.x, high = t / RADIX, low = t % RADIX;
  c128 *shared = (c128 *)memory;
  return {shared + t + high, shared + high * FAR + low, shared + t * NEAR, p.roots + t, p.roots + LENGTH + low};
}

// Transforms the elements t + m * THREADS of the threads t. Also begins the sum of their squared moduli, which `total` ends.
DEVICE void forward(c128 (&x)[RADIX], const addresses &at, f64 *sums) {
  f64 sum = 0;
#pragma unroll
  for (u32 m = 0; m < RADIX; ++m) sum = __fma_rn(x[m].im, x[m].im, __fma_rn(x[m].re, x[m].re, sum));
  sums[threadIdx.x] = sum;
  transform(x);
  twist<THREADS>(x, at.far_roots);
  put<FAR>(at.first, x);
  __syncthreads();
  get<NEAR>(x, at.second);
  transform(x);
  twist<RADIX>(x, at.near_roots);
  put<NEAR>(at.second, x);
  if (threadIdx.x < RADIX) {
    f64 part = 0;
#pragma unroll
    for (u32 i = 0; i < RADIX; ++i) part += sums[threadIdx.x * RADIX + i];
    sums[THREADS + threadIdx.x] = part;
  }
  __syncthreads();
  get<1>(x, at.third);
  transform(x);
}
DEVICE f64 total(const f64 *sums) {
  f64 sum = 0;
#pragma unroll
  for (u32 i = 0; i < RADIX; ++i) sum += sums[THREADS + i];
  return sum;
}

// Transforms back, with real and imaginary parts exchanged before and after.
DEVICE void backward(c128 (&x)[RADIX], const addresses &at) {
  transform(x);
  twist<RADIX>(x, at.near_roots);
  put<1>(at.third, x);
  __syncthreads();
  get<NEAR>(x, at.second);
  transform(x);
  put<NEAR>(at.second, x);
  __syncthreads();
  get<FAR>(x, at.first);
  twist<THREADS>(x, at.far_roots);
  transform(x);
}

// Computes the conjugated spectrum of the conjugated shorter sequence, and the square of its norm. One block.
extern "C" __global__ void __launch_bounds__(THREADS) correlate_spectrum(const __grid_constant__ params p) {
  __shared__ f64 sums[THREADS + RADIX];
  const addresses at = addresses_of(p);
  c128 x[RADIX];
#pragma unroll
  for (u32 m = 0; m < RADIX; ++m) {
    const u32 i = threadIdx.x + m * THREADS;
    x[m] = i < p.k ? widened(*(const element *)(p.v + (i64)i * p.v_step)) : c128{0, 0};
    x[m].im = -x[m].im;
  }
  forward(x, at, sums);
#pragma unroll
  for (u32 m = 0; m < RADIX; ++m)
    store(p.spectrum + threadIdx.x + m * THREADS, c128{x[m].re * (1.0 / LENGTH), -x[m].im * (1.0 / LENGTH)});
  if (threadIdx.x == 0) store(p.spectrum + LENGTH, c128{total(sums), 0});
}

// Sums the products of result o, by a warp; the sum is of lane 0. Elements beyond the longer sequence are not multiplied.
DEVICE c128 summed(const params &p, u64 o, c128 *sums) {
  const u32 lane = threadIdx.x % 32;
  const u64 first = o < p.lead ? p.lead - o : 0, room = p.n + p.lead - o, last = room < p.k ? room : p.k;
  const char *a = p.a + ((i64)o - (i64)p.lead) * p.a_step;
  c128 sum = {0, 0};
#pragma unroll 8
  for (u64 j = first + lane; j < last; j += 32) {
    const c128 x = widened(*(const element *)(a + (i64)j * p.a_step)), y = widened(*(const element *)(p.v + (i64)j * p.v_step));
    sum.re = __fma_rn(x.re, y.re, sum.re);
    if constexpr (!REAL) {
      sum.im = __fma_rn(x.re, y.im, sum.im);
      sum.re = __fma_rn(-x.im, y.im, sum.re);
      sum.im = __fma_rn(x.im, y.re, sum.im);
    }
  }
  store(sums + lane, sum);
  __syncwarp();
#pragma unroll 1
  for (u32 half = 16; half > 0; half /= 2) {
    if (lane < half) store(sums + lane, sum = sum + load(sums + lane + half));
    __syncwarp();
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) correlate_fft(const __grid_constant__ params p) {
  __shared__ f64 sums[THREADS + RADIX];
  __shared__ u32 masks[THREADS];
  const addresses at = addresses_of(p);
  const u32 t = threadIdx.x;
  const u64 first = (u64)blockIdx.x * PARTS * p.side;
  c128 x[RADIX];
  const i64 base = (i64)first - (i64)p.lead + t;
#pragma unroll
  for (u32 m = 0; m < RADIX; ++m) {
    const i64 i = base + m * THREADS;
    x[m] = (u64)i < p.n ? widened(*(const element *)(p.a + i * p.a_step)) : c128{0, 0};
    if constexpr (REAL) {
      const i64 j = i + p.side;
      if ((u64)j < p.n) x[m].im = widened(*(const element *)(p.a + j * p.a_step)).re;
    }
  }
  forward(x, at, sums);
#pragma unroll
  for (u32 m = 0; m < RADIX; ++m) x[m] = exchanged(product(x[m], load(p.spectrum + t + m * THREADS)));
  backward(x, at);
  const f64 limit = LIMIT * total(sums) * p.spectrum[LENGTH].re;
  // A bit for each result that is not accurate enough; those of the second part from bit 16 on.
  u32 mask = 0;
#pragma unroll
  for (u32 m = 0; m < RADIX; ++m) {
    const u32 r = t + m * THREADS;
    const c128 z = exchanged(x[m]);
    const bool is_re = z.re * z.re >= limit, is_im = z.im * z.im >= limit;
    if (r >= p.side) continue;
    const u64 o = first + r;
    if (o < p.count) {
      write(p.out + o, z);
      if (!is_re || !REAL && !is_im) mask |= 1u << m;
    }
    if (REAL && o + p.side < p.count) {
      write(p.out + o + p.side, exchanged(z));
      if (!is_im) mask |= 1u << (16 + m);
    }
  }
  masks[t] = mask;
  const u32 threads = __syncthreads_count(mask != 0);
  if (t == 0) p.left[blockIdx.x] = threads > MOST_THREADS;
  if (threads > MOST_THREADS || threads == 0) return;
#pragma unroll 1
  for (u32 i = t / 32; i < THREADS; i += THREADS / 32) {
    for (u32 rest = masks[i]; rest != 0; rest &= rest - 1) {
      const u32 m = __ffs(rest) - 1;
      const u64 o = first + (m / 16) * p.side + i + m % 16 * THREADS;
      const c128 sum = summed(p, o, (c128 *)memory + t / 32 * 32);
      if (t % 32 == 0) p.out[o] = result_of(sum);
    }
  }
}
