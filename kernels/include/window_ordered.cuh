// Weighted sums whose terms are added in the order of a list, each product and each sum rounded on its own. Required before it: `element`,
// `result`, value_of(element), result_of(f64), outside(params), window_walk.cuh and what that requires.
//
// An integer result is the truncated sum: where the sum is an integer but for rounding, its last bit decides, and so does the order. A term is
// the product of a weight and an element, or the sum or the difference of an element and its mate.
//
// Lower bound: the bytes of input and output, and two operations for each result and term. A thread has REACH adjacent results along the second
// to last axis, so that their chains of additions are independent; lanes have adjacent results of the last axis, and load adjacent elements.
constexpr int REACH = 8;
enum mate : i64 { NO_MATE, MATE_ADDED, MATE_SUBTRACTED };

// Loads the elements of the results at an offset in bytes and coordinates relative to the result: `entry`.
DEVICE void load(const params &p, const walk_position &w, const i64 *entry, u32 tall, f64 (&x)[REACH]) {
  const i64 step = p.src_steps[tall];
  if (w.inside) {
    const char *from = p.src + w.src + entry[0];
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) x[r] = value_of(*(const element *)(from + r * step));
    return;
  }
  i64 offset;
  const bool there = reached(p, w, entry + 1, tall, offset);
  const i64 start = w.at[tall] + entry[1 + tall];
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) {
    const i64 y = there ? border(start + r, p.lengths[tall], (u32)p.rules[tall]) : -1;
    x[r] = y < 0 ? outside(p) : value_of(*(const element *)(p.src + offset + y * step));
  }
}

extern "C" __global__ void __launch_bounds__(256) window_ordered(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  const u32 tall = p.axes - 2, length = 1 + p.axes;
  walk_position w;
  walk(p, (uindex)i, tall, REACH, w);
  f64 sum[REACH] = {};
  const i64 *term = p.runs;
#pragma unroll 1
  for (u64 k = 0; k < p.run_count; ++k, term += 1 + 2 * length) {
    f64 x[REACH];
    load(p, w, term + 1, tall, x);
    if (term[0] != NO_MATE) {
      f64 y[REACH];
      load(p, w, term + 1 + length, tall, y);
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) x[r] = __dadd_rn(x[r], term[0] == MATE_ADDED ? y[r] : -y[r]);
    }
    const f64 weight = p.weights[k];
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) sum[r] = __dadd_rn(sum[r], __dmul_rn(x[r], weight));
  }
  char *dst = p.dst + w.dst;
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) {
    if (w.at[tall] + r < p.height) *(result *)(dst + r * p.dst_steps[tall]) = result_of(sum[r]);
  }
}
