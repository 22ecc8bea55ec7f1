// The order of elements as that of unsigned integers: NumPy's, in which NaN stands behind everything. Elements that
// are equal in that order (both zeros, all NaNs) have equal keys; they are moved as they are, so that nothing is lost.
// Before it stand: `raw` (an unsigned type as wide as an element), `key`, DIGITS (bytes of a key).

// A pair of words, the lower one first, for elements of 16 bytes.
struct alignas(16) words {
  u64 low, high;
};

// Of a float: positive numbers keep their bits and get the upper half, negative ones are turned round.
template <class U> DEVICE U float_key(U bits, U infinity) {
  const U sign = (U)((U)1 << (8 * sizeof(U) - 1)), magnitude = (U)(bits & (U)~sign);
  // Chosen one after the other: a branch would keep elements from being worked on side by side.
  U k = (U)(bits & sign ? ~bits : bits | sign);
  k = magnitude == 0 ? sign : k;
  return magnitude > infinity ? (U)~(U)0 : k;
}

// Of a complex number: by the real part, then by the imaginary one. Behind all of those stand the numbers whose
// imaginary part alone is NaN (by the real part), then those whose real part alone is (by the imaginary one), then
// NaN + NaN j. The keys between that of infinity and that of NaN are free for these.
template <class U> DEVICE pair<U, U> complex_key(U re, U im, U infinity) {
  const U nan = (U)~(U)0, top = (U)(infinity | (U)1 << (8 * sizeof(U) - 1));
  const U r = float_key<U>(re, infinity), i = float_key<U>(im, infinity);
  if (r == nan) return {i == nan ? nan : (U)(top + 2), i};
  if (i == nan) return {(U)(top + 1), r};
  return {r, i};
}

template <class K> DEVICE u32 digit_of(K k, u32 d) { return (u32)(k >> (8 * d)) & 255; }
DEVICE u32 digit_of(words k, u32 d) { return (u32)((d < 8 ? k.low : k.high) >> (8 * (d & 7))) & 255; }
template <class K> DEVICE bool same_key(K a, K b) { return a == b; }
DEVICE bool same_key(words a, words b) { return a.low == b.low && a.high == b.high; }
template <class K> DEVICE bool less_key(K a, K b) { return a < b; }
DEVICE bool less_key(words a, words b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }
