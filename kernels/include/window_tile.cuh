// Windows of the last two axes, from a tile of the input in shared memory: along one axis, along one after the other, or weighted sums
// over both together. Required before it: `element`, which is `result`, too, `value`, value_of(element), result_of(value),
// join(value, value), outside(params), WEIGHTED, MEAN, ORDER, COLUMNS, REACH, ROOM, `uindex`, window_border.cuh, window_slide.cuh and the
// parameter struct.
//
// Lower bound: the bytes of input and output. A block loads rows of COLUMNS elements, whose last results have no whole window and are
// left to the next block. Each axis is computed in place: a thread has REACH adjacent results in registers before the first of
// them replaces the first element of its window. Elements are stored as they are, and converted where they are used; the constant beyond a
// border is an element of the dtype.
enum tile_order : u32 { X_FIRST, Y_FIRST, TOGETHER };
constexpr u32 THREADS = 256, LANES = COLUMNS / REACH, PITCH = COLUMNS + COLUMNS / 32;

// One element of padding for every 32 gives threads with adjacent groups of results different banks.
DEVICE u32 slot(u32 x) { return x + x / 32; }

// Loads rows of the input from row `top` and column `left` on. Within the input a warp loads up to 128 adjacent elements of BATCH rows
// at a time, and stores them when all have been requested.
DEVICE void load(const params &p, const char *src, element *tile, u32 rows, i64 top, i64 left) {
  constexpr u32 PARTS = COLUMNS > 128 ? COLUMNS / 128 : 1, EACH = COLUMNS / PARTS / 32, BATCH = EACH == 1 ? 8 : 4;
  const u32 lane = threadIdx.x % 32, units = rows * PARTS;
  if (top < 0 || top + rows > p.lengths[0] || left < 0 || left + COLUMNS > p.lengths[1]) {
    i64 x[EACH];
#pragma unroll 1
    for (u32 unit = threadIdx.x / 32; unit < units; unit += THREADS / 32) {
      const u32 row = unit / PARTS, part = unit % PARTS * 128;
      if (PARTS > 1 || unit < THREADS / 32) {
#pragma unroll
        for (u32 e = 0; e < EACH; ++e) x[e] = border(left + part + lane + 32 * e, p.lengths[1], p.rules[1]);
      }
      const i64 y = border(top + row, p.lengths[0], p.rules[0]);
      const element *from = (const element *)(src + y * p.src_y);
      element held[EACH];
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) held[e] = (y | x[e]) < 0 ? result_of(outside(p)) : from[x[e]];
      element *to = tile + row * PITCH + slot(part) + lane;
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) to[33 * e] = held[e];
    }
    return;
  }
  src += top * p.src_y + (left + lane) * sizeof(element);
#pragma unroll 1
  for (u32 first = threadIdx.x / 32; first < units; first += THREADS / 32 * BATCH) {
    element held[BATCH][EACH];
#pragma unroll
    for (u32 b = 0; b < BATCH; ++b) {
      const u32 unit = first + THREADS / 32 * b, row = unit / PARTS, part = unit % PARTS * 128;
      if (unit >= units) break;
      const element *from = (const element *)(src + row * p.src_y) + part;
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) held[b][e] = from[32 * e];
    }
#pragma unroll
    for (u32 b = 0; b < BATCH; ++b) {
      const u32 unit = first + THREADS / 32 * b, row = unit / PARTS, part = unit % PARTS * 128;
      if (unit >= units) break;
      element *to = tile + row * PITCH + slot(part) + lane;
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) to[33 * e] = held[b][e];
    }
  }
}

// Computes the windows along the rows of a tile. Rows beyond a constant border become the constant, as another axis needs them.
DEVICE void across(const params &p, element *tile, const f64 *weights, u32 rows, u32 width, i64 top) {
  const u32 lane = threadIdx.x % LANES;
#pragma unroll 1
  for (u32 first = 0; first < rows; first += THREADS / LANES) {
    const u32 row = first + threadIdx.x / LANES;
    const bool active = row < rows && lane * REACH < width;
    element *own = tile + row * PITCH;
    value sum[REACH];
    if (active) {
      // Elements beyond the tile are in no window of the results: any others do.
      compute(sum, weights, p.sizes_of[1], [&](u32 group, u32 e) {
        const u32 at = lane + group < LANES ? lane + group : lane;
        return value_of((own + slot(at * REACH))[e]);
      });
      if (p.rules[0] == CONSTANT && (u64)(top + row) >= (u64)p.n[0]) {
#pragma unroll
        for (u32 r = 0; r < REACH; ++r) sum[r] = outside(p);
      }
    }
    if (LANES <= 32) __syncwarp();
    else __syncthreads();
    if (active) {
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) own[slot(lane * REACH) + r] = result_of(sum[r]);
    }
  }
  __syncthreads();
}

