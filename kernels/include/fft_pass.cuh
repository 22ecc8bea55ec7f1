// Fourier transforms of L elements, a power of two, in one pass over the memory: radices up to EACH, self-sorting (T. G. Stockham,
// "High-speed convolution and correlation", 1966). A transform of more elements is two passes (W. M. Gentleman and G. Sande,
// "Fast Fourier transforms: for fun and profit", 1966). Required before it: `part` and `value` (a real and a complex number),
// `pair` (a value as one load), L, EACH, ROWS, `params`.
//
// A block has WIDE transforms, a thread EACH elements. Adjacent threads have adjacent transforms, or, with ROWS, adjacent elements of
// a transform. Lower bound of memory traffic: each element once and each result once.
//
// The inverse transform is the forward one with real and imaginary parts exchanged, before and after.

constexpr u32 THREADS = 256, TILE = THREADS * EACH, WIDE = TILE / L;

// Index of element k of transform c in shared memory. Rows have a gap after EACH elements, so that strides of powers of two meet
// different banks.
DEVICE u32 slot(u32 k, u32 c) {
  if constexpr (ROWS) return c * (L + L / EACH) + k + k / EACH;
  return k * WIDE + c;
}

// The product with the 16th root of unity exp(-2 pi i k / 16), k < 8.
DEVICE value times_root(value a, u32 k) {
  constexpr part c1 = (part)0.92387953251128675613, s1 = (part)0.38268343236508977173, h = (part)0.70710678118654752440;
  switch (k) {
    case 0: return a;
    case 1: return value{a.re * c1 + a.im * s1, a.im * c1 - a.re * s1};
    case 2: return value{(a.re + a.im) * h, (a.im - a.re) * h};
    case 3: return value{a.re * s1 + a.im * c1, a.im * s1 - a.re * c1};
    case 4: return value{a.im, -a.re};
    case 5: return value{a.im * c1 - a.re * s1, -(a.re * c1) - a.im * s1};
    case 6: return value{(a.im - a.re) * h, -((a.re + a.im) * h)};
    default: return value{a.im * s1 - a.re * c1, -(a.re * s1) - a.im * c1};
  }
}

// Transforms R elements that are STEP apart.
template <u32 R, u32 STEP> DEVICE void transform(value *x) {
  if constexpr (R > 1) {
    transform<R / 2, 2 * STEP>(x);
    transform<R / 2, 2 * STEP>(x + STEP);
    value y[R];
#pragma unroll
    for (u32 k = 0; k < R / 2; ++k) {
      const value even = x[2 * k * STEP], odd = times_root(x[(2 * k + 1) * STEP], k * (16 / R));
      y[k] = even + odd;
      y[k + R / 2] = even - odd;
    }
#pragma unroll
    for (u32 k = 0; k < R; ++k) x[k * STEP] = y[k];
  }
}

DEVICE value load(const char *at, u32 exchange) {
  const pair w = *(const pair *)at;
  return exchange ? value{w.y, w.x} : value{w.x, w.y};
}

// Where a block reads and writes, and its number among the transforms that one later pass combines.
struct origin {
  const char *input;
  char *out;
  u64 columns;
  u32 number;
};

// The stage after NS elements of each transform are combined, and those that follow it. It reads EACH times NS roots of unity after those
// of the earlier stages, so that adjacent threads read adjacent ones.
template <u32 NS> DEVICE void stages(const params &p, const origin &at, value *shared) {
  constexpr u32 R = L / NS < EACH ? L / NS : EACH, COUNT = EACH / R, APART = L / R;
  value x[EACH];
  u32 i[COUNT], c[COUNT];
#pragma unroll
  for (u32 u = 0; u < COUNT; ++u) {
    const u32 id = threadIdx.x + u * THREADS;
    i[u] = ROWS ? id % APART : id / WIDE;
    c[u] = ROWS ? id / APART : id % WIDE;
#pragma unroll
    for (u32 m = 0; m < R; ++m) {
      const u32 k = i[u] + m * APART;
      value &y = x[u * R + m];
      if constexpr (NS == 1) {
        y = c[u] < at.columns ? load(at.input + k * p.in_step + c[u] * p.in_column, p.inverse) : value{0, 0};
      } else {
        y = shared[slot(k, c[u])];
        if (m > 0) y = y * p.stages[EACH * (NS - EACH) / (EACH - 1) + m * NS + i[u] % NS];
      }
    }
  }
#pragma unroll
  for (u32 u = 0; u < COUNT; ++u) transform<R, 1>(x + u * R);
  if constexpr (NS * R == L) {
#pragma unroll
    for (u32 u = 0; u < COUNT; ++u) {
      if (c[u] >= at.columns) continue;
#pragma unroll
      for (u32 m = 0; m < R; ++m) {
        const u32 k = i[u] + m * APART;
        value y = x[u * R + m];
        if (at.number > 0) y = y * p.roots[k * at.number];
        y.re *= (part)p.scale;
        y.im *= (part)p.scale;
        *(pair *)(at.out + k * p.out_step + c[u] * p.out_column) = p.inverse ? pair{y.im, y.re} : pair{y.re, y.im};
      }
    }
  } else {
    // Every thread has read its elements of the stage before.
    if constexpr (NS > 1) __syncthreads();
#pragma unroll
    for (u32 u = 0; u < COUNT; ++u) {
#pragma unroll
      for (u32 m = 0; m < R; ++m) shared[slot(i[u] / NS * (NS * R) + i[u] % NS + m * NS, c[u])] = x[u * R + m];
    }
    __syncthreads();
    stages<NS * R>(p, at, shared);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) fft_pass(const __grid_constant__ params p) {
  __shared__ value shared[L > EACH ? TILE + TILE / EACH : 1];
  const u32 tile = blockIdx.x % p.tiles, rest = blockIdx.x / p.tiles, number = rest % p.numbers;
  const i64 outer = rest / p.numbers;
  const u64 first = (u64)tile * WIDE;
  origin at;
  at.input = p.input + outer * p.in_outer + number * p.in_number + (i64)first * p.in_column;
  at.out = p.out + outer * p.out_outer + number * p.out_number + (i64)first * p.out_column;
  at.columns = p.columns - first;
  at.number = p.is_first ? number : 0;
  stages<1>(p, at, shared);
}
