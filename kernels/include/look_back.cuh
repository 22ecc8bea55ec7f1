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

// Publishes a block's count, and returns the sum of the counts of all blocks before it. All threads of the block call it: each reads the
// state of one block, so that what is known of a block reaches the next ones, as many as there are threads, in one step.
DEVICE u64 counted_before(u64 *states, u64 block, u64 own) {
  __shared__ u64 parts[32];
  __shared__ bool are_last[32];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  if (threadIdx.x == 0) publish(states + block, (block == 0 ? UP_TO : OWN) | own);
  u64 sum = 0;
#pragma unroll 1
  for (u64 end = block; end > 0;) {
    // A thread has one of the blocks before `end`, the nearest first; before the first block nothing is counted.
    u64 state = UP_TO;
    if (threadIdx.x < end) {
      while ((state = published(states + end - 1 - threadIdx.x)) == 0) __nanosleep(20);
    }
    const u32 known = __ballot_sync(~0u, state >= UP_TO), last = known ? __ffs((int)known) - 1 : 31;
    u64 part = lane <= last ? state & (OWN - 1) : 0;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) part += __shfl_xor_sync(~0u, part, step);
    if (lane == 0) {
      parts[warp] = part;
      are_last[warp] = known != 0;
    }
    __syncthreads();
    bool is_last = false;
    for (u32 w = 0; w < warps && !is_last; ++w) {
      sum += parts[w];
      is_last = are_last[w];
    }
    __syncthreads();
    if (is_last) break;
    end -= blockDim.x;
  }
  if (threadIdx.x == 0 && block > 0) publish(states + block, UP_TO | (sum + own));
  return sum;
}
