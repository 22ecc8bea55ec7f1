// The element of a rank among those of a window of several axes, of any size. Required before it: `element`, `result`,
// value_of(element), result_of(value), `key`, key_of(value), value_from(key), outside(params), window_walk.cuh and what that requires.
//
// Lower bound: the bytes of input and output. The rank is found by bisection between the smallest and the largest key: each round reads
// the window, and moves the bounds to the nearest keys that exist, so that the number of rounds depends on the number of distinct elements
// and not on their bits.
constexpr u32 NO_AXIS = ~0u;

DEVICE key load(const params &p, const walk_position &w, u64 k) {
  const i64 *entry = p.runs + k * (1 + p.axes);
  if (w.inside) return key_of(value_of(*(const element *)(p.src + w.src + entry[0])));
  i64 offset;
  if (!reached(p, w, entry + 1, NO_AXIS, offset)) return key_of(outside(p));
  return key_of(value_of(*(const element *)(p.src + offset)));
}

extern "C" __global__ void __launch_bounds__(256) window_rank(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  walk_position w;
  walk(p, (uindex)i, NO_AXIS, 1, w);
  key low = load(p, w, 0), high = low;
#pragma unroll 1
  for (u64 k = 1; k < p.run_count; ++k) {
    const key x = load(p, w, k);
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
#pragma unroll 1
  while (low < high) {
    // The rank is that of a key from low to high.
    const key middle = low + (high - low) / 2;
    key below = low, above = high;
    u64 count = 0;
#pragma unroll 1
    for (u64 k = 0; k < p.run_count; ++k) {
      const key x = load(p, w, k);
      if (x <= middle) {
        ++count;
        below = x > below ? x : below;
      } else {
        above = x < above ? x : above;
      }
    }
    if (count > p.rank) high = below;
    else low = above;
  }
  *(result *)(p.dst + w.dst) = result_of(value_from(low));
}
