// How many points fall into each cell of a grid. Before it stand `element`, value_of (an element as float64), AXES, IN_HALVES and
// tally_halves.cuh. Edges are float64, which holds what is compared.
constexpr int THREADS = 1024;
constexpr int ROUND = 24;
constexpr int STAGED_EDGES = 1024;

// The bin along an axis, or a negative number. Every bin has its lower edge and not its upper one, but for the last. Of equally wide
// bins a quotient tells about which it is, of others a search.
DEVICE i64 bin_along(const f64 *edges, i64 bins, bool even, f64 x) {
  if (bins <= 0 || !(x >= edges[0] && x <= edges[bins])) return -1;
  i64 low = 0;
  if (even) {
    low = (i64)((x - edges[0]) / (edges[bins] - edges[0]) * (f64)bins);
    low = low < 0 ? 0 : low >= bins ? bins - 1 : low;
#pragma unroll 1
    while (low > 0 && x < edges[low]) --low;
#pragma unroll 1
    while (low < bins - 1 && x >= edges[low + 1]) ++low;
    return low;
  }
  i64 high = bins;
#pragma unroll 1
  while (high - low > 1) {
    const i64 middle = (low + high) / 2;
    if (x < edges[middle]) high = middle; else low = middle;
  }
  return low;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) points(const __grid_constant__ params p) {
  __shared__ f64 staged[STAGED_EDGES];
  i64 all = 0;
#pragma unroll
  for (int d = 0; d < AXES; ++d) all += p.bins[d] + 1;
  const bool inside = all <= STAGED_EDGES;
  i64 from = 0;
#pragma unroll
  for (int d = 0; inside && d < AXES; ++d) {
    for (i64 i = threadIdx.x; i <= p.bins[d]; i += THREADS) staged[from + i] = ((const f64 *)p.edges[d])[i];
    from += p.bins[d] + 1;
  }
#if IN_HALVES
  clear_halves(p.cells * p.copies);
#endif
  __syncthreads();
  const u64 step = (u64)gridDim.x * THREADS, first = (u64)blockIdx.x * THREADS + threadIdx.x;
#pragma unroll 1
  for (u64 round = 0; round < p.elements; round += ROUND * step) {
#pragma unroll 2
    for (u64 i = round + first; i < round + ROUND * step && i < p.elements; i += step) {
      i64 cell = 0, at = 0;
      bool there = true;
#pragma unroll
      for (int d = 0; d < AXES; ++d) {
        const f64 x = value_of(*(const element *)((const char *)p.columns[d] + (i64)i * p.strides[d]));
        const bool even = p.even >> d & 1;
        // Asked for anew, for a pointer to either memory would be one to neither.
        const i64 bin = inside ? bin_along(staged + at, p.bins[d], even, x) : bin_along((const f64 *)p.edges[d], p.bins[d], even, x);
        there = there && bin >= 0;
        cell = cell * p.bins[d] + bin;
        at += p.bins[d] + 1;
      }
#if IN_HALVES
      if (there) add_half(cell * p.copies + threadIdx.x % p.copies);
#else
      if (there) atomicAdd((u64 *)p.out + cell, 1ull);
#endif
    }
#if IN_HALVES
    __syncthreads();
    bring_halves<false>((u64 *)p.out, p.cells * p.copies, p.copies);
    __syncthreads();
#endif
  }
#if IN_HALVES
  bring_halves<true>((u64 *)p.out, p.cells * p.copies, p.copies);
#endif
}
