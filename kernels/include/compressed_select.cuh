// Rows and columns of compressed rows, selected by a range or a list of indices. Required before it: `index`, compressed_rows.cuh,
// look_back.cuh, device_errors.cuh and the parameter structs.
//
// Pointers and columns may be wrong, which their check reports later: no element outside of the arrays is accessed.

DEVICE i64 bounded(i64 at, i64 low, i64 high) { return at < low ? low : at < high ? at : high; }

struct block_sums {
  u64 sums[8];
};

// Returns the number of results before those of a thread, of `own`, in its block, and the number of all in it. All threads call it.
DEVICE u64 before_in_block(u64 own, block_sums &shared, u64 &total) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u64 upto = own;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u64 other = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += other;
  }
  if (lane == 31) shared.sums[warp] = upto;
  __syncthreads();
  u64 before = upto - own;
  total = 0;
  for (u32 w = 0; w < 8; ++w) {
    if (w < warp) before += shared.sums[w];
    total += shared.sums[w];
  }
  return before;
}

// Returns the number of results of the blocks before one that has `total`. The state has a ticket, a word for each block, and the number of
// all results, which the last block writes. All threads call it.
DEVICE u64 before_block(u64 *state, u64 block, u64 total) {
  const u64 before = counted_before(state + 1, block, total);
  if (threadIdx.x == 0 && block + 1 == gridDim.x) state[gridDim.x + 1] = before + total;
  return before;
}

// Returns the number of results before those of a thread, of `own`, in all blocks. All threads call it.
DEVICE u64 results_before(u64 *state, u64 block, u64 own, block_sums &shared) {
  u64 total;
  const u64 before = before_in_block(own, shared, total);
  return before + before_block(state, block, total);
}

// Returns an index counted from the start; one that is out of bounds becomes the nearest one.
template <class P> DEVICE i64 from_start(const P &p, i64 i) { return bounded(i < 0 ? i + p.size : i, 0, p.size - 1); }

// Returns an index of a list counted from the start; one that is out of bounds is reported.
template <class P> DEVICE i64 listed(const P &p, u64 k) {
  const i64 i = p.list[k];
  if (i < -p.size || i >= p.size) report_error((error_record *)p.record, p.call, p.function, k, i, p.axis, (u64)p.size);
  return from_start(p, i);
}

constexpr u32 ROWS_EACH = 4;

// For each selected row its first entry and the number of results before it.
extern "C" __global__ void __launch_bounds__(256) select_rows(const __grid_constant__ row_params p) {
  __shared__ block_sums sums;
  u64 *const state = (u64 *)p.state;
  const u64 block = next_block(state), start = (block * 256 + threadIdx.x) * ROWS_EACH;
  i64 rows[ROWS_EACH], from[ROWS_EACH], lengths[ROWS_EACH];
#pragma unroll
  for (u32 e = 0; e < ROWS_EACH; ++e) {
    const u64 k = start + e;
    rows[e] = k >= p.rows ? (i64)-1 : p.list ? listed(p, k) : p.first + (i64)k * p.step;
  }
#pragma unroll
  for (u32 e = 0; e < ROWS_EACH; ++e) {
    from[e] = lengths[e] = 0;
    if (rows[e] < 0) continue;
    from[e] = (i64)p.ends[rows[e]];
    lengths[e] = (i64)p.ends[rows[e] + 1];
  }
  u64 own = 0;
#pragma unroll
  for (u32 e = 0; e < ROWS_EACH; ++e) {
    from[e] = bounded(from[e], 0, p.entries);
    lengths[e] = bounded(lengths[e], from[e], p.entries) - from[e];
    own += (u64)lengths[e];
  }
  u64 at = results_before(state, block, own, sums);
#pragma unroll
  for (u32 e = 0; e < ROWS_EACH; ++e) {
    const u64 k = start + e;
    if (k >= p.rows) break;
    p.starts[k] = (index)from[e];
    p.out_ends[k] = (index)at;
    at += (u64)lengths[e];
    if (k + 1 == p.rows) p.out_ends[p.rows] = (index)at;
  }
}

template <class T> DEVICE void move_as(u64 out, u64 at, u64 in, u64 from) { ((T *)out)[at] = ((const T *)in)[from]; }

// Copies a value of `bytes` bytes.
DEVICE void move(u32 bytes, u64 out, u64 at, u64 in, u64 from) {
  switch (bytes) {
    case 1: move_as<u8>(out, at, in, from); break;
    case 2: move_as<u16>(out, at, in, from); break;
    case 4: move_as<u32>(out, at, in, from); break;
    case 8: move_as<u64>(out, at, in, from); break;
    default: move_as<uint4>(out, at, in, from);
  }
}

