// How many elements fall into each bin, or the sums of their weights. Before it stand: `element`, `key` (in which it is
// compared with edges), `edge` (the dtype of the edges), key_of of both, goes_before, place_of, `uindex`, `divider`, AXES,
// FLAT (elements lie side by side, aligned), DIRECT (elements are bins themselves).
#define THREADS 256
#define WARPS (THREADS / 32)
// Counters, of four bytes, and edges in shared memory.
#define SLOTS 8192
#define STAGED_EDGES 512
#define V (sizeof(element) < 16 ? 16 / sizeof(element) : 1)

struct params {
  u64 elements, bins, in, edges;
  // The counts (int64) or the partial sums of each chunk.
  u64 out;
  // Of bins themselves, where the smallest and the largest go.
  u64 ends;
  place_params place;
  // Of weights: the elements of a chunk, and the bins of a window.
  u64 weights, chunk, window;
  u32 axes, weight_axes;
  divider sizes[AXES], weight_sizes[AXES];
  i64 strides[AXES], weight_strides[AXES];
};

DEVICE element element_at(const params &p, u64 i) {
  const i64 at = p.axes <= 1 ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
  return *(const element *)((const char *)p.in + at);
}

#if DIRECT
DEVICE const key *staged_edges(const params &p, key *) { return 0; }
DEVICE i64 bin_of(const params &p, const key *, element e) { return (i64)e; }
#else
// The edges, in shared memory where they fit. The block has to wait before it uses them.
DEVICE const key *staged_edges(const params &p, key *shared) {
  const edge *from = (const edge *)p.edges;
  for (u32 i = threadIdx.x; i < STAGED_EDGES && i <= p.bins; i += blockDim.x) shared[i] = key_of(from[i]);
  return p.bins < STAGED_EDGES ? shared : 0;
}
DEVICE key edge_at(const params &p, const key *edges, u64 i) {
  return edges ? edges[i] : key_of(((const edge *)p.edges)[i]);
}
// The bin of an element, or a negative number. Every bin has its lower edge and not its upper one, but for the last.
DEVICE i64 bin_of(const params &p, const key *edges, element e) {
  const key x = key_of(e);
  const i64 last = (i64)p.bins - 1;
#if UNIFORM
  // Where it should be; the rounding of this place is mended by the edges themselves.
  if (!within(p.place, x)) return -1;
  i64 i = place_of(p.place, e, x);
  if (i > last) i = last;
  if (i < 0) i = 0;
  if (x < edge_at(p, edges, i)) i = i > 0 ? i - 1 : 0;
  else if (i != last && x >= edge_at(p, edges, i + 1)) ++i;
  return i;
#else
  if (goes_before(edge_at(p, edges, p.bins), x)) return -1;
  i64 low = 0, high = p.bins + 1;
#pragma unroll 1
  while (low < high) {
    const i64 middle = (low + high) / 2;
    if (goes_before(x, edge_at(p, edges, middle))) high = middle; else low = middle + 1;
  }
  return low - 1 < last ? low - 1 : last;
#endif
}
#endif
