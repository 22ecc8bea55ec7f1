// Reductions of many short rows of an expression: a thread has up to ROWS of them, p.rows results apart, and processes
// them together. Addresses are computed once per row instead of once per element, and arrays that have stride 0 from
// one of its rows to the next (their bits are in SHARED) are read once for all of them. Elements are combined in the
// order of reduce_staged.cuh.
//
// Lower bound of memory traffic: each array once and the results once, if the rows that a block reads at a time fit in
// the L1 cache.

// The rows of a thread: the address of the first, the distance from one to the next, and their number.
struct several {
  origin first;
  i64 step[ARRAYS];
  u32 count;
};

// Accumulates up to BATCH elements from r on: a whole batch at once, fewer one by one.
template <bool WHOLE_BATCH>
DEVICE void take_batch(const params &p, const several &rows, uindex r, lane (&a)[ROWS]) {
  const u32 left = (u32)((uindex)p.reduced - r), last = p.reduced_axes > 1 ? p.reduced_axes - 1 : 0;
  gathered<V> g[BATCH / V][ROWS];
#pragma unroll
  for (u32 k = 0; k < BATCH; k += V) {
    if (!WHOLE_BATCH && k >= left) break;
    const origin first = origin_at(p, rows.first, r + k);
#pragma unroll
    for (u32 j = 0; j < ROWS; ++j) {
      // An unused row repeats the first one.
      origin at = first;
#pragma unroll
      for (u32 i = 0; i < ARRAYS; ++i) at.at[i] += (j < rows.count ? j : 0) * rows.step[i];
      gather(p, at, p.read_reduced, last, g[k / V][j]);
    }
  }
#pragma unroll
  for (u32 j = 0; j < ROWS; ++j) {
    value x[BATCH];
#pragma unroll
    for (u32 k = 0; k < BATCH; k += V) {
      if (!WHOLE_BATCH && k >= left) break;
      element e[V];
      compute(p, g[k / V][j], e);
#pragma unroll
      for (u32 c = 0; c < V; ++c) {
        x[k + c] = value_of(e[c]);
        const value one[1] = {x[k + c]};
        if (!WHOLE_BATCH) take<1, 1>(a[j], one, ALL_KEPT, (u32)r + k + c, r + k + c, (uindex)1);
      }
    }
    if (WHOLE_BATCH) take<BATCH, 1>(a[j], x, ALL_KEPT, (u32)r, r, (uindex)1);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) reduce(const __grid_constant__ params p) {
  const u64 o = (u64)blockIdx.x * THREADS + threadIdx.x, apart = p.rows;
  if (o >= apart) return;
  several rows;
  rows.first = origin_of(p, (uindex)o);
  rows.count = 1;
  lane a[ROWS];
#pragma unroll
  for (u32 j = 0; j < ROWS; ++j) {
    rows.count += j > 0 && o + j * apart < p.outputs;
    a[j] = lane_start();
  }
  const i64 steps = (p.kept[0].divisor + ROWS - 1) / ROWS;
#pragma unroll
  for (u32 k = 0; k < ARRAYS; ++k) rows.step[k] = SHARED >> k & 1 ? 0 : steps * p.read_kept[k][0];
  const uindex n = (uindex)p.reduced;
  uindex r = 0;
#pragma unroll 1
  for (; r + BATCH <= n; r += BATCH) take_batch<true>(p, rows, r, a);
  if (r < n) take_batch<false>(p, rows, r, a);
  char *first = result_at(p, (uindex)o);
  const i64 out_step = steps * p.kept_out[0];
#pragma unroll
  for (u32 j = 0; j < ROWS; ++j) {
    if (j < rows.count) store(p, (uindex)(o + j * apart), first + j * out_step, whole(lane_result(a[j], (u32)n)));
  }
}
