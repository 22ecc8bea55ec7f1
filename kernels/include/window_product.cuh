// Weighted sums over windows along one of the last two axes, or over both together, as products of matrices in float64. Required before it:
// `element`, which is `result`, too, `value`, which is f64, value_of(element), result_of(f64), is_finite(element), outside(params), ORDER,
// TRUNCATED, ROOM, `uindex`, window_border.cuh, window_slide.cuh and the parameter struct.
//
// The results of 16 parallel slices at 8 adjacent positions along the axis of a window are the product of the elements of the slices and of
// a band matrix of the weights, whose column n has the weights from row n on. A window of k elements takes k + 7 steps instead of k, at
// twice the rate. A product adds its terms one after another, as fused operations, and a term whose weight is the 0 outside the band does
// not change a sum: the bits are those of `window_tile`. Such a term of an infinity would be NaN: tiles with elements that are not finite
// are computed as in `window_tile`.
//
// TRUNCATED sums, of integers with other weights, are those of `window_ordered` by their order of terms: a sum so close to an integer that
// the order may decide is computed once more in that order.
//
// Lower bound: the bytes of input and output, and (k + 7) / 128 cycles of a multiprocessor for each result.
enum product_order : u32 { DOWN, ACROSS, TOGETHER };
// A warp computes the results of SLICES slices at POSITIONS positions from products of DEPTH elements of a slice.
constexpr u32 THREADS = 256, DEPTH = 8, BANDS = 2, GROUPS = 2, POSITIONS = 8 * BANDS, SLICES = 16 * GROUPS;
constexpr u32 WIDTH = ORDER == ACROSS ? 128 : 64, HEIGHT = ORDER == ACROSS ? 32 : 64;

struct __align__(sizeof(element) < 4 ? 4 * sizeof(element) : 16) quad {
  element e[4];
};

// Loads groups of four elements that are within the input, BATCH of a lane before it stores the first. All groups are if INSIDE.
template <bool INSIDE> DEVICE bool load_quads(const params &p, const char *src, element *tile, u32 rows, u32 quads, i64 top, i64 left) {
  constexpr u32 LANES = ORDER == DOWN ? WIDTH / 4 : 32, STEP = THREADS / LANES, BATCH = sizeof(element) == 8 ? 4 : 8;
  const u32 lane = threadIdx.x % LANES, parts = ORDER == DOWN ? 1 : (quads + LANES - 1) / LANES, units = rows * parts;
  bool finite = true;
  auto is_loaded = [&](u32 unit, u32 row, u32 at) {
    if (unit >= units || at >= quads) return false;
    const i64 x = left + 4 * at;
    return INSIDE || ((u64)(top + row) < (u64)p.lengths[0] && x >= 0 && x + 4 <= p.lengths[1]);
  };
  src += top * p.src_y + left * (i64)sizeof(element);
#pragma unroll 1
  for (u32 first = threadIdx.x / LANES; first < units; first += STEP * BATCH) {
    quad held[BATCH];
#pragma unroll
    for (u32 b = 0; b < BATCH; ++b) {
      const u32 unit = first + STEP * b, row = unit / parts, at = (unit - row * parts) * LANES + lane;
      if (is_loaded(unit, row, at)) held[b] = ((const quad *)(src + row * p.src_y))[at];
    }
#pragma unroll
    for (u32 b = 0; b < BATCH; ++b) {
      const u32 unit = first + STEP * b, row = unit / parts, at = (unit - row * parts) * LANES + lane;
      if (!is_loaded(unit, row, at)) continue;
#pragma unroll
      for (u32 e = 0; e < 4; ++e) finite = finite && is_finite(held[b].e[e]);
      *(quad *)(tile + row * p.pitch + 4 * at) = held[b];
    }
  }
  return finite;
}