// Copies elements from these positions to every 256th from `at` on, before `end`.
template <class T, u32 EACH> DEVICE void gather_tile(T *out, const T *in, const u64 (&from)[EACH], u64 at, u64 end) {
  T values[EACH];
#pragma unroll
  for (u32 e = 0; e < EACH; ++e)
    if (at + e * 256 < end) values[e] = in[from[e]];
#pragma unroll
  for (u32 e = 0; e < EACH; ++e)
    if (at + e * 256 < end) out[at + e * 256] = values[e];
}

// Copies the entries of selected rows: first their rows are found, then each thread copies some, whose loads are on their way together.
extern "C" __global__ void __launch_bounds__(256) copy_rows(const __grid_constant__ copy_params p) {
  constexpr u32 EACH = 8;
  __shared__ entry_tile tile;
  const auto source = [&](u64 i, u64 row) { return (u64)((i64)p.starts[row] + ((i64)i - (i64)p.ends[row])); };
  // The rows of a tile are counted in 32 bits.
  const bool is_narrow = p.rows >> 32 == 0;
  const u64 start = (u64)blockIdx.x * TILE;
  visit_rows(p.ends, p.rows, p.results, tile, [&](u64 i, u64 row) {
    // The number that is here was read by this thread.
    tile.first[(u32)(i - start)] = (u32)row;
    if (is_narrow) return;
    const u64 from = source(i, row);
    p.columns[i] = p.indices[from];
    move(p.bytes, p.out, i, p.inputs, from);
  });
  __syncthreads();
  if (!is_narrow) return;
#pragma unroll 1
  for (u32 k = threadIdx.x; k < TILE && start + k < p.results; k += 256 * EACH) {
    u64 from[EACH];
    index columns[EACH];
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      const u64 i = start + k + e * 256;
      from[e] = k + e * 256 < TILE && i < p.results ? source(i, tile.first[k + e * 256]) : 0;
    }
#pragma unroll
    for (u32 e = 0; e < EACH; ++e)
      if (k + e * 256 < TILE && start + k + e * 256 < p.results) columns[e] = p.indices[from[e]];
#pragma unroll
    for (u32 e = 0; e < EACH; ++e)
      if (k + e * 256 < TILE && start + k + e * 256 < p.results) p.columns[start + k + e * 256] = columns[e];
    const u64 most = p.results - start < TILE ? p.results : start + TILE;
    switch (p.bytes) {
      case 1: gather_tile((u8 *)p.out, (const u8 *)p.inputs, from, start + k, most); break;
      case 2: gather_tile((u16 *)p.out, (const u16 *)p.inputs, from, start + k, most); break;
      case 4: gather_tile((u32 *)p.out, (const u32 *)p.inputs, from, start + k, most); break;
      case 8: gather_tile((u64 *)p.out, (const u64 *)p.inputs, from, start + k, most); break;
      default: gather_tile((uint4 *)p.out, (const uint4 *)p.inputs, from, start + k, most);
    }
  }
}

// Rows and entries of a block of `gather_rows`.
constexpr u32 GATHERED_ROWS = 256, GATHERED = 4096;

// Copies elements of rows to those from `before()` on, which all threads call after the first loads: element k of a block is of row
// `row_of[k]`, whose elements are `shift[row]` after k.
template <class T, class Before>
DEVICE void gather_entries(T *out, const T *in, const u8 *row_of, const i64 *shift, u32 entries, u64 room, Before before) {
  constexpr u32 EACH = 8;
  u64 at = 0;
#pragma unroll 1
  for (u32 base = 0; base == 0 || base < entries; base += 256 * EACH) {
    T values[EACH];
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      const u32 k = base + e * 256 + threadIdx.x;
      if (k < entries) values[e] = in[shift[row_of[k]] + (i64)k];
    }
    if (base == 0) at = before();
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      const u32 k = base + e * 256 + threadIdx.x;
      if (k < entries && at + k < room) out[at + k] = values[e];
    }
  }
}

