// Elliptic integrals in Legendre's form by the arithmetic-geometric mean (DLMF 19.8.5) and by Carlson's symmetric forms
// (B. C. Carlson, "Numerical computation of real or complex elliptic integrals", 1995), of the parameter m = k^2.

// K by the complementary parameter 1 - m.
DEVICE f64 special_ellipkm1(f64 p) {
  if (is_nan(p) || p < 0) return __longlong_as_double(0x7ff8000000000000ll);
  if (p == 0 || isinf(p)) return p == 0 ? __longlong_as_double(0x7ff0000000000000ll) : 0;
  f64 a = 1, b = sqrt(p);
  // Convergence is quadratic once the two are of the same size; before, each step halves their ratio's exponent.
#pragma unroll 1
  for (int k = 0; k < 24 && fabs(a - b) > 2e-8 * a; ++k) {
    const f64 mean = 0.5 * (a + b);
    b = sqrt(a) * sqrt(b);
    a = mean;
  }
  return 3.141592653589793 / (a + b);
}
DEVICE f64 special_ellipk(f64 m) { return special_ellipkm1(1 - m); }

struct carlson_point { f64 x, y, z; };
DEVICE f64 carlson_lambda(carlson_point p) {
  const f64 x = sqrt(p.x), y = sqrt(p.y), z = sqrt(p.z);
  return x * (y + z) + y * z;
}
DEVICE carlson_point duplicated(carlson_point p, f64 lambda) {
  return {0.25 * (p.x + lambda), 0.25 * (p.y + lambda), 0.25 * (p.z + lambda)};
}
// R_F, at most one operand of which is 0.
static __device__ __noinline__ f64 carlson_rf(carlson_point p) {
  f64 mean = (p.x + p.y + p.z) / 3;
#pragma unroll 1
  for (int k = 0; k < 600; ++k) {
    if (fmax(fabs(mean - p.x), fmax(fabs(mean - p.y), fabs(mean - p.z))) < 2e-3 * mean) break;
    p = duplicated(p, carlson_lambda(p));
    mean = (p.x + p.y + p.z) / 3;
  }
  const f64 x = 1 - p.x / mean, y = 1 - p.y / mean, z = -(x + y);
  const f64 e2 = x * y - z * z, e3 = x * y * z;
  return (1 + e3 * (1.0 / 14 + e3 * (3.0 / 104)) + e2 * (-0.1 + e2 * (1.0 / 24 - e2 * (5.0 / 208) - e3 * (1.0 / 16)) - e3 * (3.0 / 44))) / sqrt(mean);
}
// R_D, whose third operand is not 0.
static __device__ __noinline__ f64 carlson_rd(carlson_point p) {
  f64 mean = (p.x + p.y + 3 * p.z) / 5, sum = 0, power = 1;
#pragma unroll 1
  for (int k = 0; k < 600; ++k) {
    if (fmax(fabs(mean - p.x), fmax(fabs(mean - p.y), fabs(mean - p.z))) < 1.5e-3 * mean) break;
    const f64 lambda = carlson_lambda(p);
    sum += power / (sqrt(p.z) * (p.z + lambda));
    power *= 0.25;
    p = duplicated(p, lambda);
    mean = (p.x + p.y + 3 * p.z) / 5;
  }
  const f64 x = 1 - p.x / mean, y = 1 - p.y / mean, z = -(x + y) / 3, xy = x * y, square = z * z;
  const f64 e2 = xy - 6 * square, e3 = (3 * xy - 8 * square) * z, e4 = 3 * (xy - square) * square, e5 = xy * square * z;
  const f64 series = 1 - e2 * (3.0 / 14) + e3 / 6 + e2 * e2 * (9.0 / 88) - e4 * (3.0 / 22) - e2 * e3 * (9.0 / 52) + e5 * (3.0 / 26)
      - e2 * e2 * e2 * (1.0 / 16) + e3 * e3 * (3.0 / 40) + e2 * e4 * (3.0 / 20);
  return 3 * sum + power * series / (mean * sqrt(mean));
}
struct elliptic_angle { f64 sine, cosine, turns; };
// The angle within a quarter of a turn of 0, and the number of half turns.
DEVICE elliptic_angle reduced(f64 phi) {
  f64 s, c;
  sincos(phi, &s, &c);
  f64 turns = rint(phi * 0.3183098861837907);
  // Next to a quarter of a turn the rounded quotient may be one half turn off, which the sign of the cosine decides.
  if (fabs(turns) < 1e15 && (c < 0) != (fmod(turns, 2.0) != 0)) turns += phi > 3.141592653589793 * turns ? 1 : -1;
  return {c < 0 ? -s : s, fabs(c), turns};
}
// DLMF 19.25.5, with the squares of the cosine and of delta.
DEVICE f64 incomplete_first(f64 s, f64 c, f64 m) {
  const f64 square = s * s, rest = m < 0 ? 1 - m * square : c * c + (1 - m) * square;
  return s * carlson_rf({c * c, rest, 1});
}
// DLMF 19.25.9 for m < 0 and 19.25.10 from 0 to 1: no terms cancel.
DEVICE f64 incomplete_second(f64 s, f64 c, f64 m) {
  const f64 square = s * s, rest = m < 0 ? 1 - m * square : c * c + (1 - m) * square;
  if (m < 0) return s * (carlson_rf({c * c, rest, 1}) - m * square / 3 * carlson_rd({c * c, rest, 1}));
  if (m == 1 || rest == 0) return s;
  return s * ((1 - m) * (carlson_rf({c * c, rest, 1}) + m * square / 3 * carlson_rd({c * c, 1, rest})) + m * c / sqrt(rest));
}
DEVICE f64 special_ellipkinc(f64 phi, f64 m) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll), nan = __longlong_as_double(0x7ff8000000000000ll);
  if (is_nan(phi) || is_nan(m) || m > 1) return nan;
  if (isinf(phi) || isinf(m)) return isinf(phi) && isinf(m) ? nan : isinf(m) ? 0 : phi;
  if (phi == 0) return phi;
  const elliptic_angle a = reduced(phi);
  if (m == 1 && a.turns != 0) return copysign(infinity, phi);
  const f64 part = incomplete_first(a.sine, a.cosine, m);
  return a.turns == 0 ? part : part + 2 * a.turns * special_ellipkm1(1 - m);
}
DEVICE f64 special_ellipeinc(f64 phi, f64 m) {
  const f64 infinity = __longlong_as_double(0x7ff0000000000000ll), nan = __longlong_as_double(0x7ff8000000000000ll);
  if (is_nan(phi) || is_nan(m) || m > 1) return nan;
  if (isinf(phi)) return phi;
  if (phi == 0) return phi;
  if (isinf(m)) return copysign(infinity, phi);
  const elliptic_angle a = reduced(phi);
  const f64 part = incomplete_second(a.sine, a.cosine, m);
  return a.turns == 0 ? part : part + 2 * a.turns * incomplete_second(1, 0, m);
}
