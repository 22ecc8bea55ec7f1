// Double-double arithmetic: the unevaluated sum of a number and its rounding error (T. J. Dekker, "A floating-point
// technique for extending the available precision", 1971), for the steps that decide the last digits of a function.
struct twofold { f64 high, low; };

DEVICE twofold exact_sum(f64 a, f64 b) {
  const f64 s = a + b, of_b = s - a;
  return {s, (a - (s - of_b)) + (b - of_b)};
}
DEVICE twofold exact_product(f64 a, f64 b) {
  const f64 p = a * b;
  return {p, fma(a, b, -p)};
}
// For |a| >= |b|.
DEVICE twofold settled(f64 a, f64 b) {
  const f64 s = a + b;
  return {s, b - (s - a)};
}
DEVICE twofold operator-(twofold a) { return {-a.high, -a.low}; }
DEVICE twofold operator+(twofold a, twofold b) {
  const twofold s = exact_sum(a.high, b.high);
  return settled(s.high, s.low + (a.low + b.low));
}
DEVICE twofold operator+(twofold a, f64 b) { return a + twofold{b, 0}; }
DEVICE twofold operator*(twofold a, twofold b) {
  const twofold p = exact_product(a.high, b.high);
  return settled(p.high, p.low + (a.high * b.low + a.low * b.high));
}
DEVICE twofold operator*(twofold a, f64 b) { return a * twofold{b, 0}; }
DEVICE twofold operator/(twofold a, twofold b) {
  const f64 q = a.high / b.high;
  return settled(q, (fma(-q, b.high, a.high) + (a.low - q * b.low)) / b.high);
}
DEVICE twofold root_of(twofold a) {
  const f64 r = sqrt(a.high);
  return r == 0 ? a : settled(r, (fma(-r, r, a.high) + a.low) / (2 * r));
}
// 2 atanh(z) for |z| up to 0.1716, by its series.
DEVICE twofold twice_atanh(twofold z) {
  const twofold square = z * z;
  const f64 s = square.high;
  f64 rest = 1.0 / 23;
  rest = rest * s + 1.0 / 21;
  rest = rest * s + 1.0 / 19;
  rest = rest * s + 1.0 / 17;
  rest = rest * s + 1.0 / 15;
  rest = rest * s + 1.0 / 13;
  rest = rest * s + 1.0 / 11;
  rest = rest * s + 1.0 / 9;
  rest = rest * s + 1.0 / 7;
  rest = rest * s + 0.2;
  // A third, and its rounding error.
  const twofold cubic = square * (twofold{0.3333333333333333, 1.850371707708594e-17} + s * rest);
  const twofold sum = z + z * cubic;
  return {2 * sum.high, 2 * sum.low};
}
// The natural logarithm of a positive normal number.
DEVICE twofold log_of(twofold x) {
  const i64 bits = __double_as_longlong(x.high);
  int e = (int)(bits >> 52) - 1023;
  // Scaled to between the roots of 1/2 and of 2.
  if ((bits & 0xfffffffffffffll) > 0x6a09e667f3bccll) e += 1;
  const f64 scale = __longlong_as_double((i64)(1023 - (e >> 1)) << 52), other = __longlong_as_double((i64)(1023 - (e - (e >> 1))) << 52);
  x = {x.high * scale * other, x.low * scale * other};
  const twofold y = twice_atanh((x + -1.0) / (x + 1.0));
  return exact_sum(e * 0x1.62e42fefa3800p-1, e * 5.497923018708371e-14) + y;
}
DEVICE twofold log_of(f64 x) { return log_of(twofold{x, 0}); }
// e to the power of such a number.
DEVICE f64 exp_of(twofold t) {
  const f64 y = exp(t.high);
  return isfinite(y) ? y + y * t.low : y;
}
