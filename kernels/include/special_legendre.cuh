// The associated Legendre function on the cut, of integer order and real degree.
//
// With n the magnitude of the order and s = sqrt(1 - x^2), that of order -n is (s / 2)^n / n! times a hypergeometric
// series about x = 1 (DLMF 14.3.1 after 15.8.1), whose terms for x >= 0 and a degree up to n all have one sign. Higher
// degrees follow by the recurrence (DLMF 14.10.3), which is stable there. Left of 0 a function of noninteger degree
// grows; it is computed from that of -x and from the second kind (DLMF 14.9.10), for which the differential equation
// (DLMF 14.2.2) is integrated from 0 (DLMF 14.5.3, 14.5.4).

// v * 2^e. Results of many steps, and terms that cancel, have twice float64's digits.
DEVICE twofold scaled(twofold x, f64 power_of_2) { return {x.high * power_of_2, x.low * power_of_2}; }
struct legendre_number {
  twofold v;
  i32 e;
  DEVICE void times(twofold factor) {
    if (fabs(factor.high) < 0x1p-300) factor = scaled(factor, 0x1p300), e -= 300;
    v = v * factor;
    if (fabs(v.high) > 0x1p300) v = scaled(v, 0x1p-300), e += 300;
    else if (fabs(v.high) < 0x1p-300) v = scaled(v, 0x1p300), e -= 300;
  }
};

