// Flags the last index of each flat position, for positions that are stably sorted.
extern "C" __global__ void __launch_bounds__(256) last(const __grid_constant__ params p) {
  const u64 k = (u64)blockIdx.x * 256 + threadIdx.x;
  if (k >= p.positions) return;
  const i64 *keys = (const i64 *)p.keys;
  ((u8 *)p.last)[((const i64 *)p.order)[k]] = k + 1 == p.positions || keys[k + 1] != keys[k];
}
