// Weights of the taps of a B-spline. Required before it: ORDER (of the spline, or -1 for any up to 5).
constexpr int TAPS = ORDER < 0 ? 6 : ORDER + 1;

// The basis functions at t by de Boor's recurrence over the degrees (C. de Boor, "A Practical Guide to Splines", chapter X).
DEVICE void find_weights(u32 order, f64 t, f64 (&weights)[TAPS]) {
#if ORDER == 1
  weights[0] = 1 - t;
  weights[1] = t;
#else
  weights[0] = 1;
#pragma unroll
  for (u32 degree = 1; degree < TAPS; ++degree) {
    if (degree > order) break;
    f64 carried = 0;
#pragma unroll
    for (u32 k = 0; k < degree; ++k) {
      const f64 share = weights[k] * (1.0 / (f64)degree);
      weights[k] = carried + ((f64)(k + 1) - t) * share;
      carried = (t + (f64)(degree - 1 - k)) * share;
    }
    weights[degree] = carried;
  }
#endif
}