// Computes the windows along the columns of a tile. `put(row, column, sum)` stores the results; it is called when all threads have
// theirs in registers if they are stored `in_place`.
template <class P> DEVICE void down(const params &p, const element *tile, const f64 *weights, u32 height, bool in_place, P put) {
  const u32 column = threadIdx.x % COLUMNS;
#pragma unroll 1
  for (u32 first = 0; first < height; first += THREADS / COLUMNS * REACH) {
    const u32 row = first + threadIdx.x / COLUMNS * REACH;
    // Elements beyond the tile are in no window over both axes.
    const bool active = row < height && (ORDER != TOGETHER || column <= COLUMNS - p.sizes_of[1]);
    const element *own = tile + row * PITCH + slot(column);
    value sum[REACH];
    if (active) {
#if WEIGHTED
      if (ORDER == TOGETHER) {
#pragma unroll
        for (u32 r = 0; r < REACH; ++r) sum[r] = value{};
#pragma unroll 1
        for (u32 k = 0; k < p.sizes_of[1]; ++k) {
          const element *other = tile + row * PITCH + slot(column + k);
          const f64 *own_weights = weights + k * p.sizes_of[0];
          auto get = [&](u32 group, u32 e) { return value_of((other + group * (REACH * PITCH))[e * PITCH]); };
          if (p.zeros) add_products<true>(sum, own_weights, p.sizes_of[0], get);
          else add_products<false>(sum, own_weights, p.sizes_of[0], get);
        }
      } else
#endif
      compute(sum, weights, p.sizes_of[0], [&](u32 group, u32 e) { return value_of((own + group * (REACH * PITCH))[e * PITCH]); });
    }
    if (in_place) __syncthreads();
    if (active) put(row, column, sum);
  }
}

// Computes the windows along the columns of a tile, or over both axes, as the results.
DEVICE void down_to(const params &p, const element *tile, const f64 *weights, char *dst, i64 x0, i64 y0, u32 width) {
  down(p, tile, weights, p.height, false, [&](u32 row, u32 column, value(&sum)[REACH]) {
    if (column >= width || x0 + column >= p.n[1]) return;
    char *to = dst + (y0 + row) * p.dst_y + (x0 + column) * sizeof(element);
    const i64 count = p.n[0] - (y0 + row);
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) {
      if (r < count) *(element *)(to + r * p.dst_y) = result_of(sum[r]);
    }
  });
}

extern "C" __global__ void __launch_bounds__(THREADS) window_tile(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  f64 *weights = (f64 *)shared;
  element *tile = (element *)(weights + p.weight_count);
  const u32 down_size = p.sizes_of[0], across_size = p.sizes_of[1];
  const u32 rows = p.height + (down_size ? down_size - 1 : 0), width = COLUMNS - (across_size ? across_size - 1 : 0);
  const u32 tiles = p.tiles_x * p.tiles_y, plane = blockIdx.x / tiles, index = blockIdx.x - plane * tiles, part = index / p.tiles_x;
  const i64 x0 = (i64)(index - part * p.tiles_x) * width, y0 = (i64)part * p.height;
  const char *src = p.src + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.src_steps) : 0);
  char *dst = p.dst + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.dst_steps) : 0);
  const i64 top = y0 - p.leads[0], left = x0 - p.leads[1];
#if WEIGHTED
  for (u32 i = threadIdx.x; i < p.weight_count; i += THREADS) weights[i] = p.weights ? p.weights[i] : p.few[i / 32][i % 32];
#endif
  load(p, src, tile, rows, top, left);
  __syncthreads();
#if ORDER != 1
  if (ORDER == TOGETHER) return down_to(p, tile, weights, dst, x0, y0, width);
#if COLUMNS >= 128
  if (across_size) across(p, tile, weights + down_size, rows, width, top);
#endif
#if COLUMNS <= 128
  if (down_size) return down_to(p, tile, weights, dst, x0, y0, width);
#endif
#else
  const bool beyond = p.rules[1] == CONSTANT && (u64)(left + threadIdx.x % COLUMNS) >= (u64)p.n[1];
  down(p, tile, weights, p.height, true, [&](u32 row, u32 column, value(&sum)[REACH]) {
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) tile[(row + r) * PITCH + slot(column)] = result_of(beyond ? outside(p) : sum[r]);
  });
  __syncthreads();
  across(p, tile, weights + down_size, p.height, width, 0);
#endif
  const u32 count = p.n[1] - x0 < width ? (u32)(p.n[1] - x0) : width;
#pragma unroll 1
  for (u32 row = threadIdx.x / 32; row < p.height && y0 + row < p.n[0]; row += THREADS / 32) {
    element *to = (element *)(dst + (y0 + row) * p.dst_y) + x0;
#pragma unroll 4
    for (u32 c = threadIdx.x % 32; c < count; c += 32) to[c] = tile[row * PITCH + slot(c)];
  }
}
