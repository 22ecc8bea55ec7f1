// Values of a spline along a line at coordinates that are an affine map of the indices of the results. Required before it:
// spline_weights.cuh for any order, and the parameter struct, whose coordinates from the result `low` to `high` are within the line and do
// not fall.

// Returns the coordinate of a result, rounded as by the kernel `sample`.
DEVICE f64 coordinate_of(const params &p, i64 m) { return __dadd_rn(__dmul_rn(__dadd_rn((f64)m, p.before), p.scale), p.after); }

// Returns the first result from `low` on whose coordinate is at least `at`, or `high`. The bounds of scales and summands by the host make the
// estimate differ by one at most.
DEVICE i64 first_result(const params &p, i64 at) {
  const f64 least = (f64)at;
  i64 m = (i64)fmin(fmax(ceil((least - p.after) / p.scale - p.before), (f64)p.low), (f64)p.high);
#pragma unroll 1
  while (m > p.low && coordinate_of(p, m - 1) >= least) --m;
#pragma unroll 1
  while (m < p.high && coordinate_of(p, m) < least) ++m;
  return m;
}

// Finds the weights of a result's taps, and returns the element of the first.
DEVICE i64 find_taps(const params &p, i64 m, f64 (&weights)[TAPS]) {
  const f64 c = coordinate_of(p, m), middle = p.order & 1 ? c : c + 0.5, floored = floor(middle);
  find_weights(p.order, p.order & 1 ? c - floored : c - floored + 0.5, weights);
  return (i64)floored - (i64)(p.order / 2);
}
