// Kernel body for many elements: as many thread blocks as are resident go from tile to tile, so that a table is loaded
// to shared memory once, and values common to all elements are computed once.
constexpr u32 TURNS = 4, TILE = THREADS * TURNS;

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) draw(const __grid_constant__ params p) {
#if STAGED
  stage();
#endif
  const quick distribution(p);
  const u64 groups = (p.elements + p.skip + PER - 1) / PER;
  // Tiles of which every element is stored together with those of its generator block.
  const u64 whole = p.aligned ? p.elements / (PER * TILE) * TILE : 0;
#pragma unroll 1
  for (u64 begin = (u64)blockIdx.x * TILE; begin < groups; begin += (u64)gridDim.x * TILE) {
    const u64 t = begin + threadIdx.x, number = block_of(p, begin);
    u32 unsure = 0;
    // The high words of the blocks' numbers are equal, so that the first rounds of Philox are computed once for a tile.
    if (begin < whole && (u32)number <= ~0u - TILE) {
      several *to = (several *)p.out + t;
      random_words w[TURNS];
#pragma unroll
      for (u32 k = 0; k < TURNS; ++k)
        w[k] = block(p, joined((u32)number + threadIdx.x + k * THREADS, (u32)(number >> 32)), 0);
#pragma unroll
      for (u32 k = 0; k < TURNS; ++k)
        if (!distribution(p, t + k * THREADS, w[k], to[k * THREADS])) unsure |= 1u << k;
    } else {
      unsure = (1u << TURNS) - 1;
    }
    // Elements that the fast path does not decide, and both ends.
#pragma unroll 1
    for (; unsure != 0; unsure &= unsure - 1) {
      const u64 other = t + (__ffs((int)unsure) - 1) * THREADS;
      if (other < groups) store(p, other, elements(p, other, block(p, block_of(p, other), 0)));
    }
  }
}
