// Piecewise polynomials in one variable: in powers, in Bernstein polynomials or in B-splines. Required before it: `uindex`, knots.cuh, DEGREES
// (highest degree of B-splines) and the parameter struct.
//
// A thread evaluates several results, each of one point and one trailing element of the coefficients. Lower bound: the points read and the results written;
// the knots are searched in shared memory where they fit, and coefficients are read through the L1 cache.

// Threads of a block of `spline_basis` and `spline_normal`. Those of `piecewise` are data: many threads share a copy of the knots, which
// leaves most of the L1 cache to the coefficients.
constexpr u32 THREADS = 256, MOST_THREADS = 1024;
enum { POWERS, BERNSTEIN, SPLINE };

// Sum of the products of descending powers: c[0] belongs to the highest. Derivative nu.
DEVICE f64 powers_at(const f64 *c, i64 step, int k, int nu, f64 s) {
  f64 sum = 0;
#pragma unroll 4
  for (int j = 0; j <= k - nu; ++j) {
    f64 factor = c[j * step];
#pragma unroll 1
    for (int d = 0; d < nu; ++d) factor *= k - j - d;
    sum = __fma_rn(sum, s, factor);
  }
  return sum;
}

// Derivative nu, for the width h of the interval, of a polynomial of degree k in Bernstein form, 0 <= s <= 1 within the interval. Its
// coefficients are differences of order nu. The sum is a polynomial in the smaller one of s / (1 - s) and its reciprocal.
DEVICE f64 bernstein_at(const f64 *c, i64 step, int k, int nu, f64 s, f64 h) {
  const int degree = k - nu;
  if (degree < 0) return 0;
  const f64 r = 1 - s;
  const bool low = fabs(s) <= fabs(r);
  const f64 base = low ? r : s, ratio = low ? s / r : r / s;
  f64 sum = 0, scale = 1, binomial = 1;
#pragma unroll 1
  for (int j = degree; j >= 0; --j) {
    const int at = low ? j : degree - j;
    f64 difference = 0, weight = nu % 2 ? -1 : 1;
#pragma unroll 1
    for (int d = 0; d <= nu; ++d) {
      difference += weight * c[(at + d) * step];
      weight = -weight * (nu - d) / (d + 1);
    }
    sum = sum * ratio + binomial * difference;
    binomial = binomial * j / (degree - j + 1);
  }
#pragma unroll 1
  for (int d = 0; d < degree; ++d) scale *= base;
#pragma unroll 1
  for (int d = 0; d < nu; ++d) scale *= (k - d) / h;
  return sum * scale;
}

