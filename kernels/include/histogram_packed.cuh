// Counts of many elements in more bins than there are 32-bit counters for: see histogram_counters16.cuh. Required before it:
// that header and histogram_counting.cuh. ROUND is the number of elements of a thread in a round, or 16 for one byte: fewer
// than HALF in total, including those after the last vector.
constexpr int ROUND = 24;

extern "C" __global__ void __launch_bounds__(COUNTING, 1) count(const __grid_constant__ params p) {
  const bounds &b = bounds_of(p);
  const bin_finder finder(b, 0);
  counting c = {p, b, finder, 0, 0};
  clear_halves(p.bins);
  __syncthreads();
  const u64 step = (u64)gridDim.x * COUNTING, first = (u64)blockIdx.x * COUNTING + threadIdx.x;
#if FLAT
  // Vectors of a round, and those that are in flight at a time.
  constexpr int UNITS = ROUND / V, M = V < 8 ? 8 / V : 1;
  const pack *from = (const pack *)p.input;
  const u64 whole = p.elements / V;
#pragma unroll 1
  for (u64 round = 0; round < whole; round += UNITS * step) {
#pragma unroll 1
    for (u64 i = round + first; i < round + UNITS * step && i < whole; i += M * step) {
      pack x[M];
#pragma unroll
      for (int k = 0; k < M; ++k) {
        if (i + k * step < whole) x[k] = from[i + k * step];
      }
      u32 unclear = 0;
#pragma unroll
      for (int k = 0; k < M; ++k) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          if (i + k * step < whole && !c.add_clear(x[k].e[v])) unclear |= 1u << (k * V + v);
        }
      }
#pragma unroll 1
      for (; unclear != 0; unclear &= unclear - 1) {
        const u32 at = __ffs(unclear) - 1;
        c.add(from[i + at / V * step].e[at % V]);
      }
    }
    __syncthreads();
    bring_halves<false>((u64 *)p.out, p.bins);
    __syncthreads();
  }
  if (first < p.elements - whole * V) c.add(((const element *)p.input)[whole * V + first]);
#else
#pragma unroll 1
  for (u64 round = 0; round < p.elements; round += ROUND * step) {
#pragma unroll 1
    for (u64 i = round + first; i < round + ROUND * step && i < p.elements; i += step) c.add(element_at(p, i));
    __syncthreads();
    bring_halves<false>((u64 *)p.out, p.bins);
    __syncthreads();
  }
#endif
  __syncthreads();
  leave_halves(p.parts, (u64 *)p.out, p.bins);
#if DIRECT
  tell_ends(p, c);
#endif
}
