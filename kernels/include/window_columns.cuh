// Medians of squares of SIZE by SIZE elements of the last two axes; SIZE is odd, and 7 or more. Required before it: `element`, `result`,
// value_of(element), result_of(value), `key`, key_of(value), value_from(key), outside(params), `uindex`, ROOM, SIZE, WARPS, BLOCKS,
// window_border.cuh, window_networks.cuh, window_plane.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output, and the comparisons. A thread has two rows of WIDE results. The SIZE - 1 elements of a column
// that both rows share are sorted once for all windows of a block. A core, the columns that all results of a row share, is merged from sorted
// columns; the results are halved again and again, and the core of each half is that of the whole merged with the columns that only the half
// shares. Of each core only elements whose rank can be that of a median are kept. At the end the median is selected from a core
// and the sorted elements of the row that the other row does not share (A. Adams, "Fast median filters using separable sorting networks", ACM
// Transactions on Graphics 40(4), 2021).
//
// Lanes have adjacent pairs of rows, and warps adjacent groups of columns: lanes of a warp use different banks.
constexpr u32 THREADS = 32 * WARPS, WIDTH = 32, WIDE = WIDTH / WARPS, HEIGHT = 64, COLUMNS = WIDTH + SIZE - 1, ROWS = HEIGHT + SIZE - 1;
constexpr u32 PITCH = COLUMNS | 1, FOUND_PITCH = WIDTH + 1;
constexpr int SHARED = SIZE - 1, MEDIAN = SIZE * SIZE / 2;

struct tiles {
  // Elements: even rows, then odd ones.
  key *elements;
  // Elements that two rows share, sorted: all least ones, all second ones, and so on.
  key *sorted;
  // Medians.
  key *found;
};

// Least rank of an element of a core of COUNT elements that can be a median, and the number of those elements.
template <int COUNT> DEVICE constexpr int least_rank() { return COUNT - 1 > MEDIAN ? COUNT - 1 - MEDIAN : 0; }
template <int COUNT> DEVICE constexpr int kept() { return (COUNT - 1 < MEDIAN ? COUNT - 1 : MEDIAN) - least_rank<COUNT>() + 1; }

DEVICE key *row_of(const tiles &t, u32 row) { return t.elements + ((row & 1) * (ROWS / 2) + row / 2) * PITCH; }

DEVICE void load(const params &p, const char *src, i64 top, i64 left, const tiles &t) {
  const i64 step_x = p.src_steps[p.axes - 1], step_y = p.src_steps[p.axes - 2];
  if (left >= 0 && left + COLUMNS <= p.n[2] && top >= 0 && top + ROWS <= p.n[1]) {
    src += top * step_y + left * step_x;
#pragma unroll 4
    for (u32 i = threadIdx.x; i < ROWS * COLUMNS; i += THREADS) {
      const u32 row = i / COLUMNS, column = i % COLUMNS;
      row_of(t, row)[column] = key_of(value_of(*(const element *)(src + row * step_y + column * step_x)));
    }
    return;
  }
#pragma unroll 1
  for (u32 i = threadIdx.x; i < ROWS * COLUMNS; i += THREADS) {
    const u32 row = i / COLUMNS, column = i % COLUMNS;
    const i64 x = border(left + column, p.n[2], p.rules[2]), y = border(top + row, p.n[1], p.rules[1]);
    row_of(t, row)[column] = key_of((x | y) < 0 ? outside(p) : value_of(*(const element *)(src + y * step_y + x * step_x)));
  }
}

// Sorts the elements that the two rows of a lane share, column by column.
DEVICE void sort_columns(const tiles &t, u32 lane, u32 warp) {
#pragma unroll 1
  for (u32 column = warp; column < COLUMNS; column += WARPS) {
    keys<SHARED> all;
#pragma unroll
    for (u32 r = 0; r < SHARED; ++r) all.at[r] = row_of(t, 2 * lane + 1 + r)[column];
    const keys<SHARED> ordered = sorted(all);
#pragma unroll
    for (u32 r = 0; r < SHARED; ++r) t.sorted[(r * COLUMNS + column) * 32 + lane] = ordered.at[r];
  }
}

