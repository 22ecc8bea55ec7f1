// Bessel functions of orders 0 and 1. Up to 8 they are CUDA's; beyond, CUDA's have only 12 digits, and these have 15.
struct bessel_pair { f64 j, y; };

// Miller's backward recurrence (DLMF 3.6(v), 10.6.1) from an order where the function is negligible, scaled by DLMF
// 10.12.4; the second kind is the series of Abramowitz & Stegun 9.1.88.
DEVICE bessel_pair bessel_backward(int order, f64 x) {
  f64 above = 0, now = 1e-250, sum = 0, series = 0, first = 0;
#pragma unroll 1
  for (int n = 80; n > 0; --n) {
    // `now` is of the order n.
    int k = (n - order) / 2;
    if ((n & 1) == order && k > 0) {
      f64 term = now * (order == 0 ? 2.0 / k : (2.0 * k + 1) / ((f64)k * (k + 1)));
      series += k & 1 ? -term : term;
    }
    if ((n & 1) == 0) sum += 2 * now;
    if (n == 1) first = now;
    f64 below = 2 * n / x * now - above;
    above = now;
    now = below;
  }
  sum += now;
  f64 j0 = now / sum, j1 = first / sum, j = order == 0 ? j0 : j1;
  const f64 euler = 0.5772156649015329, two_over_pi = 0.6366197723675814;
  f64 y = two_over_pi * ((log(x / 2) + (order == 0 ? euler : euler - 1)) * j - series / sum);
  return {j, order == 0 ? y : y - two_over_pi / x * j0};
}

// Hankel's expansion, DLMF 10.17.3 and 10.17.4; the phase x - (order / 2 + 1/4) pi is computed by the addition theorem.
DEVICE bessel_pair bessel_hankel(int order, f64 x) {
  f64 p = 1, q = 0, term = 1;
#pragma unroll 1
  for (int k = 1; k < 30 && fabs(term) > 1e-18; ++k) {
    term *= (4.0 * order - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k * x);
    f64 signed_term = k & 2 ? -term : term;
    if (k & 1) q += signed_term;
    else p += signed_term;
  }
  f64 s, c;
  sincos(x, &s, &c);
  f64 cosine = order == 0 ? c + s : s - c, sine = order == 0 ? s - c : -c - s;
  f64 size = 0.5641895835477563 / sqrt(x);
  return {size * (p * cosine - q * sine), size * (p * sine + q * cosine)};
}
// Not inlined, so that functions that need two orders contain the code once.
static __device__ __noinline__ bessel_pair bessel_large(int order, f64 x) {
  return x < 25 ? bessel_backward(order, x) : bessel_hankel(order, x);
}
DEVICE f64 bessel_j0(f64 x) {
  x = fabs(x);
  return isinf(x) ? x - x : x > 8 ? bessel_large(0, x).j : j0(x);
}
DEVICE f64 bessel_j1(f64 x) {
  f64 size = fabs(x);
  if (!(size > 8)) return j1(x);
  f64 y = isinf(x) ? x - x : bessel_large(1, size).j;
  return x < 0 ? -y : y;
}
DEVICE f64 bessel_y0(f64 x) { return isinf(x) ? x - x : x > 8 ? bessel_large(0, x).y : y0(x); }
DEVICE f64 bessel_y1(f64 x) { return isinf(x) ? x - x : x > 8 ? bessel_large(1, x).y : y1(x); }