// F(a, b; c; z) for z up to 1/2.
static __device__ __noinline__ legendre_number legendre_series(twofold a, twofold b, f64 c, twofold z) {
  twofold sum = {1, 0}, term = {1, 0};
  f64 k = 0;
  i32 e = 0;
  bool grows = true;
#pragma unroll 1
  for (; term.high != 0 && (grows || fabs(term.high) > 1e-19 * fabs(sum.high)); k += 1) {
    const twofold up = (a + k) * (b + k) * z;
    const f64 down = (c + k) * (k + 1);
    grows = up.high > 0.9 * down;
    term = term * (up / twofold{down, 0});
    sum = sum + term;
    if (sum.high > 0x1p300) sum = scaled(sum, 0x1p-300), term = scaled(term, 0x1p-300), e += 300;
  }
  return {sum, e};
}
// The function of order -n and degree v at x >= 0, without the factor (s / 2)^n / n!; z is (1 - x) / 2.
static __device__ __noinline__ legendre_number legendre_core(f64 n, f64 v, f64 x, twofold z) {
  const f64 f = v - floor(v);
  if (v < n) return legendre_series(exact_sum(n, -v), exact_sum(n + 1, v), n + 1, z);
  legendre_number now = legendre_series({-f, 0}, exact_sum(2 * n + 1, f), n + 1, z);
  twofold y = now.v, last = {0, 0};
  i32 e = now.e;
  if (f != 0) {
    const legendre_number before = legendre_series(exact_sum(1, -f), exact_sum(2 * n, f), n + 1, z);
    last = {ldexp(before.v.high, before.e - e), ldexp(before.v.low, before.e - e)};
  }
  const f64 steps = floor(v) - n;
  // Next to 1 differences keep the digits of 1 - x. Both are rescaled before they overflow or underflow.
  const bool near = x > 0.5;
  if (near) last = y + -last;
  const twofold factor = near ? scaled(z, -2) : twofold{x, 0};
#pragma unroll 1
  for (f64 k = 0; k < steps; k += 1) {
    const twofold degree = exact_sum(n + k, f), below = degree + (n + 1), behind = exact_sum(k, f) * last;
    const twofold now = (scaled(degree, 2) + 1.0) * factor * y;
    if (near) {
      last = (now + behind) / below;
      y = y + last;
    } else {
      last = y;
      y = (now + -behind) / below;
    }
    if (fabs(y.high) + fabs(last.high) < 0x1p-300) y = scaled(y, 0x1p300), last = scaled(last, 0x1p300), e -= 300;
  }
  return {y, e};
}
// The solution w of the differential equation for (1 - x^2)^(n/2) times a Legendre function, from its value and its
// slope at 0 to x > 0, by Taylor series: no step is longer than half the distance to 1, nor than the function's
// wavelength.
static __device__ __noinline__ legendre_number legendre_march(f64 n, f64 v, f64 x, f64 w, f64 slope) {
  f64 t = 0, left = 1;
  i32 e = 0;
#pragma unroll 1
  while (t < x) {
    const f64 below = left * (1 + t);
    f64 h = fmin(left * fmin(0.5, 4 / (n + 1)), 3 * sqrt(below) / (v + 1));
    // Next to 1 the remaining distance keeps the digits of a short step.
    const bool far = t < 0.5;
    const f64 next = far ? (t + h >= x ? x : t + h) : (left - h <= 1 - x ? 1 - x : left - h);
    h = far ? next - t : left - next;
    // Two consecutive terms of the series, the sum of the terms and that of the slope's.
    f64 a = w, b = h * slope, sum = w + b, rise = b, size = fabs(sum) + fabs(rise);
#pragma unroll 1
    for (f64 k = 0; k < 4 || fabs(a) * (k + 1) + fabs(b) * (k + 2) > 1e-18 * size; k += 1) {
      f64 c = (2 * t * (k + 1) * (k + 1 - n) * h * b + (k - v - n) * (k + v + 1 - n) * h * h * a) / (below * (k + 2) * (k + 1));
      sum += c;
      rise += (k + 2) * c;
      a = b;
      b = c;
      size = fabs(sum) + fabs(rise);
    }
    w = sum;
    slope = rise / h;
    t = far ? next : 1 - next;
    left = far ? 1 - next : next;
    if (fabs(w) + fabs(slope) > 0x1p300) w *= 0x1p-300, slope *= 0x1p-300, e += 300;
  }
  return {{w, 0}, e};
}
// gamma(y + 1/2) / gamma(y) for y > 0; DLMF 5.11.13 in powers of y - 1/4, of which the odd ones vanish.
DEVICE f64 half_step(f64 y) {
  f64 up = 1;
#pragma unroll 1
  for (; y < 10; y += 1) up *= y / (y + 0.5);
  f64 t = y - 0.25, r = 1 / (t * t);
  f64 s = 0.026412154660064857;
  s = s * r - 0.006670963462056534;
  s = s * r + 0.0023855575127527118;
  s = s * r - 0.001298762857913971;
  s = s * r + 0.0012035369873046875;
  s = s * r - 0.0023193359375;
  s = s * r + 0.015625;
  return up * sqrt(t) * (s * r + 1);
}
DEVICE f64 lpmv(f64 m, f64 v, f64 x) {
  const f64 nan = __longlong_as_double(0x7ff8000000000000ll), infinity = __longlong_as_double(0x7ff0000000000000ll);
  if (!(fabs(x) <= 1) || !isfinite(v) || !isfinite(m) || m != floor(m)) return nan;
  const f64 n = fabs(m);
  // Integers are compared exactly: -1 - v may round to a larger one.
  const bool below = v < -0.5 ? n >= -v : n > v;
  if (v < -0.5) v = -1 - v;
  // At a tiny degree the functions of positive order are proportional to it, the others as at 0: a larger degree stays
  // in the range.
  const bool tiny = v != 0 && fabs(v) < 0x1p-700;
  const i32 down = tiny && m > 0 ? -600 : 0;
  if (tiny) v *= 0x1p600;
  const bool whole = v == floor(v), odd = fmod(n, 2.0) != 0, odd_v = fmod(v, 2.0) != 0;
  if (whole && below) return m < 0 ? nan : 0;
  if (x == 1) return n == 0 ? 1 : 0;
  // SciPy's infinities.
  if (x == -1) return !whole ? n == 0 ? -infinity : infinity : n > 0 ? 0 : odd_v ? -1 : 1;
  if (n > 1e6 || v > 1e6) return nan;
  const f64 right = fabs(x);
  const twofold s = root_of(exact_sum(1, -right) * exact_sum(1, right));
  // (s / 2)^n / n!, the factor between the orders -n and n up to its sign (DLMF 14.9.3), and s^n.
  legendre_number small = {{1, 0}, 0}, between = {{1, 0}, 0}, power = {{1, 0}, 0};
#pragma unroll 1
  for (f64 j = 1; j <= n; j += 1) {
    small.times(s / twofold{2 * j, 0});
    between.times(exact_sum(v, j - n) * exact_sum(v, j));
    power.times(s);
  }
  legendre_number first = legendre_core(n, v, right, scaled(exact_sum(1, -right), 0.5));
  first.times(small.v);
  first.e += small.e + down;
  if (m > 0) {
    first.times(odd ? -between.v : between.v);
    first.e += between.e;
  }
  if (x >= 0) return ldexp(first.v.high, first.e);
  if (whole) return ldexp(odd == odd_v ? first.v.high : -first.v.high, first.e);
  // The second kind starts from sines of (v + n) pi / 2 and from quotients of gamma functions.
  const f64 sine = sinpi(0.5 * v), cosine = cospi(0.5 * v), quarter = fmod(n, 4.0);
  const f64 sign = quarter > 1 ? -1 : 1, up = 0.5 * (v - (n - 1));
  f64 quotients = half_step(0.5 * (v + n + 1)) * (up > 0 ? half_step(up) : (odd ? sine / cosine : -cosine / sine) * half_step(0.5 - up));
  legendre_number second = legendre_march(n, v, right, -sign * (odd ? cosine : sine), 2 * sign * (odd ? -sine : cosine) * quotients);
  f64 root = 0.8862269254527580 * sqrt(fabs(between.v.high / quotients)) / power.v.high;
  // Half-turns below 0. A degree next to an integer is not rounded to it.
  const twofold turns = scaled(exact_sum(v, 2 - n), 0.5);
  const f64 half_turns = floor(turns.high) - (turns.high == floor(turns.high) && turns.low < 0 ? 1 : 0);
  if (half_turns < 0 && fmod(half_turns, 2.0) != 0) root = -root;
  second.times({root, 0});
  second.e += between.e / 2 - power.e + down;
  if (m < 0) {
    second.times({(odd ? -1 : 1) / between.v.high, 0});
    second.e -= between.e;
  }
  const f64 reflection = odd ? -1 : 1;
  first.times({reflection * cospi(v), 0});
  second.times({reflection * -0.6366197723675814 * sinpi(v), 0});
  const i32 e = max(first.e, second.e);
  return ldexp(ldexp(first.v.high, max(first.e - e, -2000)) + ldexp(second.v.high, max(second.e - e, -2000)), e);
}
