// Entries grouped by rows and sorted by columns: rows are counted, entries are scattered to the slots of their rows, and each takes
// the position that the number of smaller ones in its row says. The order within a row is that of (column, entry), whatever the
// order in which the counters are incremented. Required before it: compressed_rows.cuh, `item` and the parameter struct.

// A row of more entries is not sorted: the time of a row is the square of its entries, and ranks have 8 bits.
constexpr i64 LONGEST_ROW = 256;

// Without columns, all are zero.
struct alignas(2 * sizeof(index)) slot {
  index column, entry;
};

// Rows out of bounds, which the check of the indices reports, count as the nearest one.
DEVICE u64 row_of(const params &p, u64 entry) {
  const i64 row = (i64)p.major[entry];
  return row < 0 ? 0 : row < p.rows ? (u64)row : (u64)p.rows - 1;
}

// Adds up the numbers of sectors of counters, of eight each, that samples of 32 consecutive entries increment.
extern "C" __global__ void __launch_bounds__(256) sample_sectors(const __grid_constant__ params p) {
  const u32 lane = threadIdx.x % 32, warp = blockIdx.x * 8 + threadIdx.x / 32;
  const u64 i = p.entries / (gridDim.x * 8) * warp + lane;
  const u64 sector = i < p.entries ? row_of(p, i) / 8 : 0;
  bool first = true;
  for (u32 other = 0; other < 31; ++other) {
    const u64 its = __shfl_sync(~0u, sector, (int)other);
    first &= other >= lane || its != sector;
  }
  const u32 sectors = __popc(__ballot_sync(~0u, first));
  if (lane == 0) atomicAdd(p.status, sectors);
}

// Counts the entries of each row in the pointer after it; an entry's rank is the count before.
extern "C" __global__ void __launch_bounds__(256) count_entries(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.entries) return;
  index *counter = p.ends + row_of(p, i) + 1;
  const u64 rank = sizeof(index) == 8 ? atomicAdd((u64 *)counter, (u64)1) : (u64)atomicAdd((u32 *)counter, 1u);
  p.ranks[i] = (u8)rank;
}

extern "C" __global__ void __launch_bounds__(256) scatter_entries(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.entries) return;
  ((slot *)p.slots)[(u64)p.ends[row_of(p, i)] + p.ranks[i]] = {p.minor ? p.minor[i] : (index)0, (index)i};
}

// Writes the sorted columns and values. The first status is set if a row is too long, the second if a row has a column twice.
extern "C" __global__ void __launch_bounds__(256) sort_rows(const __grid_constant__ params p) {
  __shared__ entry_tile tile;
  const slot *slots = (const slot *)p.slots;
  bool twice = false;
  visit_rows(p.ends, (u64)p.rows, p.entries, tile, [&](u64 i, u64 row) {
    const i64 begin = (i64)p.ends[row], end = (i64)p.ends[row + 1];
    if (end - begin > LONGEST_ROW) {
      if ((i64)i == begin) atomicOr(p.status, 1u);
      return;
    }
    const slot own = slots[i];
    i64 at = begin;
#pragma unroll 1
    for (i64 k = begin; k < end; ++k) {
      const slot other = slots[k];
      const bool same = other.column == own.column;
      at += other.column < own.column || (same && other.entry < own.entry);
      twice |= same && other.entry < own.entry;
    }
    if (p.minor) p.columns[at] = own.column;
    p.out[at] = p.input[own.entry];
  });
  if (__ballot_sync(~0u, twice && p.minor) && threadIdx.x % 32 == 0) atomicOr(p.status + 1, 1u);
}
