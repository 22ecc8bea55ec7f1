// Powers and logarithms to base 2 of float64 numbers with errors within 0.56 units in the last place, and 0.95 for a
// power whose exponent of 2 is about 1,000: representable results are exact, where CUDA's functions are a unit off. The
// polynomials interpolate at the Chebyshev nodes.
DEVICE f32 power(f32 a, f32 b) { return pow(a, b); }
DEVICE f32 exponential_2(f32 x) { return exp2(x); }
DEVICE f32 logarithm_2(f32 x) { return log2(x); }

// The logarithm of a positive number m 2^e with m between the roots of 1/2 and of 2 is e + 2 atanh(s) / ln 2 with s =
// (m - 1) / (m + 1).
struct log2_parts { f64 e; twofold s; };
DEVICE log2_parts log2_parts_of(f64 x) {
  int e = 0;
  if (x < 0x1p-1022) x *= 0x1p54, e = -54;
  const i64 bits = __double_as_longlong(x), exponent = (bits - 0x3fe6a09e667f3bcdll) >> 52;
  const f64 m = __longlong_as_double(bits - (exponent << 52));
  const f64 above = m - 1, sum = m + 1, sum_low = m - (sum - 1), inverse = 1 / sum, s = above * inverse;
  return {(f64)(e + (int)exponent), {s, fma(-s, sum_low, fma(-s, sum, above)) * inverse}};
}
// 2 atanh(s) / ln 2 is s times a series in the square u of s; this one begins at its third coefficient. The first two
// are 2 / ln 2 and a third of it, with their rounding errors.
DEVICE f64 log2_rest(f64 u) {
  f64 rest = 0.16912787582324892;
  rest = fma(rest, u, 0.1688854671740239);
  rest = fma(rest, u, 0.19238055945712837);
  rest = fma(rest, u, 0.22195278870596163);
  rest = fma(rest, u, 0.26230819146702117);
  rest = fma(rest, u, 0.3205988979671597);
  rest = fma(rest, u, 0.4121985831111439);
  return fma(rest, u, 0.5770780163555853);
}
constexpr twofold LOG2_FIRST = {2.8853900817779268, 4.0710547481862066e-17}, LOG2_SECOND = {0.9617966939259756, 5.05776166481259e-17};
// To twice float64's digits, not normalised.
DEVICE twofold log2_of(f64 x) {
  const log2_parts parts = log2_parts_of(x);
  const f64 s = parts.s.high, u = s * s, u_low = fma(2 * s, parts.s.low, fma(s, s, -u));
  const twofold second = settled(LOG2_SECOND.high, fma(log2_rest(u), u, LOG2_SECOND.low));
  const f64 next = u * second.high, next_low = fma(u, second.high, -next) + fma(u, second.low, u_low * second.high);
  const twofold factor = settled(LOG2_FIRST.high, next);
  const f64 y = s * factor.high, factor_low = factor.low + (next_low + LOG2_FIRST.low);
  const f64 y_low = fma(s, factor.high, -y) + fma(s, factor_low, parts.s.low * factor.high);
  const twofold all = settled(parts.e, y);
  return {all.high, all.low + y_low};
}
// 2 to the power of a number: e to the power of the difference from its nearest integer, scaled.
DEVICE f64 exp2_of(twofold t) {
  if (!(fabs(t.high) < 1100)) t = {copysign(1100.0, t.high), 0};
  const f64 whole = rint(t.high);
  const twofold part = settled(t.high - whole, t.low);
  const f64 ln2 = 0.6931471805599453, x = part.high * ln2;
  const f64 x_low = fma(part.high, ln2, -x) + fma(part.high, 2.3190468138462996e-17, part.low * ln2);
  f64 rest = 2.0911264239196083e-09;
  rest = fma(rest, x, 2.5100424157005067e-08);
  rest = fma(rest, x, 2.755728291148268e-07);
  rest = fma(rest, x, 2.7557268378684192e-06);
  rest = fma(rest, x, 2.4801587317181886e-05);
  rest = fma(rest, x, 0.00019841269863105968);
  rest = fma(rest, x, 0.0013888888888886545);
  rest = fma(rest, x, 0.008333333333330051);
  rest = fma(rest, x, 0.041666666666666664);
  rest = fma(rest, x, 0.16666666666666669);
  const f64 square = x * x, half_low = 0.5 * fma(x, x, -square);
  const twofold one = settled(1, x), sum = settled(one.high, 0.5 * square);
  const f64 y = sum.high + (sum.low + (one.low + half_low + fma(x_low, sum.high, square * x * rest)));
  // In two steps: 2^1024 overflows, and 2^-1075 may be half of a subnormal.
  const int n = (int)whole, half = n >> 1;
  return y * __longlong_as_double((i64)(1023 + half) << 52) * __longlong_as_double((i64)(1023 + n - half) << 52);
}

DEVICE f64 exponential_2(f64 x) { return x != x ? x : exp2_of({x, 0}); }
DEVICE f64 logarithm_2(f64 x) {
  if (!(x > 0 && isfinite(x))) return x == 0 ? -1 / fabs(x) : x < 0 ? __longlong_as_double(0x7ff8000000000000ll) : x;
  const log2_parts parts = log2_parts_of(x);
  const f64 s = parts.s.high, u = s * s, y = s * LOG2_FIRST.high;
  const f64 next = fma(u, fma(log2_rest(u), u, LOG2_SECOND.high), LOG2_FIRST.low);
  const f64 y_low = fma(s, LOG2_FIRST.high, -y) + fma(s, next, parts.s.low * LOG2_FIRST.high);
  const twofold all = settled(parts.e, y);
  return all.high + (all.low + y_low);
}
DEVICE f64 power(f64 a, f64 b) {
  if (b == 0 || a == 1) return 1;
  if (a != a || b != b) return a + b;
  const f64 size = fabs(a);
  f64 y;
  if (size == 1) {
    y = 1;
  } else if (size == 0 || isinf(size) || isinf(b)) {
    y = (size > 1) == (b > 0) ? 1 / 0.0 : 0;
  } else {
    const twofold logarithm = log2_of(size);
    const f64 high = b * logarithm.high;
    y = exp2_of({high, fma(b, logarithm.low, fma(b, logarithm.high, -high))});
  }
  if (!signbit(a)) return y;
  const bool whole = rint(b) == b;
  if (!whole && size != 0 && !isinf(size)) return __longlong_as_double(0x7ff8000000000000ll);
  return whole && fabs(b) < 0x1p53 && ((i64)b & 1) ? -y : y;
}
