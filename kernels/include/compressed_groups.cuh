// Entries grouped by rows and sorted by columns: rows are counted, entries are scattered to the slots of their rows, and each row is
// sorted. The order within a row is that of (column, entry), whatever the order in which the counters are incremented. Required before
// it: compressed_rows.cuh, `item` and the parameter struct.

// A row of more entries is not sorted: the time of a row is the square of its entries, and ranks have 8 bits.
constexpr i64 LONGEST_ROW = 256;

// Without columns, all are zero.
struct alignas(2 * sizeof(index)) slot {
  index column, entry;
};

// A slot of 8 bytes holds a value of at most 4 in place of the number of its entry; a larger one is gathered.
constexpr bool IN_SLOT = sizeof(item) <= 4 && sizeof(slot) == 8;
DEVICE u32 bits_of(u8 x) { return x; }
DEVICE u32 bits_of(u16 x) { return x; }
DEVICE u32 bits_of(u32 x) { return x; }
template <class T> DEVICE u32 bits_of(T) { return 0; }
DEVICE void set_bits(u8 &x, u32 bits) { x = (u8)bits; }
DEVICE void set_bits(u16 &x, u32 bits) { x = (u16)bits; }
DEVICE void set_bits(u32 &x, u32 bits) { x = bits; }
template <class T> DEVICE void set_bits(T &, u32) {}

// Returns the value of a slot; those of ordered slots are in them if they fit.
DEVICE item value_of(const params &p, slot own) {
  item value;
  if (IN_SLOT && p.is_ordered) set_bits(value, (u32)own.entry);
  else value = p.input[own.entry];
  return value;
}

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

// The same where few entries are of a column: a thread scatters those of its column, which are adjacent.
extern "C" __global__ void __launch_bounds__(256) scatter_columns(const __grid_constant__ params p) {
  constexpr u32 EACH = 4;
  const u64 column = (u64)blockIdx.x * 256 + threadIdx.x;
  if (column >= p.columns_of_minor) return;
  const u64 entries = p.entries, begin = (u64)p.minor_ends[column], last = (u64)p.minor_ends[column + 1];
  // Pointers that are wrong, which their check reports, may be beyond the entries.
#pragma unroll 1
  for (u64 i = begin; i < last && i < entries; i += EACH) {
    u64 at[EACH];
#pragma unroll
    for (u32 k = 0; k < EACH; ++k)
      if (i + k < last && i + k < entries) at[k] = (u64)p.ends[row_of(p, i + k)] + p.ranks[i + k];
#pragma unroll
    for (u32 k = 0; k < EACH; ++k)
      if (i + k < last && i + k < entries) ((slot *)p.slots)[at[k]] = {(index)column, (index)(i + k)};
  }
}

// The slots of all entries in their order.
extern "C" __global__ void __launch_bounds__(256) pack_slots(const __grid_constant__ params p) {
  constexpr u32 EACH = 4;
  const u64 start = (u64)blockIdx.x * 256 * EACH + threadIdx.x;
  slot slots[EACH];
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 i = start + k * 256;
    if (i < p.entries) slots[k] = {p.minor[i], IN_SLOT ? (index)bits_of(p.input[i]) : (index)i};
  }
#pragma unroll
  for (u32 k = 0; k < EACH; ++k)
    if (start + k * 256 < p.entries) ((slot *)p.slots)[start + k * 256] = slots[k];
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
      const bool before = same && (p.is_ordered ? k < (i64)i : other.entry < own.entry);
      at += other.column < own.column || before;
      twice |= before;
    }
    if (p.columns) p.columns[at] = own.column;
    p.out[at] = value_of(p, own);
  });
  if (__ballot_sync(~0u, twice && p.columns) && threadIdx.x % 32 == 0) atomicOr(p.status + 1, 1u);
}

// Slots of a block's rows in shared memory.
constexpr u32 SHORT_TILE = 16384 / sizeof(slot);

// Slots of one column are in the order of their entries, which is their own if they are ordered: `is_before` says if that of a is before b's.
DEVICE bool is_less(const params &p, slot a, slot b, bool is_before) {
  return a.column < b.column || (a.column == b.column && (p.is_ordered ? is_before : a.entry < b.entry));
}

// The same for rows that are short as a rule: a thread sorts a row of the block's 256 in shared memory, if it has the room for all of them;
// else a warp ranks the entries of a row.
extern "C" __global__ void __launch_bounds__(256) sort_short_rows(const __grid_constant__ params p) {
  __shared__ slot tile[SHORT_TILE];
  const slot *const slots = (const slot *)p.slots;
  const u64 first = (u64)blockIdx.x * 256, last = first + 256 < (u64)p.rows ? first + 256 : (u64)p.rows;
  // Pointers may be wrong, which their check reports.
  const auto within = [&](u64 row, i64 low, i64 high) {
    const i64 at = (i64)p.ends[row];
    return at < low ? low : at < high ? at : high;
  };
  const i64 base = within(first, 0, (i64)p.entries), to = within(last, base, (i64)p.entries);
  const u64 many = (u64)(to - base);
  bool twice = false;
  const auto write = [&](i64 at, slot own) {
    if (p.columns) p.columns[at] = own.column;
    p.out[at] = value_of(p, own);
  };
  const bool has_row = first + threadIdx.x < last;
  u32 begin = 0, end = 0;
  if (has_row && many <= SHORT_TILE) {
    const i64 from = within(first + threadIdx.x, base, to);
    begin = (u32)(from - base);
    end = (u32)(within(first + threadIdx.x + 1, from, to) - base);
  }
  // Ranks of a longer row have lost bits, so that some of its slots were not written: the caller sorts in another way.
  if (__syncthreads_or(end - begin > LONGEST_ROW)) {
    if (threadIdx.x == 0) atomicOr(p.status, 1u);
    return;
  }
  if (many <= SHORT_TILE) {
#pragma unroll 4
    for (u32 k = threadIdx.x; k < many; k += 256) tile[k] = slots[base + k];
    __syncthreads();
#pragma unroll 1
    for (u32 k = begin + 1; k < end; ++k) {
      const slot own = tile[k];
      u32 at = k;
      for (; at > begin && is_less(p, own, tile[at - 1], false); --at) tile[at] = tile[at - 1];
      tile[at] = own;
    }
    for (u32 k = begin + 1; k < end; ++k) twice |= tile[k].column == tile[k - 1].column;
    __syncthreads();
#pragma unroll 4
    for (u32 k = threadIdx.x; k < many; k += 256) write(base + k, tile[k]);
  } else {
#pragma unroll 1
    for (u64 row = first + threadIdx.x / 32; row < last; row += 8) {
      const i64 begin = within(row, 0, (i64)p.entries), end = within(row + 1, begin, (i64)p.entries);
      if (end - begin > LONGEST_ROW) {
        if (threadIdx.x % 32 == 0) atomicOr(p.status, 1u);
        continue;
      }
#pragma unroll 1
      for (i64 i = begin + threadIdx.x % 32; i < end; i += 32) {
        const slot own = slots[i];
        i64 at = begin;
#pragma unroll 1
        for (i64 k = begin; k < end; ++k) {
          at += is_less(p, slots[k], own, k < i);
          twice |= k != i && slots[k].column == own.column;
        }
        write(at, own);
      }
    }
  }
  if (__ballot_sync(~0u, twice && p.columns) && threadIdx.x % 32 == 0) atomicOr(p.status + 1, 1u);
}
