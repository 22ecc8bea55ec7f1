// Elementary functions of complex numbers, in f64. complex64 is also computed in f64 and rounded once.

// scale * e^x * factor, where e^x alone may overflow or lose digits, and scale * factor alone may underflow.
DEVICE f64 scaled_exp(f64 x, f64 factor, f64 scale = 1.0) {
  if (x < 709.0 && x > -700.0) return scale * exp(x) * factor;
  f64 half_way = exp(0.5 * x);
  return half_way * factor * (scale * half_way);
}
// Powers of two scale the divisor near 1 and the dividend to the top of the range, so that no intermediate result
// overflows or underflows, and the smaller part of the dividend keeps its digits.
DEVICE c128 complex_divide(c128 a, c128 b) {
  f64 above = fmax(fabs(a.re), fabs(a.im)), below = fmax(fabs(b.re), fabs(b.im));
  if (!(below > 0 && isfinite(above) && isfinite(below)) || is_nan(a) || is_nan(b)) return a / b;
  int up = above > 0 ? 1020 - ilogb(above) : 0, down = -ilogb(below);
  if (up < 0 && isfinite(fabs(a.re) + fabs(a.im))) up = 0;
  c128 q = c128{ldexp(a.re, up), ldexp(a.im, up)} / c128{ldexp(b.re, down), ldexp(b.im, down)};
  return {ldexp(q.re, down - up), ldexp(q.im, down - up)};
}
DEVICE f64 absolute(c128 z) { return hypotenuse(z.re, z.im); }

DEVICE c128 complex_sqrt(c128 z) {
  if (z.re == 0 && z.im == 0) return {0.0, z.im};
  if (isinf(z.im)) return {fabs(z.im), z.im};
  if (z.re != z.re) return {z.re, z.re};
  if (isinf(z.re)) {
    if (z.re > 0) return {z.re, z.im != z.im ? z.im : copysign(0.0, z.im)};
    return {z.im != z.im ? z.im : 0.0, copysign(-z.re, z.im)};
  }
  // Scaling by a power of 4, so that neither the sum overflows nor a subnormal loses digits.
  f64 up = 1.0, down = 1.0;
  if (fabs(z.re) > 4e307 || fabs(z.im) > 4e307) up = 0.25, down = 2.0;
  else if (fabs(z.re) < 1e-290 && fabs(z.im) < 1e-290) up = 18014398509481984.0, down = 1.0 / 134217728.0;
  f64 x = z.re * up, y = z.im * up;
  f64 t = sqrt(0.5 * (fabs(x) + hypot(x, y))), u = fabs(y) / (2.0 * t);
  if (y != 0 && isfinite(y)) {
    // A Newton step for t^2 - u^2 = |x|, with the rounding errors of u and of the squares: both parts are within one
    // rounding.
    const f64 of_u = fma(-2.0 * t, u, fabs(y)) / (2.0 * t), p = t * t, q = u * u, s = p - q, of_s = s - p;
    const f64 lost = (p - (s - of_s)) - (q + of_s);
    const f64 off = (fabs(x) - s) - lost - fma(t, t, -p) + fma(u, u, -q) + 2.0 * u * of_u;
    const f64 step = off / (p + q) * (0.5 * t);
    u += of_u - u / t * step;
    t += step;
  }
  if (x >= 0) return {t * down, copysign(u * down, y)};
  return {u * down, copysign(t * down, y)};
}

DEVICE c128 complex_exp(c128 z) {
  if (z.im == 0) return {exp(z.re), z.im};
  if (isinf(z.re)) {
    if (z.re < 0) {
      if (!isfinite(z.im)) return {0.0, copysign(0.0, z.im)};
      return {copysign(0.0, cos(z.im)), copysign(0.0, sin(z.im))};
    }
    if (!isfinite(z.im)) return {z.re, z.im - z.im};
    return {copysign(z.re, cos(z.im)), copysign(z.re, sin(z.im))};
  }
  if (!isfinite(z.im)) return {z.im - z.im, z.im - z.im};
  f64 s, c;
  sincos(z.im, &s, &c);
  return {scaled_exp(z.re, c), scaled_exp(z.re, s)};
}

DEVICE c128 complex_log(c128 z) {
  f64 big = fmax(fabs(z.re), fabs(z.im)), small = fmin(fabs(z.re), fabs(z.im));
  f64 modulus;
  if (is_nan(z)) modulus = isinf(big) ? big : z.re + z.im;
  else if (big > 0.5 && big < 3.0) modulus = 0.5 * log1p((big - 1.0) * (big + 1.0) + small * small);
  else if (big > 4e307 && isfinite(big)) modulus = log(hypot(0.5 * big, 0.5 * small)) + 0.6931471805599453094;
  else if (big < 1e-290 && big > 0) modulus = log(hypot(big * 18014398509481984.0, small * 18014398509481984.0)) - 37.429947750237048;
  else modulus = log(hypot(z.re, z.im));
  return {modulus, atan2(z.im, z.re)};
}

