// Whether elements stand in a sorted row, by halving it. Before it stand sort_key.cuh, key_of and is_nan (of a key): NaN
// stands nowhere.

extern "C" __global__ void __launch_bounds__(256) sort_member(const __grid_constant__ params p) {
  const raw *row = (const raw *)p.row;
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * 256 + threadIdx.x; i < p.n; i += (u64)gridDim.x * 256) {
    const key x = key_of(((const raw *)p.input)[i]);
    u64 low = 0, high = p.length;
    while (low < high) {
      const u64 middle = low + (high - low) / 2;
      if (less_key(key_of(row[middle]), x)) low = middle + 1;
      else high = middle;
    }
    const bool found = !is_nan(x) && low < p.length && same_key(key_of(row[low]), x);
    ((bool *)p.out)[i] = found != (p.invert != 0);
  }
}
