// log(e^a + e^b) and log2(2^a + 2^b): the larger operand plus a correction by the smaller one.
template <class T> DEVICE T log_add_exp(T a, T b) {
  if (a == b) return a + (T)0.69314718055994530942; // equal infinities have no difference
  T d = fabs(a - b);
  return (a > b ? a : b) + (d == d ? log1p(exp(-d)) : d);
}
template <class T> DEVICE T log_add_exp2(T a, T b) {
  if (a == b) return a + (T)1;
  T d = fabs(a - b);
  return (a > b ? a : b) + (d == d ? (T)1.44269504088896340736 * log1p(exp2(-d)) : d);
}
