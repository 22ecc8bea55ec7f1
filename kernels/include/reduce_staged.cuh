// Many short rows that lie one behind the other: a block brings p.rows of them to shared memory by whole loads, then a
// thread reduces a row. Rows begin at an odd number of elements from each other there, so that threads that read the
// same place of their rows read from different banks.
//
// Floor: the operand once and the results once; a row alone would leave most of each memory transaction unused.
extern "C" __global__ void __launch_bounds__(THREADS) reduce(const __grid_constant__ params p) {
  __shared__ element staged[STAGED];
  const u32 t = threadIdx.x, n = (u32)p.reduced, pitch = n | 1;
  const u64 first = (u64)blockIdx.x * p.rows;
  const u32 rows = p.outputs - first < p.rows ? (u32)(p.outputs - first) : p.rows;
  const u32 total = rows * n;
  stage(p, staged, first, total, n, pitch);
  __syncthreads();
  if (t >= rows) return;
  lane a = lane_start();
  u32 taken = 0;
  const element *own = staged + t * pitch;
  u32 r = 0;
#pragma unroll 1
  for (; r + BATCH <= n; r += BATCH) {
    value x[BATCH];
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) x[k] = value_of(own[r + k]);
    take<BATCH, 1>(a, x, ALL_KEPT, taken, (uindex)r, (uindex)1);
    taken += BATCH;
  }
#pragma unroll 1
  for (; r < n; ++r) {
    value x[1] = {value_of(own[r])};
    take<1, 1>(a, x, ALL_KEPT, taken, (uindex)r, (uindex)1);
    ++taken;
  }
  store_split(p, (uindex)(first + t), lane_result(a, taken));
}
