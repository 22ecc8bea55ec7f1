// Remainders and divisors of integers. Division by 0 returns 0.
template <class T> DEVICE T integer_fmod(T a, T b) {
  // The smallest integer by -1 overflows in the processor.
  return b == 0 || (b == (T)-1 && (T)-1 < (T)0) ? (T)0 : (T)(a % b);
}
// Euclid's algorithm on the magnitudes, which fit in the unsigned type.
template <class T> DEVICE typename unsigned_of<T>::type common_divisor(T a, T b) {
  typedef typename unsigned_of<T>::type U;
  U x = (U)integer_absolute(a), y = (U)integer_absolute(b);
  while (y != 0) {
    const U rest = (U)(x % y);
    x = y;
    y = rest;
  }
  return x;
}
template <class T> DEVICE T gcd(T a, T b) { return (T)common_divisor(a, b); }
template <class T> DEVICE T lcm(T a, T b) {
  typedef typename unsigned_of<T>::type U;
  const U divisor = common_divisor(a, b);
  return divisor == 0 ? (T)0 : (T)wrapping_mul((U)((U)integer_absolute(a) / divisor), (U)integer_absolute(b));
}

template <class T> DEVICE pair<T, T> integer_divmod(T a, T b) {
  const T q = integer_floor_divide(a, b);
  return {q, b == 0 ? (T)0 : wrapping_sub(a, wrapping_mul(q, b))};
}
DEVICE pair<f32, f32> float_divmod(f32 a, f32 b) { return {float_floor_divide(a, b), float_remainder(a, b)}; }
DEVICE pair<f64, f64> float_divmod(f64 a, f64 b) {
  const f64 r = fmod(a, b);
  return {floor_quotient_of(a, b, r), remainder_of(b, r)};
}
