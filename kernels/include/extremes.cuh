// Minimum and maximum, also with the index of the element. A NaN wins; the first of several. Every byte is written, so
// that it can be copied as whole words.
constexpr i64 NOWHERE = 0x7fffffffffffffffll;
template <class T, class I = i64, u32 size = sizeof(T)> struct indexed {
  T value;
  I index;
  indexed() = default;
  DEVICE indexed(T v, I i) : value(v), index(i) {}
};
template <class T> struct indexed<T, i64, 4> {
  T value;
  u32 unused;
  i64 index;
  indexed() = default;
  DEVICE indexed(T v, i64 i) : value(v), unused(0), index(i) {}
};
template <class T> DEVICE T larger(T a, T b) { return a > b ? a : b; }
template <class T> DEVICE T smaller(T a, T b) { return a < b ? a : b; }
DEVICE f32 larger(f32 a, f32 b) { return one_nan_maximum(a, b); }
DEVICE f64 larger(f64 a, f64 b) { return float_maximum(a, b); }
DEVICE f32 smaller(f32 a, f32 b) { return one_nan_minimum(a, b); }
DEVICE f64 smaller(f64 a, f64 b) { return float_minimum(a, b); }
template <class T, class I> DEVICE bool first_wins(indexed<T, I> a, indexed<T, I> b, bool strictly_better) {
  bool a_nan = is_nan(a.value), b_nan = is_nan(b.value);
  if (a_nan != b_nan) return a_nan;
  if (a_nan || a.value == b.value) return a.index < b.index;
  return strictly_better;
}
template <class T, class I> DEVICE indexed<T, I> larger(indexed<T, I> a, indexed<T, I> b) {
  return first_wins(a, b, a.value > b.value) ? a : b;
}
template <class T, class I> DEVICE indexed<T, I> smaller(indexed<T, I> a, indexed<T, I> b) {
  return first_wins(a, b, a.value < b.value) ? a : b;
}
// Returns the better of two values, NaN before all numbers, the earlier of two equal ones; and whether a later value
// replaces an earlier one.
template <class T> DEVICE T larger_first(T a, T b) { return larger(a, b); }
template <class T> DEVICE T smaller_first(T a, T b) { return smaller(a, b); }
template <class T> DEVICE bool is_larger(T later, T earlier) { return !(later <= earlier) && !is_nan(earlier); }
template <class T> DEVICE bool is_smaller(T later, T earlier) { return !(later >= earlier) && !is_nan(earlier); }
// A number wins against a NaN.
DEVICE f32 larger_number(f32 a, f32 b) { return fmaxf(a, b); }
DEVICE f64 larger_number(f64 a, f64 b) { return fmax(a, b); }
DEVICE f32 smaller_number(f32 a, f32 b) { return fminf(a, b); }
DEVICE f64 smaller_number(f64 a, f64 b) { return fmin(a, b); }