DEVICE c128 complex_sinh(c128 z) {
  if (z.im == 0) return {sinh(z.re), z.im};
  if (z.re == 0) return {isfinite(z.im) ? copysign(0.0, z.re * cos(z.im)) : z.re, sin(z.im)};
  if (!isfinite(z.re)) {
    if (!isfinite(z.im) || z.re != z.re) {
      if (isinf(z.re)) return {z.re, z.im - z.im};
      return {z.re + z.im - z.im, z.re + z.im - z.im};
    }
    return {z.re * cos(z.im), fabs(z.re) * sin(z.im)};
  }
  if (!isfinite(z.im)) return {z.im - z.im, z.im - z.im};
  f64 s, c;
  sincos(z.im, &s, &c);
  if (fabs(z.re) < 700.0) return {sinh(z.re) * c, cosh(z.re) * s};
  f64 x = fabs(z.re);
  return {copysign(scaled_exp(x, c, 0.5), z.re * c), scaled_exp(x, s, 0.5)};
}
DEVICE c128 complex_cosh(c128 z) {
  if (z.im == 0) return {cosh(z.re), z.re == z.re ? copysign(z.im, copysign(1.0, z.re) * copysign(1.0, z.im)) : z.im};
  if (z.re == 0) return {cos(z.im), isfinite(z.im) ? z.re * sin(z.im) : copysign(0.0, z.re)};
  if (!isfinite(z.re)) {
    if (!isfinite(z.im) || z.re != z.re) {
      if (isinf(z.re)) return {fabs(z.re), z.im - z.im};
      return {z.re + z.im - z.im, z.re + z.im - z.im};
    }
    return {fabs(z.re) * cos(z.im), z.re * sin(z.im)};
  }
  if (!isfinite(z.im)) return {z.im - z.im, z.im - z.im};
  f64 s, c;
  sincos(z.im, &s, &c);
  if (fabs(z.re) < 700.0) return {cosh(z.re) * c, sinh(z.re) * s};
  f64 x = fabs(z.re);
  return {scaled_exp(x, c, 0.5), copysign(scaled_exp(x, s, 0.5), z.re * s)};
}
// sin z = -i sinh(iz), cos z = cosh(iz).
DEVICE c128 complex_sin(c128 z) {
  c128 w = complex_sinh({-z.im, z.re});
  return {w.im, -w.re};
}
DEVICE c128 complex_cos(c128 z) { return complex_cosh({-z.im, z.re}); }

// W. Kahan, "Branch cuts for complex elementary functions", 1987.
DEVICE c128 complex_tanh(c128 z) {
  if (!isfinite(z.re) || !isfinite(z.im)) {
    if (isinf(z.re)) return {copysign(1.0, z.re), isfinite(z.im) ? copysign(0.0, sin(2.0 * z.im)) : copysign(0.0, z.im)};
    if (z.im == 0) return z;
    if (z.re == 0 && z.im != z.im) return {z.re, z.im};
    if (z.re == 0) return {z.re, z.im - z.im};
    return {z.re - z.re + z.im - z.im, z.re - z.re + z.im - z.im};
  }
  if (fabs(z.re) > 22.0) {
    f64 s, c, e = exp(-fabs(z.re));
    sincos(z.im, &s, &c);
    return {copysign(1.0, z.re), 4.0 * s * c * e * e};
  }
  f64 t = tan(z.im), beta = 1.0 + t * t, s = sinh(z.re), rho = sqrt(1.0 + s * s);
  if (isinf(t)) return {rho / s, 1.0 / t};
  f64 below = 1.0 + beta * s * s;
  return {beta * rho * s / below, t / below};
}

// tan z = -i tanh(iz).
DEVICE c128 complex_tan(c128 z) {
  c128 w = complex_tanh({-z.im, z.re});
  return {w.im, -w.re};
}

// An infinite part becomes 1, any other 0 (`boxed`); a NaN becomes 0: all with their signs.
DEVICE f64 direction(f64 x, bool boxed) {
  if (boxed) return copysign(isinf(x) ? 1.0 : 0.0, x);
  return x != x ? copysign(0.0, x) : x;
}
// The product of C's annex G: an infinity times anything nonzero is infinite.
DEVICE c128 recovered_product(c128 a, c128 b) {
  c128 naive = a * b;
  bool a_infinite = isinf(a.re) || isinf(a.im), b_infinite = isinf(b.re) || isinf(b.im);
  if (!(naive.re != naive.re && naive.im != naive.im) || !(a_infinite || b_infinite)) return naive;
  c128 direction_product = c128{direction(a.re, a_infinite), direction(a.im, a_infinite)} *
                c128{direction(b.re, b_infinite), direction(b.im, b_infinite)};
  f64 infinity = bits_to_f32(0x7f800000u);
  return {infinity * direction_product.re, infinity * direction_product.im};
}

DEVICE c128 complex_power(c128 a, c128 b) {
  if (b.re == 0 && b.im == 0) return {1.0, 0.0};
  if (a.re == 0 && a.im == 0) {
    if (b.re > 0) return {0.0, 0.0};
    f64 nan = bits_to_f32(0x7fc00000u);
    return {nan, nan};
  }
  if (b.im == 0 && b.re == trunc(b.re) && fabs(b.re) < 100.0) {
    int n = (int)fabs(b.re);
    c128 r = {1.0, 0.0}, p = a;
    bool first = true;
    for (; n > 0; n >>= 1) {
      if (n & 1) r = first ? p : r * p, first = false;
      if (n > 1) p = p * p;
    }
    if (is_finite(r) || !is_finite(a)) return b.re < 0 ? complex_divide({1.0, 0.0}, r) : r;
  }
  c128 l = complex_log(a), w = recovered_product(b, l);
  if (!is_finite(w) && is_finite(a) && is_finite(b)) {
    // Beyond the range only the sign matters: it is that of the same sum scaled into the range.
    f64 sign = b.re * 0x1p-600 * l.re - b.im * 0x1p-600 * l.im;
    if (!isfinite(w.re)) w.re = sign;
    if (fabs(sign) > 750.0 * 0x1p-600) w.re = copysign((f64)bits_to_f32(0x7f800000u), sign);
  }
  return complex_exp(w);
}
