// Short ways of laws that draw as often as they must: what the first words of an element decide, and what is the same for all
// elements of a call, which is made once. `drawn` is the law itself; a law that is PLAIN has nothing else.
struct quick_own {
  static constexpr bool PLAIN = true, is_short = false;
  DEVICE explicit quick_own(const params &) {}
  DEVICE bool operator()(const params &, u64, compute &) const { return false; }
  DEVICE compute drawn(const params &p, u64 e, draws &d) const { return of_law(p, e, 0, p.a.value, p.b.value, p.c.value, d); }
};
