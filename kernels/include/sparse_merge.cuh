// An elementwise operation of two sparse matrices in compressed rows of few entries, whose columns rise: a thread merges a row. Before it:
// `index`, `element`, `result`, CAPACITY, the parameter struct, the functions combined(element, element) and is_kept(result), and
// look_back.cuh.
//
// A block loads the entries of its rows to shared memory side by side, merges them at the position that a row has if all its results are
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

DEVICE i64 bounded(i64 at, i64 low, i64 high) { return at < low ? low : at < high ? at : high; }

// Entries of one row of a matrix in shared memory.
struct row_part {
  u32 from, to;
};

// Calls `visit(column, result)` for each position of a row that either matrix stores, where the result is kept.
template <class Visit> DEVICE void merge_row(const merge_tile &tile, row_part a, row_part b, Visit visit) {
  bool has_a = a.from < a.to, has_b = b.from < b.to;
  index of_a = has_a ? tile.columns[a.from] : 0, of_b = has_b ? tile.columns[b.from] : 0;
#pragma unroll 1
  while (has_a || has_b) {
    const bool takes_a = has_a && (!has_b || of_a <= of_b), takes_b = has_b && (!has_a || of_b <= of_a);
    const element x = takes_a ? tile.values[a.from] : element{}, y = takes_b ? tile.values[b.from] : element{};
    const index column = takes_a ? of_a : of_b;
    // The next columns are on their way while the values are combined.
    has_a = (a.from += takes_a) < a.to;
    has_b = (b.from += takes_b) < b.to;
    if (takes_a && has_a) of_a = tile.columns[a.from];
    if (takes_b && has_b) of_b = tile.columns[b.from];
    const result r = combined(x, y);
    if (is_kept(r)) visit(column, r);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) merge_rows(const __grid_constant__ params p) {
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
    const i64 start = bounded((i64)ends[0], 0, p.sizes[m]);
    const u32 many = (u32)bounded((i64)ends[rows] - start, 0, bounded(p.sizes[m] - start, 0, CAPACITY - filled));
    const auto within = [&](i64 end) { return filled + (u32)bounded(end - start, 0, many); };
    parts[m] = {};
    if (has_row) parts[m] = {within((i64)ends[threadIdx.x]), within((i64)ends[threadIdx.x + 1])};
#pragma unroll 4
    for (u32 k = threadIdx.x; k < many; k += THREADS) {
      tile.columns[filled + k] = p.indices[m][start + k];
      tile.values[filled + k] = p.values[m][start + k];
    }
    filled += many;
  }
  __syncthreads();
  // The second matrix's entries are after those of the first.
  const u32 merged = parts[0].from + (parts[1].from - second);
  u32 own = 0;
  merge_row(tile, parts[0], parts[1], [&](index column, result r) {
    // Rows of wrong pointers may overlap.
    if (merged + own >= CAPACITY) return;
    tile.merged[merged + own] = column;
    tile.results[merged + own++] = r;
  });
  u32 at = own;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 other = __shfl_up_sync(~0u, at, step);
    if (lane >= step) at += other;
  }
  if (lane == 31) tile.sums[warp] = at;
  __syncthreads();
  at -= own;
  u32 total = 0;
  for (u32 w = 0; w < WARPS; ++w) {
    if (w < warp) at += tile.sums[w];
    total += tile.sums[w];
  }
  // The count is known to later blocks before this one writes.
  const u64 before = gridDim.x > 1 ? counted_before(state + 1, block, total) : 0;
  const u32 start = at;
#pragma unroll 1
  for (u32 k = 0; k < own && at < CAPACITY; ++k, ++at) {
    tile.columns[at] = tile.merged[merged + k];
    tile.packed[at] = tile.results[merged + k];
  }
  __syncthreads();
  if (has_row) p.out_ends[first + threadIdx.x + 1] = (index)(before + start + own);
  if (block == 0 && threadIdx.x == 0) p.out_ends[0] = 0;
  const u32 filled_results = total < CAPACITY ? total : CAPACITY;
#pragma unroll 4
  for (u32 k = threadIdx.x; k < filled_results; k += THREADS) {
    if (before + k >= p.results) break;
    p.columns[before + k] = tile.columns[k];
    p.out[before + k] = tile.packed[k];
  }
}
