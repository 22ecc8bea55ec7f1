// Jacobian elliptic functions by the descending transformation of Landen (DLMF 22.7.2 to 22.7.4), in the form of the
// quotient cn / sn, none of whose steps subtracts.

// sn and cn are returned as parts of `first`, dn and the amplitude as those of `second`.
static __device__ __noinline__ pair<c128, c128> special_ellipj(f64 u, f64 m) {
  const f64 nan = __longlong_as_double(0x7ff8000000000000ll);
  if (!(m >= 0 && m <= 1) || !isfinite(u)) return {{nan, nan}, {nan, nan}};
  if (u == 0) return {{0.0, 1.0}, {1.0, 0.0}};
  if (m == 1) {
    const f64 sine = tanh(u), cosine = 1 / cosh(u);
    return {{sine, cosine}, {cosine, 2 * atan(tanh(0.5 * u))}};
  }
  // The complementary moduli of the transformed functions; the modulus k of each is 1 - `less`.
  f64 complement = sqrt(1 - m), below[12], factor[12], angle = u;
  f64 square = m;
  int n = 0;
#pragma unroll 1
  for (; n < 12 && square > 1e-17; ++n) {
    const f64 up = 1 / (1 + complement), k = square * up * up;
    below[n] = 2 * complement * up;
    factor[n] = 2 * up;
    // u / (1 + k), where 1 + k is 2 / (1 + k').
    angle *= 0.5 * (1 + complement);
    complement = 2 * sqrt(complement) * up;
    square = k * k;
  }
  f64 s, c;
  sincos(angle, &s, &c);
  // The number of half turns, which agrees with the sign of the cosine.
  f64 turns = rint(angle * 0.3183098861837907);
  if (fabs(turns) < 1e15 && (c < 0) != (fmod(turns, 2.0) != 0)) turns += angle > 3.141592653589793 * turns ? 1 : -1;
  // The smaller of the sine and the cosine is the numerator.
  const bool steep = fabs(s) > fabs(c);
  f64 ratio = steep ? c / s : s / c, dn = 1;
#pragma unroll 1
  for (int k = n - 1; k >= 0; --k) {
    const f64 r = ratio * ratio, up = steep ? r : 1, one = steep ? 1 : r;
    ratio = steep ? ratio * dn / factor[k] : ratio * factor[k] / dn;
    dn = (up + one * below[k]) / (up + one * factor[k]);
  }
  const f64 size = 1 / hypot(1.0, ratio), other = fabs(ratio) * size;
  const f64 sine = copysign(steep ? size : other, s), cosine = copysign(steep ? other : size, c);
  const f64 part = steep ? copysign(1.5707963267948966, ratio) - atan(ratio) : atan(ratio);
  return {{sine, cosine}, {dn, part + 3.141592653589793 * turns}};
}
