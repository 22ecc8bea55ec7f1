// Distributions of counts. Probabilities are compared by their logarithms in the form of C. Loader, "Fast and accurate
// computation of binomial probabilities", 2000, which loses no accuracy for large counts.

// log(k!) minus the leading terms of Stirling's formula.
DEVICE f64 stirling_rest(f64 k) {
  if (k < 10) {
    f64 product = 1;
    for (f64 j = 2; j <= k; ++j) product *= j;
    return log(product) - ((k + 0.5) * log(k) - k + 0.918938533204672741780330);
  }
  const f64 z = 1 / (k * k);
  return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188))))) / k;
}
// k log(k / mean) + mean - k.
DEVICE f64 deviance(f64 k, f64 mean) {
  const f64 d = (k - mean) / mean;
  if (fabs(d) > 0.1) return k * log(k / mean) + mean - k;
  // The series of (1 + d) log(1 + d) - d.
  f64 sum = 0;
#pragma unroll
  for (int j = 16; j >= 2; --j) sum = (j & 1 ? -1.0 : 1.0) / (f64)(j * (j - 1)) + d * sum;
  return mean * d * d * sum;
}
DEVICE f64 log_poisson(f64 k, f64 mean) {
  return k == 0 ? -mean : -stirling_rest(k) - deviance(k, mean) - 0.5 * log(2 * PI * k);
}
DEVICE f64 log_binomial(f64 k, f64 n, f64 p) {
  if (k == 0) return n * log1p(-p);
  if (k == n) return n * log(p);
  return stirling_rest(n) - stirling_rest(k) - stirling_rest(n - k) - deviance(k, n * p) - deviance(n - k, n * (1 - p)) +
         0.5 * log(n / (2 * PI * k * (n - k)));
}
// An approximation, for k of at least 1, and the magnitude of its terms: its error is less than 2^-11 times one plus
// the magnitude.
struct rough {
  f32 value, size;
};
DEVICE f32 rough_stirling_rest(f32 k) {
  const f32 r = __fdividef(1.0f, k), z = r * r;
  return r * fmaf(-z, fmaf(-z, 1.0f / 1260, 1.0f / 360), 1.0f / 12);
}
// From k, the mean, and k minus the mean. A mean that is rounded changes the result by less than 2^-25 of that
// difference.
DEVICE f32 rough_deviance(f32 k, f32 mean, f32 x) {
  const f32 d = __fdividef(x, mean);
  if (fabsf(d) > 0.1f) return fmaf(k, __logf(__fdividef(k, mean)), -x);
  f32 sum = 1.0f / 56;
  sum = fmaf(-d, sum, 1.0f / 42);
  sum = fmaf(-d, sum, 1.0f / 30);
  sum = fmaf(-d, sum, 1.0f / 20);
  sum = fmaf(-d, sum, 1.0f / 12);
  sum = fmaf(-d, sum, 1.0f / 6);
  sum = fmaf(-d, sum, 0.5f);
  return x * d * sum;
}
DEVICE rough rough_log_poisson(f32 k, f32 mean, f32 x) {
  const f32 far = rough_deviance(k, mean, x);
  return {-rough_stirling_rest(k) - far - 0.5f * __logf((f32)(2 * PI) * k), far};
}
DEVICE rough rough_log_poisson(f64 k, f64 mean) { return rough_log_poisson((f32)k, (f32)mean, (f32)(k - mean)); }
DEVICE rough rough_log_binomial(f64 k, f64 n, f64 p) {
  const f32 of = (f32)k, rest = (f32)(n - k), all = (f32)n;
  const f32 far = rough_deviance(of, (f32)(n * p), (f32)(k - n * p)) +
                  rough_deviance(rest, (f32)(n * (1 - p)), (f32)(n - k - n * (1 - p)));
  const f32 rests = rough_stirling_rest(all) - rough_stirling_rest(of) - rough_stirling_rest(rest);
  return {rests - far + 0.5f * (__logf(__fdividef(all, of)) - __logf((f32)(2 * PI) * rest)), far};
}
// Compares log(share / (a / us^2 + b)) with an approximate logarithm: 1 if it is less, -1 if it is not, 0 if the
// precision does not decide.
DEVICE int roughly_below(f32 share, f32 a, f32 b, f32 us, rough than) {
  const f32 less = than.value - __logf(share) + __logf(__fdividef(a, us * us) + b);
  const f32 unsure = 0x1p-10f * (1 + than.size);
  return less > unsure ? 1 : less < -unsure ? -1 : 0;
}
DEVICE int roughly_below(f64 share, f64 a, f64 b, f64 us, rough than) {
  return roughly_below((f32)share, (f32)a, (f32)b, (f32)us, than);
}
// Counts computed by inversion are less than this.
constexpr u32 INVERTED = 200;
// Transformed rejection for large means (W. Hörmann, "The transformed rejection method for generating Poisson random
// variables", 1993, algorithm PTRS).
struct poisson_rejection {
  f64 mean, b, a, inverse_alpha, fast;
  DEVICE explicit poisson_rejection(f64 mean) : mean(mean) {
    b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    fast = 0.9277 - 3.6224 / (b - 2);
  }
  DEVICE f64 count(f64 u, f64 us) const { return floor((2 * a / us + b) * u + mean + 0.43); }
  DEVICE bool is_none(f64 k, f64 v, f64 us) const { return k < 0 || (us < 0.013 && v > us); }
  DEVICE int roughly_taken(f64 k, f64 v, f64 us) const {
    return k < 1 ? 0 : roughly_below(v * inverse_alpha, a, b, us, rough_log_poisson(k, mean));
  }
  // The result of the first two numbers, if float32 arithmetic decides it.
  DEVICE bool at_once(const random_words &w, f64 &k) const {
    const f64 u = open_unit(joined(w.w[0], w.w[1])) - 0.5, v = open_unit(joined(w.w[2], w.w[3])), us = 0.5 - fabs(u);
    k = count(u, us);
    return (us >= 0.07 && v <= fast) || (!is_none(k, v, us) && roughly_taken(k, v, us) > 0);
  }
  // Decides on an attempt, whose count is `k`.
  DEVICE bool takes(const random_words &w, f64 &k) const {
    const f64 u = open_unit(joined(w.w[0], w.w[1])) - 0.5, v = open_unit(joined(w.w[2], w.w[3])), us = 0.5 - fabs(u);
    k = count(u, us);
    if (us >= 0.07 && v <= fast) return true;
    if (is_none(k, v, us)) return false;
    const int taken = roughly_taken(k, v, us);
    return taken > 0 || (taken == 0 && log(v * inverse_alpha / (a / (us * us) + b)) <= log_poisson(k, mean));
  }
};
// The same in float32 arithmetic, for means below 2^16, with bounds of the errors.
struct rough_poisson {
  static constexpr f64 BELOW = 0x1p16;
  f32 mean, b, a, inverse_alpha, fast;
  DEVICE explicit rough_poisson(f64 of) : mean((f32)of) {
    b = fmaf(2.53f, sqrtf(mean), 0.931f), a = fmaf(0.02483f, b, -0.059f);
    inverse_alpha = 1.1239f + __fdividef(1.1328f, b - 3.4f), fast = 0.9277f - __fdividef(3.6224f, b - 2);
  }
  // 1 if the attempt is taken, -1 if it is rejected, 0 if the bounds do not decide it.
  DEVICE int attempt(const random_words &w, f32 &k) const {
    // The lower words change a distance of at least 2^-10 from the end by less than 2^-22 of it, and a second number of
    // at least 2^-20 by 2^-13 of it.
    const u32 upper = w.w[1];
    const f32 us = fmaf((f32)(upper ^ (u32)((i32)upper >> 31)), 0x1p-32f, 0x1p-33f);
    const f32 u = (i32)upper < 0 ? 0.5f - us : us - 0.5f, v = fmaf((f32)w.w[3], 0x1p-32f, 0x1p-33f);
    if (us < 0.0129f && v > us + 0x1p-18f) return -1;
    // The relative error of each term is less than 2^-20.
    const f32 far = (__fdividef(2 * a, us) + b) * u, x = far + mean + 0.43f;
    k = floorf(x);
    const f32 error = 0x1p-20f * (fabsf(far) + mean), part = x - k;
    if (!(us >= 0x1p-10f && v >= 0x1p-20f && part > error && part < 1 - error)) return 0;
    if (us >= 0.0701f && v < fast - 0x1p-18f) return 1;
    if (k < 1) return k < 0 ? -1 : 0;
    const int taken = roughly_below(v * inverse_alpha, a, b, us, rough_log_poisson(k, mean, k - mean));
    const bool perhaps_fast = us >= 0.0699f && v < fast + 0x1p-18f, perhaps_none = us < 0.0131f && v > us - 0x1p-18f;
    return (taken > 0 ? perhaps_none : perhaps_fast) ? 0 : taken;
  }
};
DEVICE f64 poisson_of_large(draws &d, f64 mean, const rough_poisson &roughly) {
#pragma unroll 1
  for (;;) {
    random_words w;
#pragma unroll
    for (int j = 0; j < 4; ++j) w.w[j] = d.word();
    f32 whole = 0;
    const int taken = mean < rough_poisson::BELOW ? roughly.attempt(w, whole) : 0;
    if (taken > 0) return whole;
    f64 k;
    if (taken == 0 && poisson_rejection(mean).takes(w, k)) return k;
  }
}
// 1 / k: a division takes longer than the rest of a step of an inversion.
#define RECIPROCALS_8(k) \
  1.0 / (k), 1.0 / ((k) + 1), 1.0 / ((k) + 2), 1.0 / ((k) + 3), 1.0 / ((k) + 4), 1.0 / ((k) + 5), 1.0 / ((k) + 6), 1.0 / ((k) + 7)
