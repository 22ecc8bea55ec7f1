// Products of two sparse matrices, for rows of few products: a thread has a row. Before it: what `sparse_spans.cuh` has, THREADS, and the
// functions product(result, result), merge(result, result) and is_kept(result).
//
// The sorted columns of a row and their sums are in shared memory, one column of a table for each thread; a product is added to its
// column's sum, or moves the columns after its own. The products of an entry have mostly increasing columns, so that a search begins where
// the last one ended.

// No two lanes read one bank, whether they read a row of the table or a column of it.
constexpr u32 WIDTH = THREADS + 1;

struct table {
  index columns[CAPACITY * WIDTH];
  result values[CAPACITY * WIDTH];
};

// Adds a product to the sum of its column. `at` is where a search begins and the position after the column's.
DEVICE void add_product(index *columns, result *values, u32 &filled, u32 &at, index column, result one) {
  if (at > 0 && columns[(at - 1) * WIDTH] >= column) at = 0;
  while (at < filled && columns[at * WIDTH] < column) ++at;
  if (at < filled && columns[at * WIDTH] == column) {
    values[at * WIDTH] = merge(values[at * WIDTH], one);
  } else if (filled < CAPACITY) {
    for (u32 k = filled; k > at; --k) {
      columns[k * WIDTH] = columns[(k - 1) * WIDTH];
      values[k * WIDTH] = values[(k - 1) * WIDTH];
    }
    columns[at * WIDTH] = column;
    values[at * WIDTH] = one;
    ++filled;
  }
  ++at;
}

// Entries of a factor that a thread reads together.
constexpr u32 TOGETHER = 4;

// Computes a row in the thread's column of the table; returns the number of its columns. The next factor is found while one is added.
DEVICE u32 multiply_row(const params &p, table &of, u64 row) {
  index *const columns = of.columns + threadIdx.x;
  result *const values = of.values + threadIdx.x;
  const span own = span_of(p.a_ends, (i64)row, p.a_entries);
  u32 filled = 0;
  span next = own.size > 0 ? factor_of(p, own.start) : span{0, 0};
#pragma unroll 1
  for (u32 a = 0; a < own.size; ++a) {
    const span factor = next;
    const result left = p.a_values[own.start + a];
    if (a + 1 < own.size) next = factor_of(p, own.start + a + 1);
    u32 at = 0;
#pragma unroll 1
    for (u32 base = 0; base < factor.size; base += TOGETHER) {
      index others[TOGETHER];
      result rights[TOGETHER];
#pragma unroll
      for (u32 k = 0; k < TOGETHER; ++k) {
        if (base + k < factor.size) {
          others[k] = p.b_columns[factor.start + base + k];
          rights[k] = p.b_values[factor.start + base + k];
        }
      }
#pragma unroll
      for (u32 k = 0; k < TOGETHER; ++k) {
        if (base + k < factor.size) add_product(columns, values, filled, at, others[k], product(left, rights[k]));
      }
    }
  }
  return filled;
}

extern "C" __global__ void __launch_bounds__(THREADS) count_rows(const __grid_constant__ params p) {
  __shared__ table of;
  u64 row;
  if (!row_of(p, (u64)blockIdx.x * THREADS + threadIdx.x, row)) return;
  const u32 filled = multiply_row(p, of, row);
  i64 kept = 0;
  for (u32 k = 0; k < filled; ++k) kept += is_kept(of.values[k * WIDTH + threadIdx.x]);
  counted_row(p, row, (u64)kept);
}

// Moves the entries of the thread's row that are not zero together, at most `most`; returns their number.
DEVICE u32 keep(table &of, u32 filled, i64 most) {
  u32 kept = 0;
  for (u32 k = 0; k < filled && (i64)kept < most; ++k) {
    const u32 from = k * WIDTH + threadIdx.x, to = kept * WIDTH + threadIdx.x;
    if (!is_kept(of.values[from])) continue;
    of.columns[to] = of.columns[from];
    of.values[to] = of.values[from];
    ++kept;
  }
  return kept;
}

// The lanes of a warp write its rows one by one.
DEVICE void write_warp(const params &p, const table &of, i64 start, u32 kept) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x - lane;
  __syncwarp();
#pragma unroll 4
  for (u32 k = 0; k < 32; ++k) {
    const i64 at = __shfl_sync(~0u, start, k) + lane;
    if (lane >= __shfl_sync(~0u, kept, k) || at >= (i64)p.room) continue;
    p.columns[at] = of.columns[lane * WIDTH + warp + k];
    p.values[at] = of.values[lane * WIDTH + warp + k];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) write_rows(const __grid_constant__ params p) {
  __shared__ table of;
  u64 row;
  i64 start = 0;
  u32 kept = 0;
  if (row_of(p, (u64)blockIdx.x * THREADS + threadIdx.x, row)) {
    start = p.ends[row];
    kept = keep(of, multiply_row(p, of, row), p.ends[row + 1] - start);
  }
  write_warp(p, of, start, kept);
}

// Multiplies all rows, of which none exceeds the capacity, and writes their ends and entries in one pass.
extern "C" __global__ void __launch_bounds__(THREADS) multiply_rows(const __grid_constant__ params p) {
  __shared__ table of;
  __shared__ u64 sums[THREADS / 32];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u64 block = next_block(p.state), row = block * THREADS + threadIdx.x;
  const u32 kept = row < p.rows ? keep(of, multiply_row(p, of, row), CAPACITY) : 0;
  u64 upto = kept;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u64 other = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += other;
  }
  if (lane == 31) sums[warp] = upto;
  __syncthreads();
  u64 total = 0;
#pragma unroll
  for (u32 w = 0; w < THREADS / 32; ++w) {
    if (w < warp) upto += sums[w];
    total += sums[w];
  }
  upto += counted_before(p.state + 1, block, total);
  if (row < p.rows) p.out_ends[row + 1] = (i64)upto;
  write_warp(p, of, (i64)upto - kept, kept);
}
