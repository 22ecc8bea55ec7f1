// Solution of systems of equations with a sparse triangular matrix in compressed rows. Before it: `value`, `index`, `word`, the unsigned
// integer of the size of a real number, COMPLEX, `published.cuh` and the parameter struct.
//
// A row has one lane or more of a warp, and some of the right-hand sides: they multiply the row's entries by elements of the solution as
// soon as other warps have written them (W. Liu and others, "A Synchronization-Free Algorithm for Parallel Sparse Triangular Solves",
// Euro-Par 2016). An element that is not known yet has the bits of UNKNOWN, a NaN that no result has, so that no flag and no fence is
// needed. Elements of rows of the same block are exchanged in shared memory, those of the same warp by shuffles: a chain of dependent
// rows passes global memory once for each block. Blocks take their rows in the order in which they start, which is an order of the solution:
// a warp waits only for warps that are running.
//
// Panels are rows of a factor that is used often, cut where a row does not need the one before it. A block whose panel is dense multiplies
// the right-hand sides, less the products with elements of earlier panels, by the inverse of the panel's triangle: a chain of its rows
// takes one exchange in shared memory.
//
// Each lane adds its entries in the order of the solution, the one that is solved last at the end, and the sums of the lanes by a tree: no
// bit depends on the schedule.
//
// Entries are sorted by column; those of the other triangle are ignored. Pointers and columns may be wrong, which their check reports
// later: no element outside of the arrays is accessed.

// Rows of a panel, at most.
constexpr u32 PANEL = 32, STRIDE = PANEL + 1;

extern __shared__ __align__(16) unsigned char shared_bytes[];

extern "C" __global__ void __launch_bounds__(1024) triangular_solve(const __grid_constant__ params p) {
  __shared__ u64 number;
  const u32 lanes = 1u << p.lanes_log2, across = 1u << p.across_log2, rows = blockDim.x >> p.lanes_log2, each = 32 >> p.lanes_log2;
  // The solution of the block's rows; the entries of each row that multiply elements of the same warp, which are defined where their bits
  // in `links` are set; and the diagonal.
  value *const here = (value *)shared_bytes, *const tile = here + rows * across, *const diagonals = tile + rows * each;
  // The inverse of a dense panel takes their memory, apart from that of the solution.
  value *const inverse = tile;
  u32 *const links = (u32 *)(diagonals + rows);
  if (threadIdx.x == 0) number = atomicAdd(p.ticket, 1ull) + 1;
  if (threadIdx.x < rows * across) forget(here + threadIdx.x);
  if (threadIdx.x < rows) {
    diagonals[threadIdx.x] = value{};
    links[threadIdx.x] = 0;
  }
  __syncthreads();
  const u32 local = threadIdx.x >> p.lanes_log2, lane = threadIdx.x & (lanes - 1), side = lane & (across - 1);
  // Positions are those of the order of the solution.
  u64 start = number / p.tiles * rows, end = start + rows;
  bool dense = false;
  if (p.starts) {
    const u64 panel = p.backward ? p.panels - 1 - number / p.tiles : number / p.tiles, first = p.starts[panel], last = p.starts[panel + 1];
    start = p.backward ? p.rows - last : first;
    end = start + (last - first);
    const i32 slot = p.slots[panel];
    dense = slot >= 0 && p.stable[slot];
    if (dense) {
      const u32 size = (u32)(last - first);
      for (u32 k = threadIdx.x; k < PANEL * PANEL; k += blockDim.x) {
        const u32 i = k / PANEL, j = k % PANEL;
        if (j > i || i >= size) continue;
        const u32 r = p.backward ? size - 1 - i : i, c = p.backward ? size - 1 - j : j;
        const value x = p.inverses[(u64)slot * PANEL * PANEL + (p.transposed ? c * PANEL + r : r * PANEL + c)];
        inverse[i * STRIDE + j] = p.conjugate ? conjugated(x) : x;
      }
    }
  }
  const u64 position = start + local, of_warp = dense ? start : start + threadIdx.x / 32 * each;
  const u64 row = p.backward ? p.rows - 1 - position : position, column = ((number % p.tiles) << p.across_log2) + side;
  const bool active = position < end && position < p.rows && column < p.right_sides;
  value rest = value{}, sum = value{};
  if (active) {
    if (lane < across) rest = p.b[(p.gather ? (i64)p.gather[row] : (i64)row) * p.b_steps[0] + (i64)column * p.b_steps[1]];
    i64 from = (i64)p.ends[row], to = (i64)p.ends[row + 1];
    if (from < 0) from = 0;
    if (to > (i64)p.entries) to = (i64)p.entries;
    // Positions in the row, in the order of the solution.
    const i64 count = to - from, step = lanes >> p.across_log2;
    i64 k = lane >> p.across_log2;
    value next = value{};
    u64 next_column = ~0ull;
    const auto fetch = [&]() {
      const i64 at = p.backward ? to - 1 - k : from + k;
      if (k >= count) return;
      next_column = (u64)(i64)p.columns[at];
      next = p.conjugate ? conjugated(p.values[at]) : p.values[at];
    };
    fetch();
    while (k < count) {
      const value a = next;
      const u64 c = next_column, solved = p.backward ? p.rows - 1 - c : c;
      const value *x = nullptr;
      value known = value{};
      if (c < p.rows && solved < of_warp) {
        x = solved < start ? p.x + c * p.right_sides + column : here + (u32)(solved - start) * across + side;
        known = peek(x);
      } else if (c < p.rows && solved <= position && !dense && side == 0) {
        if (solved == position) {
          diagonals[local] = a;
        } else {
          const u32 other = (u32)(solved - of_warp);
          tile[local * each + other] = a;
          atomicOr(links + local, 1u << other);
        }
      }
      // The next entry arrives while the lane waits for the element of this one.
      k += step;
      fetch();
      if (x) sum = sum + a * await(known, x);
    }
  }
  for (u32 by = lanes / 2; by >= across; by /= 2) sum = sum + shuffled(sum, by);
  rest = rest - sum;
  if (dense) {
    if (lane < across) here[local * across + side] = rest;
    __syncthreads();
    rest = value{};
    if (active) {
      for (u32 c = lane >> p.across_log2; c <= local; c += lanes >> p.across_log2) rest = rest + inverse[local * STRIDE + c] * here[c * across + side];
    }
    for (u32 by = lanes / 2; by >= across; by /= 2) rest = rest + shuffled(rest, by);
  } else {
    __syncwarp();
    const value diagonal = diagonals[local];
    const u32 own = links[local];
    // Elements that another row of the warp needs.
    for (u32 next = 0; next + 1 < each; ++next) {
      const bool needs = own >> next & 1;
      if (!__any_sync(~0u, needs)) continue;
      const value x = from_lane(p.unit ? rest : rest / diagonal, (next << p.lanes_log2) + side);
      if (needs) rest = rest - tile[local * each + next] * x;
    }
    if (!p.unit) rest = rest / diagonal;
  }
  if (!active || lane >= across) return;
  if (!dense) publish(here + local * across + side, rest);
  publish(p.x + row * p.right_sides + column, rest);
  if (p.out) p.out[(p.scatter ? (i64)p.scatter[row] : (i64)row) * p.out_steps[0] + (i64)column * p.out_steps[1]] = rest;
}
