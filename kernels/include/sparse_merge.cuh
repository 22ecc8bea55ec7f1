// An elementwise operation of two sparse matrices in compressed rows of few entries, whose columns rise: a thread merges a row. Before it:
// `index`, `element`, `result`, CAPACITY, the parameter struct, the functions combined(element, element) and is_kept(result), and
// look_back.cuh.
//
// A block loads the entries of its rows to shared memory side by side. Unless both matrices have the same columns there, it merges them at the position that a row has if all its results are
// kept, counts these, learns from the blocks before it where they begin, moves them together, and writes them side by side. Pointers may be
// wrong, which their check reports later: no element outside of the arrays is accessed.

constexpr u32 THREADS = 256, WARPS = THREADS / 32;

struct merge_tile {
  index columns[CAPACITY], merged[CAPACITY];
  // The results overwrite the values, which are read before.
  union {
    element values[CAPACITY];
    result packed[CAPACITY];
  };
  result results[CAPACITY];
  u32 sums[WARPS];
};

// Pointers of 32 bits are bounded in 32 bits.
DEVICE index bounded(index at, index low, index high) { return at < low ? low : at < high ? at : high; }

// Entries of one row of a matrix in shared memory.
struct row_part {
  u32 from, to;
};

// Calls `visit(column, result)` for each position of a row that either matrix stores, where the result is kept.
template <class Visit> DEVICE void merge_row(const merge_tile &tile, row_part a, row_part b, Visit visit) {
  // After the last entry of a row: no matrix has this column.
  constexpr index END = (index)(~(u64)0 >> (65 - 8 * sizeof(index)));
  index of_a = a.from < a.to ? tile.columns[a.from] : END, of_b = b.from < b.to ? tile.columns[b.from] : END;
#pragma unroll 1
  while (true) {
    const index column = of_a < of_b ? of_a : of_b;
    if (column == END) break;
    const bool takes_a = of_a == column, takes_b = of_b == column;
    element x{}, y{};
    // The next columns are on their way while the values are combined.
    if (takes_a) {
      x = tile.values[a.from++];
      of_a = a.from < a.to ? tile.columns[a.from] : END;
    }
    if (takes_b) {
      y = tile.values[b.from++];
      of_b = b.from < b.to ? tile.columns[b.from] : END;
    }
    const result r = combined(x, y);
    if (is_kept(r)) visit(column, r);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 8) merge_rows(const __grid_constant__ params p) {
  __shared__ merge_tile tile;
  u64 *const state = (u64 *)p.state;
  const u64 block = gridDim.x > 1 ? next_block(state) : 0, first = block * p.rows_of_block;
  const u32 rows = p.rows - first < p.rows_of_block ? (u32)(p.rows - first) : p.rows_of_block;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool has_row = threadIdx.x < rows;
  row_part parts[2];
  u32 filled = 0, second = 0;
#pragma unroll
  for (u32 m = 0; m < 2; ++m) {
    second = filled;
    const index *const ends = p.ends[m] + first;
    const index size = (index)p.sizes[m], start = bounded(ends[0], 0, size);
    const u32 many = (u32)bounded(ends[rows] - start, 0, bounded(size - start, 0, (index)(CAPACITY - filled)));
    const auto within = [&](index end) { return filled + (u32)bounded(end - start, 0, (index)many); };
    parts[m] = {};
    if (has_row) parts[m] = {within(ends[threadIdx.x]), within(ends[threadIdx.x + 1])};
    const index *const columns = p.indices[m] + start;
    const element *const values = p.values[m] + start;
#pragma unroll 4
    for (u32 k = threadIdx.x; k < many; k += THREADS) {
      tile.columns[filled + k] = columns[k];
      tile.values[filled + k] = values[k];
    }
    filled += many;
  }
  // True if both matrices have the same columns here and all results are kept. A thread compares the entries that it has stored.
  bool is_same = filled == 2 * second;
  if (has_row) is_same = is_same && parts[0].from + second == parts[1].from && parts[0].to + second == parts[1].to;
#pragma unroll 1
  for (u32 k = threadIdx.x; k < second && is_same; k += THREADS) {
    const result r = combined(tile.values[k], tile.values[second + k]);
    is_same = tile.columns[k] == tile.columns[second + k] && is_kept(r);
    tile.results[k] = r;
  }
  is_same = __syncthreads_and(is_same);
  u32 own = 0, start = 0, total = 0, merged = 0;
  if (is_same) {
    own = parts[0].to - parts[0].from;
    start = parts[0].from;
    total = second;
  } else {
    // The second matrix's entries are after those of the first.
    merged = parts[0].from + (parts[1].from - second);
    merge_row(tile, parts[0], parts[1], [&](index column, result r) {
      // Rows of wrong pointers may overlap.
      if (merged + own >= CAPACITY) return;
      tile.merged[merged + own] = column;
      tile.results[merged + own++] = r;
    });
    start = own;
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) {
      const u32 other = __shfl_up_sync(~0u, start, step);
      if (lane >= step) start += other;
    }
    if (lane == 31) tile.sums[warp] = start;
    __syncthreads();
    start -= own;
    for (u32 w = 0; w < WARPS; ++w) {
      if (w < warp) start += tile.sums[w];
      total += tile.sums[w];
    }
  }
  // The count is known to later blocks before this one writes.
  const u64 before = gridDim.x > 1 ? counted_before(state + 1, block, total) : 0;
  if (!is_same) {
    u32 at = start;
#pragma unroll 1
    for (u32 k = 0; k < own && at < CAPACITY; ++k, ++at) {
      tile.columns[at] = tile.merged[merged + k];
      tile.packed[at] = tile.results[merged + k];
    }
    __syncthreads();
  }
  const result *const results = is_same ? tile.results : tile.packed;
  if (has_row) p.out_ends[first + threadIdx.x + 1] = (index)(before + start + own);
  if (block == 0 && threadIdx.x == 0) p.out_ends[0] = 0;
  const u64 room = before < p.results ? p.results - before : 0;
  const u32 most = total < CAPACITY ? total : CAPACITY, written = most < room ? most : (u32)room;
  index *const columns = p.columns + before;
  result *const out = p.out + before;
#pragma unroll 4
  for (u32 k = threadIdx.x; k < written; k += THREADS) {
    columns[k] = tile.columns[k];
    out[k] = results[k];
  }
}
