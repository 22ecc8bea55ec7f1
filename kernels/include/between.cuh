// Clips an integer: the lower bound is applied first, then the upper one.
template <class T> DEVICE T integer_between(T x, T low, T high) {
  const T above = x > low ? x : low;
  return above < high ? above : high;
}
