// Partial result of mean and variance.
template <class T> DEVICE T scaled(T x, T by) { return x * by; }
template <class T> DEVICE T parted(T x, T by) { return x / by; }
template <class T> DEVICE T squared(T x) { return x * x; }
// In this order a weight of 0 gives 0 also if the square overflows.
template <class T> DEVICE T squared(T x, T weight) { return x * (x * weight); }
// The quotient of two counts, rounded as by `/`, without a path for numbers next to the ends of the range, which counts
// never are: a reciprocal with an error of at most a unit, and a correction by both remainders (P. Markstein,
// "Computation of Elementary Functions on the IBM RISC System/6000 Processor", 1990).
DEVICE f32 quotient(f32 a, f32 b) {
  f32 r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  r = __fmaf_rn(r, __fmaf_rn(-b, r, 1.0f), r);
  const f32 q = a * r;
  return __fmaf_rn(r, __fmaf_rn(-b, q, a), q);
}
DEVICE f64 quotient(f64 a, f64 b) { return a / b; }
template <class T, class R, class N = u64> struct moments {
  N count;
  T mean;
  R squares;
};
template <class T, class R, class N>
DEVICE moments<T, R, N> merged(const moments<T, R, N> &a, const moments<T, R, N> &b) {
  // The share of an empty partial result is 0. A selection at the end needs no branch, and the next share does not
  // depend on this one's result.
  const R share = quotient((R)b.count, (R)(a.count + b.count));
  const T apart = b.mean - a.mean;
  const T mean = a.mean + scaled(apart, share);
  const R squares = a.squares + b.squares + squared(apart, (R)a.count * share);
  const bool first = b.count == 0, second = a.count == 0;
  return {a.count + b.count, first ? a.mean : second ? b.mean : mean, first ? a.squares : second ? b.squares : squares};
}
