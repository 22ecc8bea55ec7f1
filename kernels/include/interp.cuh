// Lines between knots: for each x the value on the line through the two knots around it. Before it stand: `given` (the
// dtype of x in memory), `value` (f64 or c128, of the knots and the results), place_of(given), which widens it to f64,
// `uindex` and BUCKETS, a number or 0.
//
// With BUCKETS the way from the first knot to the last is cut into as many equal parts, and shared memory holds how many
// knots stand before each: between the knots of its part a place is soon found. Places and knots are sorted into parts by
// one function that never falls, so that the knots before a part are not behind any place in it.

#if BUCKETS
DEVICE u32 bucket_of(f64 x, f64 first, f64 scale) {
  const f64 t = (x - first) * scale;
  return !(t < BUCKETS) ? BUCKETS - 1 : t > 0 ? (u32)t : 0;
}
#endif

// On the line from (x0, y0) to (x1, y1): from the other end where the first gives NaN, as beside an infinity.
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

extern "C" __global__ void __launch_bounds__(512) interp(const __grid_constant__ params p) {
  const u64 knots = p.knots;
  const f64 first = p.xs[0], last = p.xs[knots - 1];
  const value before = p.has_left ? as_value(p.left, value()) : p.ys[0];
  const value behind = p.has_right ? as_value(p.right, value()) : p.ys[knots - 1];
#if BUCKETS
  __shared__ u32 starts[BUCKETS + 1];
  const f64 scale = BUCKETS / (last - first);
  for (u32 b = threadIdx.x; b <= BUCKETS; b += 512) {
    u32 low = 0, high = (u32)knots;
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      if (bucket_of(p.xs[middle], first, scale) < b) low = middle + 1; else high = middle;
    }
    starts[b] = low;
  }
  __syncthreads();
#endif
  const u64 step = (u64)gridDim.x * 512;
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * 512 + threadIdx.x; i < p.results; i += step) {
    const i64 at = p.axes <= 1 ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
    const f64 x = place_of(*(const given *)((const char *)p.input + at));
    // The first knot beyond x.
#if BUCKETS
    const u32 bucket = bucket_of(x, first, scale);
    u64 low = starts[bucket], high = starts[bucket + 1];
#else
    u64 low = 0, high = knots;
#endif
#pragma unroll 1
    while (low < high) {
      const u64 middle = low + (high - low) / 2;
      if (p.xs[middle] <= x) low = middle + 1; else high = middle;
    }
    const u64 j = low > 0 ? low - 1 : 0;
    value y;
    if (x != x) {
      y = knots == 1 ? p.ys[0] : nan_as(x, value());
    } else if (x > last) {
      y = behind;
    } else if (x < first) {
      y = before;
    } else {
      const f64 x0 = p.xs[j];
      const value y0 = p.ys[j];
      y = j + 1 == knots || x0 == x ? y0 : between(x, x0, y0, p.xs[j + 1], p.ys[j + 1]);
    }
    p.out[i] = y;
  }
}
