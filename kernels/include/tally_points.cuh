// How many points fall into each cell of a grid. Before it stand `element`, value_of (an element as float64), AXES, IN_HALVES and
// tally_halves.cuh. Edges are float64, which holds what is compared.
constexpr int THREADS = 1024;
constexpr int ROUND = 24;
constexpr int STAGED_EDGES = 1024;

// What a thread knows of an axis: bins by the distance of its ends tell about which bin it is, where all are equally wide.
struct axis {
  f64 first, last, scale;
  i32 bins;
  bool even;
};
DEVICE axis axis_of(const f64 *edges, i32 bins, bool even) {
  return {edges[0], edges[bins], (f64)bins / (edges[bins] - edges[0]), bins, even};
}

// The bin along an axis, or a negative number. Every bin has its lower edge and not its upper one, but for the last. Which it is the
// edges themselves say.
DEVICE i32 bin_along(const f64 *edges, const axis &a, f64 x) {
  if (!(x >= a.first && x <= a.last)) return -1;
  i32 low = 0;
  if (a.even) {
    low = (i32)((x - a.first) * a.scale);
    low = low < 0 ? 0 : low >= a.bins ? a.bins - 1 : low;
#pragma unroll 1
    while (low > 0 && x < edges[low]) --low;
#pragma unroll 1
    while (low < a.bins - 1 && x >= edges[low + 1]) ++low;
    return low;
  }
  i32 high = a.bins;
#pragma unroll 1
  while (high - low > 1) {
    const i32 middle = (low + high) / 2;
    if (x < edges[middle]) high = middle; else low = middle;
  }
  return low;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) points(const __grid_constant__ params p) {
  __shared__ f64 staged[STAGED_EDGES];
  i32 all = 0;
#pragma unroll
  for (int d = 0; d < AXES; ++d) all += (i32)p.bins[d] + 1;
  const bool inside = all <= STAGED_EDGES;
  i32 from = 0;
#pragma unroll
  for (int d = 0; inside && d < AXES; ++d) {
    for (i32 i = threadIdx.x; i <= p.bins[d]; i += THREADS) staged[from + i] = ((const f64 *)p.edges[d])[i];
    from += (i32)p.bins[d] + 1;
  }
#if IN_HALVES
  clear_halves(p.cells * p.copies);
#endif
  __syncthreads();
  axis axes[AXES];
#pragma unroll
  for (int d = 0; d < AXES; ++d) axes[d] = axis_of((const f64 *)p.edges[d], (i32)p.bins[d], p.even >> d & 1);
  const u32 copy = threadIdx.x % p.copies;
  const u64 step = (u64)gridDim.x * THREADS, first = (u64)blockIdx.x * THREADS + threadIdx.x;
#pragma unroll 1
  for (u64 round = 0; round < p.elements; round += ROUND * step) {
#pragma unroll 2
    for (u64 i = round + first; i < round + ROUND * step && i < p.elements; i += step) {
      i64 cell = 0;
      i32 at = 0;
      bool there = true;
#pragma unroll
      for (int d = 0; d < AXES; ++d) {
        const f64 x = value_of(*(const element *)((const char *)p.columns[d] + (i64)i * p.strides[d]));
        // Asked for anew, for a pointer to either memory would be one to neither.
        const i32 bin = inside ? bin_along(staged + at, axes[d], x) : bin_along((const f64 *)p.edges[d], axes[d], x);
        there = there && bin >= 0;
        cell = cell * axes[d].bins + bin;
        at += axes[d].bins + 1;
      }
#if IN_HALVES
      if (there) add_half(cell * p.copies + copy);
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
