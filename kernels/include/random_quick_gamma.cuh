// Gamma and beta numbers whose first attempts the squeeze accepts: the first attempt at a gamma number, from the block
// `attempt`.
DEVICE bool gamma_at_once(const params &p, u64 number, u32 attempt, const gamma_rejection &distribution, f64 &y) {
  const random_words w = block(p, number, attempt);
  const u64 radius = joined(w.w[0], w.w[1]);
  const f64 x = gamma_rejection::normal(minus_log_near(radius), w.w[2]), root = distribution.root(x);
  y = distribution.value(root);
  return !is_tail(radius) && root > 0 && gamma_rejection::is_clear(w.w[3], x);
}
template <bool SCALED> struct quick_gamma {
  static constexpr bool PLAIN = false;
  f64 shape, scale;
  gamma_rejection distribution;
  bool is_short;
  DEVICE quick_gamma(f64 shape, f64 scale, f64) : shape(shape), scale(scale), distribution(shape < 1 ? shape + 1 : shape) {
    // Shapes below 1 need more: they are worth it if a quarter of a warp has one.
    is_short = shape > 0 && !endless(shape) && (shape >= 1 || __popc(__ballot_sync(__activemask(), shape < 1)) >= 8);
  }
  DEVICE bool operator()(const params &p, u64 number, f64 &y) const {
    bool sure = gamma_at_once(p, number, 0, distribution, y);
    if (shape < 1) {
      const random_words w = block(p, number, 1);
      const u64 other = joined(w.w[0], w.w[1]);
      y *= exp(-minus_log_near(other) / shape);
      sure = sure && !is_tail(other);
    }
    if (SCALED) y = scale * y;
    return sure;
  }
  DEVICE f64 drawn(const params &, u64, draws &d) const {
    const f64 y = standard_gamma(d, shape, distribution);
    return SCALED ? scale * y : y;
  }
};
struct quick_beta {
  static constexpr bool PLAIN = false;
  f64 a, b;
  gamma_rejection one, other;
  bool is_short;
  DEVICE quick_beta(f64 a, f64 b, f64)
      : a(a), b(b), one(a < 1 ? a + 1 : a), other(b < 1 ? b + 1 : b) {
    is_short = a >= 1 && b >= 1 && (a > 1 || b > 1) && !endless(a) && !endless(b);
  }
  DEVICE bool operator()(const params &p, u64 number, f64 &z) const {
    f64 x, y;
    const bool sure = gamma_at_once(p, number, 0, one, x) & gamma_at_once(p, number, 1, other, y);
    z = x / (x + y);
    return sure;
  }
  DEVICE f64 drawn(const params &, u64, draws &d) const {
    if (!(a > 1 || b > 1)) return beta_of_small(d, a, b);
    const f64 x = standard_gamma(d, a, one), y = standard_gamma(d, b, other);
    return x / (x + y);
  }
};
