// Shifts and bit counts. A shift by a negative count, or by the width or more, shifts all bits out; C++ leaves it
// undefined.
template <class T> DEVICE T shifted_left(T a, T b) {
  typedef typename unsigned_of<T>::type U;
  return (U)b < 8 * sizeof(T) ? (T)(U)((u64)(U)a << (u32)b) : (T)0;
}
template <class T> DEVICE T shifted_right(T a, T b) {
  typedef typename unsigned_of<T>::type U;
  return (U)b < 8 * sizeof(T) ? (T)(a >> (u32)b) : a < 0 ? (T)-1 : (T)0;
}
template <class T> DEVICE u8 bit_count(T a) {
  typedef typename unsigned_of<T>::type U;
  const U magnitude = (U)(a < 0 ? wrapping_neg(a) : a);
  return sizeof(T) == 8 ? (u8)__popcll(magnitude) : (u8)__popc((u32)magnitude);
}
