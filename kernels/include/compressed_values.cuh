// Values at positions, some of which name no element. Required before it: `index`, `item` and the parameter struct.

// Returns the element of the first list at its position; if there is none, the element of the second; otherwise zero.
extern "C" __global__ void __launch_bounds__(256) gather_or_zero(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.results) return;
  item value = {};
#pragma unroll
  for (int k = 1; k >= 0; --k) {
    if (!p.positions[k]) continue;
    const i64 at = (i64)p.positions[k][i];
    if (at >= 0 && at < p.sizes[k]) value = p.inputs[k][at];
  }
  p.out[i] = value;
}

// Writes each element to its position of the result; the positions are distinct.
extern "C" __global__ void __launch_bounds__(256) scatter(const __grid_constant__ scatter_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.entries) return;
  i64 at = (i64)p.major[i] * p.steps[0];
  if (p.minor) at += (i64)p.minor[i] * p.steps[1];
  if (at >= 0 && at < p.size) p.out[at] = p.input[i];
}
