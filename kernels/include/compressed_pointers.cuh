// Pointers of compressed rows. Required before it: `index`, the integer type of pointers and coordinates, and the
// parameter structs.

// Returns the number of increasing values that are at most x (RIGHT), or less than x.
template <bool RIGHT> DEVICE u64 bound(const index *values, u64 n, i64 x) {
  u64 low = 0;
  while (n > 0) {
    const u64 half = n / 2;
    const i64 v = (i64)values[low + half];
    if (RIGHT ? v <= x : v < x) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

// The same by a whole warp, which reads 32 values at once.
template <bool RIGHT> DEVICE u64 warp_bound(const index *values, u64 n, i64 x) {
  const u32 lane = threadIdx.x % 32;
  u64 low = 0;
#pragma unroll 1
  while (n > 0) {
    const u64 step = (n + 31) / 32, at = lane * step;
    const bool before = at < n && (RIGHT ? (i64)values[low + at] <= x : (i64)values[low + at] < x);
    const u32 count = __popc(__ballot_sync(~0u, before));
    if (count == 0) break;
    // The last of these values is before the bound, and the next one, which is not, ends the range.
    const u64 skipped = (count - 1) * step + 1, end = count * step < n ? count * step : n;
    low += skipped;
    n = end - skipped;
  }
  return low;
}

// Entries of a block: neighbouring ones belong to few rows, whose pointers are searched in shared memory.
constexpr u32 TILE = 4096, EACH = TILE / 256;

struct entry_tile {
  u64 rows[2];
  index ends[TILE + 2];
};

// Calls `visit(entry, row)` for each entry of the block's tile; `ends` has rows + 1 rising pointers.
template <class F> DEVICE void visit_rows(const index *ends, u64 rows, u64 entries, entry_tile &tile, F visit) {
  const u64 start = (u64)blockIdx.x * TILE, end = start + TILE < entries ? start + TILE : entries;
  if (rows == 0) return;
  if (threadIdx.x < 64) {
    const u64 after = warp_bound<true>(ends, rows + 1, (i64)(threadIdx.x < 32 ? start : end - 1));
    // Pointers that are wrong, which their check reports, may leave an entry without a row.
    const u64 row = after > 0 ? after - 1 : 0;
    if (threadIdx.x % 32 == 0) tile.rows[threadIdx.x / 32] = row < rows ? row : rows - 1;
  }
  __syncthreads();
  const u64 first = tile.rows[0], many = tile.rows[1] >= first ? tile.rows[1] - first + 1 : 1;
  const bool held = many <= TILE;
  if (held) {
    for (u32 k = threadIdx.x; k <= many; k += 256) tile.ends[k] = ends[first + k];
    __syncthreads();
  }
  // A thread's entries are 256 apart, so that neighbours write together.
#pragma unroll 1
  for (u64 i = start + threadIdx.x; i < end; i += 256) {
    const u64 after = held ? bound<true>(tile.ends, many + 1, (i64)i) : bound<true>(ends + first, many + 1, (i64)i);
    const u64 row = after > 0 ? after - 1 : 0;
    visit(i, first + (row < many ? row : many - 1));
  }
}

// The row of each entry: the last one that begins at the entry or before it.
extern "C" __global__ void __launch_bounds__(256) expand_pointers(const __grid_constant__ pointer_params p) {
  __shared__ entry_tile tile;
  visit_rows(p.values, p.length - 1, p.results, tile, [&](u64 i, u64 row) { p.out[i] = (index)row; });
}

// Where each row begins among sorted rows; the last pointer is their number. The entries of a block's rows are found first.
extern "C" __global__ void __launch_bounds__(256) compress_pointers(const __grid_constant__ pointer_params p) {
  __shared__ u64 range[2];
  const u64 start = (u64)blockIdx.x * 1024, end = start + 1024 < p.results ? start + 1024 : p.results;
  if (threadIdx.x < 64) {
    const u64 found = warp_bound<false>(p.values, p.length, (i64)(threadIdx.x < 32 ? start : end - 1));
    if (threadIdx.x % 32 == 0) range[threadIdx.x / 32] = found;
  }
  __syncthreads();
  const u64 first = range[0], many = range[1] > first ? range[1] - first : 0;
#pragma unroll 1
  for (u64 r = start + threadIdx.x; r < end; r += 256) p.out[r] = (index)(first + bound<false>(p.values + first, many, (i64)r));
}

// The entries of chosen rows: for each result the position of its source, and the number of the chosen row.
extern "C" __global__ void __launch_bounds__(256) row_entries(const __grid_constant__ row_params p) {
  __shared__ entry_tile tile;
  visit_rows(p.ends, p.rows, p.results, tile, [&](u64 i, u64 row) {
    p.out[i] = (index)((i64)p.starts[row] + ((i64)i - (i64)p.ends[row]));
    p.row[i] = (index)row;
  });
}

// The position of the entry at a row and a column, -1 where there is none; columns rise within each row.
extern "C" __global__ void __launch_bounds__(256) find_entries(const __grid_constant__ find_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.results) return;
  const i64 row = (i64)p.row[i], column = (i64)p.column[i];
  i64 found = -1;
  if (row >= 0 && row < p.rows) {
    const i64 last = (i64)p.ends[row + 1], end = last < p.entries ? last : p.entries, first = (i64)p.ends[row];
    if (first >= 0 && first < end) {
      const i64 at = first + (i64)bound<false>(p.indices + first, (u64)(end - first), column);
      if (at < end && (i64)p.indices[at] == column) found = at;
    }
  }
  p.out[i] = (index)found;
}

// Reports coordinates that are less than the lowest one, or not less than the size of their axis.
extern "C" __global__ void __launch_bounds__(256) check_coordinates(const __grid_constant__ check_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.values_size) return;
  const i64 v = (i64)p.values[i];
  if (v < p.lowest || v >= p.bound) report_error((error_record *)p.record, p.call, p.function, i, v, p.axis, (u64)p.bound);
}

// Reports pointers that do not begin at 0, that decrease, that exceed the number of entries, or that do not end there; the
// axis is the number of a message.
extern "C" __global__ void __launch_bounds__(256) check_pointers(const __grid_constant__ check_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.values_size) return;
  const i64 v = (i64)p.values[i], least = i + 1 == p.values_size ? p.bound : i > 0 ? (i64)p.values[i - 1] : 0;
  const i64 most = i > 0 || i + 1 == p.values_size ? p.bound : 0;
  if (v < least || v > most) report_error((error_record *)p.record, p.call, p.function, i, v, p.axis, (u64)p.bound);
}
