// Counts. Every block has counters in shared memory, and several copies of them where there are few bins, so that the
// warps get into each other's way less; more bins than there are counters are counted in memory. Counts are integers:
// the order in which they are added does not matter.
struct alignas(16) pack {
  element e[V];
};

struct counting {
  const params &p;
  const bin_finder &finder;
  u32 *mine;
  bool inside;
  i64 least, most;
  DEVICE void add(element e) {
    const i64 bin = finder.bin_of(e);
#if DIRECT
    least = bin < least ? bin : least;
    most = bin > most ? bin : most;
#endif
    if ((u64)bin >= p.bins) return;
    if (inside) atomicAdd(mine + bin, 1u); else atomicAdd((u64 *)p.out + bin, 1ull);
  }
};

extern "C" __global__ void __launch_bounds__(THREADS) count(const __grid_constant__ params p) {
  __shared__ u32 slots[SLOTS];
#if DIRECT
  key *shared_edges = 0;
#else
  __shared__ key shared_edges[STAGED_EDGES];
#endif
  const u32 t = threadIdx.x, warp = t / 32;
  const bool inside = p.bins <= SLOTS;
  const u32 bins = (u32)p.bins, room = inside && bins > 0 ? SLOTS / bins : 0;
  const u32 copies = room < WARPS ? room : WARPS;
  for (u32 i = t; i < copies * bins; i += THREADS) slots[i] = 0;
  const bin_finder finder(p, shared_edges);
  __syncthreads();
  const u32 copy = copies > 0 ? warp % copies * bins : 0;
  counting c = {p, finder, slots + copy, inside, 0x7fffffffffffffffll, -0x7fffffffffffffffll - 1};
  const u64 step = (u64)gridDim.x * THREADS, first = (u64)blockIdx.x * THREADS + t;
#if FLAT
  const pack *from = (const pack *)p.input;
  const u64 whole = p.elements / V;
  u64 i = first;
  // Several vectors are on their way at a time, of 16 elements together: more would only make the kernel longer.
  const int M = V < 16 ? 16 / V : 1;
#pragma unroll 1
  for (; i + (M - 1) * step < whole; i += M * step) {
    pack x[M];
#pragma unroll
    for (int k = 0; k < M; ++k) x[k] = from[i + k * step];
#pragma unroll
    for (int k = 0; k < M; ++k) {
#pragma unroll
      for (int v = 0; v < V; ++v) c.add(x[k].e[v]);
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
  if (inside) {
    for (u32 b = t; b < bins; b += THREADS) {
      u32 sum = 0;
#pragma unroll 1
      for (u32 k = 0; k < copies; ++k) sum += slots[k * bins + b];
      if (sum != 0) atomicAdd((u64 *)p.out + b, (u64)sum);
    }
  }
#if DIRECT
#pragma unroll
  for (u32 half = 16; half > 0; half /= 2) {
    const i64 least = __shfl_xor_sync(~0u, c.least, half), most = __shfl_xor_sync(~0u, c.most, half);
    c.least = least < c.least ? least : c.least;
    c.most = most > c.most ? most : c.most;
  }
  if (t % 32 == 0) {
    atomicMin((i64 *)p.ends, c.least);
    atomicMax((i64 *)p.ends + 1, c.most);
  }
#endif
}
