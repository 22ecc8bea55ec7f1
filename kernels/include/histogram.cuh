// Histogram: the number of elements in each bin, or the sums of their weights. Required before it: `element`, `key` (in
// which it is compared with edges), `edge` (the dtype of the edges), key_of of both, goes_before, uniform_bin, `uindex`,
// FLAT (contiguous, aligned elements), DIRECT (elements are bin indices), CLEAR (a product decides the bin of most
// elements, by `scale` and `sure`).
constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
// Counters, of four bytes, and edges in shared memory.
constexpr int SLOTS = 8192;
constexpr int STAGED_EDGES = 512;
constexpr u64 V = sizeof(element) < 16 ? 16 / sizeof(element) : 1;

DEVICE element element_at(const params &p, u64 i) {
  const i64 at = p.axes <= 1 ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
  return *(const element *)((const char *)p.input + at);
}

// The edges, in shared memory if they fit. (The test is repeated at each access, since a pointer to either would be
// generic: generic loads and additions are slow.)
#if !DIRECT
struct edge_table {
  const key *shared;
  const edge *memory;
  bool staged;
  DEVICE key at(u64 i) const { return staged ? shared[i] : key_of(memory[i]); }
};
#endif

#if CLEAR
// Returns true if the bin of an element is clear: its bin coordinate, the distance to the first edge times a scale, is
// farther from every integer than the coordinate of any edge is. The coordinate minus half a unit is rounded to an
// integer by adding a number so large that its last bit is 1; NaN and elements outside are never clear.
DEVICE bool is_clear(const bounds &p, f32 x, u32 &bin) {
  const f32 middle = (x - (f32)p.first) * (f32)p.scale - 0.5f, moved = middle + 8388608.0f;
  bin = f32_to_bits(moved) - f32_to_bits(8388608.0f);
  return fabsf(middle - (moved - 8388608.0f)) <= (f32)p.sure && bin < (u32)p.bins;
}
DEVICE bool is_clear(const bounds &p, f64 x, u32 &bin) {
  const f64 middle = (x - p.first) * p.scale - 0.5, moved = middle + 4503599627370496.0;
  const u64 moved_bin = (u64)(__double_as_longlong(moved) - __double_as_longlong(4503599627370496.0));
  bin = (u32)moved_bin;
  return fabs(middle - (moved - 4503599627370496.0)) <= p.sure && moved_bin < p.bins;
}
#endif

#if DIRECT
struct bin_finder {
  DEVICE bin_finder(const bounds &, key *) {}
  DEVICE i64 bin_of(element e) const { return (i64)e; }
};
#else
struct bin_finder {
  const bounds &p;
  edge_table edges;
  // The block must synchronise before it finds a bin.
  DEVICE bin_finder(const bounds &p, key *shared) : p(p), edges{shared, (const edge *)p.edges, p.bins < STAGED_EDGES} {
    for (u32 i = threadIdx.x; edges.staged && i <= p.bins; i += blockDim.x) shared[i] = key_of(edges.memory[i]);
  }
  // Returns the bin of an element, or a negative number. Every bin includes its lower edge and not its upper one,
  // except for the last.
  DEVICE i64 bin_of(element e) const {
    const key x = key_of(e);
#if CLEAR
    u32 clear;
    if (is_clear(p, x, clear)) return clear;
#endif
    const i64 last = (i64)p.bins - 1;
#if UNIFORM
    // The computed bin; its rounding error is corrected by comparison with the edges themselves.
    if (!within(p, x)) return -1;
    i64 i = uniform_bin(p, e, x);
    if (i > last) i = last;
    if (i < 0) i = 0;
    if (x < edges.at(i)) i = i > 0 ? i - 1 : 0;
    else if (i != last && x >= edges.at(i + 1)) ++i;
    return i;
#else
    if (goes_before(edges.at(p.bins), x)) return -1;
    i64 low = 0, high = p.bins + 1;
#pragma unroll 1
    while (low < high) {
      const i64 middle = (low + high) / 2;
      if (goes_before(x, edges.at(middle))) high = middle; else low = middle + 1;
    }
    return low - 1 < last ? low - 1 : last;
#endif
  }
};
#endif
