// Products of two sparse matrices in compressed rows, whose rows are multiplied in shared memory. Before it: what `sparse_spans.cuh` has,
// THREADS, and the functions product(result, result), merge(result, result) and is_kept(result).
//
// A group of threads, a warp or a block, has a row. The products of its entries with rows of the second matrix are written to shared memory
// with keys of their column and their number, sorted in registers, and added in the order of the entries: no sum depends on the order of the
// threads. Rows whose products exceed the capacity are left out. Two passes count the entries of each row and write them, or one pass
// with look-back; entries that are zero are dropped.

constexpr u32 ROWS = THREADS / GROUP, WARPS = GROUP / 32, EACH = CAPACITY / GROUP;

// A key has the number of a product in its low bits, of which 32 are enough for most columns.
constexpr u32 SEQUENCE_BITS = CAPACITY == 256 ? 8 : 10;
constexpr u32 SEQUENCE = (1u << SEQUENCE_BITS) - 1;

// Waits for the threads of the group.
DEVICE void synchronize() {
  if (GROUP == 32) __syncwarp();
  else __syncthreads();
}

struct row_space {
  sort_key keys[CAPACITY];
  result values[CAPACITY];
  u32 offsets[GROUP + 1];
  u32 sums[WARPS];
};

// The sum of the values of all earlier threads of the group; `total` is that of all of them.
DEVICE u32 group_scan(row_space &space, u32 member, u32 value, u32 &total) {
  u32 upto = value;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 below = __shfl_up_sync(~0u, upto, step);
    if (member % 32 >= step) upto += below;
  }
  if (GROUP == 32) {
    total = __shfl_sync(~0u, upto, 31);
    return upto - value;
  }
  if (member % 32 == 31) space.sums[member / 32] = upto;
  __syncthreads();
  u32 before = upto - value;
  total = 0;
#pragma unroll
  for (u32 w = 0; w < WARPS; ++w) {
    if (w < member / 32) before += space.sums[w];
    total += space.sums[w];
  }
  __syncthreads();
  return before;
}

// Sorts the first keys of a row, each thread with EACH neighbouring ones in registers: bitonic (K. E. Batcher, 1968). Keys of other warps are
// exchanged in shared memory, those of a warp by shuffles.
DEVICE void sort_keys(row_space &space, u32 member, u32 filled) {
  u32 width = 1;
  while (width < filled) width *= 2;
  const u32 first = member * EACH;
  sort_key keys[EACH];
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) keys[e] = first + e < filled ? space.keys[first + e] : ~(sort_key)0;
#pragma unroll 1
  for (u32 size = 2; size <= width; size *= 2) {
#pragma unroll 1
    for (u32 step = size / 2; step >= EACH; step /= 2) {
      const bool is_far = GROUP > 32 && step >= 32 * EACH;
      if (is_far) {
        __syncthreads();
#pragma unroll
        for (u32 e = 0; e < EACH; ++e) space.keys[first + e] = keys[e];
        __syncthreads();
      }
      // The lower one of two positions keeps the smaller key where a run ascends.
      const bool keeps_less = ((first & step) == 0) == ((first & size) == 0);
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        const sort_key other = is_far ? space.keys[(first + e) ^ step] : __shfl_xor_sync(~0u, keys[e], step / EACH);
        if (keeps_less == (other < keys[e])) keys[e] = other;
      }
    }
#pragma unroll
    for (u32 step = EACH / 2; step > 0; step /= 2) {
      if (step >= size) continue;
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        if (e & step) continue;
        const sort_key x = keys[e], y = keys[e + step];
        if ((x > y) == (((first + e) & size) == 0)) {
          keys[e] = y;
          keys[e + step] = x;
        }
      }
    }
  }
  synchronize();
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) space.keys[first + e] = keys[e];
  synchronize();
}

// Computes the products of a row and sorts their keys; returns their number.
DEVICE u32 multiply_row(const params &p, row_space &space, u64 row, u32 member) {
  const span own = span_of(p.a_ends, (i64)row, p.a_entries);
  u32 filled = 0;
#pragma unroll 1
  for (u32 base = 0; base < own.size; base += GROUP) {
    const bool some = base + member < own.size;
    const i64 entry = own.start + base + member;
    const span factor = some ? factor_of(p, entry) : span{0, 0};
    u32 total;
    space.offsets[member] = group_scan(space, member, factor.size, total);
    if (member == 0) space.offsets[GROUP] = total;
    synchronize();
#pragma unroll 1
    for (u32 k = member; k < total && filled + k < CAPACITY; k += GROUP) {
      // The last entry whose products begin at k or before it.
      u32 low = 0, high = GROUP;
      while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (space.offsets[middle] <= k) low = middle; else high = middle;
      }
      const i64 a = own.start + base + low, b = factor_of(p, a).start + (k - space.offsets[low]);
      space.keys[filled + k] = (sort_key)((sort_key)p.b_columns[b] << SEQUENCE_BITS | (filled + k));
      space.values[filled + k] = product(p.a_values[a], p.b_values[b]);
    }
    filled = filled + total < CAPACITY ? filled + total : CAPACITY;
    synchronize();
  }
  sort_keys(space, member, filled);
  return filled;
}

