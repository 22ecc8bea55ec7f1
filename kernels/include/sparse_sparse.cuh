// Products of two sparse matrices in compressed rows, whose rows are multiplied in shared memory. Before it: what `sparse_spans.cuh` has,
// THREADS, and the functions product(result, result), merge(result, result) and is_kept(result).
//
// A block has a row. The products of its entries with rows of the second matrix are written to shared memory with keys of
// their column and their number, sorted in registers, and added in the order of the entries: no sum depends on the order of the threads.
// Rows whose products exceed the capacity are left out. Two passes count the entries of each row and write them; entries that are zero are
// dropped.

constexpr u32 WARPS = THREADS / 32, SEQUENCE_BITS = 12;

struct row_space {
  u64 keys[CAPACITY];
  result values[CAPACITY];
  u32 offsets[THREADS + 1];
  u32 sums[WARPS];
};

// The sum of the values of all earlier threads of the block; `total` is that of all of them.
DEVICE u32 block_scan(row_space &space, u32 member, u32 value, u32 &total) {
  u32 upto = value;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 below = __shfl_up_sync(~0u, upto, step);
    if (member % 32 >= step) upto += below;
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

constexpr u32 EACH = CAPACITY / THREADS;

// Sorts the first keys of a row, each thread with EACH neighbouring ones in registers: bitonic (K. E. Batcher, 1968). Keys of other warps are
// exchanged in shared memory, those of a warp by shuffles.
DEVICE void sort_keys(row_space &space, u32 member, u32 filled) {
  u32 width = 1;
  while (width < filled) width *= 2;
  const u32 first = member * EACH;
  u64 keys[EACH];
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) keys[e] = first + e < filled ? space.keys[first + e] : ~(u64)0;
#pragma unroll 1
  for (u32 size = 2; size <= width; size *= 2) {
#pragma unroll 1
    for (u32 step = size / 2; step >= EACH; step /= 2) {
      const bool is_far = step >= 32 * EACH;
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
        const u64 other = is_far ? space.keys[(first + e) ^ step] : __shfl_xor_sync(~0u, keys[e], step / EACH);
        if (keeps_less == (other < keys[e])) keys[e] = other;
      }
    }
#pragma unroll
    for (u32 step = EACH / 2; step > 0; step /= 2) {
      if (step >= size) continue;
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        if (e & step) continue;
        const u64 x = keys[e], y = keys[e + step];
        if ((x > y) == (((first + e) & size) == 0)) {
          keys[e] = y;
          keys[e + step] = x;
        }
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) space.keys[first + e] = keys[e];
  __syncthreads();
}

// The results of a row: `visit(position, column, value)` is called for each in the order of the columns. Returns their number.
template <class F> DEVICE u32 multiply_row(const params &p, row_space &space, u64 row, u32 member, F visit) {
  const span own = span_of(p.a_ends, (i64)row, p.a_entries);
  u32 filled = 0;
#pragma unroll 1
  for (u32 base = 0; base < own.size; base += THREADS) {
    const bool some = base + member < own.size;
    const i64 entry = own.start + base + member;
    const span factor = some ? factor_of(p, entry) : span{0, 0};
    u32 total;
    space.offsets[member] = block_scan(space, member, factor.size, total);
    if (member == 0) space.offsets[THREADS] = total;
    __syncthreads();
#pragma unroll 1
    for (u32 k = member; k < total && filled + k < CAPACITY; k += THREADS) {
      // The last entry whose products begin at k or before it.
      u32 low = 0, high = THREADS;
      while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (space.offsets[middle] <= k) low = middle; else high = middle;
      }
      const i64 a = own.start + base + low, b = factor_of(p, a).start + (k - space.offsets[low]);
      space.keys[filled + k] = (u64)(i64)p.b_columns[b] << SEQUENCE_BITS | (filled + k);
      space.values[filled + k] = product(p.a_values[a], p.b_values[b]);
    }
    filled = filled + total < CAPACITY ? filled + total : CAPACITY;
    __syncthreads();
  }
  sort_keys(space, member, filled);
  // The first product of each column adds those that follow it.
  u32 results = 0;
#pragma unroll 1
  for (u32 base = 0; base < filled; base += THREADS) {
    const u32 k = base + member;
    const u64 column = k < filled ? space.keys[k] >> SEQUENCE_BITS : 0;
    const bool first = k < filled && (k == 0 || space.keys[k - 1] >> SEQUENCE_BITS != column);
    result sum = p.zero.value;
    if (first) {
      sum = space.values[(u32)(space.keys[k] & ((1u << SEQUENCE_BITS) - 1))];
      for (u32 next = k + 1; next < filled && space.keys[next] >> SEQUENCE_BITS == column; ++next)
        sum = merge(sum, space.values[(u32)(space.keys[next] & ((1u << SEQUENCE_BITS) - 1))]);
    }
    const bool kept = first && is_kept(sum);
    u32 total;
    const u32 before = block_scan(space, member, kept ? 1 : 0, total);
    if (kept) visit(results + before, column, sum);
    results += total;
  }
  return results;
}

extern "C" __global__ void __launch_bounds__(THREADS) count_rows(const __grid_constant__ params p) {
  __shared__ row_space space;
  u64 row;
  if (!row_of(p, blockIdx.x, row)) return;
  const u32 results = multiply_row(p, space, row, threadIdx.x, [](u32, u64, result) {});
  if (threadIdx.x == 0) p.counts[row] = (i64)results;
}

extern "C" __global__ void __launch_bounds__(THREADS) write_rows(const __grid_constant__ params p) {
  __shared__ row_space space;
  u64 row;
  if (!row_of(p, blockIdx.x, row)) return;
  const i64 start = p.ends[row], end = p.ends[row + 1];
  multiply_row(p, space, row, threadIdx.x, [&](u32 position, u64 column, result value) {
    const i64 at = start + position;
    if (at >= end) return;
    p.columns[at] = (index)column;
    p.values[at] = value;
  });
}
