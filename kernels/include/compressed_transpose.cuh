// Compressed rows whose entries are grouped by columns, where neighbouring rows have their entries in few ranges of columns: no entry is
// moved twice. Required before it: `index`, `item` and the parameter struct.
//
// Columns are cut into bins of 2^shift, rows into tiles. A first pass counts the entries of each bin and lists the tiles that have some of
// them, with the first and the last of their positions in the rows; then a block reads these entries of the tiles of a bin and sorts its
// own in shared memory, by columns and, in a column, by their order.
//
// Pointers and columns may be wrong, which their check reports later: no element outside of the arrays is accessed.

// Rows of a tile, entries of a row, and tiles and entries of a bin: the fields of `found` have their bits.
constexpr u32 TILE_ROWS = 128, LONGEST_ROW = 256, LISTED = 64, CAPACITY = 4096, MOST_COLUMNS = 1024;
constexpr u32 WARPS = 8, TOGETHER = 4;

// A tile of a bin, with the first and the last position of the bin's entries in its rows.
DEVICE u64 listed_tile(u64 tile, u32 first, u32 last) { return tile << 16 | first << 8 | last; }

// Entries of a row.
struct row_span {
  index from;
  u32 size;
};

DEVICE row_span span_of(const params &p, u64 row) {
  if (row >= p.rows) return {0, 0};
  const index start = p.ends[row], end = p.ends[row + 1], entries = (index)p.entries;
  const index from = start < 0 ? 0 : start < entries ? start : entries, to = end < from ? from : end < entries ? end : entries;
  return {from, (u32)(to - from)};
}

// The column of an entry; one that is out of bounds counts as the nearest one.
DEVICE index column_of(const params &p, index entry) {
  const index column = p.indices[entry], columns = (index)p.columns;
  return column < 0 ? 0 : column < columns ? column : columns - 1;
}

DEVICE u32 most_of_warp(u32 x) {
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) {
    const u32 other = __shfl_xor_sync(~0u, x, step);
    if (other > x) x = other;
  }
  return x;
}

// Counts the entries of a tile in each bin, a lane for each bin, and lists the tile there. A warp has a tile. The first status is set if a
// tile has entries in more than 32 bins, a row too many entries, or a bin too many entries or tiles.
extern "C" __global__ void __launch_bounds__(32 * WARPS) bin_tiles(const __grid_constant__ params p) {
  const u32 lane = threadIdx.x % 32;
  const u64 tile = (u64)blockIdx.x * WARPS + threadIdx.x / 32, first = tile * TILE_ROWS;
  u32 *const status = p.status;
  if (first >= p.rows || __shfl_sync(~0u, *(volatile u32 *)status, 0) != 0) return;
  u32 filled = 0, own_count = 0, own_bin = ~0u, own_first = ~0u, own_last = 0;
  bool fits = true;
  constexpr u32 PARTS = TILE_ROWS / 32;
  row_span spans[PARTS];
#pragma unroll
  for (u32 k = 0; k < PARTS; ++k) spans[k] = span_of(p, first + k * 32 + lane);
#pragma unroll 1
  for (u32 part = 0; part < PARTS && fits; ++part) {
    row_span span = spans[0];
#pragma unroll
    for (u32 k = 1; k < PARTS; ++k)
      if (part == k) span = spans[k];
    const u32 most = most_of_warp(span.size);
    fits = most <= LONGEST_ROW;
#pragma unroll 1
    for (u32 base = 0; base < most && fits; base += TOGETHER) {
      u32 bins[TOGETHER];
#pragma unroll
      for (u32 k = 0; k < TOGETHER; ++k)
        bins[k] = base + k < span.size ? (u32)(column_of(p, span.from + (index)(base + k)) >> p.shift) : ~0u;
#pragma unroll
      for (u32 k = 0; k < TOGETHER; ++k) {
        u32 left = __ballot_sync(~0u, bins[k] != ~0u);
#pragma unroll 1
        while (left) {
          const u32 bin = __shfl_sync(~0u, bins[k], __ffs((int)left) - 1);
          const u32 same = __ballot_sync(~0u, bins[k] == bin);
          left &= ~same;
          if (!__ballot_sync(~0u, own_bin == bin)) {
            fits = fits && filled < 32;
            if (lane == filled) own_bin = bin;
            ++filled;
          }
          if (own_bin == bin) {
            own_count += __popc(same);
            if (base + k < own_first) own_first = base + k;
            if (base + k > own_last) own_last = base + k;
          }
        }
      }
    }
  }
  if (fits && own_bin != ~0u) {
    const u64 before = sizeof(index) == 8 ? atomicAdd((u64 *)(p.counts + own_bin + 1), (u64)own_count)
                                          : (u64)atomicAdd((u32 *)(p.counts + own_bin + 1), own_count);
    const u32 slot = atomicAdd(p.listed + own_bin, 1u);
    if (slot < LISTED) p.tiles[(u64)own_bin * LISTED + slot] = listed_tile(tile, own_first, own_last);
    fits = slot < LISTED && before + own_count <= CAPACITY;
  }
  if (__ballot_sync(~0u, !fits) && lane == 0) atomicOr(status, 1u);
}