// Copies selected rows of about equal lengths in one pass: a block has at most `rows_of_block` rows, whose entries fit in its tables.
extern "C" __global__ void __launch_bounds__(GATHERED_ROWS) gather_rows(const __grid_constant__ gather_params p) {
  __shared__ block_sums sums;
  __shared__ u8 row_of[GATHERED];
  __shared__ i64 shift[GATHERED_ROWS];
  u64 *const state = (u64 *)p.state;
  const u64 block = next_block(state), k = block * p.rows_of_block + threadIdx.x;
  const bool has_row = threadIdx.x < p.rows_of_block && k < p.rows;
  i64 from = 0, length = 0;
  if (has_row) {
    const i64 row = p.list ? listed(p, k) : p.first + (i64)k * p.step;
    from = bounded((i64)p.ends[row], 0, p.entries);
    // Rows are no longer than the longest, by which the rows of a block are counted, unless pointers were written since.
    length = bounded((i64)p.ends[row + 1] - from, 0, bounded(p.entries - from, 0, GATHERED / p.rows_of_block));
  }
  u64 total, first = 0;
  const u32 own = (u32)before_in_block((u64)length, sums, total), entries = (u32)total;
  shift[threadIdx.x] = from - (i64)own;
  for (u32 e = 0; e < (u32)length; ++e) row_of[own + e] = (u8)threadIdx.x;
  __syncthreads();
  // Where the block's results begin is known after the first columns are on their way.
  gather_entries(p.columns, p.indices, row_of, shift, entries, p.room, [&]() { return first = before_block(state, block, total); });
  if (has_row) p.out_ends[k] = (index)(first + own);
  if (has_row && k + 1 == p.rows) p.out_ends[p.rows] = (index)(first + total);
  const auto known = [&]() { return first; };
  switch (p.bytes) {
    case 1: gather_entries((u8 *)p.out, (const u8 *)p.inputs, row_of, shift, entries, p.room, known); break;
    case 2: gather_entries((u16 *)p.out, (const u16 *)p.inputs, row_of, shift, entries, p.room, known); break;
    case 4: gather_entries((u32 *)p.out, (const u32 *)p.inputs, row_of, shift, entries, p.room, known); break;
    case 8: gather_entries((u64 *)p.out, (const u64 *)p.inputs, row_of, shift, entries, p.room, known); break;
    default: gather_entries((uint4 *)p.out, (const uint4 *)p.inputs, row_of, shift, entries, p.room, known);
  }
}

constexpr u32 SLICE_EACH = 8;

// Copies those of a block's elements that exist; the loads of a thread are on their way together.
template <class T> DEVICE void copy_tile(T *out, const T *in, u64 start, u64 results) {
  T values[SLICE_EACH];
#pragma unroll
  for (u32 k = 0; k < SLICE_EACH; ++k)
    if (start + k * 256 < results) values[k] = in[start + k * 256];
#pragma unroll
  for (u32 k = 0; k < SLICE_EACH; ++k)
    if (start + k * 256 < results) out[start + k * 256] = values[k];
}

// Copies consecutive rows, whose first entry is `from`. Where their first entry and end are read here, the results that have no room are
// left out.
extern "C" __global__ void __launch_bounds__(256) copy_slice(const __grid_constant__ copy_params p) {
  const u64 start = (u64)blockIdx.x * 256 * SLICE_EACH + threadIdx.x;
  i64 from = p.from, all = (i64)p.results;
  if (p.reads_borders) {
    from = bounded((i64)p.ends[0], 0, p.entries);
    all = bounded((i64)p.ends[p.rows], from, p.entries) - from;
  }
  const u64 results = (u64)all < p.results ? (u64)all : p.results;
  copy_tile(p.columns, p.indices + from, start, results);
  switch (p.bytes) {
    case 1: copy_tile((u8 *)p.out, (const u8 *)p.inputs + from, start, results); break;
    case 2: copy_tile((u16 *)p.out, (const u16 *)p.inputs + from, start, results); break;
    case 4: copy_tile((u32 *)p.out, (const u32 *)p.inputs + from, start, results); break;
    case 8: copy_tile((u64 *)p.out, (const u64 *)p.inputs + from, start, results); break;
    default: copy_tile((uint4 *)p.out, (const uint4 *)p.inputs + from, start, results);
  }
#pragma unroll
  for (u32 k = 0; k < SLICE_EACH; ++k) {
    const u64 row = start + k * 256;
    if (row <= p.rows) p.out_ends[row] = (index)(bounded((i64)p.ends[row], from, from + all) - from);
  }
}

// Returns a listed column counted from the start, and sets its bit. `falls` is set if it is less than the one before.
DEVICE i64 list_column(const list_params &p, u64 k) {
  const i64 column = listed(p, k);
  atomicOr(p.bits + column / 32, 1u << (u32)(column % 32));
  if (k == 0) return column;
  if (from_start(p, p.list[k - 1]) > column) atomicOr(p.falls, 1u);
  return column;
}

