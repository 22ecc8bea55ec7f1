// Weighted sums along the last two axes, one after the other. Required before it: `element`, which is `result`, too, `value`,
// value_of(element), result_of(value), outside(params), X_FIRST, ROOM, `uindex`, window_border.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output. A block has WIDTH columns and moves down: it keeps the rows that the windows along the
// columns need in shared memory, in a circle, and computes STEP rows at a time. The results of the first axis are rounded as those
// of a pass of its own, and never leave shared memory. A thread computes REACH adjacent results from a sliding window of registers, in
// the order of operations of window_line.cuh.
constexpr u32 REACH = 8, STEP = 16, WIDTH = 128;

// One element of padding for each REACH gives threads with adjacent groups of results different banks.
DEVICE u32 slot(u32 x) { return x + x / REACH; }

// Computes results from elements; `get(j)` is the element j of the window of the first result.
template <class G> DEVICE void compute(value (&sum)[REACH], const f64 *weights, u32 size, G get) {
  value window[REACH];
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) sum[r] = value{};
#pragma unroll
  for (u32 i = 0; i + 1 < REACH; ++i) window[i] = get(i);
#pragma unroll 1
  for (u32 j = 0; j < size; j += REACH) {
#pragma unroll
    for (u32 u = 0; u < REACH; ++u) {
      if (j + u >= size) break;
      window[(u + REACH - 1) % REACH] = get(j + u + REACH - 1);
      const f64 w = weights[j + u];
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) sum[r] = __fma_rn(window[(u + r) % REACH], w, sum[r]);
    }
  }
}

// Loads STEP rows from row y on, of the columns from x on.
DEVICE void load_rows(const params &p, const char *src, value *to, u32 pitch, i64 y, i64 x, u32 columns) {
  const bool inside = x >= 0 && x + columns <= p.n[1];
#pragma unroll
  for (u32 r = threadIdx.x / 32; r < STEP; r += 8) {
    const i64 row = border(y + r, p.n[0], p.rules[0]);
    const char *from = src + row * p.src_y;
#pragma unroll 4
    for (u32 c = threadIdx.x % 32; c < columns; c += 32) {
      const i64 column = inside ? x + c : border(x + c, p.n[1], p.rules[1]);
      to[r * pitch + slot(c)] = row < 0 || column < 0 ? outside(p) : value_of(((const element *)from)[column]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) window_plane(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  f64 *weights = (f64 *)shared;
  value *ring = (value *)(weights + 128);
  const u32 columns = WIDTH + p.sizes_of[1] - 1, wide = slot(columns) + 1;
#if X_FIRST
  const u32 pitch = slot(WIDTH) + 1;
  value *rows = ring + p.ring * pitch;
#else
  const u32 pitch = wide;
  value *rows = ring + p.ring * pitch;
  element *results = (element *)(rows + STEP * wide);
#endif
  const u32 tiles = p.tiles_x * p.tiles_y, plane = blockIdx.x / tiles, tile = blockIdx.x - plane * tiles, part = tile / p.tiles_x;
  const i64 x0 = (i64)(tile - part * p.tiles_x) * WIDTH, top = (i64)part * p.march;
  const i64 bottom = top + p.march < p.n[0] ? top + p.march : p.n[0];
  const char *src = p.src + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.src_steps) : 0);
  char *dst = p.dst + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.dst_steps) : 0);
  if (threadIdx.x < 128) weights[threadIdx.x] = p.weights[threadIdx.x / 32][threadIdx.x % 32];
  const i64 first = top - p.leads[0], left = x0 - p.leads[1];
  const u32 lane = threadIdx.x % 16, own_row = threadIdx.x / 16;
  u32 loaded = 0;
  value sum[REACH];
#pragma unroll 1
  for (i64 y = top; y < bottom; y += STEP) {
    const u32 start = (u32)(y - top), need = start + STEP + p.sizes_of[0] - 1;
#pragma unroll 1
    for (; loaded < need; loaded += STEP) {
      value *to = ring + loaded % p.ring * pitch;
#if X_FIRST
      load_rows(p, src, rows, wide, first + loaded, left, columns);
      __syncthreads();
      compute(sum, weights + 64, p.sizes_of[1], [&](u32 j) { return rows[own_row * wide + slot(lane * REACH + j)]; });
      const i64 row = first + loaded + own_row;
      const bool beyond = p.rules[0] == CONSTANT && (row < 0 || row >= p.n[0]);
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) to[own_row * pitch + slot(lane * REACH + r)] = beyond ? outside(p) : value_of(result_of(sum[r]));
      __syncthreads();
#else
      load_rows(p, src, to, pitch, first + loaded, left, columns);
#endif
    }
#if X_FIRST
    const u32 c = threadIdx.x % WIDTH, half = threadIdx.x / WIDTH * REACH;
    u32 at = (start + half) % p.ring;
    compute(sum, weights, p.sizes_of[0], [&](u32 j) {
      const u32 row = at + j;
      return ring[(row < p.ring ? row : row - p.ring) * pitch + slot(c)];
    });
    if (x0 + c < p.n[1]) {
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) {
        const i64 row = y + half + r;
        if (row < bottom) ((element *)(dst + row * p.dst_y))[x0 + c] = result_of(sum[r]);
      }
    }
#else
    __syncthreads();
#pragma unroll 1
    for (u32 i = threadIdx.x; i < 2 * columns; i += 256) {
      const u32 half = i >= columns ? REACH : 0, c = i >= columns ? i - columns : i;
      const u32 at = (start + half) % p.ring;
      compute(sum, weights, p.sizes_of[0], [&](u32 j) {
        const u32 row = at + j;
        return ring[(row < p.ring ? row : row - p.ring) * pitch + slot(c)];
      });
      const i64 column = left + c;
      const bool beyond = p.rules[1] == CONSTANT && (column < 0 || column >= p.n[1]);
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) rows[(half + r) * wide + slot(c)] = beyond ? outside(p) : value_of(result_of(sum[r]));
    }
    __syncthreads();
    compute(sum, weights + 64, p.sizes_of[1], [&](u32 j) { return rows[own_row * wide + slot(lane * REACH + j)]; });
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) results[own_row * (slot(WIDTH) + 1) + slot(lane * REACH + r)] = result_of(sum[r]);
    __syncthreads();
    const u32 c = threadIdx.x % WIDTH, half = threadIdx.x / WIDTH;
    if (x0 + c < p.n[1]) {
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) {
        const u32 row = 2 * r + half;
        if (y + row < bottom) ((element *)(dst + (y + row) * p.dst_y))[x0 + c] = results[row * (slot(WIDTH) + 1) + slot(c)];
      }
    }
#endif
  }
}
