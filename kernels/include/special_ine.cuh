// Modified Bessel functions of the first kind times exp(-|x|): CUDA's up to 600, and beyond Hankel's expansion, DLMF
// 10.40.1.
DEVICE f64 bessel_i_far(f64 order, f64 x) {
  f64 sum = 1, term = 1;
#pragma unroll 1
  for (f64 k = 1; k < 8; k += 1) {
    term *= ((2 * k - 1) * (2 * k - 1) - 4 * order) / (8 * k) / x;
    sum += term;
  }
  return sum * 0.3989422804014327 / sqrt(x);
}
DEVICE f64 bessel_i0e(f64 x) {
  x = fabs(x);
  return x > 600 ? isinf(x) ? 0 : bessel_i_far(0, x) : cyl_bessel_i0(x) * exp(-x);
}
DEVICE f64 bessel_i1e(f64 x) {
  const f64 size = fabs(x);
  if (x == 0) return 0;
  if (isinf(x)) return copysign(0.0, x);
  return size > 600 ? copysign(bessel_i_far(1, size), x) : cyl_bessel_i1(x) * exp(-size);
}
