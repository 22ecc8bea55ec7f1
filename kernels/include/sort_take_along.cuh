// `take_along_axis` for rows: out[r][i] = in[r][positions[r][i]], or the same positions for every row. Required before
// it: `raw`.

extern "C" __global__ void __launch_bounds__(256) sort_take_along(const __grid_constant__ params p) {
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * 256 + threadIdx.x; i < p.size; i += (u64)gridDim.x * 256) {
    const u64 row = p.length == p.size ? 0 : i / p.length;
    const u64 at = (u64)((const i64 *)p.positions)[row * p.step + (i - row * p.length)];
    ((raw *)p.out)[i] = ((const raw *)p.input)[row * p.from_length + at];
  }
}
