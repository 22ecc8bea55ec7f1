// A partial result of mean and variance.
template <class T> DEVICE T scaled(T x, T by) { return x * by; }
template <class T> DEVICE T parted(T x, T by) { return x / by; }
template <class T> DEVICE T squared(T x) { return x * x; }
// In this order a weight of 0 gives 0 also where the square overflows.
template <class T> DEVICE T squared(T x, T weight) { return x * (x * weight); }
// The quotient of two counts, rounded as by `/`, without a way for numbers next to the ends of the range, of which counts are none:
// a reciprocal that is off by a unit at most, and what is left over of both (P. Markstein, "Computation of Elementary Functions on
// the IBM RISC System/6000 Processor", 1990).
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
  // Of nothing the share is none. What is chosen at the end needs no branch, and the next share none of this one's results.
  const R share = quotient((R)b.count, (R)(a.count + b.count));
  const T apart = b.mean - a.mean;
  const T mean = a.mean + scaled(apart, share);
  const R squares = a.squares + b.squares + squared(apart, (R)a.count * share);
  const bool first = b.count == 0, second = a.count == 0;
  return {a.count + b.count, first ? a.mean : second ? b.mean : mean, first ? a.squares : second ? b.squares : squares};
}
