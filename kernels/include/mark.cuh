// Which elements are true: a bit for each, in C order, and the number of true ones before every group of THREADS words
// of 32 bits, the whole number last. Before it stand: `element` (the dtype in memory), `uindex`,
// THREADS, GROUPS (groups of a tile), FLAT (elements of one or two bytes side by side, aligned), look_back,
// is_set(element) and element_set(p, i), which reads the element of a place in C order.
//
// A block takes a tile of GROUPS groups by ticket, so that a look-back waits for running blocks only.
constexpr int WARPS = THREADS / 32;

// The word of 32 elements that lie side by side, read by one thread.
DEVICE u32 flat_word(const params &p, u64 word) {
  const u64 first = word * 32;
  u32 bits = 0;
  if (first + 32 <= p.elements) {
    const uint4 *from = (const uint4 *)((const element *)p.input + first);
#pragma unroll
    for (int v = 0; v < 2 * sizeof(element); ++v) {
      const uint4 x = from[v];
      const u32 parts[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
      for (int k = 0; k < 4; ++k) bits |= packed_set(parts[k]) << (v * 4 + k) * (4 / sizeof(element));
    }
  } else {
#pragma unroll 1
    for (u64 i = first; i < p.elements; ++i) bits |= (u32)element_set(p, i) << (i - first);
  }
  return bits;
}

// The word of this lane, where the warp reads its 32 words together.
DEVICE u32 warp_word(const params &p, u64 word) {
  const u32 lane = threadIdx.x & 31;
  const u64 first = (word - lane) * 32 + lane;
  u32 bits = 0;
#pragma unroll 1
  for (u32 w = 0; w < 32; w += 8) {
    bool set[8];
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      const u64 i = first + (w + k) * 32;
      set[k] = i < p.elements && element_set(p, i);
    }
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      const u32 all = __ballot_sync(~0u, set[k]);
      if (lane == w + k) bits = all;
    }
  }
  return bits;
}

extern "C" __global__ void __launch_bounds__(THREADS) mark(const __grid_constant__ params p) {
  __shared__ u64 ticket;
  __shared__ u32 counts[WARPS][GROUPS];
  const u32 t = threadIdx.x, lane = t & 31, warp = t / 32;
  // The word before the states counts the tiles that are taken.
  u64 *states = (u64 *)p.states + 1;
  if (t == 0) ticket = atomicAdd(states - 1, 1ull);
  __syncthreads();
  const u64 tile = ticket, words = (p.elements + 31) / 32;
#pragma unroll
  for (u32 g = 0; g < GROUPS; ++g) {
    const u64 word = (tile * GROUPS + g) * THREADS + t;
#if FLAT
    const u32 bits = word < words ? flat_word(p, word) : 0;
#else
    const u32 bits = warp_word(p, word);
#endif
    if (word < words) ((u32 *)p.bits)[word] = bits;
    const u32 count = warp_sum(__popc(bits));
    if (lane == 0) counts[warp][g] = count;
  }
  __syncthreads();
  if (warp != 0) return;
  u32 group = 0;
  if (lane < GROUPS) {
#pragma unroll
    for (u32 w = 0; w < WARPS; ++w) group += counts[w][lane];
  }
  // The lanes up to each one, and all.
  u32 upto = group;
#pragma unroll
  for (u32 step = 1; step < GROUPS; step *= 2) {
    const u32 below = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += below;
  }
  const u64 base = look_back(states, tile, __shfl_sync(~0u, upto, GROUPS - 1));
  const u64 groups = (words + THREADS - 1) / THREADS, mine = tile * GROUPS + lane;
  if (lane < GROUPS && mine < groups) {
    ((u64 *)p.before)[mine] = base + upto - group;
    if (mine == groups - 1) ((u64 *)p.before)[groups] = base + upto;
  }
}
