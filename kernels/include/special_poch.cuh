// The rising factorial (a)_m = gamma(a + m) / gamma(a).

// (w - 1/2) log w - w plus the correction of Stirling's series, for w >= 10; DLMF 5.11.1 without log(2 pi) / 2. Such
// exponents have twice the digits, since the exponential would amplify their rounding error. A sufficiently large w
// exceeds all exponents.
DEVICE twofold log_stirling(twofold w) {
  if (w.high > 1e17) w = {1e17, 0};
  return log_of(w) * (w + -0.5) + -w + stirling_rest(w.high);
}
// x shifted to 10 or more, and the factor by which the gamma function grows: ten rounded factors would be inaccurate.
DEVICE twofold shifted(twofold x, twofold &product) {
#pragma unroll 1
  for (; x.high < 10; x = x + 1.0) product = product * x;
  return x;
}
// exp(t) * up / down, rounded once if it is subnormal; no part of it overflows or underflows before the whole does.
DEVICE f64 balanced(twofold t, twofold up, twofold down) {
  // For a tiny operand in the numerator and the denominator.
  if (fabs(down.high) < 0x1p-500) up = up * 0x1p600, down = down * 0x1p600;
  f64 half = exp_of({0.5 * t.high, 0.5 * t.low}), rest = up.low / up.high - down.low / down.high;
  const f64 y = half * up.high * (half / down.high);
  return isfinite(y) ? y + y * rest : y;
}
// 2^200 sin(pi x) for x up to 1/2: that of a tiny x has all its digits.
DEVICE f64 scaled_sinpi(f64 x) { return fabs(x) < 1e-100 ? 3.141592653589793 * (x * 0x1p200) : sinpi(x) * 0x1p200; }
// gamma(b) / gamma(a) * up / down for positive a and b = a + m: the logarithms of Stirling's formula are subtracted
// term by term. Not inlined, to keep the code short.
static __device__ __noinline__ f64 gamma_ratio(twofold a, twofold b, f64 m, f64 up, f64 down) {
  // For a large decrease the quotient is inverted, so that everything is relative to the smaller operand.
  const bool reflected = m < -0.5 * a.high;
  if (reflected) {
    twofold t = a;
    a = b;
    b = t;
    m = -m;
  }
  twofold low = {1, 0}, high = {1, 0}, t;
  if (fabs(m) > 1e17) {
    // The result is 0 or infinite.
    t = {m > 0 ? 1e17 : -1e17, 0};
  } else if (a.high < 10 && b.high > 100) {
    t = log_stirling(b) + -log_stirling(shifted(a, low));
  } else {
#pragma unroll 1
    for (; a.high < 10 || b.high < 10; a = a + 1.0, b = b + 1.0) {
      low = low * a;
      high = high * b;
    }
    // The logarithms of b / a and of b.
    const twofold quarter = twofold{m, 0} / (b + a);
    const twofold log_ratio = fabs(quarter.high) < 0.17 ? twice_atanh(quarter) : log_of(b / a);
    t = log_ratio * (a + -0.5) + (log_of(b) + -1.0) * m + (stirling_rest(b.high) - stirling_rest(a.high));
  }
  return reflected ? balanced(-t, high * up, low * down) : balanced(t, low * up, high * down);
}
// The product of up to 24 factors.
DEVICE f64 poch_product(f64 a, f64 m) {
  f64 y = 1;
#pragma unroll 1
  for (f64 k = 0; k < m; k += 1) {
    // A zero among them has no sign.
    if (a + k == 0) return 0;
    y *= a + k;
  }
#pragma unroll 1
  for (f64 k = -1; k >= m; k -= 1) {
    if (a + k == 0) return special_infinity();
    y /= a + k;
  }
  return y;
}
// A pole of the numerator is infinite without a sign, one of the denominator makes the result 0.
DEVICE f64 poch(f64 a, f64 m) {
  if (m == 0) return 1;
  const bool whole = m == floor(m), odd = fmod(m, 2.0) != 0, pole = is_pole(a) && isfinite(a);
  if (pole && !(whole && isfinite(m))) return 0;
  if (is_nan(a) || is_nan(m)) return special_nan();
  // Towards infinity the sign is that of gamma(a).
  if (isinf(m)) return m < 0 || (isinf(a) && a < 0) ? special_nan() : a < 0 && fmod(floor(a), 2.0) != 0 ? -m : m;
  if (isinf(a)) {
    f64 y = m > 0 ? special_infinity() : 0;
    return a > 0 ? y : !whole ? special_nan() : odd ? -y : y;
  }
  if (whole && fabs(m) <= 24) return poch_product(a, m);
  // The rounding error of a sum matters as much as the last digits of the operands.
  const twofold above = exact_sum(a, m), reflected_above = -above + 1.0, reflected = exact_sum(1, -a);
  const f64 b = above.high;
  if (pole) {
    if (b > 0) return 0;
    // Two poles: the factors are integers, and DLMF 5.5.3 reflects them.
    return gamma_ratio(reflected_above, reflected, m, odd ? -1 : 1, 1);
  }
  if (a > 0 && b > 0) return gamma_ratio({a, 0}, above, m, 1, 1);
  // Below zero, DLMF 5.5.3 needs sines, computed from the fractional parts of the operands: a + m itself is rounded.
  const f64 below_a = rint(a), below_m = rint(m);
  f64 rest = (a - below_a) + (m - below_m), turns = rint(rest);
  f64 sine = scaled_sinpi(a - below_a), sine_above = scaled_sinpi(rest - turns);
  if (fmod(below_a, 2.0) != 0) sine = -sine;
  if ((fmod(below_a, 2.0) != 0) != ((fmod(below_m, 2.0) != 0) != (turns != 0))) sine_above = -sine_above;
  if (b <= 0 && sine_above == 0) return special_infinity();
  if (a < 0 && b < 0) return gamma_ratio(reflected_above, reflected, m, sine, sine_above);
  // If one gamma function is reflected, its operand is 1 minus the original. A tiny operand stays in the range together
  // with the sine, which is scaled by the same factor.
  twofold product = {1, 0};
  if (b > 0) {
    const twofold t = log_stirling(shifted(above, product)) + log_stirling(shifted(reflected, product));
    return balanced(t, {sine * 2, 0}, product * 0x1p200);
  }
  const twofold t = log_stirling(shifted(reflected_above, product)) + log_stirling(shifted({a, 0}, product));
  return balanced(-t, product * 0x1p200, {sine_above * 2, 0});
}
