// First pass of stream compaction: a bit for each element that is true, in C order, and the counts as a tree of sums:
// of every group of THREADS words of 32 bits, of every 32 groups, and so on up to the total, which is the last.
// Required before it: `element` (the dtype in memory), `uindex`, THREADS, GROUPS (groups of a tile, which divide 32),
// FLAT (contiguous, aligned elements), SUMS_LOG2, is_set(element), packed_set(u32) and element_set(p, i), which reads
// the element of a position in C order.
constexpr int WARPS = THREADS / 32;

#if FLAT
// Elements of a load of 16 bytes; loads of a lane that cover 32 elements, which is also the number of lanes whose
// elements form a word.
constexpr int E = 16 / sizeof(element);
constexpr int R = 32 / E;
constexpr int AT_ONCE = R < 8 ? R : 8;

DEVICE u32 piece_of(const uint4 &x) {
  u32 bits = 0;
  if constexpr (sizeof(element) <= 2) {
    const u32 parts[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) bits |= packed_set(parts[k]) << k * (E / 4);
  } else {
    element e[E];
    memcpy(e, &x, sizeof(x));
#pragma unroll
    for (int k = 0; k < E; ++k) bits |= (u32)is_set(e[k]) << k;
  }
  return bits;
}
// Transposes bit pieces among R lanes, each of which has a piece of E bits of R words, in order. Each lane gets one
// word, its pieces in the order of the lanes: in each step a lane keeps half of its pieces and exchanges the others
// with a neighbour.
DEVICE u32 reversed(u32 x) {
#pragma unroll
  for (u32 d = R / 2; d > 0; d /= 2) {
    u32 low = 0;
#pragma unroll
    for (u32 r = 0; r < R; ++r) low |= (r & d) == 0 ? (u32)((1ull << E) - 1) << r * E : 0;
    const u32 other = __shfl_xor_sync(~0u, x, d);
    x = threadIdx.x & d ? (x & ~low) | (other >> d * E & low) : (x & low) | (other & low) << d * E;
  }
  return x;
}
// Returns the pieces of a lane, for 32 words from `first` on that exist completely.
DEVICE u32 pieces_of(const params &p, u64 first) {
  const uint4 *from = (const uint4 *)((const element *)p.input + first * 32) + (threadIdx.x & 31);
  u32 pieces = 0;
#pragma unroll 1
  for (u32 r = 0; r < R; r += AT_ONCE) {
    uint4 x[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) x[k] = from[(r + k) * 32];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) pieces |= piece_of(x[k]) << (r + k) * E;
  }
  return pieces;
}
#endif
// Returns the word of this lane, where a warp reads its 32 words element by element.
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

// The launch bounds leave registers for all loads of a tile at once.
extern "C" __global__ void __launch_bounds__(THREADS, 4) mark(const __grid_constant__ params p) {
  __shared__ u32 counts[WARPS][GROUPS];
  const u32 t = threadIdx.x, lane = t & 31, warp = t / 32;
  const u64 tile = blockIdx.x, words = (p.elements + 31) / 32;
  // The first of this warp's 32 words of a group, and the index of this lane's word.
  const auto first = [&](u32 g) { return ((tile * GROUPS + g) * WARPS + warp) * 32; };
  u32 bits[GROUPS], which = lane;
#if FLAT
  if ((first(GROUPS - 1) + 32) * 32 <= p.elements) {
#pragma unroll
    for (u32 g = 0; g < GROUPS; ++g) bits[g] = pieces_of(p, first(g));
#pragma unroll
    for (u32 g = 0; g < GROUPS; ++g) bits[g] = reversed(bits[g]);
    // The lane's word is that of the load whose number is its rank among R lanes, whose elements they are.
    which = lane % R * E + lane / R;
  } else
#endif
  {
#pragma unroll 1
    for (u32 g = 0; g < GROUPS; ++g) {
      const u32 word = warp_word(p, first(g) + lane);
#pragma unroll
      for (u32 k = 0; k < GROUPS; ++k) {
        if (k == g) bits[k] = word;
      }
    }
  }
#pragma unroll
  for (u32 g = 0; g < GROUPS; ++g) {
    const u64 word = first(g) + which;
    if (word < words) ((u32 *)p.bits)[word] = bits[g];
    const u32 count = warp_sum(__popc(bits[g]));
    if (lane == 0) counts[warp][g] = count;
  }
  __syncthreads();
  if (warp != 0) return;
  u32 own = 0;
  if (lane < GROUPS) {
#pragma unroll
    for (u32 w = 0; w < WARPS; ++w) own += counts[w][lane];
  }
  u64 *sums = (u64 *)p.sums;
  u64 entry = tile * GROUPS, size = (words + THREADS - 1) / THREADS;
  if (lane < GROUPS && entry + lane < size) sums[entry + lane] = own;
  const u32 all = warp_sum(own);
  // At higher levels, a tile adds to sums that other tiles add to: integer sums are the same in any order.
#pragma unroll 1
  while (size > 1) {
    sums += size;
    size = (size + (1 << SUMS_LOG2) - 1) >> SUMS_LOG2;
    entry >>= SUMS_LOG2;
    if (lane == 0) atomicAdd(sums + entry, (u64)all);
  }
}
