// Fast paths of distributions by rejection: values computed from the first words of an element, and constants computed
// from the parameters, once for a call, or for each element if the parameters are arrays. `drawn` is the distribution
// itself; a PLAIN distribution has nothing else.
struct quick_own {
  static constexpr bool PLAIN = true, is_short = false;
  number a, b, c;
  DEVICE quick_own(number a, number b, number c) : a(a), b(b), c(c) {}
  DEVICE bool operator()(const params &, u64, compute &) const { return false; }
  DEVICE compute drawn(const params &p, u64 e, draws &d) const { return of_distribution(p, e, 0, a, b, c, d); }
};
