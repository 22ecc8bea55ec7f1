// Means and extremes of long windows along an axis other than the last one. Required before it: `element`, which is `result`, too, `value`,
// value_of(element), result_of(value), join(value, value), outside(params), MEAN, WARPS, BLOCKS, REACH, ROOM, `uindex`, window_border.cuh,
// window_shared.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output. Lanes have adjacent lines, and walk along them, REACH results at a time. Their windows share all
// elements but the first REACH and the last ones: a result joins the elements from its own to the last of those that leave, the shared elements,
// and those from the first that enters to the end of its window. The shared elements are joined from totals of blocks, which are computed when
// their elements enter, and from the few elements before these. A result takes some 4 operations for windows of any size, and no element is
// ever removed from a sum, so that an infinity affects its own windows only. The elements that leave are loaded again.
constexpr u32 THREADS = 32 * WARPS;

// Loads adjacent elements of a line.
DEVICE void load(const params &p, const char *src, i64 first, element (&held)[REACH]) {
  if (first >= 0 && first + REACH <= p.n) {
    src += first * p.src_step;
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) {
      held[r] = *(const element *)src;
      src += p.src_step;
    }
    return;
  }
#pragma unroll 1
  for (u32 r = 0; r < REACH; ++r) {
    const i64 at = border(first + r, p.n, p.rule);
#pragma unroll
    for (u32 q = 0; q + 1 < REACH; ++q) held[q] = held[q + 1];
    held[REACH - 1] = at < 0 ? result_of(outside(p)) : *(const element *)(src + at * p.src_step);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) window_stream(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // The shared elements are `few` ones and `blocks` blocks.
  const u32 blocks = (p.k - REACH) / REACH, few = (p.k - REACH) % REACH;
  value *totals = (value *)shared + threadIdx.x;
  const u32 part = blockIdx.x * WARPS + warp, group = part % p.groups, other = part / p.groups, segment = other % p.segments, plane = other / p.segments;
  if (plane >= p.planes) return;
  const i64 start = (i64)segment * p.height, end = p.n - start < p.height ? p.n : start + p.height, origin = start - p.lead;
  const char *src = p.src + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.src_steps) : 0);
  char *dst = p.dst + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.dst_steps) : 0);
  const i64 column = (i64)group * 32 + lane;
  if (column >= p.lines) return;
  src += column * sizeof(element);
  dst += column * sizeof(element);
  element entering[REACH], leaving[REACH];
#pragma unroll 1
  for (u32 b = 0; b < blocks; ++b) {
    load(p, src, origin + (i64)few + REACH * (i64)(b + 1), entering);
    value total = value_of(entering[0]);
#pragma unroll
    for (u32 e = 1; e < REACH; ++e) total = join(total, value_of(entering[e]));
    totals[b * THREADS] = total;
  }
  load(p, src, origin, leaving);
  u32 oldest = 0;
#pragma unroll 1
  for (i64 y = start; y < end; y += REACH) {
    value sum[REACH];
    const u32 count = end - y < REACH ? (u32)(end - y) : REACH;
    const i64 next = y - p.lead + REACH;
    load(p, src, next - REACH + (i64)p.k, entering);
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) sum[r] = value_of(leaving[r]);
    load(p, src, next, leaving);
    auto remaining = [&](u32 e) { return value_of(leaving[e]); };
    auto get = [&](u32 e) { return value_of(entering[e]); };
#pragma unroll
    for (u32 r = REACH - 1; r > 0; --r) sum[r - 1] = join(sum[r - 1], sum[r]);
    value common = blocks > 0 ? totals[0] : remaining(0);
#pragma unroll 1
    for (u32 b = 1; b < blocks; ++b) common = join(common, totals[b * THREADS]);
    join_first(common, blocks > 0 ? 0 : 1, few, remaining);
    value total = get(0);
    sum[0] = join(sum[0], common);
    common = join(common, total);
#pragma unroll
    for (u32 r = 1; r < REACH; ++r) {
      const value v = get(r);
      sum[r] = join(sum[r], common);
      total = join(total, v);
      if (r + 1 < REACH) common = join(common, v);
    }
    if (blocks > 0) totals[oldest * THREADS] = total;
    oldest = oldest + 1 < blocks ? oldest + 1 : 0;
#if MEAN
    divide_all(sum, p.k);
#endif
    char *to = dst + y * p.dst_step;
    if (count == REACH) {
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) {
        *(element *)to = result_of(sum[r]);
        to += p.dst_step;
      }
    } else {
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) {
        if (r < count) *(element *)(to + r * p.dst_step) = result_of(sum[r]);
      }
    }
  }
}
