// Elements by their positions in a row: out[r][i] = in[r][positions[r][i]], or the same positions for every row.
// Before it stands `raw`.
struct params {
  u64 size, length, from_length, step; // `step`: positions from one row's to the next one's
  u64 in, positions, out;
};

extern "C" __global__ void __launch_bounds__(256) gather(const __grid_constant__ params p) {
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * 256 + threadIdx.x; i < p.size; i += (u64)gridDim.x * 256) {
    const u64 row = p.length == p.size ? 0 : i / p.length;
    const u64 at = (u64)((const i64 *)p.positions)[row * p.step + (i - row * p.length)];
    ((raw *)p.out)[i] = ((const raw *)p.in)[row * p.from_length + at];
  }
}