// The listed columns counted from the start, and a bit for each column that is listed.
extern "C" __global__ void __launch_bounds__(256) list_columns(const __grid_constant__ list_params p) {
  const u64 k = (u64)blockIdx.x * 256 + threadIdx.x;
  if (k < p.count) p.chosen[k] = (index)list_column(p, k);
}

// Columns of a list that are compared with each other, the bits of their numbers, and the lanes that compare one.
constexpr u32 SORTED_BITS = 11, SORTED = 1u << SORTED_BITS, RANK_LANES = 16;

// The same for a short list, sorted by columns and, of equal ones, by their order: a column's rank is the number of those before it.
extern "C" __global__ void __launch_bounds__(256) sort_columns(const __grid_constant__ list_params p) {
  __shared__ u64 keys[SORTED];
  const u32 count = (u32)p.count;
  for (u32 k = threadIdx.x; k < count; k += 256) keys[k] = (u64)from_start(p, p.list[k]) << SORTED_BITS | k;
  __syncthreads();
  const u32 own = (blockIdx.x * 256 + threadIdx.x) / RANK_LANES, lane = threadIdx.x % RANK_LANES;
  const u64 key = own < count ? keys[own] : 0;
  u32 rank = 0;
#pragma unroll 8
  for (u32 k = lane; k < count; k += RANK_LANES) rank += keys[k] < key;
#pragma unroll
  for (u32 step = 1; step < RANK_LANES; step *= 2) rank += __shfl_xor_sync(~0u, rank, step);
  if (own >= count || lane > 0) return;
  p.chosen[rank] = (index)list_column(p, own);
  p.order[rank] = (index)own;
}

// Returns the number of a column in the range, negative if it is not in it.
DEVICE i64 in_range(const column_params &p, i64 column) {
  const i64 distance = p.step > 0 ? column - p.first : p.first - column, step = p.step > 0 ? p.step : -p.step;
  i64 number = distance;
  if (distance < 0) return -1;
  if (step > 1) {
    // Columns and steps of 32 bits are divided in 32 bits.
    number = sizeof(index) == 4 ? (i64)((u32)distance / (u32)step) : distance / step;
    if (number * step != distance) return -1;
  }
  return number < (i64)p.chosen ? number : (i64)-1;
}

// Returns how often a column is in the sorted list, and where it is first.
DEVICE u64 times_listed(const column_params &p, i64 column, u64 &first) {
  first = bound<false>(p.sorted, p.chosen, column);
  return bound<true>(p.sorted + first, p.chosen - first, column);
}

template <u32 BYTES> struct unsigned_of { typedef u64 type; };
template <> struct unsigned_of<4> { typedef u32 type; };
typedef unsigned_of<sizeof(index)>::type unsigned_index;

// Flags the entries of selected columns, 32 in a word, and counts the results up to the end of each word.
extern "C" __global__ void __launch_bounds__(256, 8) match_columns(const __grid_constant__ column_params p) {
  __shared__ block_sums sums;
  u64 *const state = (u64 *)p.state;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u64 block = next_block(state), first_word = (block * 8 + warp) * 32, words = (p.entries + 31) / 32;
  u32 flags = 0;
  // The loads of several words are on their way together: first of the columns, then of their bits. Few of them are set.
  constexpr u32 EACH = 8;
  const u64 first_entry = first_word * 32 + lane;
  const u32 left = first_entry >= p.entries ? 0 : p.entries - first_entry < 1024 ? (u32)(p.entries - first_entry) : 1024;
  const index *const indices = p.indices + first_entry;
  // Columns of 32 bits are compared in 32 bits, negative ones as large ones.
  const unsigned_index size = sizeof(index) == 4 && p.size > 0x7fffffff ? (unsigned_index)0x7fffffff : (unsigned_index)p.size;
#pragma unroll 1
  for (u32 from = 0; from < 32; from += EACH) {
    index columns[EACH];
    u32 bits[EACH], some = 0;
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) columns[e] = (from + e) * 32 < left ? indices[(from + e) * 32] : (index)-1;
    if (p.bits) {
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        const unsigned_index column = (unsigned_index)columns[e];
        bits[e] = column < size ? p.bits[column / 32] >> (u32)(column % 32) & 1 : 0;
      }
    } else {
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) bits[e] = (from + e) * 32 < left && in_range(p, (i64)columns[e]) >= 0;
    }
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) some |= bits[e];
    if (!__ballot_sync(~0u, some != 0)) continue;
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      const u32 found = __ballot_sync(~0u, bits[e] != 0);
      if (lane == from + e) flags = found;
    }
  }
  u64 count = __popc(flags);
  if (p.bits) {
    u32 some = __ballot_sync(~0u, flags != 0);
#pragma unroll 1
    for (; some; some &= some - 1) {
      const u32 w = __ffs((int)some) - 1;
      u64 first, times = 0;
      if (__shfl_sync(~0u, flags, w) >> lane & 1) times = times_listed(p, (i64)p.indices[(first_word + w) * 32 + lane], first);
#pragma unroll
      for (u32 step = 16; step > 0; step /= 2) times += __shfl_xor_sync(~0u, times, step);
      if (lane == w) count = times;
    }
  }
  const u64 before = results_before(state, block, count, sums), word = first_word + lane;
  if (word >= words) return;
  p.flags[word] = flags;
  p.upto[word] = (index)(before + count);
}

