// Reductions of many short contiguous rows: a block loads p.rows of them to shared memory by vector loads, then a
// thread reduces a row. There the row pitch is an odd number of elements, so that threads that read the same position
// of their rows access different banks.
//
// Lower bound of memory traffic: the operand once and the results once; a row alone would use only a part of each
// memory transaction.

// Accumulates the elements of a row from AT on: whole batches, then one by one. The number of earlier elements is a
// compile-time constant, so that what depends on it alone (such as the quotients of a variance) needs no instruction.
template <u32 AT, u32 END> DEVICE void take_each(lane &a, const element *own, u32 n) {
  if constexpr (AT < END) {
    if (AT >= n) return;
    value x[1] = {value_of(own[AT])};
    take<1, 1>(a, x, ALL_KEPT, known<AT>(), (uindex)AT, (uindex)1);
    take_each<AT + 1, END>(a, own, n);
  }
}
template <u32 AT> DEVICE void take_row(lane &a, const element *own, u32 n) {
  if constexpr (AT < SHORT) {
    if (AT + BATCH > n) return take_each<AT, AT + BATCH - 1>(a, own, n);
    value x[BATCH];
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) x[k] = value_of(own[AT + k]);
    take<BATCH, 1>(a, x, ALL_KEPT, known<AT>(), (uindex)AT, (uindex)1);
    take_row<AT + BATCH>(a, own, n);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) reduce(const __grid_constant__ params p) {
  __shared__ __align__(16) element staged[STAGED];
  const u32 t = threadIdx.x, n = (u32)p.reduced, pitch = n | 1;
  const u64 first = (u64)blockIdx.x * p.rows;
  const u32 rows = p.outputs - first < p.rows ? (u32)(p.outputs - first) : (u32)p.rows;
  stage(p, staged, first, rows * n, n);
  __syncthreads();
  if (t >= rows) return;
  lane a = lane_start();
  take_row<0>(a, staged + t * pitch, n);
  store_split(p, (uindex)(first + t), lane_result(a, n));
}
