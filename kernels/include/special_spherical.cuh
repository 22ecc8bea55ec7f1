// Legendre functions of an angle, normalised on the sphere (DLMF 14.30.1 without the azimuthal factor).
//
// For degree v and order -n it is the associated Legendre function of the cosine times the root of (2 v + 1) / (4 pi)
// and of (v + n)! / (v - n)!. Near the axis 1 - cos is twice the square of the sine of half the angle, which keeps its
// digits.

DEVICE f64 sph_legendre_p(i64 degree, i64 order, f64 theta) {
  const f64 nan = __longlong_as_double(0x7ff8000000000000ll);
  const f64 v = (f64)degree, n = fabs((f64)order);
  if (v < n) return 0;
  // The function of degree 0 is constant even for NaN angles, as in SciPy.
  if (v == 0) return 0.28209479177387814;
  if (!isfinite(theta) || v > 1e6) return nan;
  const f64 cosine = cos(theta), right = fabs(cosine);
  const bool near = right > 0.5;
  const f64 half = cosine < 0 ? cos(0.5 * theta) : sin(0.5 * theta);
  const twofold z = near ? exact_product(half, half) : scaled(exact_sum(1, -right), 0.5);
  // From the same half as z: its error is one of the angle, which a power of s does not amplify.
  twofold s = near ? root_of(-z + 1.0) * (2 * fabs(half)) : root_of(exact_sum(1, -right) * exact_sum(1, right));
  // Half of a subnormal angle underflows.
  const bool tiny = fabs(theta) < 0x1p-300;
  if (tiny) s = {fabs(theta) * 0x1p300, 0};
  // (s / 2)^n / n!, and the factor (v + n)! / (v - n)!.
  legendre_number small = {{1, 0}, 0}, between = {{1, 0}, 0};
#pragma unroll 1
  for (f64 j = 1; j <= n; j += 1) {
    small.times(s / twofold{2 * j, 0});
    between.times(twofold{v - n + j, 0} * (v + j));
  }
  legendre_number y = legendre_core(n, v, right, z);
  y.times(small.v);
  // 4 pi, and its rounding error.
  const twofold of_degree = twofold{2 * v + 1, 0} / twofold{12.566370614359172, 4.898587196589413e-16};
  y.times(root_of(between.v * of_degree));
  // Exponents are multiples of 300 per unit: half of one is an integer.
  y.e += small.e + between.e / 2 - (tiny ? 300 * (i32)n : 0);
  // The Condon-Shortley phase of a positive order, and the parity beyond the equator.
  const bool odd = (order & 1) != 0, flipped = cosine < 0 && odd != ((degree & 1) != 0);
  return ldexp((order > 0 && odd) != flipped ? -y.v.high : y.v.high, y.e);
}
