// Distributions that are functions of one uniform number, then distributions by rejection. Everything is in f64.
constexpr f64 PI = 3.141592653589793116;
DEVICE bool endless(f64 x) { return x > 0x1.fffffffffffffp1023; }

DEVICE f64 laplace(f64 u, f64 at, f64 scale) {
  return u < 0.5 ? at + scale * log(2 * u) : at - scale * log(2 * (1 - u));
}
DEVICE f64 cauchy(f64 u) {
  f64 sine, cosine;
  sincospi(u, &sine, &cosine);
  return -cosine / sine;
}
DEVICE f64 weibull(f64 u, f64 a) { return a == 0 ? 0 : exp(log(-log(u)) / a); }
DEVICE f64 triangular(f64 u, f64 left, f64 mode, f64 right) {
  const f64 base = right - left, rising = mode - left;
  return u * base <= rising ? left + sqrt(u * base * rising) : right - sqrt((1 - u) * base * (right - mode));
}
DEVICE f64 most_integer(f64 x) { return x < 0x1p63 ? x : 0x1.fffffffffffffp62; }
// The number of trials up to the first success.
DEVICE f64 geometric(f64 u, f64 p) { return p == 1 ? 1 : most_integer(fmax(ceil(log(u) / log1p(-p)), 1.0)); }

// G. Marsaglia, W. Tsang, "A simple method for generating gamma variables", 2000. A generator block is an attempt: a
// normal number, whose angle is one of 2^32, and the upper half of the paper's uniform number, which rarely needs the
// lower one. The negative logarithm in the paper is an exponential number.
struct gamma_rejection {
  f64 b, c;
  DEVICE explicit gamma_rejection(f64 shape) : b(shape - 1.0 / 3), c(1 / sqrt(9 * b)) {}
  DEVICE f64 root(f64 x) const { return 1 + c * x; }
  DEVICE f64 value(f64 root) const { return b * (root * root * root); }
  static DEVICE f64 normal(f64 half_square, u32 angle) {
    f64 x, other;
    around(half_square, joined(0x80000000u, angle), x, other);
    return x;
  }
  // The paper's squeeze 1 - 0.0331 x^4: true if all words with this upper half are below it.
  static DEVICE bool is_clear(u32 upper, f64 x) {
    const f64 square = x * x;
    return __hiloint2double(0x43300000, (int)upper) < fma(square * square, -0.0331 * 0x1p32, 0x1p52 + 0x1p32 - 2);
  }
  DEVICE bool takes(f64 x, u32 upper, draws &d) const {
    const f64 at = root(x);
    if (!(at > 0)) return false;
    if (is_clear(upper, x)) return true;
    return -minus_log(joined(d.word(), upper), d) < 0.5 * x * x + b - value(at) + 3 * b * log_by_table(at);
  }
  DEVICE f64 drawn(draws &d) const {
#pragma unroll 1
    for (;;) {
      const random_words w = d.fresh();
      const f64 x = normal(minus_log(joined(w.w[0], w.w[1]), d), w.w[2]);
      if (takes(x, w.w[3], d)) return value(root(x));
    }
  }
};
// `distribution` is that of the shape, or of the shape plus one if it is less than 1.
DEVICE f64 standard_gamma(draws &d, f64 shape, const gamma_rejection &distribution) {
  if (shape == 0 || endless(shape)) return shape;
  const f64 x = distribution.drawn(d);
  return shape < 1 ? x * exp(-d.exponential() / shape) : x;
}
DEVICE f64 standard_gamma(draws &d, f64 shape) {
  return standard_gamma(d, shape, gamma_rejection(shape < 1 ? shape + 1 : shape));
}
DEVICE f64 chisquare(draws &d, f64 df) { return 2 * standard_gamma(d, df / 2); }
// M. Jöhnk, "Erzeugung von betaverteilten und gammaverteilten Zufallszahlen", 1964, if both parameters are small; by
// logarithms if the numbers underflow.
DEVICE f64 beta_of_small(draws &d, f64 a, f64 b) {
#pragma unroll 1
  for (;;) {
    const f64 log_x = -d.exponential() / a, log_y = -d.exponential() / b;
    const f64 x = exp(log_x), y = exp(log_y);
    if (x + y > 1) continue;
    if (x + y > 0) return x / (x + y);
    const f64 most = fmax(log_x, log_y), p = log_x - most, q = log_y - most;
    return exp(p - log(exp(p) + exp(q)));
  }
}
DEVICE f64 beta(draws &d, f64 a, f64 b) {
  if (!(a > 1 || b > 1)) return beta_of_small(d, a, b);
  const f64 x = standard_gamma(d, a), y = standard_gamma(d, b);
  return x / (x + y);
}
DEVICE f64 f_ratio(draws &d, f64 above, f64 below) {
  const f64 x = chisquare(d, above) / above;
  return x / (chisquare(d, below) / below);
}
DEVICE f64 standard_t(draws &d, f64 df) {
  const f64 x = d.normal();
  return endless(df) ? x : x / sqrt(chisquare(d, df) / df);
}
// J. Michael, W. Schucany, R. Haas, "Generating random variates using transformations with multiple roots", 1976; the
// smaller root without a difference of close numbers.
DEVICE f64 wald(draws &d, f64 mean, f64 scale) {
  const f64 n = d.normal(), y = mean * n * n, root = sqrt(y * (4 * scale + y)), sum = y + root;
  const f64 x = sum > 0 ? mean * (4 * scale * (y / sum)) / sum : mean;
  return d.open() <= mean / (mean + x) ? x : mean * (mean / x);
}
// D. Best, N. Fisher, "Efficient simulation of the von Mises distribution", 1979. The angle is computed from the
// tangent of its half, which loses no accuracy near 0.
DEVICE f64 vonmises(draws &d, f64 mu, f64 kappa) {
  f64 angle;
  if (kappa < 1e-8) {
    angle = PI * (2 * d.open() - 1);
  } else if (kappa > 1e6) {
    angle = d.normal() / sqrt(kappa);
  } else {
    // s - 1 and s + 1, with s = (1 + rho^2) / (2 rho) and the paper's rho.
    const f64 r = 1 + sqrt(1 + 4 * kappa * kappa), rho = 2 * kappa / (r + sqrt(2 * r));
    const f64 below = (1 - rho) * (1 - rho) / (2 * rho), above = (1 + rho) * (1 + rho) / (2 * rho);
#pragma unroll 1
    for (;;) {
      f64 sine, cosine;
      sincospi(d.open(), &sine, &cosine);
      const f64 y = kappa * (below * above / (below + 1 + cosine)), v = d.open();
      if (y * (2 - y) - v < 0 && log(y / v) + 1 - y < 0) continue;
      // tan(angle / 2) = sqrt((s - 1) / (s + 1)) tan(pi u / 2)
      angle = 2 * atan(sqrt(below / above) * (sine / (1 + cosine)));
      break;
    }
    if (d.word() & 1) angle = -angle;
  }
  angle += mu;
  return angle - 2 * PI * floor((angle + PI) / (2 * PI));
}
