// A partial result of mean and variance.
template <class T> DEVICE T scaled(T x, T by) { return x * by; }
template <class T> DEVICE T parted(T x, T by) { return x / by; }
template <class T> DEVICE T squared(T x) { return x * x; }
// In this order a weight of 0 gives 0 also where the square overflows.
template <class T> DEVICE T squared(T x, T weight) { return x * (x * weight); }
template <class T, class R> struct moments {
  u64 count;
  T mean;
  R squares;
};
template <class T, class R> DEVICE moments<T, R> merged(const moments<T, R> &a, const moments<T, R> &b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const R share = (R)b.count / (R)(a.count + b.count);
  const T apart = b.mean - a.mean;
  return {a.count + b.count, a.mean + scaled(apart, share), a.squares + b.squares + squared(apart, (R)a.count * share)};
}
