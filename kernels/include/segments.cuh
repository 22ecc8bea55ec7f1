// Reductions of segments: a result combines the elements from `ends[s]` up to `ends[s + 1]`, with LANES threads for
// each segment. Required before it: `index`, `element`, `result` and the functions load(params, entry, column),
// begin(element), combine(result, element), merge(result, result). The order in which elements are combined depends on
// LANES alone. For products with a matrix, blockIdx.y is the column of the result.

extern "C" __global__ void __launch_bounds__(256) segments(const __grid_constant__ params p) {
  const u64 t = (u64)blockIdx.x * 256 + threadIdx.x, segment = t / LANES;
  const u32 lane = threadIdx.x % LANES;
  result r = p.empty.value;
  bool some = false;
  if (segment < p.segments) {
    // Pointers may be invalid, which their check reports later: no element outside of the list is read.
    const i64 last = (i64)p.ends[segment + 1], end = last < p.entries ? last : p.entries, first = (i64)p.ends[segment];
    for (i64 i = (first > 0 ? first : 0) + lane; i < end; i += LANES) {
      const element e = load(p, i, blockIdx.y);
      r = some ? combine(r, e) : begin(e);
      some = true;
    }
  }
#if LANES > 1
  // The lanes of a segment are in one warp.
  __shared__ result parts[256];
  __shared__ bool any[256];
  for (u32 step = LANES / 2; step > 0; step /= 2) {
    parts[threadIdx.x] = r;
    any[threadIdx.x] = some;
    __syncwarp();
    if (lane < step && any[threadIdx.x + step]) {
      r = some ? merge(r, parts[threadIdx.x + step]) : parts[threadIdx.x + step];
      some = true;
    }
    __syncwarp();
  }
#endif
  if (lane == 0 && segment < p.segments) p.out[(i64)segment * p.out_steps[0] + (i64)blockIdx.y * p.out_steps[1]] = r;
}
