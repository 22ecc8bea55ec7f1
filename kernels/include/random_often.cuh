// Many elements of a law that draws as often as it must. A short way makes most of them from their first words; what it does not
// decide waits in a ring until there is one for each thread of a block, so that no lane waits while another one draws again.
constexpr u32 RING = 4 * THREADS;

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) draw(const __grid_constant__ params p) {
  __shared__ u32 ring[RING];
  __shared__ u32 pushed;
  if (threadIdx.x == 0) pushed = 0;
#if STAGED
  stage();
#endif
  const quick law(p);
  __syncthreads();
  if (quick::PLAIN) {
#pragma unroll 1
    for (u64 t = (u64)blockIdx.x * THREADS + threadIdx.x; t < p.elements; t += (u64)gridDim.x * THREADS) {
      draws more = further(p, t, 0);
      ((element *)p.out)[t] = given(law.drawn(p, t, more));
    }
    return;
  }
  u32 taken = 0, waiting = 0, own = threadIdx.x;
#pragma unroll 1
  for (u64 begin = (u64)blockIdx.x * THREADS;; begin += (u64)gridDim.x * THREADS, own += THREADS) {
    const bool some = begin < p.elements;
    if (some) {
      const u64 t = begin + threadIdx.x, number = block_of(p, begin);
      bool sure = t >= p.elements;
      // The upper words of the blocks' numbers are alike.
      if (law.is_short && (u32)number <= ~0u - THREADS && !sure) {
        compute y;
        sure = law(p, joined((u32)number + threadIdx.x, (u32)(number >> 32)), y);
        if (sure) ((element *)p.out)[t] = given(y);
      }
      if (!sure) ring[atomicAdd(&pushed, 1u) % RING] = own;
      waiting += (u32)__syncthreads_count(!sure);
      if (waiting < THREADS) continue;
    }
    if (waiting == 0) break;
    if (threadIdx.x < waiting) {
      // The number of an element among those of this block of threads.
      const u32 mine = ring[(taken + threadIdx.x) % RING];
      const u64 t = ((u64)(mine / THREADS) * gridDim.x + blockIdx.x) * THREADS + mine % THREADS;
      draws more = further(p, t, 0);
      ((element *)p.out)[t] = given(law.drawn(p, t, more));
    }
    taken += THREADS;
    waiting -= waiting < THREADS ? waiting : THREADS;
  }
}
