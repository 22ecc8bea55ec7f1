// Solution of systems of equations with a sparse triangular matrix in compressed rows. Before it: `value`, `index`, `word`, the unsigned
// integer of the size of a real number, COMPLEX, `published.cuh` and the parameter struct.
//
// A block has a group of consecutive rows, and some of the right-hand sides. The lanes of a row multiply its entries by elements of the
// solution as soon as other blocks have written them (W. Liu and others, "A Synchronization-Free Algorithm for Parallel Sparse Triangular
// Solves", Euro-Par 2016). An element that is not known yet has the bits of UNKNOWN, a NaN that no result has, so that no flag and no fence
// is needed. Entries that multiply elements of the same group are collected in a dense tile, whose triangular system one warp solves: a chain
// of rows passes global memory once for each group. Blocks take their groups in the order in which they start, which is an order of the
// solution: a block waits only for blocks that are running.
//
// Each lane adds its entries in the order of the solution, the one that is solved last at the end, and the sums of the lanes by a tree: no
// bit depends on the schedule.
//
// Entries are sorted by column; those of the other triangle are ignored. Pointers and columns may be wrong, which their check reports
// later: no element outside of the arrays is accessed.

// Rows of a block.
constexpr u32 GROUP = 32;

// Elements of a lane that are loaded before it waits for the first of them.
constexpr u32 EACH = COMPLEX ? 2 : 4;

// The system of a group. An element of `tile` is defined where its bit in `links` is set: elements that are not stored multiply nothing.
struct group {
  value tile[GROUP][GROUP], sides[GROUP][GROUP], diagonal[GROUP];
  u32 links[GROUP], linked;
  u64 number;
};

DEVICE void write(const params &p, u64 row, u64 column, value x) {
  publish(p.x + row * p.right_sides + column, x);
  if (p.out) p.out[(p.scatter ? (i64)p.scatter[row] : (i64)row) * p.out_steps[0] + (i64)column * p.out_steps[1]] = x;
}

extern "C" __global__ void __launch_bounds__(GROUP * 32) triangular_solve(const __grid_constant__ params p) {
  __shared__ group own;
  if (threadIdx.x == 0) {
    own.number = atomicAdd(p.ticket, 1ull) + 1;
    own.linked = 0;
  }
  if (threadIdx.x < GROUP) {
    own.links[threadIdx.x] = 0;
    own.diagonal[threadIdx.x] = value{};
  }
  __syncthreads();
  // Positions are those of the order of the solution.
  const u64 start = own.number / p.tiles * GROUP, first_column = (own.number % p.tiles) << p.across_log2;
  const u32 lanes = 1u << p.lanes_log2, across = 1u << p.across_log2;
  const u32 local = threadIdx.x >> p.lanes_log2, lane = threadIdx.x & (lanes - 1), side = lane & (across - 1);
  const u64 position = start + local, row = p.backward ? p.rows - 1 - position : position, column = first_column + side;
  value result = value{}, sum = value{};
  if (position < p.rows && column < p.right_sides) {
    if (lane < across) result = p.b[(p.gather ? (i64)p.gather[row] : (i64)row) * p.b_steps[0] + (i64)column * p.b_steps[1]];
    i64 from = (i64)p.ends[row], to = (i64)p.ends[row + 1];
    if (from < 0) from = 0;
    if (to > (i64)p.entries) to = (i64)p.entries;
    const u32 step = lanes >> p.across_log2;
    const value *const x = p.x + column;
    for (i64 k = lane >> p.across_log2; k < to - from; k += EACH * step) {
      value a[EACH], known[EACH];
      u64 c[EACH];
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        const i64 i = k + (i64)(e * step), at = p.backward ? to - 1 - i : from + i;
        c[e] = i < to - from ? (u64)(i64)p.columns[at] : ~0ull;
        const u64 solved = p.backward ? p.rows - 1 - c[e] : c[e];
        if (c[e] >= p.rows || solved > position) {
          c[e] = ~0ull;
          continue;
        }
        a[e] = p.conjugate ? conjugated(p.values[at]) : p.values[at];
        if (solved < start) {
          known[e] = peek(x + c[e] * p.right_sides);
          continue;
        }
        c[e] = ~0ull;
        if (side != 0) continue;
        if (solved == position) {
          own.diagonal[local] = a[e];
        } else {
          const u32 other = (u32)(solved - start);
          own.tile[other][local] = a[e];
          atomicOr(&own.links[local], 1u << other);
          atomicOr(&own.linked, 1u << other);
        }
      }
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        if (c[e] != ~0ull) sum = sum + a[e] * await(known[e], x + c[e] * p.right_sides);
      }
    }
  }
  for (u32 by = lanes / 2; by >= across; by /= 2) sum = sum + shuffled(sum, by);
  if (lane < across) own.sides[side][local] = result - sum;
  __syncthreads();
  // A warp solves for a right-hand side, and each of its lanes has a row.
  const u32 mine = threadIdx.x % GROUP;
  const value diagonal = own.diagonal[mine];
  for (u32 s = threadIdx.x / GROUP; s < across && first_column + s < p.right_sides; s += blockDim.x / GROUP) {
    value rest = own.sides[s][mine];
    // Only elements that another row needs are exchanged.
    for (u32 left = own.linked; left; left &= left - 1) {
      const u32 next = (u32)__ffs((int)left) - 1;
      const value x = from_lane(p.unit ? rest : rest / diagonal, next);
      if (own.links[mine] >> next & 1) rest = rest - own.tile[next][mine] * x;
    }
    const u64 solved = start + mine;
    if (solved < p.rows) write(p, p.backward ? p.rows - 1 - solved : solved, first_column + s, p.unit ? rest : rest / diagonal);
  }
}
