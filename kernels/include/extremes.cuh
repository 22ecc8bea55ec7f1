// Extremes, and extremes with the index at which they stand. A NaN wins; of several, the first.
template <class T> struct indexed {
  T value;
  i64 index;
};
template <class T> DEVICE T larger(T a, T b) { return a > b ? a : b; }
template <class T> DEVICE T smaller(T a, T b) { return a < b ? a : b; }
DEVICE f32 larger(f32 a, f32 b) { return float_maximum(a, b); }
DEVICE f64 larger(f64 a, f64 b) { return float_maximum(a, b); }
DEVICE f32 smaller(f32 a, f32 b) { return float_minimum(a, b); }
DEVICE f64 smaller(f64 a, f64 b) { return float_minimum(a, b); }
template <class T> DEVICE bool first_wins(indexed<T> a, indexed<T> b, bool strictly_better) {
  bool a_nan = is_nan(a.value), b_nan = is_nan(b.value);
  if (a_nan != b_nan) return a_nan;
  if (a_nan || a.value == b.value) return a.index < b.index;
  return strictly_better;
}
template <class T> DEVICE indexed<T> larger(indexed<T> a, indexed<T> b) {
  return first_wins(a, b, a.value > b.value) ? a : b;
}
template <class T> DEVICE indexed<T> smaller(indexed<T> a, indexed<T> b) {
  return first_wins(a, b, a.value < b.value) ? a : b;
}
