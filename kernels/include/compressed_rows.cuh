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

// Entries of a block: neighbouring ones belong to few rows. A warp has consecutive ones.
constexpr u32 TILE = 4096, WARPS = 8, PART = TILE / WARPS;

struct entry_tile {
  u64 rows[2];
  // For the first entry of each row its number, counted from the first row of the tile; 0 for other entries.
  u32 first[TILE];
};

// Returns the last number that is not zero up to a lane's, or `before` if there is none; numbers rise.
DEVICE u32 last_number(u32 number, u32 before) {
  const u32 some = __ballot_sync(~0u, number != 0), upto = some & (~0u >> (31 - threadIdx.x % 32));
  const u32 found = __shfl_sync(~0u, number, upto ? 31 - __clz(upto) : 0);
  return upto ? found : before;
}

// Calls `visit(entry, row)` for each entry of the block's tile; `ends` has rows + 1 rising pointers. All threads call it.
template <class F> DEVICE void visit_rows(const index *ends, u64 rows, u64 entries, entry_tile &tile, F visit) {
  const u64 start = (u64)blockIdx.x * TILE, end = start + TILE < entries ? start + TILE : entries;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (rows == 0) return;
  if (threadIdx.x < 64) {
    const u64 after = warp_bound<true>(ends, rows + 1, (i64)(threadIdx.x < 32 ? start : end - 1));
    // Pointers that are wrong, which their check reports, may leave an entry without a row.
    const u64 row = after > 0 ? after - 1 : 0;
    if (threadIdx.x % 32 == 0) tile.rows[threadIdx.x / 32] = row < rows ? row : rows - 1;
  }
  for (u32 k = threadIdx.x; k < TILE; k += 256) tile.first[k] = 0;
  __syncthreads();
  const u64 first = tile.rows[0], many = tile.rows[1] >= first ? tile.rows[1] - first + 1 : 1;
  // Where most rows are empty, each entry searches its own.
  if (many > 4 * TILE) {
#pragma unroll 1
    for (u64 i = start + threadIdx.x; i < end; i += 256) {
      const u64 after = bound<true>(ends + first, many + 1, (i64)i), row = after > 0 ? after - 1 : 0;
      visit(i, first + (row < many ? row : many - 1));
    }
    return;
  }
#pragma unroll 1
  for (u64 k = 1 + threadIdx.x; k < many; k += 256) {
    const i64 from = (i64)ends[first + k];
    // The last of rows that begin at one entry has it.
    if (from > (i64)start && from < (i64)end) atomicMax(tile.first + (u32)(from - (i64)start), (u32)k);
  }
  // The row of the first entry of the warp's part.
  const u64 after = warp_bound<true>(ends + first, many, (i64)(start + warp * PART));
  u32 before = after > 0 ? (u32)after - 1 : 0;
  __syncthreads();
#pragma unroll 1
  for (u32 k = 0; k < PART; k += 32) {
    const u32 row = last_number(tile.first[warp * PART + k + lane], before);
    before = __shfl_sync(~0u, row, 31);
    const u64 i = start + warp * PART + k + lane;
    if (i < end) visit(i, first + row);
  }
}