// Loads rows of the input from row `top` and column `left` on, whose element is `shift` columns into a row of the tile, and returns true if
// all elements are finite.
DEVICE bool load(const params &p, const char *src, element *tile, u32 rows, u32 columns, i64 top, i64 left, u32 &shift) {
  constexpr u32 WARPS = THREADS / 32, BATCH = 4;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  bool finite = true;
  if (((u64)src | (u64)p.src_y) % alignof(quad) == 0) {
    shift = (u32)left & 3;
    left -= shift;
    const u32 quads = ORDER == DOWN ? WIDTH / 4 : (columns + shift + 3) / 4, whole = 4 * quads;
    if (top >= 0 && top + rows <= p.lengths[0] && left >= 0 && left + whole <= p.lengths[1]) return load_quads<true>(p, src, tile, rows, quads, top, left);
    finite = load_quads<false>(p, src, tile, rows, quads, top, left);
    auto copy = [&](u32 row, u32 c) {
      const i64 y = border(top + row, p.lengths[0], p.rules[0]), x = border(left + c, p.lengths[1], p.rules[1]);
      const element e = (y | x) < 0 ? result_of(outside(p)) : ((const element *)(src + y * p.src_y))[x];
      finite = finite && is_finite(e);
      tile[row * p.pitch + c] = e;
    };
    // The columns from `low` to `high` are of groups within the input.
    const i64 within = (p.lengths[1] & ~(i64)3) - left;
    const u32 low = left >= 0 ? 0 : -left < whole ? (u32)-left : whole, high = within >= whole ? whole : within > low ? (u32)within : low;
    const u32 others = whole - (high - low);
#pragma unroll 1
    for (u32 i = threadIdx.x; i < rows * others; i += THREADS) {
      const u32 row = i / others, c = i - row * others;
      copy(row, c < low ? c : c + high - low);
    }
#pragma unroll 1
    for (u32 row = warp; row < rows; row += WARPS) {
      if ((u64)(top + row) < (u64)p.lengths[0]) continue;
#pragma unroll 1
      for (u32 c = low + lane; c < high; c += 32) copy(row, c);
    }
    return finite;
  }
  shift = 0;
#pragma unroll 1
  for (u32 first = warp; first < rows; first += WARPS * BATCH) {
    i64 y[BATCH];
#pragma unroll
    for (u32 b = 0; b < BATCH; ++b) {
      const u32 row = first + WARPS * b;
      y[b] = border(top + (row < rows ? row : first), p.lengths[0], p.rules[0]);
    }
#pragma unroll 1
    for (u32 c = lane; c < columns; c += 32) {
      const i64 x = border(left + c, p.lengths[1], p.rules[1]);
      element held[BATCH];
#pragma unroll
      for (u32 b = 0; b < BATCH; ++b) held[b] = (y[b] | x) < 0 ? result_of(outside(p)) : ((const element *)(src + y[b] * p.src_y))[x];
#pragma unroll
      for (u32 b = 0; b < BATCH; ++b) {
        if (first + WARPS * b >= rows) break;
        finite = finite && is_finite(held[b]);
        tile[(first + WARPS * b) * p.pitch + c] = held[b];
      }
    }
  }
  return finite;
}

#if __CUDA_ARCH__ >= 800
// Adds the product of 16 slices of 8 elements and of 8 rows of a band matrix.
DEVICE void add_product(f64 (&sum)[4], const f64 (&a)[4], const f64 (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(sum[2 * half]), "+d"(sum[2 * half + 1])
          : "d"(a[2 * k + half]), "d"(b[k]));
    }
  }
#endif
}

// Adds the products of the slices of a warp, column by column of a window; its size in products is COUNT, or any if that is 0.
template <u32 COUNT>
DEVICE void accumulate(const params &p, f64 (&sum)[GROUPS][BANDS][4], const element *column, const f64 *list, u32 k, u32 other) {
  const u32 across = ORDER == ACROSS ? p.pitch : 1, along = ORDER == ACROSS ? 1 : p.pitch;
  const u32 products = COUNT ? COUNT : (k + 14) / 8, length = DEPTH * (products + 1);
  constexpr u32 UNROLLED = COUNT ? COUNT + BANDS - 1 : 1;
#pragma unroll 1
  for (u32 c = 0; c < other; ++c, ++column, list += length) {
    const element *from = column;
    const f64 *weight = list;
#pragma unroll UNROLLED
    for (u32 s = 0; s < products + BANDS - 1; ++s, from += DEPTH * along, weight += DEPTH) {
      f64 a[GROUPS][4];
#pragma unroll
      for (u32 g = 0; g < GROUPS; ++g) {
#pragma unroll
        for (u32 j = 0; j < 4; ++j) a[g][j] = value_of(from[(16 * g + j % 2 * 8) * across + j / 2 * 4 * along]);
      }
#pragma unroll
      for (u32 b = 0; b < BANDS; ++b) {
        // The positions from 8 b on have no weights of these elements.
        if (s - b >= products) continue;
        const f64 w[2] = {*(weight - DEPTH * b), *(weight + 4 - DEPTH * b)};
#pragma unroll
        for (u32 g = 0; g < GROUPS; ++g) add_product(sum[g][b], a[g], w);
      }
    }
  }
}

