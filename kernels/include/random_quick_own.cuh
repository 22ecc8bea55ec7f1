// Short ways of distributions that draw as often as they must: what the first words of an element decide, and what follows from the parameters,
// which is made once for a call, or anew for each element where they are arrays. `drawn` is the distribution itself; a distribution that is PLAIN has
// nothing else.
struct quick_own {
  static constexpr bool PLAIN = true, is_short = false;
  number a, b, c;
  DEVICE quick_own(number a, number b, number c) : a(a), b(b), c(c) {}
  DEVICE bool operator()(const params &, u64, compute &) const { return false; }
  DEVICE compute drawn(const params &p, u64 e, draws &d) const { return of_distribution(p, e, 0, a, b, c, d); }
};
