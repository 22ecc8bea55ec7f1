// Stores values at sorted flat positions: of equal positions, which are in the order of their indices, the last one
// wins. Required before it: `item`, `params`.
constexpr u32 EACH = 4;

extern "C" __global__ void __launch_bounds__(256) settle(const __grid_constant__ params p) {
  if (p.rejected && *(const u32 *)p.rejected != 0) return;
  const u64 first = (u64)blockIdx.x * (256 * EACH) + threadIdx.x;
  u32 key[EACH];
  bool counts[EACH];
  item value[EACH];
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 e = first + k * 256;
    counts[k] = e < p.indices;
    if (!counts[k]) continue;
    key[k] = p.keys[e];
    counts[k] = e + 1 == p.indices || p.keys[e + 1] != key[k];
    value[k] = ((const item *)p.values)[e];
    // Sectors are rarely written as a whole: the rest of their content is prefetched to the L2 cache meanwhile.
    if (counts[k]) asm volatile("prefetch.global.L2 [%0];" ::"l"((item *)p.out + key[k]));
  }
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    if (counts[k]) ((item *)p.out)[key[k]] = value[k];
  }
}
