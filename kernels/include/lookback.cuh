// Decoupled look-back over counts (D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
// NVIDIA NVR-2016-002): the sum of the counts of all tiles before one's own, while these are still at work.
//
// Each tile has a word, 0 at first. It holds a count in its lower 62 bits and says in the upper two of what: of this
// tile alone, or of all up to and with it. One word is stored and loaded as a whole, so no fence is needed; counts are
// integers, so the sum is the same whichever words a look-back meets. A tile waits for earlier ones only: tiles must be
// numbered in the order in which their blocks start (by an atomic ticket), or the device may never come to them.
constexpr u64 TILE_ALONE = 1ull << 62;
constexpr u64 TILE_WITH_ALL_BEFORE = 2ull << 62;
constexpr u64 TILE_COUNT = TILE_ALONE - 1;

DEVICE void post_state(u64 *state, u64 value) { asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(state), "l"(value) : "memory"); }
DEVICE u64 read_state(const u64 *state) {
  u64 value;
  asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(state) : "memory");
  return value;
}

// Called by one whole warp: posts the count of a tile and gives every lane the sum of those before it.
DEVICE u64 look_back(u64 *states, u64 tile, u64 count) {
  const u32 lane = threadIdx.x & 31;
  if (lane == 0) post_state(states + tile, (tile == 0 ? TILE_WITH_ALL_BEFORE : TILE_ALONE) | count);
  if (tile == 0) return 0;
  u64 before = 0;
  // The lanes look at the 32 tiles up to `last`, the nearest first.
#pragma unroll 1
  for (i64 last = (i64)tile - 1;; last -= 32) {
    u64 state;
    u32 used;
    bool done;
    do {
      // Before the first tile there is nothing, and all of it is known.
      state = lane <= last ? read_state(states + (last - lane)) : TILE_WITH_ALL_BEFORE;
      const u32 whole = __ballot_sync(~0u, state >> 63);
      done = whole != 0;
      // All lanes up to the nearest whole sum count.
      used = done ? ((whole & (0 - whole)) << 1) - 1 : ~0u;
    } while ((__ballot_sync(~0u, state >> 62 != 0) & used) != used);
    u64 sum = used >> lane & 1 ? state & TILE_COUNT : 0;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    before += sum;
    if (done) break;
  }
  if (lane == 0) post_state(states + tile, TILE_WITH_ALL_BEFORE | (before + count));
  return before;
}
