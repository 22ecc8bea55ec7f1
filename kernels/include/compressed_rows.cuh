// Searches in rising pointers, and the rows of a block's entries. Required before it: `index`, the integer type of pointers.

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
