// The larger side where the other adds nothing to it: next to the largest number CUDA's function would give infinity.
template <class T> DEVICE T hypotenuse(T a, T b) {
  T large = fmax(fabs(a), fabs(b)), small = fmin(fabs(a), fabs(b));
  const T nothing = sizeof(T) == 4 ? (T)0x1p-14 : (T)0x1p-28;
  return a == a && b == b && small <= large * nothing ? large : hypot(a, b);
}
