// Polynomials that interpolate a function at the Chebyshev nodes of an interval, whose ends are -1 and 1 of `t`; the
// coefficients are stored from the highest down. Unrolled, so that they are immediates of the instructions: an array that
// a loop indexes is written to local memory by each call.
template <int N> DEVICE f64 interpolated(const f64 (&c)[N], f64 t) {
  f64 y = c[0];
#pragma unroll
  for (int k = 1; k < N; ++k) y = fma(y, t, c[k]);
  return y;
}
