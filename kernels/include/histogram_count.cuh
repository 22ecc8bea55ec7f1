// Counts in shared memory: every block has as many copies of each bin's counter as fit, up to one for each lane, to
// reduce contention; if there are more bins than counters, counts are added in device memory. Counts are integers: the
// order in which they are added does not matter. Required before it: histogram_counting.cuh, without 16-bit counters.
extern "C" __global__ void __launch_bounds__(THREADS, DIRECT ? 6 : 5) count(const __grid_constant__ params p) {
#if IN_WORDS
  __shared__ u32 slots[SLOTS];
  const u32 bins = (u32)p.bins, room = bins > 0 ? SLOTS / bins : 0, copies = room < 32 ? room : 32;
  for (u32 i = threadIdx.x; i < copies * bins; i += THREADS) slots[i] = 0;
  u32 *mine = slots + (copies > 0 ? threadIdx.x % 32 % copies : 0);
#else
  const u32 copies = 0;
  u32 *mine = 0;
#endif
#if DIRECT
  key *shared_edges = 0;
#else
  __shared__ key shared_edges[STAGED_EDGES];
#endif
  const u32 t = threadIdx.x;
  const bounds &b = bounds_of(p);
  const bin_finder finder(b, shared_edges);
  __syncthreads();
  counting c = {p, b, finder, mine, copies};
  const u64 step = (u64)gridDim.x * THREADS, first = (u64)blockIdx.x * THREADS + t;
#if FLAT
  const pack *from = (const pack *)p.input;
  const u64 whole = p.elements / V;
  u64 i = first;
  // Several vectors are in flight at a time.
  const int M = V < 4 ? 4 : 16 / V;
#pragma unroll 1
  for (; i + (M - 1) * step < whole; i += M * step) {
    pack x[M];
#pragma unroll
    for (int k = 0; k < M; ++k) x[k] = from[i + k * step];
    u32 unclear = 0;
#pragma unroll
    for (int k = 0; k < M; ++k) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (!c.add_clear(x[k].e[v])) unclear |= 1u << (k * V + v);
      }
    }
#pragma unroll 1
    for (; unclear != 0; unclear &= unclear - 1) {
      const u32 at = __ffs(unclear) - 1;
      c.add(from[i + at / V * step].e[at % V]);
    }
  }
#pragma unroll 1
  for (; i < whole; i += step) {
    const pack x = from[i];
#pragma unroll
    for (int v = 0; v < V; ++v) c.add(x.e[v]);
  }
  if (first < p.elements - whole * V) c.add(((const element *)p.input)[whole * V + first]);
#else
#pragma unroll 1
  for (u64 i = first; i < p.elements; i += step) c.add(element_at(p, i));
#endif
  __syncthreads();
#if IN_WORDS
  for (u32 b = t; b < bins; b += THREADS) {
    u32 sum = 0;
#pragma unroll 1
    for (u32 k = 0; k < copies; ++k) sum += slots[b * copies + (k + t) % copies];
    if (sum != 0) atomicAdd((u64 *)p.out + b, (u64)sum);
  }
#endif
#if DIRECT
  tell_ends(p, c);
#endif
}
