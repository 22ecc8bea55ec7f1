// Adds up the 16-bit counters of all blocks (histogram_counters16.cuh): a thread has eight counters of a strided subset of the
// blocks.
constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS) parts(const __grid_constant__ params p) {
  const u64 fours = (p.counters + 7) / 8, i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= fours) return;
  u32 sums[8] = {};
#pragma unroll 4
  for (u32 b = blockIdx.y; b < p.blocks; b += gridDim.y) {
    const uint4 four = ((const uint4 *)p.input)[b * fours + i];
    const u32 words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      sums[2 * k] += words[k] & 0xffff;
      sums[2 * k + 1] += words[k] >> 16;
    }
  }
#pragma unroll
  for (u32 k = 0; k < 8; ++k)
    if (sums[k] != 0) atomicAdd((u64 *)p.out + (8 * i + k) / p.copies, (u64)sums[k]);
}
