// Weighted sums over a window of the last two axes. Required before it: `element`, `result`, value_of(element), result_of(value),
// outside(params), ROOM, `uindex`, window_border.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output, and one operation for each result and weight. A block computes WIDTH by HEIGHT results from a
// patch of the input in shared memory, whose elements are converted once. A thread has REACH adjacent results of a column, and slides
// over each column of the window in registers. Elements whose weight is 0 are not used: an infinity there does not matter.
constexpr u32 REACH = 8, WIDTH = 64, HEIGHT = 32;

extern "C" __global__ void __launch_bounds__(256) window_patch(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  const u32 columns = WIDTH + p.sizes_of[1] - 1, rows = HEIGHT + p.sizes_of[0] - 1, count = p.sizes_of[0] * p.sizes_of[1];
  // Column by column, as they are used.
  f64 *weights = (f64 *)shared, *patch = weights + count;
  const u32 tiles = p.tiles_x * p.tiles_y, plane = blockIdx.x / tiles, tile = blockIdx.x - plane * tiles, part = tile / p.tiles_x;
  const i64 x0 = (i64)(tile - part * p.tiles_x) * WIDTH, y0 = (i64)part * HEIGHT;
  const i64 left = x0 - p.leads[1], top = y0 - p.leads[0];
  const char *src = p.src + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.src_steps) : 0);
  char *dst = p.dst + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.dst_steps) : 0);
  for (u32 i = threadIdx.x; i < count; i += 256) weights[i] = p.weights ? p.weights[i] : p.few[i / 32][i % 32];
  const bool inside = left >= 0 && left + columns <= p.lengths[1];
#pragma unroll 1
  for (u32 r = threadIdx.x / 32; r < rows; r += 8) {
    const i64 row = border(top + r, p.lengths[0], p.rules[0]);
    const char *from = src + row * p.src_y;
#pragma unroll 4
    for (u32 c = threadIdx.x % 32; c < columns; c += 32) {
      const i64 column = inside ? left + c : border(left + c, p.lengths[1], p.rules[1]);
      patch[r * columns + c] = row < 0 || column < 0 ? outside(p) : value_of(*(const element *)(from + column * p.src_x));
    }
  }
  __syncthreads();
  const u32 own = threadIdx.x % WIDTH, first = threadIdx.x / WIDTH * REACH;
  f64 sum[REACH];
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) sum[r] = 0;
  const f64 *weight = weights;
#pragma unroll 1
  for (u32 k = 0; k < p.sizes_of[1]; ++k) {
    const f64 *at = patch + first * columns + own + k;
    f64 window[REACH];
#pragma unroll
    for (u32 i = 0; i + 1 < REACH; ++i) window[i] = at[i * columns];
    at += (REACH - 1) * columns;
#pragma unroll 1
    for (u32 j = 0; j < p.sizes_of[0]; j += REACH) {
#pragma unroll
      for (u32 u = 0; u < REACH; ++u) {
        if (j + u >= p.sizes_of[0]) break;
        window[(u + REACH - 1) % REACH] = *at;
        at += columns;
        const f64 w = *weight++;
        if (w == 0) continue;
#pragma unroll
        for (u32 r = 0; r < REACH; ++r) sum[r] = __fma_rn(window[(u + r) % REACH], w, sum[r]);
      }
    }
  }
  if (x0 + own >= p.n[1]) return;
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) {
    const i64 y = y0 + first + r;
    if (y < p.n[0]) *(result *)(dst + y * p.dst_y + (x0 + own) * p.dst_x) = result_of(sum[r]);
  }
}
