// The rising factorial (a)_m = gamma(a + m) / gamma(a).

// (w - 1/2) log w - w and what Stirling's series adds, for w >= 10; DLMF 5.11.1 without log(2 pi) / 2. Such exponents have twice the
// digits, or their exponential would lack those of their size. So large a w is beyond all exponentials.
DEVICE twofold log_stirling(f64 w) {
  w = fmin(w, 1e17);
  return log_of(w) * (w - 0.5) + -w + stirling_rest(w);
}
// x from 10 on, and by what the gamma function has grown on the way.
DEVICE f64 shifted(f64 x, f64 &product) {
#pragma unroll 1
  for (; x < 10; x += 1) product *= x;
  return x;
}
// gamma(x) * product for x > 0, which is not infinite near 0.
DEVICE f64 gamma_times(f64 x, f64 &product) {
  if (x < 1) product *= x, x += 1;
  return tgamma(x);
}
// exp(t) * up / down * scale, none of which leaves the range before the product does.
DEVICE f64 balanced(twofold t, f64 up, f64 down, f64 scale = 1) {
  f64 half = exp_of({0.5 * t.high, 0.5 * t.low});
  return half * up / down * scale * half;
}
// 2^200 sin(pi x) for x up to 1/2: that of a tiny x has all its digits.
DEVICE f64 scaled_sinpi(f64 x) { return fabs(x) < 1e-100 ? 3.141592653589793 * (x * 0x1p200) : sinpi(x) * 0x1p200; }
// gamma(b) / gamma(a) * up / down for positive a and b = a + m: the logarithms of Stirling's formula are subtracted term by
// term. It is called, because to inline it would make the text long.
static __device__ __noinline__ f64 gamma_ratio(f64 a, f64 b, f64 m, f64 up, f64 down) {
  // From far above the quotient is turned over, so that the smaller operand is the one that all is relative to.
  const bool turned = m < -0.5 * a;
  if (turned) {
    f64 t = a;
    a = b;
    b = t;
    m = -m;
  }
  f64 low = 1, high = 1;
  twofold t;
  if (fabs(m) > 1e17) {
    // Nothing, or infinite.
    t = {m > 0 ? 1e17 : -1e17, 0};
  } else if (a < 10 && b > 100) {
    t = log_stirling(b) + -log_stirling(shifted(a, low));
  } else {
#pragma unroll 1
    for (; a < 10 || b < 10; a += 1, b += 1) {
      low *= a;
      high *= b;
    }
    // The logarithms of b / a and of b, the sum of a and m, which is not rounded.
    const twofold sum = exact_sum(a, m), quarter = twofold{m, 0} / (sum + a);
    const twofold log_ratio = fabs(quarter.high) < 0.17 ? twice_atanh(quarter) : log_of(sum / twofold{a, 0});
    t = log_ratio * (a - 0.5) + (log_of(sum) + -1.0) * m + (stirling_rest(b) - stirling_rest(a));
  }
  return turned ? balanced(-t, up * high, down * low) : balanced(t, up * low, down * high);
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
// A pole above is infinite without a sign, one below makes 0.
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
  f64 b = a + m;
  if (pole) {
    if (b > 0) return 0;
    // Two poles: the factors are integers, and DLMF 5.5.3 turns them to the other side.
    return gamma_ratio(1 - b, 1 - a, m, odd ? -1 : 1, 1);
  }
  if (a > 0 && b > 0) return gamma_ratio(a, b, m, 1, 1);
  // Below zero, DLMF 5.5.3 takes sines, of what is left of the operands without integers: a + m itself is rounded.
  const f64 below_a = rint(a), below_m = rint(m);
  f64 rest = (a - below_a) + (m - below_m), turns = rint(rest);
  f64 sine = scaled_sinpi(a - below_a), sine_above = scaled_sinpi(rest - turns);
  if (fmod(below_a, 2.0) != 0) sine = -sine;
  if ((fmod(below_a, 2.0) != 0) != ((fmod(below_m, 2.0) != 0) != (turns != 0))) sine_above = -sine_above;
  if (b <= 0 && sine_above == 0) return special_infinity();
  if (a < 0 && b < 0) return gamma_ratio(1 - b, 1 - a, m, sine, sine_above);
  // Of both gamma functions above zero, x and y, one is 1 less an operand.
  const f64 x = b > 0 ? b : 1 - b, y = b > 0 ? 1 - a : a;
  f64 product = 1, both;
  twofold t;
  if (x < 30 && y < 30) {
    const f64 pi = 3.141592653589793;
    t = {0, 0};
    both = gamma_times(x, product) * gamma_times(y, product) / pi;
  } else {
    t = log_stirling(shifted(x, product)) + log_stirling(shifted(y, product));
    both = 2;
  }
  return b > 0 ? balanced(t, sine * both, product, 0x1p-200) : balanced(-t, product, sine_above * both, 0x1p200);
}
