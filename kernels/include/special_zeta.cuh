// The Hurwitz zeta function for x > 1, q > 0, by the Euler-Maclaurin formula, DLMF 25.11.7.
static __device__ __noinline__ f64 zeta_positive(f64 x, f64 q) {
  f64 sum = 0, w = q;
#pragma unroll 1
  for (; w < 10 + x; w += 1) {
    f64 term = pow(w, -x);
    sum += term;
    if (term <= 1e-18 * sum || isinf(sum)) return sum;
  }
  // B_2j / (2j)!
  static constexpr f64 b[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000.0,
                   1.0 / 74724249600.0, -3617.0 / 10670622842880000.0, 43867.0 / 5109094217170944000.0,
                   -174611.0 / 802857662698291200000.0, 77683.0 / 14101100039391805440000.0,
                   -236364091.0 / 1693824136731743669452800000.0};
  // In units of w^(1-x); the power is computed in halves, because w^-x alone may underflow where the result does not.
  f64 half = pow(w, -0.5 * x), rest = 1 / (x - 1) + 0.5 / w, factor = x / w / w;
#pragma unroll 1
  for (int j = 0; j < 12; ++j) {
    rest += b[j] * factor;
    factor *= (x + (2 * j + 1)) / w * ((x + (2 * j + 2)) / w);
  }
  return sum + half * w * half * rest;
}
DEVICE f64 zeta(f64 x, f64 q) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll), nan = __longlong_as_double(0x7ff8000000000000ll);
  if (x == 1) return infinity;
  if (x < 1) return nan;
  if (q <= 0 && q == floor(q)) return infinity;
  if (is_nan(x) || is_nan(q)) return x + q;
  if (isinf(x)) return q == 1 ? 1 : q > 1 ? 0 : infinity;
  if (isinf(q)) return 0;
  if (q > 0) return zeta_positive(x, q);
  if (x != floor(x)) return nan;
  // The terms on both sides of zero, each by a function of a positive argument. Those of an odd x at the same distance
  // from zero cancel.
  f64 g = -(q - trunc(q)), f = 1 - g;
  const bool odd = fmod(x, 2.0) != 0;
  if (odd && f == g) return zeta_positive(x, 1 - q);
  f64 above = zeta_positive(x, f), below = zeta_positive(x, g) - zeta_positive(x, 1 - q);
  if (odd && isinf(above) && isinf(below)) return f < g ? infinity : -infinity;
  return odd ? above - below : above + below;
}
