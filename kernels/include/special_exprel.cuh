// Differences that cancel near 0.

// cos(x) - 1.
template <class T> DEVICE T special_cosm1(T x) {
  const T half = sin(x * (T)0.5);
  // Of an operand of 0, too, the zero is positive.
  return (T)-2 * half * half + (T)0;
}
// (exp(x) - 1) / x; beyond the range of the exponential the quotient is split.
template <class T> DEVICE T special_exprel(T x) {
  if (fabs(x) < (T)1e-20) return 1;
  if (isinf(x)) return x > 0 ? x : 0;
  if (x < (sizeof(T) == 8 ? (T)709 : (T)88)) return expm1(x) / x;
  const T half = exp(x * (T)0.5);
  return half / x * half;
}
