// The principal branch of the logarithm of the gamma function of complex numbers.

// log gamma(2 + w) for w of both parts up to 1/2: DLMF 5.7.3.
static __device__ __noinline__ c128 loggamma_near_2(c128 w) {
  static constexpr f64 c[] = {
      2.2737369600659724e-14, -4.6640760264283744e-14, 9.573630387838556e-14, -1.9664756310966165e-13,
      4.04220052528944e-13, -8.315385841420285e-13, 1.711991790559618e-12, -3.527742476575915e-12,
      7.275974480239079e-12, -1.5021384080754142e-11, 3.1044247747322276e-11, -6.4229645638381e-11,
      1.330476437424449e-10, -2.7595228851242334e-10, 5.731367241678862e-10, -1.1921401405860912e-09,
      2.4836745438024785e-09, -5.183475041970047e-09, 1.0838659214896955e-08, -2.2711094608943164e-08,
      4.7698101693639804e-08, -1.0043224823968099e-07, 2.1207184805554665e-07, -4.492469198764566e-07,
      9.55141213040742e-07, -2.039215753801366e-06, 4.374866789907488e-06, -9.439488275268397e-06,
      2.050721277567069e-05, -4.492623673813314e-05, 9.945751278180853e-05, -0.00022315475845357939,
      0.0005096695247430425, -0.001192753911703261, 0.0028905103307415234, -0.007385551028673986,
      0.020580808427784546, -0.0673523010531981, 0.3224670334241132};
  c128 sum = {0.0, 0.0};
#pragma unroll 1
  for (int k = 0; k < 39; ++k) {
    sum = sum * w;
    sum.re += c[k];
  }
  sum = sum * w;
  sum.re += 0.42278433509846713;
  return sum * w;
}
// log gamma(4 + w) for w of a real part up to 1/2 and an imaginary one up to 3/2.
static __device__ __noinline__ c128 loggamma_near_4(c128 w) {
  static constexpr f64 c[] = {
      7.343977835076795e-29, -3.005948145869198e-28, 1.2310282955309967e-27, -5.044320874668311e-27,
      2.0682265967049085e-26, -8.485314502516762e-26, 3.4835898107270503e-25, -1.4311707922055288e-24,
      5.884084822837539e-24, -2.4210775114640992e-23, 9.970156720213698e-23, -4.1094358070203867e-22,
      1.6954120270275087e-21, -7.001804619334753e-21, 2.8948001612854227e-20, -1.198221765024309e-19,
      4.965998722346058e-19, -2.060976357693714e-18, 8.56621791757332e-18, -3.5662792412112285e-17,
      1.4873780760261128e-16, -6.215671915921078e-16, 2.6032144200298055e-15, -1.092944389119395e-14,
      4.601337334345103e-14, -1.9432337901017174e-13, 8.235879514810711e-13, -3.5048396836871797e-12,
      1.498581415330987e-11, -6.443084294914852e-11, 2.788321840043062e-10, -1.2161233925261413e-09,
      5.354323740781491e-09, -2.3847713635254224e-08, 1.0775400096550505e-07, -4.958402952137287e-07,
      2.33630095855835e-06, -1.1361430156458442e-05, 5.771997866104775e-05, -0.00031250576118427336,
      0.0018693886746981281, -0.013339955374185749, 0.14191147786855765};
  c128 sum = {0.0, 0.0};
#pragma unroll 1
  for (int k = 0; k < 43; ++k) {
    sum = sum * w;
    sum.re += c[k];
  }
  sum = sum * w;
  sum.re += 1.2561176684318005;
  sum = sum * w;
  return {sum.re + 1.791759469228055, sum.im};
}
// Right of the imaginary axis: Stirling's formula, DLMF 5.11.1, after the recurrence.
static __device__ __noinline__ c128 loggamma_right(c128 z) {
  if (fabs(z.im) <= 0.5 && z.re >= 0.5 && z.re <= 2.5) {
    if (z.re >= 1.5) return loggamma_near_2({z.re - 2, z.im});
    const c128 w = {z.re - 1, z.im}, y = loggamma_near_2(w);
    const f64 t = w.re * (2 + w.re) + w.im * w.im;
    return {y.re - 0.5 * log1p(t), y.im - atan2(w.im, z.re)};
  }
  // The recurrence's factors: the modulus is that of their product, the angle the sum of theirs.
  const bool near = fabs(z.im) <= 1.5 && z.re < 3.5;
  c128 product = {1.0, 0.0};
  f64 angle = 0;
#pragma unroll 1
  for (; near ? z.re < 3.5 : z.re < 7.0 && fabs(z.im) < 7.0; z.re += 1.0) {
    product = product * z;
    angle += atan2(z.im, z.re);
  }
  const c128 steps = {complex_log(product).re, angle};
  // Small values would lose digits in Stirling's terms.
  if (z.re < 4.6 && fabs(z.im) <= 1.5) return loggamma_near_4({z.re - 4, z.im}) - steps;
  static constexpr f64 b[] = {
      -236364091.0 / 1506960, 77683.0 / 5796, -174611.0 / 125400, 43867.0 / 244188, -3617.0 / 122400, 1.0 / 156,
      -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12};
  const c128 inverse = complex_divide({1.0, 0.0}, z), square = inverse * inverse;
  c128 rest = {0.0, 0.0};
#pragma unroll 1
  for (int k = 0; k < 12; ++k) {
    rest = rest * square;
    rest.re += b[k];
  }
  const c128 log = complex_log(z);
  c128 y = c128{z.re - 0.5, z.im} * c128{log.re - 1, log.im} + rest * inverse;
  y.re += 0.41893853320467274;
  return y - steps;
}
DEVICE c128 complex_loggamma(c128 z) {
  const f64 nan = __longlong_as_double(0x7ff8000000000000ll), pi = 3.141592653589793;
  if (is_nan(z) || (z.im == 0 && z.re <= 0 && z.re == floor(z.re))) return {nan, nan};
  if (!is_finite(z)) return isinf(z.re) && z.re > 0 && z.im == 0 ? c128{z.re, z.im} : c128{nan, nan};
  if (z.re >= 0.5) {
    if (z.im == 0) return {lgamma(z.re), z.im};
    return loggamma_right(z);
  }
  // DLMF 5.5.3 above the axis, where sin(pi z) is e^(-i pi z) (i / 2) (1 - e^(2 i pi z)), and its conjugate below.
  const f64 im = fabs(z.im), r = z.re - rint(z.re), rise = expm1(-2 * pi * im), s = sinpi(r);
  const c128 right = loggamma_right({1 - z.re, -im}), factor = {2 * s * s * (1 + rise) - rise, -(1 + rise) * sinpi(2 * r)};
  const c128 log = complex_log(factor);
  // log(2 pi), and i pi (z - 1/2).
  const c128 y = {1.8378770664093453 - pi * im - log.re - right.re, pi * (z.re - 0.5) - log.im - right.im};
  return {y.re, signbit(z.im) ? -y.im : y.im};
}