// Returns the number of results of some entries of a word, where those before the word have `before`.
DEVICE u64 results_of(const column_params &p, u64 word, u32 some, u64 before) {
  if (!some) return 0;
  if (!p.bits || (u64)p.upto[word] - before == __popc(p.flags[word])) return __popc(some);
  u64 first, sum = 0;
  for (; some; some &= some - 1) sum += times_listed(p, (i64)p.indices[word * 32 + __ffs((int)some) - 1], first);
  return sum;
}

// Writes the results of the flagged entries and the pointers of the rows.
extern "C" __global__ void __launch_bounds__(256) write_columns(const __grid_constant__ column_params p) {
  constexpr u32 EACH = 4;
  const u32 lane = threadIdx.x % 32;
  const u64 first_word = ((u64)blockIdx.x * 8 + threadIdx.x / 32) * 32, word = first_word + lane, words = (p.entries + 31) / 32;
  const u32 own = word < words ? p.flags[word] : 0;
  const u64 before = word > 0 && word < words ? (u64)p.upto[word - 1] : 0;
  u32 some = __ballot_sync(~0u, own != 0);
#pragma unroll 1
  while (some) {
    u32 flags[EACH];
    u64 at[EACH], entry[EACH];
    i64 column[EACH];
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      const u32 w = some ? __ffs((int)some) - 1 : 0;
      flags[e] = some ? __shfl_sync(~0u, own, w) : 0;
      at[e] = __shfl_sync(~0u, before, w);
      entry[e] = (first_word + w) * 32 + lane;
      column[e] = flags[e] >> lane & 1 ? (i64)p.indices[entry[e]] : 0;
      some &= some - 1;
    }
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      const bool hit = flags[e] >> lane & 1;
      if (!p.bits) {
        const u64 to = at[e] + __popc(flags[e] & ((1u << lane) - 1));
        if (hit && to < p.results) {
          p.columns[to] = (index)in_range(p, column[e]);
          move(p.bytes, p.out, to, p.inputs, entry[e]);
        }
        continue;
      }
      u64 first = 0, times = hit ? times_listed(p, column[e], first) : 0, upto = times;
#pragma unroll
      for (u32 step = 1; step < 32; step *= 2) {
        const u64 other = __shfl_up_sync(~0u, upto, step);
        if (lane >= step) upto += other;
      }
#pragma unroll 1
      for (u64 k = 0, to = at[e] + upto - times; k < times && to < p.results; ++k, ++to) {
        p.columns[to] = p.order[first + k];
        move(p.bytes, p.out, to, p.inputs, entry[e]);
      }
    }
  }
  // The loads of several rows are on their way together. Entries are counted in the type of pointers.
  const u64 first_row = (u64)blockIdx.x * 256 * EACH + threadIdx.x;
  if (first_row > p.rows) return;
  const u32 left = p.rows - first_row < 256 * EACH ? (u32)(p.rows - first_row) : 256 * EACH;
  const index *const ends = p.ends + first_row;
  index *const out_ends = p.out_ends + first_row;
  const unsigned_index entries = (unsigned_index)p.entries;
  unsigned_index entry[EACH], sum[EACH];
  u32 part[EACH];
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const index end = k * 256 <= left ? ends[k * 256] : 0;
    entry[k] = end < 0 ? 0 : (unsigned_index)end < entries ? (unsigned_index)end : entries;
  }
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    sum[k] = entry[k] / 32 > 0 ? (unsigned_index)p.upto[entry[k] / 32 - 1] : 0;
    part[k] = entry[k] % 32 ? p.flags[entry[k] / 32] & ((1u << (u32)(entry[k] % 32)) - 1) : 0;
  }
#pragma unroll
  for (u32 k = 0; k < EACH; ++k)
    if (k * 256 <= left) out_ends[k * 256] = (index)(sum[k] + results_of(p, entry[k] / 32, part[k], sum[k]));
}
