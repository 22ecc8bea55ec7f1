// Rows of two sparse matrices that are multiplied. Before it: `index`, `result`, CAPACITY and the parameter struct.
//
// Pointers and columns may be wrong, which their check reports later: no element outside of the arrays is accessed.

// The entries of a row of a matrix, from `start` on.
struct span {
  i64 start;
  u32 size;
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
extern "C" __global__ void __launch_bounds__(128) row_products(const __grid_constant__ params p) {
  __shared__ u32 heavy[3];
  if (threadIdx.x < 3) heavy[threadIdx.x] = 0;
  __syncthreads();
  const u64 t = (u64)blockIdx.x * 128 + threadIdx.x, row = t / 8;
  i64 sum = 0;
  if (row < p.rows) {
    const span own = span_of(p.a_ends, (i64)row, p.a_entries);
    for (u32 k = threadIdx.x % 8; k < own.size; k += 8) sum += factor_of(p, own.start + k).size;
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

// Adds the number of results of a row to the sum of a sample, or stores it.
DEVICE void counted_row(const params &p, u64 row, u64 results) {
  if (p.sample) atomicAdd(p.sample, results);
  else p.counts[row] = (i64)results;
}

// The row of a number, or none: one of the list or of the sample, or of all rows one whose number of products is in the range of the kernel.
DEVICE bool row_of(const params &p, u64 number, u64 &row) {
  if (number >= p.chosen_rows) return false;
  row = p.chosen ? (u64)p.chosen[number] : number * p.step;
  const i64 products = p.products && row < p.rows ? p.products[row] : 0;
  return row < p.rows && products <= (i64)CAPACITY && products > (i64)p.least;
}
