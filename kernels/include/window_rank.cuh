// The element of a rank among those of a window of several axes. Required before it: `element`, `result`, value_of(element), result_of(value),
// `key`, key_of(value), value_from(key), outside(params), FIXED (size of the window, or 0), MIDDLE, window_walk.cuh and what
// that requires.
//
// Lower bound: the bytes of input and output. Windows of FIXED elements are sorted in registers by Batcher's merge exchange (D. E.
// Knuth, The Art of Computer Programming 3, 5.2.2 M), of which the compiler keeps the comparisons that a median needs. In others the
// rank is found by bisection between the smallest and the largest key: each round reads the window, and moves the bounds to the nearest
// keys that exist, so that the number of rounds depends on the number of distinct elements and not on their bits.
constexpr u32 NO_AXIS = ~0u;

DEVICE key load(const params &p, const walk_position &w, u64 k) {
  const i64 *entry = p.runs + k * (1 + p.axes);
  if (w.inside) return key_of(value_of(*(const element *)(p.src + w.src + entry[0])));
  i64 offset;
  if (!reached(p, w, entry + 1, NO_AXIS, offset)) return key_of(outside(p));
  return key_of(value_of(*(const element *)(p.src + offset)));
}

#if FIXED
DEVICE void exchange(key &a, key &b) {
  const key low = a < b ? a : b, high = a < b ? b : a;
  a = low;
  b = high;
}

template <int P, int R, int D> DEVICE void merge(key (&keys)[FIXED]) {
#pragma unroll
  for (int i = 0; i < FIXED - D; ++i)
    if ((i & P) == R) exchange(keys[i], keys[i + D]);
}

template <int P, int Q> DEVICE void merges(key (&keys)[FIXED]) {
  if constexpr (Q > P) {
    merge<P, P, Q - P>(keys);
    merges<P, Q / 2>(keys);
  }
}

template <int P> DEVICE void sort(key (&keys)[FIXED]) {
  if constexpr (P > 0) {
    merge<P, 0, P>(keys);
    merges<P, FIXED <= 16 ? 8 : 16>(keys);
    sort<P / 2>(keys);
  }
}
#endif

extern "C" __global__ void __launch_bounds__(256) window_rank(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  walk_position w;
  walk(p, (uindex)i, NO_AXIS, 1, w);
#if FIXED
  key keys[FIXED];
#pragma unroll
  for (int k = 0; k < FIXED; ++k) keys[k] = load(p, w, k);
  sort<(FIXED <= 16 ? 8 : 16)>(keys);
#if MIDDLE
  const key found = keys[FIXED / 2];
#else
  key found = keys[0];
#pragma unroll
  for (int k = 1; k < FIXED; ++k)
    if (k == (int)p.rank) found = keys[k];
#endif
#else
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
  const key found = low;
#endif
  *(result *)(p.dst + w.dst) = result_of(value_from(found));
}
