// Products of two sparse matrices in compressed rows, whose rows are multiplied in shared memory. Before it: `index`, `result`, CAPACITY,
// TEAM, and the functions product(result, result), merge(result, result) and
// is_kept(result).
//
// A team of threads has a row. The products of its entries with rows of the second matrix are written to shared memory with keys of
// their column and their number, sorted, and added in the order of the entries: no sum depends on the order of the threads. Rows whose
// products exceed the capacity are left out. Two passes count the entries of each row and write them; entries that are zero are dropped.
//
// Pointers and columns may be wrong, which their check reports later: no element outside of the arrays is accessed.

constexpr u32 THREADS = TEAM > 128 ? TEAM : 128, TEAMS = THREADS / TEAM, WARPS = TEAM / 32, SEQUENCE_BITS = 12;

// The entries of a row of a matrix, from `start` on.
struct span {
  i64 start;
  u32 count;
};

DEVICE span span_of(const index *ends, i64 row, i64 entries) {
  const i64 start = (i64)ends[row], end = (i64)ends[row + 1];
  const i64 from = start < 0 ? 0 : start < entries ? start : entries, to = end < from ? from : end < entries ? end : entries;
  return {from, (u32)(to - from)};
}

// The row of the second matrix that an entry of the first is multiplied by.
DEVICE span factor_of(const params &p, i64 entry) {
  const i64 row = (i64)p.a_columns[entry];
  return row >= 0 && row < p.b_rows ? span_of(p.b_ends, row, p.b_entries) : span{0, 0};
}

// The number of products of each row, and how many rows have more than 32, 256 and 1024 of them: eight lanes to a row.
extern "C" __global__ void __launch_bounds__(THREADS) row_products(const __grid_constant__ params p) {
  __shared__ u32 heavy[3];
  if (threadIdx.x < 3) heavy[threadIdx.x] = 0;
  __syncthreads();
  const u64 t = (u64)blockIdx.x * THREADS + threadIdx.x, row = t / 8;
  i64 sum = 0;
  if (row < p.rows) {
    const span own = span_of(p.a_ends, (i64)row, p.a_entries);
    for (u32 k = threadIdx.x % 8; k < own.count; k += 8) sum += factor_of(p, own.start + k).count;
  }
#pragma unroll
  for (u32 step = 4; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step, 8);
  if (threadIdx.x % 8 == 0 && row < p.rows) {
    p.products[row] = sum;
    if (sum > 1024) atomicAdd(&heavy[2], 1u);
    else if (sum > 256) atomicAdd(&heavy[1], 1u);
    else if (sum > 32) atomicAdd(&heavy[0], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 3 && heavy[threadIdx.x] > 0) atomicAdd(&p.heavy[threadIdx.x], (u64)heavy[threadIdx.x]);
}

DEVICE void team_sync() {
#if TEAM == 32
  __syncwarp();
#else
  __syncthreads();
#endif
}

struct row_space {
  u64 keys[CAPACITY];
  result values[CAPACITY];
  u32 offsets[TEAM + 1];
  u32 sums[WARPS];
};

// The sum of the values of all earlier threads of the team; `total` is that of all of them.
DEVICE u32 team_scan(row_space &space, u32 member, u32 value, u32 &total) {
  u32 upto = value;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 below = __shfl_up_sync(~0u, upto, step);
    if (member % 32 >= step) upto += below;
  }
  if (member % 32 == 31) space.sums[member / 32] = upto;
  team_sync();
  u32 before = upto - value;
  total = 0;
#pragma unroll
  for (u32 w = 0; w < WARPS; ++w) {
    if (w < member / 32) before += space.sums[w];
    total += space.sums[w];
  }
  team_sync();
  return before;
}

