// Operand of a scan in memory.
template <int BYTES> struct word_of { typedef u8 type; };
template <> struct word_of<2> { typedef u16 type; };
template <> struct word_of<4> { typedef u32 type; };
template <> struct word_of<8> { typedef uint2 type; };
template <> struct word_of<16> { typedef uint4 type; };

// Address of the first element of a slice.
typedef const char *origin;
DEVICE origin origin_of(const params &p, uindex line) {
  return (const char *)p.input + offset_of(line, p.line_axes, p.line, p.line_in);
}
// Issues a load of V adjacent elements, directly to shared memory if the device has asynchronous copies.
template <class T> DEVICE void send_for(const params &, origin line, u64 i, T (&to)[V]) {
  typedef typename word_of<V * sizeof(T)>::type word;
  const word *from = (const word *)(line + i * sizeof(T));
#if __CUDA_ARCH__ >= 800
  // Through the L1 cache: when bypassing it, every 16 bytes request their sector from the L2 cache again.
  if constexpr (sizeof(word) >= 4) {
    const u32 at = (u32)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(word)) : "memory");
    return;
  }
#endif
  *(word *)to = *from;
}
DEVICE void arrive() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
// Elements of V adjacent slices, at one position of each.
template <class T> DEVICE void row_at(const params &p, const origin (&lines)[V], u64 i, T (&x)[V]) {
  const auto word = *(const typename word_of<V * sizeof(T)>::type *)(lines[0] + (i64)i * p.step_in);
  memcpy(x, &word, sizeof(word));
}
DEVICE void bring_closer(const params &, origin line, u64 i) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(line + i * sizeof(given)));
}
