// Solution of systems of equations with a sparse triangular matrix in compressed rows. Before it: `value`, `index`, `word`, the unsigned
// integer of the size of a real number, COMPLEX, `published.cuh` and the parameter struct.
//
// A warp has a row, and some of the right-hand sides: it multiplies the row's entries by elements of the solution as soon as other warps
// have written them (W. Liu and others, "A Synchronization-Free Algorithm for Parallel Sparse Triangular Solves", Euro-Par 2016). An
// element that is not known yet has the bits of UNKNOWN, a NaN that no result has, so that no flag and no fence is needed. Blocks take
// their rows in the order in which they start, which is an order of the solution: a warp waits only for blocks that are running.
// Each lane adds its entries in the order of the columns, and the sums of the lanes by a tree: no bit depends on the schedule.
//
// Entries are sorted by column; those of the other triangle are not read. Pointers and columns may be wrong, which their check reports
// later: no element outside of the arrays is accessed.

constexpr u32 THREADS = 128, WARPS = THREADS / 32;

// Elements of a lane that are loaded before it waits for the first of them.
constexpr u32 EACH = 4;

extern "C" __global__ void __launch_bounds__(THREADS) triangular_solve(const __grid_constant__ params p) {
  __shared__ u64 number;
  if (threadIdx.x == 0) number = atomicAdd(p.ticket, 1ull) + 1;
  __syncthreads();
  const u64 item = number * WARPS + threadIdx.x / 32;
  if (item >= p.rows * p.tiles) return;
  const u64 position = p.tiles == 1 ? item : item / p.tiles, row = p.backward ? p.rows - 1 - position : position;
  const u32 across = 1u << p.across_log2, lane = threadIdx.x % 32, step = 32 >> p.across_log2;
  const u64 column = (item - position * p.tiles) * across + (lane & (across - 1));
  const bool active = column < p.right_sides;
  i64 from = (i64)p.ends[row], to = (i64)p.ends[row + 1];
  if (from < 0) from = 0;
  if (to > (i64)p.entries) to = (i64)p.entries;
  // The first entry that is not before the diagonal.
  i64 low = from, high = to;
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if ((i64)p.columns[middle] < (i64)row) low = middle + 1; else high = middle;
  }
  const bool stored = low < to && (i64)p.columns[low] == (i64)row;
  // What does not depend on other rows is read before the first wait.
  value diagonal = value{}, result = value{};
  if (stored && !p.unit) diagonal = p.conjugate ? conjugated(p.values[low]) : p.values[low];
  if (active && lane < across) result = p.b[(p.gather ? (i64)p.gather[row] : (i64)row) * p.b_steps[0] + (i64)column * p.b_steps[1]];
  if (p.backward) from = low + stored; else to = low;
  const value *const x = p.x + column;
  value sum = value{};
  if (active) {
    for (i64 k = from + (lane >> p.across_log2); k < to; k += EACH * step) {
      value a[EACH], known[EACH];
      u64 c[EACH];
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        const i64 at = k + (i64)(e * step);
        c[e] = at < to ? (u64)(i64)p.columns[at] : ~0ull;
        // Of rows that are not sorted, elements are left out: nothing waits for a row that is solved later.
        if (c[e] >= p.rows || (p.backward ? c[e] <= row : c[e] >= row)) c[e] = ~0ull;
        if (c[e] == ~0ull) continue;
        a[e] = p.conjugate ? conjugated(p.values[at]) : p.values[at];
        known[e] = peek(x + c[e] * p.right_sides);
      }
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        if (c[e] != ~0ull) sum = sum + a[e] * await(known[e], x + c[e] * p.right_sides);
      }
    }
  }
  for (u32 lanes = 16; lanes >= across; lanes /= 2) sum = sum + shuffled(sum, lanes);
  if (!active || lane >= across) return;
  result = result - sum;
  if (!p.unit) result = result / diagonal;
  publish(p.x + row * p.right_sides + column, result);
  if (p.out) p.out[(p.scatter ? (i64)p.scatter[row] : (i64)row) * p.out_steps[0] + (i64)column * p.out_steps[1]] = result;
}
