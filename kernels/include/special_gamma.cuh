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

// gamma(a + m) / gamma(a) where neither a nor a + m is below 1: both are shifted to 10 or more, and the logarithms of
// Stirling's formula are subtracted term by term. It is called, because to inline it would make the text long.
static __device__ __noinline__ f64 gamma_ratio(f64 a, f64 m) {
  // From far above the quotient is turned over: then a + m is exact.
  bool turned = m < -0.5 * a;
  if (turned) {
    a += m;
    m = -m;
  }
  f64 low = 1, high = 1;
#pragma unroll 1
  for (; a < 10 || a + m < 10; a += 1) {
    low *= a;
    high *= a + m;
  }
  f64 b = a + m;
  f64 t = (a - 0.5) * log1p(m / a) + (m * log(b) - m);
  f64 y = exp(t + (stirling_rest(b) - stirling_rest(a)));
  // In this order neither product leaves the range before the result does.
  if (isfinite(y)) y = y > 1 ? y / high * low : y * low / high;
  return turned ? 1 / y : y;
}

// The rising factorial (a)_m = gamma(a + m) / gamma(a). A pole above is infinite without a sign, one below makes 0.
DEVICE f64 poch(f64 a, f64 m) {
  if (m == 0) return 1;
  f64 b = a + m;
  if (m == floor(m) && fabs(m) <= 24) {
    f64 y = 1;
#pragma unroll 1
    for (f64 k = 0; k < m; k += 1) y *= a + k;
#pragma unroll 1
    for (f64 k = -1; k >= m; k -= 1) y *= a + k;
    return m > 0 ? y : y == 0 ? special_infinity() : 1 / y;
  }
  // Whether an integer is added decides what a + m is, which may be rounded.
  bool whole = m == floor(m), odd = fmod(m, 2.0) != 0, pole = is_pole(a) && isfinite(a);
  if (pole && !(whole && b <= 0)) return 0;
  if (!pole && is_pole(b) && isfinite(b) && !(whole && a != floor(a))) return special_infinity();
  if (is_nan(b)) return b;
  // Towards infinity the sign is that of gamma(a).
  if (!isfinite(m)) return m < 0 ? special_nan() : a < 0 && fmod(floor(a), 2.0) != 0 ? -m : m;
  if (!isfinite(a)) {
    f64 y = m > 0 ? fabs(a) : 0;
    return a > 0 ? y : !whole ? special_nan() : odd ? -y : y;
  }
  if (pole) {
    // Two poles: the factors are integers, and DLMF 5.5.3 turns them to the other side.
    f64 y = m > 0 ? gamma_ratio(1 - b, m) : 1 / gamma_ratio(1 - a, -m);
    return odd ? -y : y;
  }
  if (a >= 1 && b >= 1) return gamma_ratio(a, m);
  f64 sine = sinpi(a), sine_above = !whole ? sinpi(b) : odd ? -sine : sine;
  if (a < 1 && b < 1) return sine / sine_above / gamma_ratio(1 - a, -m);
  const f64 pi = 3.141592653589793;
  if (b >= 1) return sine / pi * gamma_ratio(1, b - 1) * gamma_ratio(1, -a);
  return pi / sine_above / gamma_ratio(1, -b) / gamma_ratio(1, a - 1);
}
