// Functions related to the gamma function, in double precision; DLMF is the Digital Library of Mathematical Functions.
DEVICE f64 special_nan() { return __longlong_as_double(0x7ff8000000000000ll); }
DEVICE f64 special_infinity() { return __longlong_as_double(0x7ff0000000000000ll); }
DEVICE bool is_pole(f64 x) { return x <= 0 && x == floor(x); }

// The correction of Stirling's formula for log gamma, for x >= 10; DLMF 5.11.1.
DEVICE f64 stirling_rest(f64 x) {
  f64 r = 1 / (x * x);
  f64 s = -3617.0 / 122400;
  s = s * r + 1.0 / 156;
  s = s * r - 691.0 / 360360;
  s = s * r + 1.0 / 1188;
  s = s * r - 1.0 / 1680;
  s = s * r + 1.0 / 1260;
  s = s * r - 1.0 / 360;
  s = s * r + 1.0 / 12;
  return s / x;
}

// From 1 to 2: the distance to the root, which is known to more digits than float64 has, times a polynomial that
// interpolates at the Chebyshev nodes.
DEVICE f64 psi_near_root(f64 x) {
  static constexpr f64 c[] = {
      0.00011881232908510335, -0.0001782188548855923, 9.653646261410062e-05, -0.00014480643368061614,
      0.00032395945401345196, -0.00048595039220036254, 0.0006909255761282986, -0.0010364584817312839,
      0.0015633696313653504, -0.0023454947397380833, 0.003518106563802472, -0.005279937255532708,
      0.007927021796868154, -0.011908220105959716, 0.017907248317313294, -0.026975796659787055,
      0.040760833940846085, -0.06192213327548831, 0.09498872445289039, -0.14840492305388092,
      0.24054248424078697, -0.4236274212814606, 0.9510558760318328};
  const f64 t = x - 1.5;
  f64 slope = c[0];
#pragma unroll 1
  for (int k = 1; k < 23; ++k) slope = slope * t + c[k];
  return ((x - 1.4616321449683622) - 9.549995429965697e-17) * slope;
}
// DLMF 5.5.4 below zero, 5.5.2 down to 2 or up to 1, 5.11.2 from 10 on.
DEVICE f64 psi(f64 x) {
  if (is_nan(x)) return x;
  if (x == 0) return copysign(special_infinity(), -x);
  if (is_pole(x)) return special_nan();
  f64 y = 0;
  if (x < 0) {
    y = -3.141592653589793 * cospi(x) / sinpi(x);
    x = 1 - x;
  }
  if (x < 1) {
    y -= 1 / x;
    x += 1;
  }
  if (x < 10) {
    f64 steps = 0;
#pragma unroll 1
    while (x > 2) {
      x -= 1;
      steps += 1 / x;
    }
    return y + (steps + psi_near_root(x));
  }
  f64 r = 1 / (x * x);
  f64 s = 1.0 / 12;
  s = s * r - 691.0 / 32760;
  s = s * r + 1.0 / 132;
  s = s * r - 1.0 / 240;
  s = s * r + 1.0 / 252;
  s = s * r - 1.0 / 120;
  s = s * r + 1.0 / 12;
  return y + (log(x) - 0.5 / x - s * r);
}