#define RECIPROCALS_40(k) \
  RECIPROCALS_8(k), RECIPROCALS_8((k) + 8), RECIPROCALS_8((k) + 16), RECIPROCALS_8((k) + 24), RECIPROCALS_8((k) + 32)
__constant__ f64 RECIPROCALS[INVERTED + 1] = {
  0, RECIPROCALS_40(1), RECIPROCALS_40(41), RECIPROCALS_40(81), RECIPROCALS_40(121), RECIPROCALS_40(161),
};
#undef RECIPROCALS_40
#undef RECIPROCALS_8
// Small means by inversion.
DEVICE f64 poisson(draws &d, f64 mean) {
  if (!(mean < 10)) return poisson_of_large(d, mean, rough_poisson(mean));
  const f64 u = d.open();
  f64 p = exp(-mean), sum = p;
  u32 k = 0;
#pragma unroll 1
  while (u > sum && k < INVERTED) {
    p *= mean * RECIPROCALS[++k];
    sum += p;
  }
  return k;
}
// Transformed rejection for the binomial distribution (W. Hörmann, "The generation of binomial random variates", 1993,
// algorithm BTRS).
struct binomial_rejection {
  f64 n, p, b, a, centre, fast, alpha;
  bool mirrored;
  DEVICE binomial_rejection(f64 n, f64 chance) : n(n), p(chance > 0.5 ? 1 - chance : chance), mirrored(chance > 0.5) {
    if (is_few()) return;
    const f64 spread = sqrt(n * p * (1 - p));
    b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
    centre = n * p + 0.5, fast = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread;
  }
  DEVICE f64 mode() const { return floor((n + 1) * p); }
  DEVICE bool is_none() const { return n == 0 || p == 0; }
  DEVICE bool is_few() const { return n * p < 10; }
  DEVICE f64 none() const { return exp(n * log1p(-p)); }
  DEVICE f64 odds() const { return p / (1 - p); }
  DEVICE f64 count(f64 u, f64 us) const { return floor((2 * a / us + b) * u + centre); }
  DEVICE bool is_none(f64 k) const { return k < 0 || k > n; }
  DEVICE int roughly_taken(f64 k, f64 v, f64 us) const {
    if (k < 1 || n - k < 1) return 0;
    const rough of = rough_log_binomial(k, n, p), most = rough_log_binomial(mode(), n, p);
    return roughly_below(v * alpha, a, b, us, {of.value - most.value, of.size});
  }
  DEVICE bool at_once(const random_words &w, f64 &k) const {
    const f64 u = open_unit(joined(w.w[0], w.w[1])) - 0.5, v = open_unit(joined(w.w[2], w.w[3])), us = 0.5 - fabs(u);
    k = count(u, us);
    return (us >= 0.07 && v <= fast) || (!is_none(k) && roughly_taken(k, v, us) > 0);
  }
  DEVICE f64 drawn(draws &d) const {
#pragma unroll 1
    for (;;) {
      const f64 u = d.open() - 0.5, v = d.open(), us = 0.5 - fabs(u), k = count(u, us);
      if (us >= 0.07 && v <= fast) return k;
      if (is_none(k)) continue;
      const int taken = roughly_taken(k, v, us);
      if (taken > 0) return k;
      if (taken == 0 && log(v * alpha / (a / (us * us) + b)) <= log_binomial(k, n, p) - log_binomial(mode(), n, p)) return k;
    }
  }
};
DEVICE f64 binomial(draws &d, const binomial_rejection &distribution) {
  f64 k = 0;
  if (distribution.is_none()) return distribution.mirrored ? distribution.n : 0;
  if (distribution.is_few()) {
    const f64 u = d.open(), odds = distribution.odds();
    f64 q = distribution.none(), sum = q;
#pragma unroll 1
    while (u > sum && k < distribution.n && k < INVERTED) {
      q *= (distribution.n - k) / (k + 1) * odds;
      sum += q;
      ++k;
    }
  } else {
    k = distribution.drawn(d);
  }
  return distribution.mirrored ? distribution.n - k : k;
}
DEVICE f64 binomial(draws &d, f64 n, f64 chance) { return binomial(d, binomial_rejection(n, chance)); }
DEVICE f64 negative_binomial(draws &d, f64 n, f64 p) {
  return poisson(d, standard_gamma(d, n) * ((1 - p) / p));
}
DEVICE f64 noncentral_chisquare(draws &d, f64 df, f64 far) {
  if (far == 0) return chisquare(d, df);
  if (df > 1) {
    const f64 rest = chisquare(d, df - 1), n = d.normal() + sqrt(far);
    return rest + n * n;
  }
  return chisquare(d, df + 2 * poisson(d, far / 2));
}
DEVICE f64 noncentral_f(draws &d, f64 above, f64 below, f64 far) {
  const f64 x = noncentral_chisquare(d, above, far) / above;
  return x / (chisquare(d, below) / below);
}
// A. Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", 1981, algorithm LK.
DEVICE f64 logseries(draws &d, f64 p) {
  const f64 v = d.open();
  if (v >= p) return 1;
  const f64 q = -expm1(log1p(-p) * d.open());
  if (v <= q * q) return most_integer(fmax(floor(1 + log(v) / log(q)), 1.0));
  return v >= q ? 1 : 2;
}
// L. Devroye, "Non-uniform random variate generation", 1986, page 551.
DEVICE f64 zipf(draws &d, f64 a) {
  if (a >= 1025) return 1;
  const f64 less = a - 1, b = exp2(less);
#pragma unroll 1
  for (;;) {
    const f64 x = floor(exp(-log(d.open()) / less)), v = d.open();
    if (!(x < 0x1p63)) continue;
    const f64 t = exp(less * log1p(1 / x));
    if (v * x * (t - 1) / (b - 1) <= t / b) return x;
  }
}
DEVICE f64 log_factorial(f64 k) {
  return k < 2 ? 0 : stirling_rest(k) + (k + 0.5) * log(k) - k + 0.918938533204672741780330;
}
// The number of `good` ones in a sample of `sample` from `good + bad`: sequentially if they are few, otherwise by the
// ratio of uniforms (E. Stadlober, "The ratio of uniforms approach for generating discrete random variates", 1990).
DEVICE f64 hypergeometric(draws &d, f64 good, f64 bad, f64 sample) {
  const f64 all = good + bad, few = fmin(sample, all - sample), least = fmin(good, bad), most = fmax(good, bad);
  f64 k = 0;
  if (few < 10) {
    f64 left = least, of = all;
#pragma unroll 1
    for (f64 j = 0; j < few; ++j) {
      if (d.open() * of < left) left -= 1, k += 1;
      of -= 1;
    }
  } else {
    const f64 share = least / all, centre = few * share + 0.5;
    const f64 spread = sqrt((all - few) * few * share * (1 - share) / (all - 1) + 0.5);
    const f64 width = 1.7155277699214135 * spread + 0.8989161620588988;
    const f64 mode = floor((few + 1) * (least + 1) / (all + 2));
    const f64 top = log_factorial(mode) + log_factorial(least - mode) + log_factorial(few - mode) +
                    log_factorial(most - few + mode);
    const f64 end = fmin(fmin(few, least) + 1, floor(centre + 16 * spread));
#pragma unroll 1
    for (;;) {
      const f64 x = d.open(), w = centre + width * (d.open() - 0.5) / x;
      if (w < 0 || w >= end) continue;
      k = floor(w);
      const f64 t = top - (log_factorial(k) + log_factorial(least - k) + log_factorial(few - k) +
                           log_factorial(most - few + k));
      if (2 * log(x) <= t) break;
    }
  }
  if (good > bad) k = few - k;
  return few < sample ? good - k : k;
}
