// Piecewise linear interpolation: for each x the value on the line through the two knots around it. Required before it:
// `given` (the dtype of x in memory), `value` (f64 or c128, of the knots and the results), argument_of(given), which
// widens to f64, `uindex`, BUCKETS (a number or 0), and SHARED (the knots themselves are also loaded to shared memory,
// which has room for them).
//
// With BUCKETS the range of the knots is divided into equal intervals, and shared memory holds the number of knots
// before each: only the knots of one interval are searched. Points and knots are assigned to intervals by the same
// monotonic function, so that the knots before an interval are not greater than any point in it.

#if BUCKETS
DEVICE u32 bucket_of(f64 x, f64 first, f64 scale) {
  const f64 t = (x - first) * scale;
  return !(t < BUCKETS) ? BUCKETS - 1 : t > 0 ? (u32)t : 0;
}
#endif

// The point on the line from (x0, y0) to (x1, y1): from the other end if the first gives NaN, as with an infinity.
DEVICE f64 on_line(f64 slope, f64 x, f64 x0, f64 y0, f64 x1, f64 y1) {
  f64 y = slope * (x - x0) + y0;
  if (y != y) {
    y = slope * (x - x1) + y1;
    if (y != y && y0 == y1) y = y0;
  }
  return y;
}
DEVICE f64 between(f64 x, f64 x0, f64 y0, f64 x1, f64 y1) {
  return on_line((y1 - y0) / (x1 - x0), x, x0, y0, x1, y1);
}
DEVICE f64 as_value(const f64 (&given)[2], f64) { return given[0]; }
DEVICE f64 nan_as(f64 x, f64) { return x; }
#if COMPLEX
DEVICE c128 between(f64 x, f64 x0, c128 y0, f64 x1, c128 y1) {
  const f64 part = 1 / (x1 - x0);
  return {on_line((y1.re - y0.re) * part, x, x0, y0.re, x1, y1.re),
          on_line((y1.im - y0.im) * part, x, x0, y0.im, x1, y1.im)};
}
DEVICE c128 as_value(const f64 (&given)[2], c128) { return {given[0], given[1]}; }
DEVICE c128 nan_as(f64 x, c128) { return {x, 0}; }
#endif

#if SHARED
constexpr u32 THREADS = 1024, EACH = 4;
struct knot {
  f64 x;
  value y;
};
// The knots, then the number of them before each interval.
extern __shared__ __align__(16) unsigned char memory[];
DEVICE knot *knots_here() { return (knot *)memory; }
DEVICE f64 knot_at(const params &, u64 j) { return knots_here()[j].x; }
DEVICE value value_at(const params &, u64 j) { return knots_here()[j].y; }
typedef u16 number;
#else
constexpr u32 THREADS = 512, EACH = 1;
DEVICE f64 knot_at(const params &p, u64 j) { return p.xs[j]; }
DEVICE value value_at(const params &p, u64 j) { return p.ys[j]; }
typedef u32 number;
#endif

extern "C" __global__ void __launch_bounds__(THREADS) interp(const __grid_constant__ params p) {
  const u64 knots = p.knots;
#if SHARED
  for (u64 j = threadIdx.x; j < knots; j += THREADS) knots_here()[j] = {p.xs[j], p.ys[j]};
  __syncthreads();
#endif
  const f64 first = knot_at(p, 0), last = knot_at(p, knots - 1);
  const value before = p.has_left ? as_value(p.left, value()) : value_at(p, 0);
  const value behind = p.has_right ? as_value(p.right, value()) : value_at(p, knots - 1);
#if BUCKETS
#if SHARED
  number *starts = (number *)(knots_here() + knots);
#else
  __shared__ number starts[BUCKETS + 1];
#endif
  const f64 scale = BUCKETS / (last - first);
  for (u32 b = threadIdx.x; b <= BUCKETS; b += THREADS) {
    u32 low = 0, high = (u32)knots;
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      if (bucket_of(knot_at(p, middle), first, scale) < b) low = middle + 1; else high = middle;
    }
    starts[b] = (number)low;
  }
  __syncthreads();
#endif
  const u64 step = (u64)gridDim.x * (THREADS * EACH);
#pragma unroll 1
  for (u64 begin = (u64)blockIdx.x * (THREADS * EACH) + threadIdx.x; begin < p.results; begin += step) {
    f64 x[EACH];
    u64 low[EACH];
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      const u64 i = begin + k * THREADS;
      if (i >= p.results) break;
      const i64 at = p.axes <= 1 ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
      x[k] = argument_of(*(const given *)((const char *)p.input + at));
    }
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      if (begin + k * THREADS >= p.results) break;
      // The first knot greater than x.
#if BUCKETS
      const u32 bucket = bucket_of(x[k], first, scale);
      u32 from = starts[bucket], high = starts[bucket + 1];
#else
      u64 from = 0, high = knots;
#endif
#pragma unroll 1
      while (from < high) {
        const u64 middle = from + (high - from) / 2;
        if (knot_at(p, middle) <= x[k]) from = middle + 1; else high = middle;
      }
      low[k] = from;
    }
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      const u64 i = begin + k * THREADS, j = low[k] > 0 ? low[k] - 1 : 0;
      if (i >= p.results) break;
      value y;
      if (x[k] != x[k]) {
        y = knots == 1 ? value_at(p, 0) : nan_as(x[k], value());
      } else if (x[k] > last) {
        y = behind;
      } else if (x[k] < first) {
        y = before;
      } else {
        const f64 x0 = knot_at(p, j);
        const value y0 = value_at(p, j);
        y = j + 1 == knots || x0 == x[k] ? y0 : between(x[k], x0, y0, knot_at(p, j + 1), value_at(p, j + 1));
      }
      p.out[i] = y;
    }
  }
}
