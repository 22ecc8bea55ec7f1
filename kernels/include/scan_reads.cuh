// How a scan reads its elements where they lie in memory.
template <int BYTES> struct word_of { typedef u8 type; };
template <> struct word_of<2> { typedef u16 type; };
template <> struct word_of<4> { typedef u32 type; };
template <> struct word_of<8> { typedef uint2 type; };
template <> struct word_of<16> { typedef uint4 type; };

// Where a line begins.
typedef const char *origin;
DEVICE origin origin_of(const params &p, uindex line) {
  return (const char *)p.input + offset_of(line, p.line_axes, p.line, p.line_in);
}
// V neighbours by one load.
template <class T> DEVICE void vector_at(const params &, origin line, u64 i, T (&x)[V]) {
  const auto word = *(const typename word_of<V * sizeof(T)>::type *)(line + i * sizeof(T));
  memcpy(x, &word, sizeof(word));
}
// Neighbours of V lines, at a place of each.
template <class T> DEVICE void row_at(const params &p, const origin (&lines)[V], u64 i, T (&x)[V]) {
  const auto word = *(const typename word_of<V * sizeof(T)>::type *)(lines[0] + (i64)i * p.step_in);
  memcpy(x, &word, sizeof(word));
}
DEVICE void bring_closer(const params &, origin line, u64 i) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(line + i * sizeof(given)));
}
