// 1 / a of integers. 1 / 0 is NumPy's cast of an infinity: the smallest int32 or int64, 0 for all others.
template <class T> DEVICE T integer_reciprocal(T a) {
  const bool is_signed = (T)-1 < (T)0;
  if (a == 0) return is_signed && sizeof(T) >= 4 ? (T)1 << (sizeof(T) * 8 - 1) : (T)0;
  return a == 1 || (is_signed && a == (T)-1) ? a : (T)0;
}
