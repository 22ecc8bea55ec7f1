// Operand of a scan over an expression whose elements are computed as they are read. Required before it: what
// reading.cuh requires, and the tables `read_kept` of the strides from slice to slice, and `read_reduced` along a
// slice.
template <int BYTES> struct word_of { typedef u8 type; };
template <> struct word_of<2> { typedef u16 type; };
template <> struct word_of<4> { typedef u32 type; };
template <> struct word_of<8> { typedef uint2 type; };
template <> struct word_of<16> { typedef uint4 type; };

DEVICE origin origin_of(const params &p, uindex line) {
  origin at = beginning(p);
  walk(at, line, p.line_axes, p.line, p.read_kept);
  return at;
}
DEVICE origin origin_at(const params &p, origin at, u64 i) {
#pragma unroll
  for (u32 k = 0; k < ARRAYS; ++k) at.at[k] += (i64)i * p.read_reduced[k][0];
  return at;
}
DEVICE given element_at(const params &p, const origin &line, u64 i) {
  gathered<1> g;
  given e[1];
  gather(p, origin_at(p, line, i), p.read_reduced, 0, g);
  compute(p, g, e);
  return e[0];
}
DEVICE void send_for(const params &p, const origin &line, u64 i, given (&to)[V]) {
  gathered<V> g;
  given x[V];
  gather(p, origin_at(p, line, i), p.read_reduced, 0, g);
  compute(p, g, x);
  word_of<V * sizeof(given)>::type word;
  memcpy(&word, x, sizeof(word));
  *(decltype(word) *)to = word;
}
DEVICE void arrive() {}
DEVICE void row_at(const params &p, const origin (&lines)[V], u64 i, given (&x)[V]) {
#pragma unroll
  for (int v = 0; v < V; ++v) x[v] = element_at(p, lines[v], i);
}
DEVICE void bring_closer(const params &, const origin &, u64) {}
