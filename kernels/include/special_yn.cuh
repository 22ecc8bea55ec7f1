// The Bessel function of the second kind of integer order. Orders up to 1000 are computed by upward recurrence from 0
// and 1 (DLMF 10.6.1, which is stable), larger ones by Debye's expansions (DLMF 10.19.3 and 10.19.6), and by upward
// recurrence from those if the order is near the argument.

// The sums of the terms U_k(p) / order^k over even and odd k, with p^2 = v and p / order = r; for an imaginary p, whose
// magnitude gives r, every other pair of terms is negative.
DEVICE void debye_sums(f64 v, f64 r, f64 &even, f64 &odd) {
  // The coefficients of U_k by powers of p^2 (DLMF 10.41.9), for k from 1 to 6.
  static constexpr f64 u[] = {
      0.125, -0.20833333333333334,
      0.0703125, -0.4010416666666667, 0.3342013888888889,
      0.0732421875, -0.8912109375, 1.8464626736111112, -1.0258125964506173,
      0.112152099609375, -2.3640869140625, 8.78912353515625, -11.207002616222994, 4.669584423426247,
      0.22710800170898438, -7.368794359479632, 42.53499874538846, -91.81824154324002, 84.63621767460073, -28.212072558200244,
      0.5725014209747314, -26.491430486951554, 218.1905117442116, -699.5796273761325, 1059.9904525279999, -765.2524681411817, 212.57013003921713};
  f64 power = 1;
  int at = 0;
  even = 1;
  odd = 0;
#pragma unroll 1
  for (int k = 1; k <= 6; ++k) {
    f64 sum = 0;
#pragma unroll 1
    for (int i = k; i >= 0; --i) sum = sum * v + u[at + i];
    at += k + 1;
    power *= v < 0 && !(k & 1) ? -r : r;
    if (k & 1) odd += power * sum;
    else even += power * sum;
  }
}
// t - atan(t); the series where the terms cancel.
DEVICE f64 debye_phase(f64 t) {
  if (t > 0.3) return t - atan(t);
  f64 sum = 0, square = -t * t;
#pragma unroll 1
  for (int k = 35; k >= 3; k -= 2) sum = sum * square + 1.0 / k;
  return sum * t * t * t;
}
// DLMF 10.19.6 for an order below x, the secant's denominator: by the tangent, and by the phase's sine and cosine,
// without the eighth of a turn.
DEVICE f64 debye_wave(f64 order, f64 tangent, f64 sine, f64 cosine) {
  f64 c = 1 / tangent, even, odd;
  debye_sums(-c * c, c / order, even, odd);
  return 0.5641895835477563 / sqrt(order * tangent) * ((sine - cosine) * even - (sine + cosine) * odd);
}
DEVICE f64 debye_tangent(f64 order, f64 x) { return sqrt((x - order) / order * ((x + order) / order)); }
// For an order below x.
DEVICE f64 yn_oscillating(f64 order, f64 x) {
  if (x >= 0.5 * order * order) {
    // Hankel's expansion, DLMF 10.17.4, whose phase keeps all digits of x.
    f64 p = 1, q = 0, term = 1, s, c;
#pragma unroll 1
    for (int k = 1; k < 30 && fabs(term) > 1e-18; ++k) {
      term *= (2 * order - (2 * k - 1)) / x * ((2 * order + (2 * k - 1)) / (8.0 * k));
      f64 signed_term = k & 2 ? -term : term;
      if (k & 1) q += signed_term;
      else p += signed_term;
    }
    sincos(x, &s, &c);
    f64 cosine = c + s, sine = s - c;
    const int turns = (int)fmod(order, 4.0);
    if (turns & 1) {
      f64 t = cosine;
      cosine = sine;
      sine = -t;
    }
    f64 y = 0.5641895835477563 / sqrt(x) * (p * sine + q * cosine);
    return turns & 2 ? -y : y;
  }
  f64 tangent = debye_tangent(order, x), sine, cosine;
  sincos(order * debye_phase(tangent), &sine, &cosine);
  return debye_wave(order, tangent, sine, cosine);
}
// Upward recurrence from two adjacent orders, with twice float64's digits: the rounding errors of hundreds of steps
// would accumulate.
DEVICE f64 yn_upwards(f64 k, f64 n, f64 x, f64 below, f64 now) {
  twofold before = {below, 0}, y = {now, 0};
#pragma unroll 1
  for (; k < n && fabs(y.high) * (2 * k / x) < 1e290; k += 1) {
    const twofold next = twofold{2 * k, 0} / twofold{x, 0} * y + -before;
    before = y;
    y = next;
  }
  // Up to infinity there is no digit to spare.
#pragma unroll 1
  for (; k < n && !isinf(y.high); k += 1) {
    const f64 next = 2 * k / x * y.high - before.high;
    before = y;
    y = {next, 0};
  }
  return y.high;
}
// From orders for which the expansion is valid up to one next to x. The second phase is the first plus an increment,
// which keeps its digits: with two independently rounded phases the amplitude would be wrong.
DEVICE f64 yn_next_to(f64 n, f64 x) {
  const f64 order = floor(x - 52 * cbrt(x)), above = order + 1;
  const f64 tangent = debye_tangent(order, x), tangent_above = debye_tangent(above, x);
  const f64 root = order * tangent, less = (2 * order + 1) / (root + above * tangent_above);
  f64 sine, cosine, sine_of_turn, cosine_of_turn;
  sincos(order * debye_phase(tangent), &sine, &cosine);
  sincos(order * asin((root + order * less) / x / x) - less - atan(tangent_above), &sine_of_turn, &cosine_of_turn);
  const f64 y = debye_wave(order, tangent, sine, cosine);
  const f64 sine_above = sine * cosine_of_turn + cosine * sine_of_turn, cosine_above = cosine * cosine_of_turn - sine * sine_of_turn;
  return yn_upwards(above, n, x, y, debye_wave(above, tangent_above, sine_above, cosine_above));
}
// For x > 0 and n >= 2. Not inlined, to keep the code short.
static __device__ __noinline__ f64 yn_positive(f64 n, f64 x) {
  if (n <= 1000) return yn_upwards(1, n, x, bessel_y0(x), bessel_y1(x));
  // Far beyond the largest number.
  if (x < 0.25 * n || (x < n && n > 1e100)) return -__longlong_as_double(0x7ff0000000000000ll);
  if (x < n) {
    f64 t = sqrt((n - x) / n * ((n + x) / n)), even, odd;
    if (n * t * t * t >= 1000) {
      // n (atanh(t) - t), of hundreds, whose rounding error the exponential would amplify.
      const twofold w = root_of(exact_product(n - x, n + x));
      const twofold exponent = log_of((w + n) / twofold{x, 0}) * n + -w;
      debye_sums(1 / (t * t), 1 / (t * n), even, odd);
      f64 half = exp_of({0.5 * exponent.high, 0.5 * exponent.low});
      return -half * (0.7978845608028654 / sqrt(n * t) * (even - odd)) * half;
    }
  } else {
    f64 t = debye_tangent(n, x);
    if (x >= 0.5 * n * n || n * t * t * t >= 1000) return yn_oscillating(n, x);
  }
  // Next to x, from orders for which the expansion is valid; the largest orders are too far away from these.
  if (n > 0x1p31) return __longlong_as_double(0x7ff8000000000000ll);
  // For a small x there is no order below it for which the expansion is valid, and n is small too.
  return x > 512 ? yn_next_to(n, x) : yn_upwards(1, n, x, bessel_y0(x), bessel_y1(x));
}
DEVICE f64 bessel_yn(f64 n, f64 x) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll);
  if (is_nan(n)) return n;
  if (is_nan(x) || isinf(x) || x < 0) return infinity - infinity;
  // A noninteger order is truncated.
  n = trunc(n);
  const bool negative = fmod(n, 2.0) == -1;
  n = fabs(n);
  f64 y = x == 0 ? -infinity : n == 0 ? bessel_y0(x) : n == 1 ? bessel_y1(x) : isinf(n) ? -infinity : yn_positive(n, x);
  return negative ? -y : y;
}
DEVICE f64 bessel_yn(f32 n, f32 x) { return bessel_yn((f64)n, (f64)x); }
// float64 loses the parity of a large integer.
DEVICE f64 bessel_yn(i64 n, f64 x) {
  f64 y = bessel_yn(fabs((f64)n), x);
  return n < 0 && (n & 1) ? -y : y;
}
