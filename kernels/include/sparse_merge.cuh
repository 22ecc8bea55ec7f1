// An elementwise operation of two sparse matrices in compressed rows of few entries, whose columns rise: a thread merges a row. Before it:
// `index`, `element`, `result`, the parameter struct, and the functions combined(element, element) and is_kept(result).
//
// Rows of a warp are adjacent, and so are their entries: what one step of the merge does not need of a cache line the next ones do. A pass
// counts the results that are kept, a second one writes them. Pointers may be wrong, which their check reports later: no element outside
// of the arrays is accessed.

constexpr u32 THREADS = 256;

DEVICE i64 within(i64 at, i64 size) { return at < 0 ? 0 : at < size ? at : size; }

// Calls `visit(column, result)` for each position of a row that either matrix stores, where the result is kept.
template <class Visit> DEVICE void merge_row(const params &p, u64 row, Visit visit) {
  constexpr i64 NONE = (i64)(~0ull >> 1);
  i64 a = within((i64)p.ends[0][row], p.sizes[0]), b = within((i64)p.ends[1][row], p.sizes[1]);
  const i64 a_end = within((i64)p.ends[0][row + 1], p.sizes[0]), b_end = within((i64)p.ends[1][row + 1], p.sizes[1]);
#pragma unroll 1
  while (a < a_end || b < b_end) {
    const i64 of_a = a < a_end ? (i64)p.indices[0][a] : NONE, of_b = b < b_end ? (i64)p.indices[1][b] : NONE;
    const bool takes_a = of_a <= of_b, takes_b = of_b <= of_a;
    const element x = takes_a ? p.values[0][a] : element{}, y = takes_b ? p.values[1][b] : element{};
    const result r = combined(x, y);
    if (is_kept(r)) visit(takes_a ? of_a : of_b, r);
    a += takes_a;
    b += takes_b;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) count_merged(const __grid_constant__ params p) {
  const u64 row = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (row >= p.rows) return;
  index count = 0;
  merge_row(p, row, [&](i64, result) { ++count; });
  p.counts[row] = count;
}

// `counts` are the numbers of results up to the end of each row.
extern "C" __global__ void __launch_bounds__(THREADS) write_merged(const __grid_constant__ params p) {
  const u64 row = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (row >= p.rows) return;
  u64 at = row > 0 ? (u64)p.counts[row - 1] : 0;
  merge_row(p, row, [&](i64 column, result r) {
    if (at >= p.results) return;
    p.columns[at] = (index)column;
    p.out[at++] = r;
  });
}
