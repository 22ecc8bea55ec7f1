// A reduction of rows that threads hold: `element`, V adjacent elements of each of LOADS loads, of which this thread
// has the first `loads`. Elements are combined in the order of reduce_rows.cuh, so that the result is identical to the
// bit: UNROLL loads at a time, then the rest by halving; then among the threads of a row. Required before it: what
// reduce_tree.cuh and the lane require, UNROLL, and ADDS (the elements are added to zero).
template <u32 AT>
DEVICE void take_all(lane &a, const element (&e)[LOADS][V], u32 &taken, uindex &r, uindex step, u32 loads) {
  if constexpr (AT + UNROLL <= LOADS) {
    if (loads >= UNROLL) {
      take_held<UNROLL, AT>(a, e, (const u32 *)0, taken, r, step);
      take_all<AT + UNROLL>(a, e, taken, r, step, loads - UNROLL);
      return;
    }
  }
  take_left<UNROLL / 2, AT>(a, e, (const u32 *)0, taken, r, step, loads);
}

// The result, which all threads of the row get.
DEVICE result of_row(const element (&e)[LOADS][V], const row_position &at, u64 n, f64 ddof) {
  __shared__ partial shared[THREADS / 32];
  __shared__ result results[THREADS];
  lane a = lane_start();
  u32 taken = 0;
  uindex r = at.first;
  take_all<0>(a, e, taken, r, at.step, at.loads);
  partial y = lane_result(a, taken);
  const u32 t = threadIdx.x, sharing = at.sharing;
#pragma unroll 1
  for (u32 half = (sharing < 32 ? sharing : 32) / 2; half > 0; half /= 2) y = combine(y, shuffled(y, half));
  if (sharing > 32) {
    if ((t & 31) == 0) shared[t / 32] = y;
    __syncthreads();
    if (at.mine == 0) {
#pragma unroll 1
      for (u32 k = 1; k < sharing / 32; ++k) y = combine(y, shared[t / 32 + k]);
    }
  }
  if (at.mine == 0) {
    accumulator whole_row = whole(y);
#if ADDS
    result zero = {};
    whole_row = combine(initial_of(zero), whole_row);
#endif
    results[at.row] = finish(whole_row, n + ADDS, ddof);
  }
  __syncthreads();
  return results[at.row];
}