// Adds the products of each column, of `filled` with sorted keys: `visit(position, column, value)` is called for each result in the order of
// the columns. Returns their number.
template <class F> DEVICE u32 add_columns(const params &p, row_space &space, u32 filled, u32 member, F visit) {
  u32 results = 0;
#pragma unroll 1
  for (u32 base = 0; base < filled; base += GROUP) {
    const u32 k = base + member;
    const sort_key column = k < filled ? space.keys[k] >> SEQUENCE_BITS : 0;
    // The first product of each column adds those that follow it.
    const bool first = k < filled && (k == 0 || space.keys[k - 1] >> SEQUENCE_BITS != column);
    result sum = p.zero.value;
    if (first) {
      sum = space.values[(u32)space.keys[k] & SEQUENCE];
      for (u32 next = k + 1; next < filled && space.keys[next] >> SEQUENCE_BITS == column; ++next)
        sum = merge(sum, space.values[(u32)space.keys[next] & SEQUENCE]);
    }
    const bool kept = first && is_kept(sum);
    u32 total;
    const u32 before = group_scan(space, member, kept ? 1 : 0, total);
    if (kept) visit(results + before, column, sum);
    results += total;
  }
  return results;
}

extern "C" __global__ void __launch_bounds__(THREADS) count_rows(const __grid_constant__ params p) {
  __shared__ row_space spaces[ROWS];
  const u32 group = threadIdx.x / GROUP, member = threadIdx.x % GROUP;
  u64 row;
  if (!row_of(p, (u64)blockIdx.x * ROWS + group, row)) return;
  const u32 filled = multiply_row(p, spaces[group], row, member);
  const u32 results = add_columns(p, spaces[group], filled, member, [](u32, sort_key, result) {});
  if (member == 0) counted_row(p, row, results);
}

extern "C" __global__ void __launch_bounds__(THREADS) write_rows(const __grid_constant__ params p) {
  __shared__ row_space spaces[ROWS];
  const u32 group = threadIdx.x / GROUP, member = threadIdx.x % GROUP;
  u64 row;
  if (!row_of(p, (u64)blockIdx.x * ROWS + group, row)) return;
  const i64 start = p.ends[row], end = p.ends[row + 1];
  const u32 filled = multiply_row(p, spaces[group], row, member);
  add_columns(p, spaces[group], filled, member, [&](u32 position, sort_key column, result value) {
    const i64 at = start + position;
    if (at >= end) return;
    p.columns[at] = (index)column;
    p.values[at] = value;
  });
}

// Multiplies all rows, of which none exceeds the capacity, and writes their ends and entries in one pass.
extern "C" __global__ void __launch_bounds__(THREADS) multiply_rows(const __grid_constant__ params p) {
  __shared__ row_space spaces[ROWS];
  __shared__ u32 counts[ROWS];
  const u32 group = threadIdx.x / GROUP, member = threadIdx.x % GROUP;
  const u64 block = next_block(p.state), row = block * ROWS + group;
  const u32 filled = row < p.rows ? multiply_row(p, spaces[group], row, member) : 0;
  const u32 results = add_columns(p, spaces[group], filled, member, [](u32, sort_key, result) {});
  if (member == 0) counts[group] = results;
  __syncthreads();
  u64 upto = 0, total = 0;
#pragma unroll
  for (u32 g = 0; g < ROWS; ++g) {
    if (g < group) upto += counts[g];
    total += counts[g];
  }
  upto += counted_before(p.state + 1, block, total);
  if (row < p.rows && member == 0) p.out_ends[row + 1] = (i64)(upto + results);
  add_columns(p, spaces[group], filled, member, [&](u32 position, sort_key column, result value) {
    const u64 at = upto + position;
    if (at >= p.room) return;
    p.columns[at] = (index)column;
    p.values[at] = value;
  });
}
