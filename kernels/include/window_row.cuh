// Means and extremes of long windows along the last axis. Required before it: `element`, which is `result`, too, `value`, value_of(element),
// result_of(value), join(value, value), outside(params), MEAN, WARPS, BLOCKS, REACH, ROOM, `uindex`, window_border.cuh,
// window_shared.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output. A warp walks along a row, a span of REACH adjacent results of each lane at a time. The elements
// of two spans are in shared memory, and those of a third are on the way. Results of a lane are computed as in window_stream.cuh: a lane has the
// sums from each of its elements to its last one, and the totals of the lanes after it; it converts an element once for the former, and those
// near the ends of its windows once more.
constexpr u32 THREADS = 32 * WARPS, SPAN = 32 * REACH, PITCH = REACH + 1;

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) window_row(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 blocks = (p.k - REACH) / REACH, few = (p.k - REACH) % REACH;
  // The elements of the two spans, REACH in each of 64 slots with one of padding, their totals, and the results.
  value *totals = (value *)shared + warp * 64;
  element *elements = (element *)((value *)shared + WARPS * 64) + warp * (96 * PITCH), *found = elements + 64 * PITCH;
  const u32 part = blockIdx.x * WARPS + warp, segment = part % p.segments, other = part / p.segments, row = other % p.groups, plane = other / p.groups;
  if (plane >= p.planes) return;
  const i64 start = (i64)segment * p.height, end = p.n - start < p.height ? p.n : start + p.height, origin = start - p.lead;
  const char *src = p.src + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.src_steps) : 0) + row * p.src_step;
  char *dst = p.dst + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.dst_steps) : 0) + row * p.dst_step;
  // Lanes load and store adjacent elements: this one is at `own`, and 32 / REACH slots further for each of the others.
  const u32 own = lane / REACH * PITCH + lane % REACH;
  constexpr u32 STEP = 32 / REACH * PITCH;
  element held[REACH];
  auto load = [&](i64 first) {
    if (first >= 0 && first + SPAN <= p.n) {
      const element *from = (const element *)src + first + lane;
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) held[r] = from[32 * r];
      return;
    }
#pragma unroll 1
    for (u32 r = 0; r < REACH; ++r) {
      const i64 x = border(first + 32 * r + lane, p.n, p.rule);
#pragma unroll
      for (u32 q = 0; q + 1 < REACH; ++q) held[q] = held[q + 1];
      held[REACH - 1] = x < 0 ? result_of(outside(p)) : ((const element *)src)[x];
    }
  };
  auto keep = [&](u32 slot) {
    element *to = elements + slot * PITCH + own;
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) to[STEP * r] = held[r];
  };
  // Computes the sums from each element of a slot on.
  auto join_slot = [&](u32 slot, value (&sum)[REACH]) {
    const element *from = elements + slot * PITCH;
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) sum[r] = value_of(from[r]);
#pragma unroll
    for (u32 r = REACH - 1; r > 0; --r) sum[r - 1] = join(sum[r - 1], sum[r]);
    totals[slot] = sum[0];
  };
  value next[REACH];
  load(origin);
  keep(0);
  load(origin + SPAN);
  __syncwarp();
  join_slot(lane, next);
  // First slot of the span of the results.
  u32 first = 0;
#pragma unroll 1
  for (i64 y = start; y < end; y += SPAN) {
    value sum[REACH];
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) sum[r] = next[r];
    keep(first ^ 32);
    load(y - p.lead + 2 * SPAN);
    __syncwarp();
    join_slot((first ^ 32) + lane, next);
    __syncwarp();
    auto slot_of = [&](u32 s) { return (first + lane + s) % 64; };
    const element *after = elements + slot_of(blocks + 1) * PITCH, *last = elements + slot_of(blocks + 2) * PITCH - REACH;
    value common = blocks > 0 ? totals[slot_of(1)] : value_of(after[0]);
#pragma unroll 1
    for (u32 b = 1; b < blocks; ++b) common = join(common, totals[slot_of(b + 1)]);
    join_first(common, blocks > 0 ? 0 : 1, few, [&](u32 e) { return value_of(after[e]); });
    sum[0] = join(sum[0], common);
    after += few;
    last += few;
#pragma unroll
    for (u32 r = 1; r < REACH; ++r) {
      common = join(common, value_of((few + r - 1 < REACH ? after : last)[r - 1]));
      sum[r] = join(sum[r], common);
    }
    first ^= 32;
#if MEAN
    divide_all(sum, p.k);
#endif
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) found[lane * PITCH + r] = result_of(sum[r]);
    __syncwarp();
    element *to = (element *)dst + y + lane;
    const u32 count = end - y < SPAN ? (u32)(end - y) : SPAN;
    if (count == SPAN) {
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) to[32 * r] = found[own + STEP * r];
    } else {
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) {
        if (32 * r + lane < count) to[32 * r] = found[own + STEP * r];
      }
    }
  }
}
