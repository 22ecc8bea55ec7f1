// Inverse trigonometric and hyperbolic functions of complex numbers, in f64.
//
// W. Kahan, "Branch cuts for complex elementary functions", 1987: the roots of 1 - z and of 1 + z avoid subtracting
// numbers of similar size. The regions in which squares would overflow or underflow, and the results for infinities and
// NaNs, follow T. Hull, T. Fairgrieve, P. Tang, "Implementing the complex arcsine and arccosine functions using
// exception handling", 1997, and C's annex G.

// From here on 1 is negligible compared with z.
DEVICE bool is_huge(c128 z) { return fabs(z.re) > 1e100 || fabs(z.im) > 1e100; }
// log |2 z| of such a number; infinite if a part is infinite.
DEVICE f64 log_of_twice(c128 z) { return log(hypot(0.125 * z.re, 0.125 * z.im)) + 2.7725887222397812377; }

// For a point in the upper half-plane: the roots of 1 - conj z and of 1 + z, whose parts are nonnegative.
struct two_roots {
  c128 p, q;
  DEVICE two_roots(f64 x, f64 y) : p(complex_sqrt({1.0 - x, y})), q(complex_sqrt({1.0 + x, y})) {}
  DEVICE f64 imaginary_part() const { return asinh(p.re * q.im + p.im * q.re); }
};

DEVICE c128 complex_asin(c128 z) {
  f64 x = fabs(z.re), y = fabs(z.im);
  f64 re, im;
  if (is_huge(z)) {
    re = atan2(x, y), im = log_of_twice(z);
  } else if (is_nan(z)) {
    im = z.re + z.im;
    re = x == 0 ? x : im;
  } else {
    two_roots roots(x, y);
    re = atan2(x, roots.p.re * roots.q.re + roots.p.im * roots.q.im);
    im = roots.imaginary_part();
  }
  return {copysign(re, z.re), copysign(im, z.im)};
}

DEVICE c128 complex_acos(c128 z) {
  f64 y = fabs(z.im);
  f64 re, im;
  if (is_huge(z)) {
    re = atan2(y, z.re), im = log_of_twice(z);
  } else if (is_nan(z)) {
    im = z.re + z.im;
    re = z.re == 0 ? 1.5707963267948966192 : im;
  } else {
    two_roots roots(z.re, y);
    re = 2.0 * atan2(roots.p.re, roots.q.re);
    im = roots.imaginary_part();
  }
  return {re, -copysign(im, z.im)};
}

DEVICE c128 complex_atanh(c128 z) {
  f64 x = fabs(z.re), y = fabs(z.im);
  f64 re, im;
  if (is_nan(z) && !isinf(x) && !isinf(y)) {
    im = z.re + z.im;
    re = x == 0 ? x : im;
  } else if (is_huge(z)) {
    f64 size = hypot(0.5 * x, 0.5 * y);
    re = isinf(size) ? 0.0 : 0.5 * (0.5 * x / size) / size;
    im = y == y ? 1.5707963267948966192 : y;
  } else {
    // Next to 1 the square of y may underflow.
    if (x == 1 && y < 1e-100) re = 0.5 * (0.69314718055994530942 - log(y));
    else re = 0.25 * log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + y * y));
    im = 0.5 * atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y);
  }
  return {copysign(re, z.re), copysign(im, z.im)};
}

// asinh z = -i asin(iz), atan z = -i atanh(iz); acosh z is acos z rotated into the right half-plane.
DEVICE c128 complex_asinh(c128 z) {
  c128 w = complex_asin({-z.im, z.re});
  return {w.im, -w.re};
}
DEVICE c128 complex_atan(c128 z) {
  c128 w = complex_atanh({-z.im, z.re});
  return {w.im, -w.re};
}
DEVICE c128 complex_acosh(c128 z) {
  c128 w = complex_acos(z);
  return {fabs(w.im), copysign(w.re, z.im)};
}
