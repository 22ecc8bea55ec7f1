// Bounds of uniform bins: numbers of the parameters, or FOUND: computed by the device (histogram_edges.cuh), which a kernel
// loads once. Required before it: `key`.
#if FOUND
struct bounds {
  u64 bins, edges;
  f64 first, last, range, number, scale, sure;
};
DEVICE bounds bounds_of(const params &p) {
  const f64 *at = (const f64 *)p.uniform;
  return {p.bins, p.edges, at[0], at[1], at[2], at[3], at[4], at[5]};
}
#else
typedef params bounds;
DEVICE const bounds &bounds_of(const params &p) { return p; }
#endif
