// Maps elements to unsigned integers of the same order: NumPy's, in which NaN comes last. Elements that are equal in
// that order (both zeros, all NaNs) have equal keys; they are moved as they are, so that nothing is lost. Required
// before it: `raw` (an unsigned type of an element's width), `key`.

// A pair of words, the lower one first, for elements of 16 bytes.
struct alignas(16) words {
  u64 low, high;
};

// For floats: positive numbers keep their bits and get the sign bit set, negative ones are inverted.
template <class U> DEVICE U float_key(U bits, U infinity) {
  const U sign = (U)((U)1 << (8 * sizeof(U) - 1)), magnitude = (U)(bits & (U)~sign);
  // Selected one after the other: a branch would keep elements from being processed together.
  U k = (U)(bits & sign ? ~bits : bits | sign);
  k = magnitude == 0 ? sign : k;
  return magnitude > infinity ? (U)~(U)0 : k;
}

// The same in fewer steps: adding 0 makes both zeros equal, and makes every float32 NaN the one whose bits are all set
// but the sign, which is PTX's rule; a float64 NaN keeps its bits.
template <> DEVICE u32 float_key<u32>(u32 bits, u32) {
  const u32 x = f32_to_bits(bits_to_f32(bits) + 0.0f);
  return x ^ ((u32)((i32)x >> 31) | 0x80000000u);
}
template <> DEVICE u64 float_key<u64>(u64 bits, u64) {
  const f64 sum = __longlong_as_double((i64)bits) + 0.0;
  const u64 x = (u64)__double_as_longlong(sum);
  return sum == sum ? x ^ ((u64)((i64)x >> 63) | 1ull << 63) : ~0ull;
}

// For complex numbers: by the real part, then by the imaginary one. After all of those come the numbers whose imaginary
// part alone is NaN (by the real part), then those whose real part alone is (by the imaginary one), then NaN + NaN j.
// The keys between that of infinity and that of NaN are free for these.
template <class U> DEVICE pair<U, U> complex_key(U re, U im, U infinity) {
  const U nan = (U)~(U)0, top = (U)(infinity | (U)1 << (8 * sizeof(U) - 1));
  const U r = float_key<U>(re, infinity), i = float_key<U>(im, infinity);
  if (r == nan) return {i == nan ? nan : (U)(top + 2), i};
  if (i == nan) return {(U)(top + 1), r};
  return {r, i};
}

// The 32 bits of a key that contain digit d, and that digit.
template <class K> DEVICE u32 part_of(K k, u32 d) {
  if constexpr (sizeof(K) > 4) return d & 4 ? (u32)(k >> 32) : (u32)k;
  else return k;
}
DEVICE u32 part_of(words k, u32 d) { return part_of(d & 8 ? k.high : k.low, d); }
template <class K> DEVICE u32 digit_of(K k, u32 d) { return __byte_perm(part_of(k, d), 0, 0x4440 | (d & 3)); }
template <class K> DEVICE bool same_key(K a, K b) { return a == b; }
DEVICE bool same_key(words a, words b) { return a.low == b.low && a.high == b.high; }
template <class K> DEVICE bool less_key(K a, K b) { return a < b; }
DEVICE bool less_key(words a, words b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }
