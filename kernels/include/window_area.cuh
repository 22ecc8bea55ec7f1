// A window of several axes: weighted sums, minima and maxima, with or without a structure, and binary erosion. Required before it:
// `element`, `result`, `value`, value_of(element), result_of(value), join(value, value), shifted(value, f64), outside(params),
// WEIGHTED, SHAPED, BINARY, window_walk.cuh and what that requires.
//
// Lower bound: the bytes of input and output, and one operation for each result and element of the window. The window is a list of
// runs along the second to last axis: their elements are adjacent there. A thread has REACH adjacent results along this axis, and
// slides over a run in registers, so that an element is loaded once for all of them; lanes have adjacent results of the last axis,
// and load adjacent elements.
constexpr int REACH = 8;
constexpr u32 NO_AXIS = ~0u;

// Adds a run to the results; `get(j)` is its element j for the first result.
template <class G> DEVICE void slide(value (&sum)[REACH], const f64 *weights, i64 count, bool first, G get) {
  value window[REACH];
#pragma unroll
  for (u32 i = 0; i + 1 < REACH; ++i) window[i] = get(i);
#pragma unroll 1
  for (i64 j = 0; j < count; j += REACH) {
#pragma unroll
    for (u32 u = 0; u < REACH; ++u) {
      if (j + u >= count) break;
      window[(u + REACH - 1) % REACH] = get(j + u + REACH - 1);
#if WEIGHTED
      const f64 w = weights[j + u];
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) sum[r] = __fma_rn(window[(u + r) % REACH], w, sum[r]);
#else
#if SHAPED
      const f64 w = weights[j + u];
#else
      const f64 w = 0;
#endif
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) {
        const value v = shifted(window[(u + r) % REACH], w);
        sum[r] = first && j + u == 0 ? v : join(sum[r], v);
      }
#endif
    }
  }
}

// Returns an element as a value: of binary images inverted where the results are.
DEVICE value load(const params &p, const char *from) {
#if BINARY
  return value_of(*(const element *)from) != (p.invert != 0);
#else
  return value_of(*(const element *)from);
#endif
}

extern "C" __global__ void __launch_bounds__(256) window_area(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  const u32 tall = p.axes - 2;
  walk_position w;
  walk(p, (uindex)i, tall, REACH, w);
  value sum[REACH];
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) sum[r] = value{};
  const i64 step = p.src_steps[tall];
  const i64 *run = p.runs;
#pragma unroll 1
  for (u64 k = 0; k < p.run_count; ++k, run += 3 + p.axes) {
    const i64 count = run[0];
    const f64 *weights = p.weights + run[1];
    if (w.inside) {
      const char *from = p.src + w.src + run[2];
      slide(sum, weights, count, k == 0, [&](i64 j) { return load(p, from + j * step); });
    } else {
      i64 offset;
      const bool there = reached(p, w, run + 3, tall, offset);
      const char *from = p.src + offset;
      const i64 start = w.at[tall] + run[3 + tall], n = p.lengths[tall];
      const u32 rule = (u32)p.rules[tall];
      slide(sum, weights, count, k == 0, [&](i64 j) {
        const i64 y = there ? border(start + j, n, rule) : -1;
        return y < 0 ? outside(p) : load(p, from + y * step);
      });
    }
#if BINARY
    bool any = false;
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) any |= sum[r];
    if (!any) break;
#endif
  }
  char *dst = p.dst + w.dst;
#if BINARY
  bool changed = false;
#endif
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) {
    if (w.at[tall] + r >= p.height) break;
    result *to = (result *)(dst + r * p.dst_steps[tall]);
#if BINARY
    // Elements beyond the mask keep their value.
    i64 mask = 0, own = 0;
#pragma unroll 1
    for (u32 d = 0; d < p.axes; ++d) {
      const i64 c = w.at[d] + (d == tall ? r : 0);
      mask += c * p.mask_steps[d];
      own += c * p.src_steps[d];
    }
    const bool before = value_of(*(const element *)(p.src + own));
    const bool now = p.mask && !*(const bool *)(p.mask + mask) ? before : sum[r] != (p.invert != 0);
    changed |= before != now;
    *to = now;
#else
    *to = result_of(sum[r]);
#endif
  }
#if BINARY
  if (p.changed && changed) *p.changed = 1;
#endif
}
