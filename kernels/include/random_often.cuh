// Kernel body for many elements of a distribution by rejection. A fast path computes most of them from their first
// words; the undecided ones are queued in a ring buffer until there is one for each thread of a block, so that no lane
// waits for another one's further attempts. An entry is overwritten only after fewer than THREADS queued elements,
// those of all iterations, and as many as slow threads may still read. Fewer than 2^32 elements of a block are queued
// in all.
constexpr u32 TURNS = 2, RING = (2 * TURNS + 1) * THREADS;

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) draw(const __grid_constant__ params p) {
  __shared__ u32 ring[RING];
  __shared__ u32 pushed;
  if (threadIdx.x == 0) pushed = 0;
#if STAGED
  stage();
#endif
#if FLAT
  const quick distribution(p.a.value, p.b.value, p.c.value);
#endif
  __syncthreads();
#if FLAT
  if (quick::PLAIN) {
#pragma unroll 1
    for (u64 t = (u64)blockIdx.x * THREADS + threadIdx.x; t < p.elements; t += (u64)gridDim.x * THREADS) {
      draws more = further(p, t, 0);
      ((element *)p.out)[t] = given(distribution.drawn(p, t, more));
    }
    return;
  }
#endif
  u32 taken = 0, waiting = 0, own = threadIdx.x;
  const u64 step = (u64)gridDim.x * THREADS;
#pragma unroll 1
  for (u64 begin = (u64)blockIdx.x * THREADS;; begin += TURNS * step) {
    const bool some = begin < p.elements;
    u32 unsure = 0;
#pragma unroll
    for (u32 turn = 0; turn < TURNS; ++turn, own += THREADS) {
      const u64 t = begin + turn * step + threadIdx.x, number = block_of(p, begin + turn * step);
      bool sure = t >= p.elements;
      // The high words of the blocks' numbers are equal.
      if ((u32)number <= ~0u - THREADS && !sure) {
#if FLAT
        element *to = (element *)p.out + t;
        const bool is_short = distribution.is_short;
#else
        const target of = target_of(p, t);
        element *to = (element *)((char *)p.out + of.to);
        const quick distribution(of.a, of.b, of.c);
        const bool is_short = distribution.is_short && broken_of(of.a, of.b, of.c) < 0;
#endif
        compute y;
        sure = is_short && distribution(p, joined((u32)number + threadIdx.x, (u32)(number >> 32)), y);
        if (sure) *to = given(y);
      }
      if (!sure) ring[atomicAdd(&pushed, 1u) % RING] = own;
      unsure |= (u32)!sure << turn;
    }
    // The elements of each iteration.
#pragma unroll
    for (u32 turn = 0; turn < TURNS; ++turn) waiting += (u32)__syncthreads_count(unsure >> turn & 1);
#pragma unroll 1
    while (waiting >= THREADS || (!some && waiting > 0)) {
      if (threadIdx.x < waiting) {
        // The index of an element among those of this thread block.
        const u32 mine = ring[(taken + threadIdx.x) % RING];
        const u64 t = ((u64)(mine / THREADS) * gridDim.x + blockIdx.x) * THREADS + mine % THREADS;
        draws more = further(p, t, 0);
#if FLAT
        ((element *)p.out)[t] = given(distribution.drawn(p, t, more));
#else
        const target of = target_of(p, t);
        *(element *)((char *)p.out + of.to) = finish(p, t, 0, of.a, of.b, of.c, more);
#endif
      }
      taken += THREADS;
      waiting -= waiting < THREADS ? waiting : THREADS;
    }
    if (!some) break;
  }
}