// An entry of a bin in 32 bits, in the order of (column, entry): its column, the index of its tile in the list, its row in the tile, and its
// position in the row.
DEVICE u32 found(u32 column, u32 tile, u32 row, u32 position) { return column << 21 | tile << 15 | row << 8 | position; }

// Calls `visit(column, entry)` for each entry of a bin, of a listed tile: its column counted from the first of the bin. A warp reads a
// position of all rows of a tile together.
template <class Visit> DEVICE void visit_entries(const params &p, const u64 *tiles, u32 listed, Visit visit) {
  constexpr u32 PARTS = TILE_ROWS / 32;
  const u32 lane = threadIdx.x % 32, width = 1u << p.shift;
  const index first_column = (index)((u64)blockIdx.x << p.shift);
#pragma unroll 1
  for (u32 tile = threadIdx.x / 32; tile < listed; tile += WARPS) {
    const u64 own = tiles[tile];
    const u32 last = (u32)own & 255;
    row_span spans[PARTS];
#pragma unroll
    for (u32 k = 0; k < PARTS; ++k) spans[k] = span_of(p, (own >> 16) * TILE_ROWS + k * 32 + lane);
#pragma unroll 1
    for (u32 position = (u32)(own >> 8) & 255; position <= last; ++position) {
      index columns[PARTS];
#pragma unroll
      for (u32 k = 0; k < PARTS; ++k) columns[k] = position < spans[k].size ? column_of(p, spans[k].from + (index)position) : (index)-1;
#pragma unroll
      for (u32 k = 0; k < PARTS; ++k) {
        const u64 column = sizeof(index) == 4 ? (u64)((u32)columns[k] - (u32)first_column) : (u64)columns[k] - (u64)first_column;
        if (columns[k] >= 0 && column < width) visit((u32)column, found((u32)column, tile, k * 32 + lane, position));
      }
    }
  }
}

// Sorts the entries of a column, at most N, which are `stride` apart, to `out`. Returns true if a row is there twice.
template <u32 N> DEVICE bool sort_column(const u32 *in, u32 stride, u32 count, u32 *out) {
  u32 entries[N];
#pragma unroll
  for (u32 k = 0; k < N; ++k) entries[k] = k < count ? in[k * stride] : ~0u;
  // Neighbours are exchanged at even and at odd positions in turn, N times.
#pragma unroll
  for (u32 round = 0; round < N; ++round)
#pragma unroll
    for (u32 k = round % 2; k + 1 < N; k += 2) {
      const u32 x = entries[k], y = entries[k + 1];
      entries[k] = x < y ? x : y;
      entries[k + 1] = x < y ? y : x;
    }
  bool twice = false;
#pragma unroll
  for (u32 k = 0; k < N; ++k) {
    if (k >= count) break;
    out[k] = entries[k];
    if (k > 0) twice |= entries[k] >> 8 == entries[k - 1] >> 8;
  }
  return twice;
}

// Entries of a column that a thread sorts.
constexpr u32 FEW = 8, SOME = 16;

