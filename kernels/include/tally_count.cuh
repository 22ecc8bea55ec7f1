// Counts. Every block has counters in shared memory, of each bin as many side by side as there is room for, up to one for each
// lane, so that lanes get into each other's way less; more bins than there are counters are counted in memory. Counts are
// integers: the order in which they are added does not matter.
struct alignas(16) pack {
  element e[V];
};

// What holds an element, and can be compared with 32 bits where it has no more.
template <bool NARROW> struct bin_number { typedef i64 type; };
template <> struct bin_number<true> { typedef element type; };
typedef bin_number<DIRECT && sizeof(element) <= 4>::type bin_type;

struct counting {
  const params &p;
  const bin_finder &finder;
  u32 *mine, copies;
  bool inside;
  bin_type least, most;
  DEVICE void add(element e) {
    const i64 bin = finder.bin_of(e);
#if DIRECT
    least = (bin_type)bin < least ? (bin_type)bin : least;
    most = (bin_type)bin > most ? (bin_type)bin : most;
#endif
    if (inside) {
      // Counters in shared memory have numbers of 32 bits, as most elements have.
      const bool counted = DIRECT && sizeof(element) > 4 ? (u64)bin < p.bins : (u32)bin < (u32)p.bins;
      if (counted) atomicAdd(mine + (u32)bin * copies, 1u);
    } else if ((u64)bin < p.bins) {
      atomicAdd((u64 *)p.out + bin, 1ull);
    }
  }
  // The same, if the bin is clear; false if it is not.
  DEVICE bool add_clear(element e) {
#if CLEAR
    u32 bin;
    if (!is_clear(p, key_of(e), bin)) return false;
    atomicAdd(mine + bin * copies, 1u);
#else
    add(e);
#endif
    return true;
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
  const u32 copies = room < 32 ? room : 32;
  for (u32 i = t; i < copies * bins; i += THREADS) slots[i] = 0;
  const bin_finder finder(p, shared_edges);
  __syncthreads();
  const u32 copy = copies > 0 ? t % 32 % copies : 0;
  constexpr bin_type LEAST = (bin_type)-1 < 0 ? (bin_type)(1ull << (8 * sizeof(bin_type) - 1)) : (bin_type)0;
  counting c = {p, finder, slots + copy, copies, inside, (bin_type)~LEAST, LEAST};
  const u64 step = (u64)gridDim.x * THREADS, first = (u64)blockIdx.x * THREADS + t;
#if FLAT
  const pack *from = (const pack *)p.input;
  const u64 whole = p.elements / V;
  u64 i = first;
  // Several vectors are on their way at a time, of 8 elements together: more would leave fewer warps their registers.
  const int M = V < 8 ? 8 / V : 1;
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
  if (inside) {
    for (u32 b = t; b < bins; b += THREADS) {
      u32 sum = 0;
#pragma unroll 1
      for (u32 k = 0; k < copies; ++k) sum += slots[b * copies + (k + t) % copies];
      if (sum != 0) atomicAdd((u64 *)p.out + b, (u64)sum);
    }
  }
#if DIRECT
  __shared__ i64 leasts[WARPS], mosts[WARPS];
  i64 least = (i64)c.least, most = (i64)c.most;
#pragma unroll
  for (u32 half = 16; half > 0; half /= 2) {
    const i64 other_least = __shfl_xor_sync(~0u, least, half), other_most = __shfl_xor_sync(~0u, most, half);
    least = other_least < least ? other_least : least;
    most = other_most > most ? other_most : most;
  }
  if (t % 32 == 0) {
    leasts[warp] = least;
    mosts[warp] = most;
  }
  __syncthreads();
  if (t == 0) {
    for (u32 w = 1; w < WARPS; ++w) {
      least = leasts[w] < least ? leasts[w] : least;
      most = mosts[w] > most ? mosts[w] : most;
    }
    atomicMin((i64 *)p.ends, least);
    atomicMax((i64 *)p.ends + 1, most);
  }
#endif
}