// Computes the results of a block from products. A slice is a row of a window along the last axis, and a column of any other. `put(slice,
// position, first, second)` stores the results at two adjacent positions.
template <class P> DEVICE void multiply(const params &p, const element *tile, const f64 *weights, u32 k, u32 other, P put) {
  const u32 lane = threadIdx.x % 32, group = lane / 4, own = lane % 4, warp = threadIdx.x / 32;
  constexpr u32 AROUND = (ORDER == ACROSS ? HEIGHT : WIDTH) / SLICES;
  const u32 slice = warp % AROUND * SLICES + group, first = warp / AROUND * POSITIONS;
  f64 sum[GROUPS][BANDS][4];
#pragma unroll
  for (u32 g = 0; g < GROUPS; ++g) {
#pragma unroll
    for (u32 b = 0; b < BANDS; ++b) {
#pragma unroll
      for (u32 j = 0; j < 4; ++j) sum[g][b][j] = 0;
    }
  }
  const element *from = tile + (ORDER == ACROSS ? slice * p.pitch + first + own : (first + own) * p.pitch + slice);
  const f64 *list = weights + DEPTH + own - group;
  switch ((k + 14) / 8) {
  case 2: accumulate<2>(p, sum, from, list, k, other); break;
  case 3: accumulate<3>(p, sum, from, list, k, other); break;
  case 4: accumulate<4>(p, sum, from, list, k, other); break;
  default: accumulate<0>(p, sum, from, list, k, other);
  }
#pragma unroll
  for (u32 g = 0; g < GROUPS; ++g) {
#pragma unroll
    for (u32 b = 0; b < BANDS; ++b) {
#pragma unroll
      for (u32 half = 0; half < 2; ++half) {
        put(slice + 16 * g + 8 * half, first + 8 * b + 2 * own, sum[g][b][2 * half], sum[g][b][2 * half + 1]);
      }
    }
  }
}
#endif

// Computes the results of a block one after another, as `window_tile` does.
template <class P> DEVICE void slide(const params &p, const element *tile, const f64 *weights, u32 k, u32 other, P put) {
  const u32 along = ORDER == ACROSS ? 1 : p.pitch, length = DEPTH * ((k + 14) / 8 + 1);
#pragma unroll 1
  for (u32 unit = threadIdx.x; unit < WIDTH * HEIGHT / REACH; unit += THREADS) {
    constexpr u32 AROUND = ORDER == ACROSS ? HEIGHT : WIDTH;
    const u32 slice = unit % AROUND, first = unit / AROUND * REACH;
    const element *from = tile + (ORDER == ACROSS ? slice * p.pitch + first : first * p.pitch + slice);
    f64 sum[REACH] = {};
#pragma unroll 1
    for (u32 c = 0; c < other; ++c, ++from) {
      auto get = [&](u32 group, u32 e) { return value_of(from[(group * REACH + e) * along]); };
      if (ORDER == TOGETHER && p.zeros) add_products<true>(sum, weights + c * length + DEPTH, k, get);
      else add_products<false>(sum, weights + c * length + DEPTH, k, get);
    }
#pragma unroll
    for (u32 r = 0; r < REACH; r += 2) put(slice, first + r, sum[r], sum[r + 1]);
  }
}