// Writes the entries of a bin by columns, and the pointers of its columns. The second status is set if a column has a row twice.
//
// Entries are first stored in slots of their columns, in any order. If these suffice, a thread sorts a column; otherwise entries are read
// once more, and each finds its rank among those of its column.
extern "C" __global__ void __launch_bounds__(32 * WARPS) transpose_bins(const __grid_constant__ params p) {
  constexpr u32 EACH = MOST_COLUMNS / (32 * WARPS);
  __shared__ u32 unordered[CAPACITY], sorted[CAPACITY], ends[MOST_COLUMNS];
  __shared__ u64 tiles[LISTED], listed_tiles[LISTED];
  __shared__ u32 sums[WARPS];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, width = 1u << p.shift;
  const u32 bin = blockIdx.x;
  const u64 first_column = (u64)bin << p.shift;
  const u32 listed = p.listed[bin] < LISTED ? p.listed[bin] : LISTED;
  const i64 start = (i64)p.starts[bin];
  for (u32 c = threadIdx.x; c < MOST_COLUMNS; c += 32 * WARPS) ends[c] = 0;
  if (threadIdx.x < listed) listed_tiles[threadIdx.x] = p.tiles[(u64)bin * LISTED + threadIdx.x];
  __syncthreads();
  // A tile is listed once.
  if (threadIdx.x < listed) {
    u32 before = 0;
    for (u32 k = 0; k < listed; ++k) before += listed_tiles[k] < listed_tiles[threadIdx.x];
    tiles[before] = listed_tiles[threadIdx.x];
  }
  __syncthreads();
  const u32 room = CAPACITY >> p.shift, slots = room < SOME ? room : SOME;
  visit_entries(p, tiles, listed, [&](u32 column, u32 entry) {
    const u32 slot = atomicAdd(&ends[column], 1u);
    if (slot < slots) unordered[slot << p.shift | column] = entry;
  });
  __syncthreads();
  // The number of entries before each column.
  u32 counts[EACH], own = 0, most = 0;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    counts[k] = ends[threadIdx.x * EACH + k];
    own += counts[k];
    most = counts[k] > most ? counts[k] : most;
  }
  u32 upto = own;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 other = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += other;
  }
  if (lane == 31) sums[warp] = upto;
  const bool are_few = !__syncthreads_or(most > FEW), have_slots = !__syncthreads_or(most > slots);
  u32 before = upto - own, all = 0;
  for (u32 w = 0; w < WARPS; ++w) {
    if (w < warp) before += sums[w];
    all += sums[w];
  }
  all = all < CAPACITY ? all : CAPACITY;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    ends[threadIdx.x * EACH + k] = before < CAPACITY ? before : CAPACITY;
    before += counts[k];
  }
  if (threadIdx.x == 0 && bin + 1 == gridDim.x) p.out_ends[p.columns] = (index)(start + all);
  __syncthreads();
  for (u32 c = threadIdx.x; c < width && first_column + c < (u64)p.columns; c += 32 * WARPS)
    p.out_ends[first_column + c] = (index)(start + ends[c]);
  bool twice = false;
  if (have_slots) {
#pragma unroll 1
    for (u32 c = threadIdx.x; c < width; c += 32 * WARPS) {
      const u32 begin = ends[c], count = (c + 1 < width ? ends[c + 1] : all) - begin;
      twice |= are_few ? sort_column<FEW>(unordered + c, width, count, sorted + begin)
                       : sort_column<SOME>(unordered + c, width, count, sorted + begin);
    }
  } else {
    __syncthreads();
    // In the end each column's number is the end of its entries.
    visit_entries(p, tiles, listed, [&](u32 column, u32 entry) {
      const u32 at = atomicAdd(&ends[column], 1u);
      if (at < CAPACITY) unordered[at] = entry;
    });
    __syncthreads();
#pragma unroll 1
    for (u32 i = threadIdx.x; i < all; i += 32 * WARPS) {
      const u32 entry = unordered[i], column = entry >> 21, begin = column > 0 ? ends[column - 1] : 0, end = ends[column];
      u32 rank = begin;
#pragma unroll 1
      for (u32 other = begin; other < end; ++other) {
        rank += unordered[other] < entry;
        twice |= other != i && unordered[other] >> 8 == entry >> 8;
      }
      sorted[rank] = entry;
    }
  }
  __syncthreads();
#pragma unroll 1
  for (u32 base = threadIdx.x; base < all; base += 32 * WARPS * TOGETHER) {
    index rows[TOGETHER], from[TOGETHER];
    item values[TOGETHER];
#pragma unroll
    for (u32 k = 0; k < TOGETHER; ++k) {
      const u32 i = base + k * 32 * WARPS;
      if (i >= all) break;
      const u32 entry = sorted[i];
      rows[k] = (index)((tiles[entry >> 15 & 63] >> 16) * TILE_ROWS + (entry >> 8 & 127));
      from[k] = p.ends[rows[k]] + (index)(entry & 255);
    }
#pragma unroll
    for (u32 k = 0; k < TOGETHER; ++k)
      if (base + k * 32 * WARPS < all) values[k] = p.input[(u64)from[k] < p.entries ? from[k] : 0];
#pragma unroll
    for (u32 k = 0; k < TOGETHER; ++k) {
      const u32 i = base + k * 32 * WARPS;
      if (i >= all) break;
      p.out_rows[start + i] = rows[k];
      p.out[start + i] = values[k];
    }
  }
  if (__ballot_sync(~0u, twice) && lane == 0) atomicOr(p.status + 1, 1u);
}
