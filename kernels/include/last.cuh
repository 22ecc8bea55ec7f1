// Of positions that are sorted by the cell that they name, equal ones in their order: which of them is the last of its cell.
extern "C" __global__ void __launch_bounds__(256) last(const __grid_constant__ params p) {
  const u64 k = (u64)blockIdx.x * 256 + threadIdx.x;
  if (k >= p.positions) return;
  const i64 *keys = (const i64 *)p.keys;
  ((u8 *)p.last)[((const i64 *)p.order)[k]] = k + 1 == p.positions || keys[k + 1] != keys[k];
}