// Returns the shared elements of COUNT columns from one on, sorted.
template <int COUNT> DEVICE keys<COUNT * SHARED> columns_from(const tiles &t, u32 lane, u32 column) {
  if constexpr (COUNT == 1) {
    keys<SHARED> own;
#pragma unroll
    for (u32 r = 0; r < SHARED; ++r) own.at[r] = t.sorted[(r * COLUMNS + column) * 32 + lane];
    return own;
  } else {
    return merged(columns_from<COUNT / 2>(t, lane, column), columns_from<COUNT - COUNT / 2>(t, lane, column + COUNT / 2));
  }
}

// Returns the elements of a row of two windows that both have, sorted; `column` is that of the first window.
DEVICE keys<SHARED> row_from(const key *row, u32 column) {
  keys<SHARED> own;
#pragma unroll
  for (u32 c = 0; c < SHARED; ++c) own.at[c] = row[column + 1 + c];
  return sorted(own);
}

// Computes the medians of COUNT adjacent windows of two rows from what is kept of their core.
template <int COUNT, int N> DEVICE void medians(const tiles &t, u32 lane, u32 column, const keys<N> &core) {
  constexpr int HALF = COUNT / 2, BEFORE = (SIZE - COUNT + 1) * SHARED, AFTER = BEFORE + HALF * SHARED;
  const key *above = row_of(t, 2 * lane), *below = row_of(t, 2 * lane + SIZE);
  keys<SHARED> rows[2];
  if constexpr (COUNT == 2) {
    rows[0] = row_from(above, column);
    rows[1] = row_from(below, column);
  }
#pragma unroll 1
  for (u32 side = 0; side < 2; ++side) {
    const auto half = part<least_rank<AFTER>() - least_rank<BEFORE>(), kept<AFTER>()>(
      merged(core, columns_from<HALF>(t, lane, side ? column + SIZE : column + HALF - 1)));
    if constexpr (COUNT > 2) {
      medians<HALF>(t, lane, side ? column + HALF : column, half);
    } else {
      const u32 more = side ? column + SIZE : column;
      key *to = t.found + 2 * lane * FOUND_PITCH + column + side;
      to[0] = selected<MEDIAN - least_rank<AFTER>()>(half, merged(rows[0], keys<1>{{above[more]}}));
      to[FOUND_PITCH] = selected<MEDIAN - least_rank<AFTER>()>(half, merged(rows[1], keys<1>{{below[more]}}));
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) window_columns(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  tiles t;
  t.elements = (key *)shared;
  t.sorted = t.elements + ROWS * PITCH;
  t.found = t.sorted + SHARED * COLUMNS * 32;
  const u32 plane = blockIdx.x / (p.tiles_x * p.tiles_y), index = blockIdx.x - plane * (p.tiles_x * p.tiles_y), part_y = index / p.tiles_x;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const i64 x0 = (i64)(index - part_y * p.tiles_x) * WIDTH, y0 = (i64)part_y * HEIGHT;
  const char *src = p.src;
  char *dst = p.dst;
  to_plane(p, plane, src, dst);
  load(p, src, y0 - p.leads[1], x0 - p.leads[2], t);
  __syncthreads();
  sort_columns(t, lane, warp);
  __syncthreads();
  constexpr int CORE = SIZE - WIDE + 1;
  medians<WIDE>(t, lane, warp * WIDE, part<least_rank<CORE * SHARED>(), kept<CORE * SHARED>()>(columns_from<CORE>(t, lane, warp * WIDE + WIDE - 1)));
  __syncthreads();
  if (x0 + lane >= p.n[2]) return;
  dst += (x0 + lane) * p.dst_steps[p.axes - 1];
#pragma unroll 4
  for (u32 row = warp; row < HEIGHT; row += WARPS) {
    if (y0 + row < p.n[1]) *(result *)(dst + (y0 + row) * p.dst_steps[p.axes - 2]) = result_of(value_from(t.found[row * FOUND_PITCH + lane]));
  }
}
