// Gamma and beta numbers whose first attempts the squeeze takes.
// The first attempt at a gamma number of the blocks `attempt` and the next one.
DEVICE bool gamma_at_once(const params &p, u64 number, u32 attempt, const gamma_rejection &law, f64 &y) {
  const random_words pair = block(p, number, attempt), times = block(p, number, attempt + 1);
  const u64 radius = joined(pair.w[0], pair.w[1]);
  f64 x, next;
  around(minus_log_near(radius), joined(pair.w[2], pair.w[3]), x, next);
  const f64 root = law.root(x);
  y = law.value(root);
  return !is_tail(radius) && root > 0 && gamma_rejection::is_clear(times.w[1], x);
}
template <bool SCALED> struct quick_gamma {
  static constexpr bool PLAIN = false;
  f64 shape;
  gamma_rejection law;
  bool is_short;
  DEVICE explicit quick_gamma(const params &p) : shape(p.a.value), law(shape < 1 ? shape + 1 : shape) {
    is_short = shape >= 1 && !endless(shape);
  }
  DEVICE bool operator()(const params &p, u64 number, f64 &y) const {
    const bool sure = gamma_at_once(p, number, 0, law, y);
    if (SCALED) y = p.b.value * y;
    return sure;
  }
  DEVICE f64 drawn(const params &p, u64, draws &d) const {
    const f64 y = standard_gamma(d, shape, law);
    return SCALED ? p.b.value * y : y;
  }
};
struct quick_beta {
  static constexpr bool PLAIN = false;
  f64 a, b;
  gamma_rejection one, other;
  bool is_short;
  DEVICE explicit quick_beta(const params &p)
      : a(p.a.value), b(p.b.value), one(a < 1 ? a + 1 : a), other(b < 1 ? b + 1 : b) {
    is_short = a >= 1 && b >= 1 && (a > 1 || b > 1) && !endless(a) && !endless(b);
  }
  DEVICE bool operator()(const params &p, u64 number, f64 &z) const {
    f64 x, y;
    const bool sure = gamma_at_once(p, number, 0, one, x) & gamma_at_once(p, number, 2, other, y);
    z = x / (x + y);
    return sure;
  }
  DEVICE f64 drawn(const params &, u64, draws &d) const {
    if (!(a > 1 || b > 1)) return beta_of_small(d, a, b);
    const f64 x = standard_gamma(d, a, one), y = standard_gamma(d, b, other);
    return x / (x + y);
  }
};