#if TRUNCATED
// Computes a sum in the order of `window_ordered`, from the first element of its window and the weights of its first column.
enum mate : u32 { NO_MATE, MATE_ADDED, MATE_SUBTRACTED };
static __device__ __noinline__ f64 in_order(const params &p, const element *from, const f64 *weights, u32 k, u32 other) {
  f64 sum = 0;
  auto add = [&](f64 x, f64 weight) { sum = __dadd_rn(sum, __dmul_rn(x, weight)); };
  if (ORDER == TOGETHER) {
    const u32 length = DEPTH * ((k + 14) / 8 + 1);
#pragma unroll 1
    for (u32 r = 0; r < k; ++r) {
#pragma unroll 1
      for (u32 c = 0; c < other; ++c) add(value_of(from[r * p.pitch + c]), weights[c * length + r]);
    }
    return sum;
  }
  const u32 along = ORDER == ACROSS ? 1 : p.pitch, first = p.mates == NO_MATE ? k - 1 : k / 2;
  add(value_of(from[first * along]), weights[first]);
#pragma unroll 1
  for (u32 j = 0; j < first; ++j) {
    f64 x = value_of(from[j * along]);
    if (p.mates != NO_MATE) {
      const f64 y = value_of(from[(k - 1 - j) * along]);
      x = __dadd_rn(x, p.mates == MATE_ADDED ? y : -y);
    }
    add(x, weights[j]);
  }
  return sum;
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS, 3) window_product(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  const u32 k = p.sizes_of[ORDER == ACROSS], other = ORDER == TOGETHER ? p.sizes_of[1] : 1;
  // The weights of each column between zeros, and elements up to the last row of a band matrix.
  const u32 length = DEPTH * ((k + 14) / 8 + 1), around = length - 2 * DEPTH;
  const u32 rows = HEIGHT + (ORDER == ACROSS ? 0 : around), columns = WIDTH + (ORDER == ACROSS ? around : other - 1);
  f64 *weights = (f64 *)shared;
  element *tile = (element *)(weights + length * other);
  const u32 tiles = p.tiles_x * p.tiles_y, plane = blockIdx.x / tiles, index = blockIdx.x - plane * tiles, part = index / p.tiles_x;
  const i64 x0 = (i64)(index - part * p.tiles_x) * WIDTH, y0 = (i64)part * HEIGHT;
  const char *src = p.src + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.src_steps) : 0);
  char *dst = p.dst + (p.axes ? offset_of((uindex)plane, p.axes, p.sizes, p.dst_steps) : 0);
#pragma unroll 1
  for (u32 i = threadIdx.x; i < length * other; i += THREADS) {
    const u32 c = i / length, j = i - c * length - DEPTH, at = c * k + j;
    weights[i] = j >= k ? 0 : p.weights ? p.weights[at] : p.few[at / 32][at % 32];
  }
  u32 shift;
  const bool finite = load(p, src, tile, rows, columns, y0 - p.leads[0], x0 - p.leads[1], shift);
  tile += shift;
  dst += y0 * p.dst_y + x0 * sizeof(element);
  const i64 height = p.n[0] - y0, width = p.n[1] - x0;
  // Adjacent results of a row are stored together where memory is aligned.
  struct __align__(2 * sizeof(element)) pair {
    element first, second;
  };
  const bool paired = ORDER == ACROSS && ((u64)dst | (u64)p.dst_y) % alignof(pair) == 0;
  auto put = [&](u32 slice, u32 position, f64 first, f64 second) {
    const u32 row = ORDER == ACROSS ? slice : position, column = ORDER == ACROSS ? position : slice;
    if (row >= height || column >= width) return;
    const bool both = ORDER == ACROSS ? column + 1 < width : row + 1 < height;
#if TRUNCATED
    const element *from = tile + row * p.pitch + column;
    auto undecided = [&](f64 sum) { return fabs(sum - rint(sum)) <= p.slack && !(p.exact_zero && sum == 0); };
    if (undecided(first)) first = in_order(p, from, weights + DEPTH, k, other);
    if (both && undecided(second)) second = in_order(p, from + (ORDER == ACROSS ? 1 : p.pitch), weights + DEPTH, k, other);
#endif
    char *to = dst + row * p.dst_y + column * sizeof(element);
    if (paired && both) {
      *(pair *)to = pair{result_of(first), result_of(second)};
      return;
    }
    *(element *)to = result_of(first);
    if (both) *(element *)(to + (ORDER == ACROSS ? sizeof(element) : p.dst_y)) = result_of(second);
  };
#if __CUDA_ARCH__ >= 800
  if (__syncthreads_and(finite)) return multiply(p, tile, weights, k, other, put);
#else
  __syncthreads();
#endif
  slide(p, tile, weights, k, other, put);
}
