// A reduction of rows that threads hold: `element`, V neighbours of each of LOADS places, of which this thread has the first
// `loads`. Elements are combined as those of reduce_rows.cuh are, so that the result is the same to the bit: UNROLL places at
// a time, then what is left by halves; then among the threads of a row. Before it stand what reduce_tree.cuh and the lane say,
// UNROLL, and ADDS (whether the elements are added to zero).
template <u32 U, u32 AT>
DEVICE void take_held(lane &a, const element (&e)[LOADS][V], u32 &taken, uindex &r, uindex step) {
  value x[U * V];
#pragma unroll
  for (u32 k = 0; k < U * V; ++k) x[k] = value_of(e[AT + k / V][k % V]);
  take<U * V, V>(a, x, ALL_KEPT, taken, r, step);
  taken += U * V;
  r += U * step;
}
template <u32 U, u32 AT>
DEVICE void take_left(lane &a, const element (&e)[LOADS][V], u32 &taken, uindex &r, uindex step, u32 left) {
  if constexpr (U > 0) {
    if constexpr (AT + U <= LOADS) {
      if (left >= U) {
        take_held<U, AT>(a, e, taken, r, step);
        take_left<U / 2, AT + U>(a, e, taken, r, step, left - U);
        return;
      }
    }
    take_left<U / 2, AT>(a, e, taken, r, step, left);
  }
}
template <u32 AT>
DEVICE void take_all(lane &a, const element (&e)[LOADS][V], u32 &taken, uindex &r, uindex step, u32 loads) {
  if constexpr (AT + UNROLL <= LOADS) {
    if (loads >= UNROLL) {
      take_held<UNROLL, AT>(a, e, taken, r, step);
      take_all<AT + UNROLL>(a, e, taken, r, step, loads - UNROLL);
      return;
    }
  }
  take_left<UNROLL / 2, AT>(a, e, taken, r, step, loads);
}

// The result, which all threads of the row get.
DEVICE result of_row(const element (&e)[LOADS][V], const place &at, u64 n, f64 ddof) {
  __shared__ accumulator shared[THREADS / 32];
  __shared__ result results[THREADS];
  lane a = lane_start();
  u32 taken = 0;
  uindex r = at.first;
  take_all<0>(a, e, taken, r, at.step, at.loads);
  accumulator y = lane_result(a, taken);
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
#if ADDS
    result zero = {};
    y = combine(initial_of(zero), y);
#endif
    results[at.row] = finish(y, n + ADDS, ddof);
  }
  __syncthreads();
  return results[at.row];
}
