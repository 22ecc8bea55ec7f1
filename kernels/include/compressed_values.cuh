// Values at positions, some of which name no element. Required before it: `index`, `item` and the parameter struct.

// Returns the element of the first list at its position; if there is none, the element of the second; otherwise zero. The loads of several
// results are on their way together.
extern "C" __global__ void __launch_bounds__(256) gather_or_zero(const __grid_constant__ params p) {
  constexpr u32 EACH = 4;
  const u64 start = (u64)blockIdx.x * 256 * EACH + threadIdx.x;
  item values[EACH] = {};
#pragma unroll
  for (int k = 1; k >= 0; --k) {
    if (!p.positions[k]) continue;
    i64 at[EACH];
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) at[e] = start + e * 256 < p.results ? (i64)p.positions[k][start + e * 256] : -1;
#pragma unroll
    for (u32 e = 0; e < EACH; ++e)
      if (at[e] >= 0 && at[e] < p.sizes[k]) values[e] = p.inputs[k][at[e]];
  }
#pragma unroll
  for (u32 e = 0; e < EACH; ++e)
    if (start + e * 256 < p.results) p.out[start + e * 256] = values[e];
}

// Writes each element to its position of the result; the positions are distinct.
extern "C" __global__ void __launch_bounds__(256) scatter(const __grid_constant__ scatter_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.entries) return;
  i64 at = (i64)p.major[i] * p.steps[0];
  if (p.minor) at += (i64)p.minor[i] * p.steps[1];
  if (at >= 0 && at < p.size) p.out[at] = p.input[i];
}