// The results of a row: `visit(position, column, value)` is called for each in the order of the columns. Returns their number.
template <class F> DEVICE u32 multiply_row(const params &p, row_space &space, u64 row, u32 member, F visit) {
  const span own = span_of(p.a_ends, (i64)row, p.a_entries);
  u32 filled = 0;
#pragma unroll 1
  for (u32 base = 0; base < own.count; base += TEAM) {
    const bool some = base + member < own.count;
    const i64 entry = own.start + base + member;
    const span factor = some ? factor_of(p, entry) : span{0, 0};
    u32 total;
    space.offsets[member] = team_scan(space, member, factor.count, total);
    if (member == 0) space.offsets[TEAM] = total;
    team_sync();
#pragma unroll 1
    for (u32 k = member; k < total && filled + k < CAPACITY; k += TEAM) {
      // The last entry whose products begin at k or before it.
      u32 low = 0, high = TEAM;
      while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (space.offsets[middle] <= k) low = middle; else high = middle;
      }
      const i64 a = own.start + base + low, b = factor_of(p, a).start + (k - space.offsets[low]);
      space.keys[filled + k] = (u64)(i64)p.b_columns[b] << SEQUENCE_BITS | (filled + k);
      space.values[filled + k] = product(p.a_values[a], p.b_values[b]);
    }
    filled = filled + total < CAPACITY ? filled + total : CAPACITY;
    team_sync();
  }
  u32 width = 1;
  while (width < filled) width *= 2;
  for (u32 k = filled + member; k < width; k += TEAM) space.keys[k] = ~(u64)0;
  team_sync();
  // Bitonic sort (K. E. Batcher, 1968).
#pragma unroll 1
  for (u32 size = 2; size <= width; size *= 2) {
#pragma unroll 1
    for (u32 step = size / 2; step > 0; step /= 2) {
      for (u32 k = member; k < width / 2; k += TEAM) {
        const u32 i = 2 * step * (k / step) + k % step, j = i + step;
        const u64 x = space.keys[i], y = space.keys[j];
        if ((x > y) == ((i & size) == 0)) {
          space.keys[i] = y;
          space.keys[j] = x;
        }
      }
      team_sync();
    }
  }
  // The first product of each column adds those that follow it.
  u32 results = 0;
#pragma unroll 1
  for (u32 base = 0; base < filled; base += TEAM) {
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
    const u32 before = team_scan(space, member, kept ? 1 : 0, total);
    if (kept) visit(results + before, column, sum);
    results += total;
  }
  return results;
}

// The row of a team, or none: one of the list, or of all rows one whose number of products is in the range of the kernel.
DEVICE bool row_of(const params &p, u64 number, u64 &row) {
  if (number >= p.chosen_rows) return false;
  row = p.chosen ? (u64)p.chosen[number] : number;
  const i64 products = row < p.rows ? p.products[row] : 0;
  return row < p.rows && products <= (i64)CAPACITY && products > (i64)p.least;
}

extern "C" __global__ void __launch_bounds__(THREADS) count_rows(const __grid_constant__ params p) {
  __shared__ row_space spaces[TEAMS];
  const u32 team = threadIdx.x / TEAM, member = threadIdx.x % TEAM;
  u64 row;
  if (!row_of(p, (u64)blockIdx.x * TEAMS + team, row)) return;
  const u32 results = multiply_row(p, spaces[team], row, member, [](u32, u64, result) {});
  if (member == 0) p.counts[row] = (i64)results;
}

extern "C" __global__ void __launch_bounds__(THREADS) write_rows(const __grid_constant__ params p) {
  __shared__ row_space spaces[TEAMS];
  const u32 team = threadIdx.x / TEAM, member = threadIdx.x % TEAM;
  u64 row;
  if (!row_of(p, (u64)blockIdx.x * TEAMS + team, row)) return;
  const i64 start = p.ends[row], end = p.ends[row + 1];
  multiply_row(p, spaces[team], row, member, [&](u32 position, u64 column, result value) {
    const i64 at = start + position;
    if (at >= end) return;
    p.columns[at] = (index)column;
    p.values[at] = value;
  });
}
