// Positions of blocks that write as many results as they find: a single pass with decoupled look-back (D. Merrill, M. Garland,
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA 2016). Required before it: sort_publish.cuh with a `count` of
// 64 bits. The state is a ticket and a word for each block, zero before the launch; a result is the same whichever block is first.

// The index of a block in the order in which blocks start: a block waits only for blocks that already run. All threads call it.
DEVICE u64 next_block(u64 *ticket) {
  __shared__ u64 number;
  if (threadIdx.x == 0) number = atomicAdd(ticket, 1ull);
  __syncthreads();
  return number;
}

// States that a lane reads together.
constexpr u32 STATES = 2;

// Publishes a block's count, and returns the sum of the counts of all blocks before it. All threads of the block call it, once. One warp
// reads the states, the nearest first, and waits for those up to the first whose sum is known. States that are read too far ahead are not
// known yet and are read again.
DEVICE u64 counted_before(u64 *states, u64 block, u64 own) {
  __shared__ u64 before;
  const u32 lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    if (lane == 0) publish(states + block, (block == 0 ? UP_TO : OWN) | own);
    u64 sum = 0;
    bool is_last = block == 0;
#pragma unroll 1
    for (u64 end = block; !is_last; end -= 32 * STATES) {
      // Before the first block nothing is counted.
      u64 state[STATES];
#pragma unroll
      for (u32 k = 0; k < STATES; ++k) state[k] = lane + 32 * k < end ? published(states + end - 1 - lane - 32 * k) : UP_TO;
#pragma unroll
      for (u32 k = 0; k < STATES; ++k) {
        if (is_last) break;
        while (state[k] == 0) {
          __nanosleep(20);
          state[k] = published(states + end - 1 - lane - 32 * k);
        }
        const u32 known = __ballot_sync(~0u, state[k] >= UP_TO), last = known ? __ffs((int)known) - 1 : 31;
        if (lane <= last) sum += state[k] & (OWN - 1);
        is_last = known != 0;
      }
    }
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) {
      if (block > 0) publish(states + block, UP_TO | (sum + own));
      before = sum;
    }
  }
  __syncthreads();
  return before;
}
