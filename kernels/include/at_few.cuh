// Few updates, each element's in the given order, without a sort: every block scans all positions for those of its own
// elements and keeps them in order; then the thread at the first update of an element does all of them.
//
// Required before it: at_targets.cuh; step(element, item), the function with its result cast to the array's dtype; and
// AT_ONCE. Positions have 32 bits.
constexpr u32 MOST_THREADS = 1024;
// Number of positions that a thread has in flight, and number of updates that a block keeps: at least as many as it has
// threads. Unused entries hold NOWHERE.
constexpr u32 AHEAD = 2;
constexpr u32 ROOM = 1536;
constexpr u32 NOWHERE = ~0u;

// Returns true if the block owns an element, by multiplicative hashing: the high bits of a product that depend on every
// bit of the position, so that positions at any stride are spread over the blocks.
DEVICE bool is_own(u32 target) { return __umulhi(target * 0x9e3779b1u, gridDim.x) == blockIdx.x; }

// N adjacent values that are loaded at once, from a multiple of N on.
template <class T, u32 N> struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) several { T of[N]; };
template <u32 N, class T> DEVICE several<T, N> read(const T *from) { return *(const several<T, N> *)from; }

// Returns true if a lane's update is the first of its element; `base` is the index of the first lane's update.
DEVICE bool is_first(const u32 *targets, u32 base, u32 lane) {
  const u32 own = targets[base + lane];
  bool first = own != NOWHERE;
#pragma unroll 1
  for (u32 j = 0; j < base && __any_sync(~0u, first); j += 32) {
    const several<u32, 32> earlier = read<32>(targets + j);
#pragma unroll
    for (u32 k = 0; k < 32; ++k) first = first && earlier.of[k] != own;
  }
  const several<u32, 32> beside = read<32>(targets + base);
#pragma unroll
  for (u32 k = 0; k < 32; ++k) first = first && (k >= lane || beside.of[k] != own);
  return first;
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS, 1) at(const __grid_constant__ params p) {
  if (p.rejected && *(const u32 *)p.rejected != 0) return;
  // For each kept update: the position of its element, its index among all updates, and its operand.
  __shared__ alignas(16) u32 targets[ROOM + 32];
  __shared__ u32 positions[ROOM];
  __shared__ alignas(16) char memory[(ROOM + AT_ONCE) * sizeof(item)];
  __shared__ u32 counts[2][MOST_THREADS / 32];
  item *operands = (item *)memory;
  const u32 t = threadIdx.x, lane = t & 31, warp = t / 32, all = (u32)p.positions;
  const auto key = [&](u32 n) { return n < all ? (u32)((const cell *)p.keys)[n] : 0; };
  u32 next[AHEAD], kept = 0, turn = 0;
#pragma unroll
  for (u32 k = 0; k < AHEAD; ++k) next[k] = key(k * blockDim.x + t);
#pragma unroll 1
  for (u32 start = 0;; start += blockDim.x, turn ^= 1) {
    const u32 n = start + t, target = next[0];
#pragma unroll
    for (u32 k = 0; k + 1 < AHEAD; ++k) next[k] = next[k + 1];
    next[AHEAD - 1] = key(n + AHEAD * blockDim.x);
    const u32 own = __ballot_sync(~0u, n < all && is_own(target));
    if (lane == 0) counts[turn][warp] = __popc(own);
    // Every thread here has read the counts of the iteration before the last.
    __syncthreads();
    const u32 of_warp = lane < blockDim.x / 32 ? counts[turn][lane] : 0, found = warp_sum(of_warp);
    const u32 before = warp_sum(lane < warp ? of_warp : 0);
    if (kept + found > ROOM || start >= all) {
      __syncthreads();
      for (u32 i = t; i < kept; i += blockDim.x) operands[i] = operand_of(p, positions[i], 0);
      if (t < 32) targets[kept + t] = NOWHERE;
      if (t < AT_ONCE) operands[kept + t] = item{};
      __syncthreads();
#pragma unroll 1
      for (u32 base = t - lane; base < kept; base += blockDim.x) {
        const bool first = is_first(targets, base, lane);
        if (!__any_sync(~0u, first)) continue;
        // The other threads do updates at NOWHERE, whose results are discarded.
        const u32 mine = first ? targets[base + lane] : NOWHERE;
        element *to = target_of(p, first ? mine : 0), x = {};
        if (first) x = *to;
        // All lanes read the same updates, several at a time.
#pragma unroll 1
        for (u32 j = base; j < kept; j += AT_ONCE) {
          const several<u32, AT_ONCE> of = read<AT_ONCE>(targets + j);
          const several<item, AT_ONCE> given = read<AT_ONCE>(operands + j);
#pragma unroll
          for (u32 k = 0; k < AT_ONCE; ++k)
            if (of.of[k] == mine) x = step(x, given.of[k]);
        }
        if (first) *to = x;
      }
      if (start >= all) return;
      kept = 0;
      __syncthreads();
    }
    if (own >> lane & 1) {
      const u32 i = kept + before + __popc(own & ((1u << lane) - 1));
      targets[i] = target;
      positions[i] = n;
    }
    kept += found;
  }
}