template <int MOST> DEVICE f64 spline_at(const f64 *knots, i64 i, f64 v, int k, int nu, const f64 *c, i64 step) {
  f64 h[MOST + 1];
  basis_of<MOST>(knots, i, v, k, nu, h);
  f64 sum = 0;
  constexpr int UNROLL = MOST <= 5 ? MOST + 1 : 1;
#pragma unroll UNROLL
  for (int a = 0; a <= MOST; ++a) {
    if (a > k) break;
    sum = __fma_rn(h[a], c[a * step], sum);
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) piecewise(const __grid_constant__ params p) {
  extern __shared__ __align__(16) f64 shared_knots[];
  // Descending knots are passed as their negatives.
  const f64 sign = p.descending ? -1 : 1;
  const f64 *knots = p.knots;
  if (p.shared) {
    for (u64 j = threadIdx.x; j < p.count; j += blockDim.x) shared_knots[j] = p.knots[j];
    __syncthreads();
    knots = shared_knots;
  }
  const f64 begin = knots[p.first], end = knots[p.last], scale = (f64)(p.last - p.first) / (end - begin);
  const int k = (int)p.degree, nu = (int)p.nu;
  const i64 step = (i64)p.trailing.divisor;
  const u64 stride = (u64)gridDim.x * blockDim.x;
#pragma unroll 1
  for (u64 r = (u64)blockIdx.x * blockDim.x + threadIdx.x; r < p.results; r += stride) {
    u64 point = r, t = 0;
    if (step > 1) {
      point = divide((uindex)r, p.trailing);
      t = r - point * (u64)step;
    }
    f64 v = sign * p.x[point], y;
    if (p.extrapolate == 2) v = wrapped(v, begin, end - begin);
    if (v != v || (p.extrapolate == 0 && !(begin <= v && v <= end))) {
      y = __longlong_as_double(0x7ff8000000000000ll);
    } else {
      if (p.kind == SPLINE) {
        const i64 i = spline_interval_of(knots, p.first, p.last, v, scale, k);
        const f64 *c = p.coefficients + (i - k) * step + t;
        if (nu > k) y = 0;
        else y = k <= 5 ? spline_at<5>(knots, i, v, k, nu, c, step) : spline_at<DEGREES>(knots, i, v, k, nu, c, step);
      } else {
        const i64 i = interval_of(knots, p.first, p.last, v, scale);
        const f64 s = sign * (v - knots[i]);
        const f64 *c = p.coefficients + i * step + t;
        const i64 across = (p.last - p.first) * step;
        if (p.kind == POWERS) {
          y = powers_at(c, across, k, nu, s);
        } else {
          const f64 h = sign * (knots[i + 1] - knots[i]);
          y = bernstein_at(c, across, k, nu, s / h, h);
        }
      }
    }
    p.out[r] = y;
  }
}

// The values of derivative nu of the k + 1 B-splines that are not zero at each point, and the number of the first of them. Points outside of the
// knots belong to the first interval or the last.
extern "C" __global__ void __launch_bounds__(THREADS) spline_basis(const __grid_constant__ params p) {
  const u64 r = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (r >= p.results) return;
  const int k = (int)p.degree, nu = (int)p.nu;
  f64 h[DEGREES + 1], v = p.x[r];
  const f64 begin = p.knots[p.first], end = p.knots[p.last];
  if (p.extrapolate == 2) v = wrapped(v, begin, end - begin);
  const i64 i = spline_interval_of(p.knots, p.first, p.last, v, (f64)(p.last - p.first) / (end - begin), k);
  basis_of<DEGREES>(p.knots, i, v, k, nu, h);
#pragma unroll 1
  for (int a = 0; a <= k; ++a) p.out[r * (k + 1) + a] = nu > k ? 0 : h[a];
  p.begins[r] = i - k;
}

// Normal equations of least squares with weights: for each coefficient i and each a <= k the sum over the points of the products of B-splines i
// and i + a, then, if there are residuals or values, the sums of their products with B-spline i. Points are in order: those of the support
// of a B-spline are adjacent. A block for each coefficient, whose threads are added in a fixed order.
extern "C" __global__ void __launch_bounds__(THREADS) spline_normal(const __grid_constant__ params p) {
  __shared__ f64 sums[THREADS];
  const int k = (int)p.degree, columns = k + 1;
  const i64 points = (i64)p.results, i = blockIdx.x, trailing = (i64)p.trailing.divisor;
  // The first point whose first B-spline is i - k or later, and the first one that is later than i.
  i64 range[2];
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    i64 from = 0, to = points;
#pragma unroll 1
    while (from < to) {
      const i64 middle = from + (to - from) / 2;
      if (p.begins[middle] < i - k + e * (k + 1)) from = middle + 1; else to = middle;
    }
    range[e] = from;
  }
  const i64 outputs = (p.normal ? columns : 0) + (p.rights ? trailing : 0);
#pragma unroll 1
  for (i64 o = 0; o < outputs; ++o) {
    const i64 t = p.normal ? o - columns : o;
    f64 sum = 0;
#pragma unroll 1
    for (i64 m = range[0] + threadIdx.x; m < range[1]; m += THREADS) {
      const i64 a = i - p.begins[m];
      const f64 w = p.weights ? p.weights[m] : 1, value = w * w * p.basis[m * columns + a];
      const f64 other = t >= 0 ? p.y[m * trailing + t] : a + o <= k ? p.basis[m * columns + a + o] : 0;
      sum = __fma_rn(value, other, sum);
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (u32 half = THREADS / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      if (t >= 0) p.rights[i * trailing + t] = sums[0];
      else p.normal[i * columns + o] = sums[0];
    }
    __syncthreads();
  }
}
