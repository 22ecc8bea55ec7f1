// Cubic splines in one variable: the tridiagonal system of their first derivatives, and their coefficients. Required before it: the parameter struct.
//
// Lower bound: the values read, and for each element a row of the right-hand sides, or four coefficients, written.

constexpr u32 THREADS = 256;
enum { NOT_A_KNOT, FIRST_DERIVATIVE };

DEVICE f64 width_of(const params &p, i64 i) { return p.x[i + 1] - p.x[i]; }
DEVICE f64 slope_of(const params &p, i64 i, u64 t) {
  return (p.y[(i + 1) * p.columns + t] - p.y[i * p.columns + t]) / width_of(p, i);
}

// The rows of the system: continuous second derivatives at the inner points, and a condition at either end. A thread for each element.
extern "C" __global__ void __launch_bounds__(THREADS) cubic_rows(const __grid_constant__ params p) {
  const u64 index = (u64)blockIdx.x * THREADS + threadIdx.x, t = index % p.columns;
  const i64 i = (i64)(index / p.columns), last = p.points - 1;
  if (i > last) return;
  f64 before, diagonal, after, right;
  if (i > 0 && i < last) {
    const f64 h0 = width_of(p, i - 1), h1 = width_of(p, i);
    before = h1, diagonal = 2 * (h0 + h1), after = h0;
    right = 3 * (h1 * slope_of(p, i - 1, t) + h0 * slope_of(p, i, t));
  } else {
    const bool end = i != 0;
    const i64 a = end ? last - 1 : 0, b = last == 1 ? 0 : end ? last - 2 : 1;
    const f64 h0 = width_of(p, a), h1 = width_of(p, b), slope = slope_of(p, a, t);
    const f64 value = p.values[end] ? p.values[end][t] : 0;
    if (p.kinds[end] == NOT_A_KNOT) {
      const f64 both = h0 + h1;
      diagonal = h1, before = both;
      right = ((h0 + 2 * both) * h1 * slope + h0 * h0 * slope_of(p, b, t)) / both;
    } else if (p.kinds[end] == FIRST_DERIVATIVE) {
      diagonal = 1, before = 0, right = value;
    } else {
      diagonal = 2 * h0, before = h0;
      right = 3 * h0 * slope + (end ? 0.5 : -0.5) * value * h0 * h0;
    }
    after = before;
  }
  p.rights[index] = right;
  if (t == 0) p.lower[i] = before, p.diagonal[i] = diagonal, p.upper[i] = after;
}

// The coefficients of the polynomials with these values and first derivatives, highest power first. A thread for each element.
extern "C" __global__ void __launch_bounds__(THREADS) cubic_coefficients(const __grid_constant__ params p) {
  const u64 index = (u64)blockIdx.x * THREADS + threadIdx.x, t = index % p.columns, all = (p.points - 1) * p.columns;
  if (index >= all) return;
  const i64 i = (i64)(index / p.columns);
  const f64 h = width_of(p, i), slope = slope_of(p, i, t), d0 = p.slopes[index], d1 = p.slopes[index + p.columns];
  const f64 third = (d0 + d1 - 2 * slope) / h;
  p.out[index] = third / h;
  p.out[all + index] = (slope - d0) / h - third;
  p.out[2 * all + index] = d0;
  p.out[3 * all + index] = p.y[index];
}
