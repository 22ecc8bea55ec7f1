// Relatives of the gamma function, in double precision; DLMF is the Digital Library of Mathematical Functions.
DEVICE f64 special_nan() { return __longlong_as_double(0x7ff8000000000000ll); }
DEVICE f64 special_infinity() { return __longlong_as_double(0x7ff0000000000000ll); }
DEVICE bool is_pole(f64 x) { return x <= 0 && x == floor(x); }
template <class T> DEVICE T gammaln(T x) { return isinf(x) ? x : lgamma(x); }

// What Stirling's formula leaves of log gamma, for x >= 10; DLMF 5.11.1.
DEVICE f64 stirling_rest(f64 x) {
  f64 r = 1 / (x * x);
  f64 s = -3617.0 / 122400;
  s = s * r + 1.0 / 156;
  s = s * r - 691.0 / 360360;
  s = s * r + 1.0 / 1188;
  s = s * r - 1.0 / 1680;
  s = s * r + 1.0 / 1260;
  s = s * r - 1.0 / 360;
  s = s * r + 1.0 / 12;
  return s / x;
}

// DLMF 5.5.4 below zero, 5.5.2 up to 10, 5.11.2 from there on.
DEVICE f64 psi(f64 x) {
  if (is_nan(x)) return x;
  if (x == 0) return copysign(special_infinity(), -x);
  if (is_pole(x)) return special_nan();
  f64 y = 0;
  if (x < 0) {
    y = -3.141592653589793 * cospi(x) / sinpi(x);
    x = 1 - x;
  }
#pragma unroll 1
  for (; x < 10; x += 1) y -= 1 / x;
  f64 r = 1 / (x * x);
  f64 s = 1.0 / 12;
  s = s * r - 691.0 / 32760;
  s = s * r + 1.0 / 132;
  s = s * r - 1.0 / 240;
  s = s * r + 1.0 / 252;
  s = s * r - 1.0 / 120;
  s = s * r + 1.0 / 12;
  return y + (log(x) - 0.5 / x - s * r);
}
