// Row reductions: the threads of an output run along its elements; short rows share a block.
//
// Lower bound of memory traffic: the operand once and the results once. 16 bytes per load and UNROLL loads in flight
// for each thread saturate the memory; the work for an element must fit into some 25 instructions per four bytes.

// Accumulates U loads, `step` apart, and advances.
template <u32 U>
DEVICE void take_loads(const params &p, const origin &base, lane &a, u32 &taken, uindex &r, uindex step) {
  element e[U][V];
  u32 kept[U];
  read_row<U>(p, base, r, step, U, e, kept);
  take_held<U, 0>(a, e, kept, taken, r, step);
}
// Accumulates the remaining loads, fewer than 2 U, by halving.
template <u32 U>
DEVICE void take_rest(const params &p, const origin &base, lane &a, u32 &taken, uindex &r, uindex step, uindex last) {
  if constexpr (U > 0) {
    if (r + (U - 1) * step < last) take_loads<U>(p, base, a, taken, r, step);
    take_rest<U / 2>(p, base, a, taken, r, step, last);
  }
}
// Accumulates the remaining loads at once, UNROLL at most: all are issued before the first is used, whatever the number
// of each thread of a warp.
DEVICE void take_last_round(const params &p, const origin &base, lane &a, u32 &taken, uindex &r, uindex step, uindex last) {
  if (r >= last) return;
  u32 loads = 1;
#pragma unroll
  for (u32 u = 1; u < UNROLL; ++u) loads += r + u * step < last;
  element e[UNROLL][V];
  u32 kept[UNROLL];
  read_row<UNROLL>(p, base, r, step, loads, e, kept);
#if POSITIONS
  // The best value and its position do not depend on the order: missing elements count as the neutral value, so that
  // the threads do not diverge.
  value x[UNROLL * V];
  u32 keep = ALL_KEPT;
#if MASKED
  keep = 0;
#pragma unroll
  for (u32 u = 0; u < UNROLL; ++u) keep |= kept[u] << (u * V);
#endif
#pragma unroll
  for (u32 k = 0; k < UNROLL * V; ++k) x[k] = k / V < loads ? value_of(e[k / V][k % V]) : neutral();
  take<UNROLL * V, V>(a, x, keep, taken, r, step);
  r += UNROLL * step;
#else
  take_left<UNROLL, 0>(a, e, kept, taken, r, step, loads);
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS) reduce(const __grid_constant__ params p) {
  __shared__ partial shared[THREADS / 32];
  const u32 t = threadIdx.x, sharing_log2 = 8 - p.outputs_log2, sharing = 1u << sharing_log2;
  const u32 mine = t & (sharing - 1);
  const uindex o = (uindex)(((u64)blockIdx.x << p.outputs_log2) + (t >> sharing_log2));
  const u64 begin = (u64)blockIdx.y * p.per_split;
  const u64 end = begin + p.per_split < p.reduced ? begin + p.per_split : p.reduced;
  lane a = lane_start();
  u32 taken = 0;
  if (o < p.outputs) {
    const origin base = origin_of(p, o);
    const uindex step = sharing * V, last = (uindex)end;
    uindex r = (uindex)begin + mine * V;
    // Rows consist of whole loads, and so do the splits.
    if constexpr (V == 1) {
      // For single elements the work is less than a choice among loads takes.
#pragma unroll 1
      while (r + (UNROLL - 1) * step < last) take_loads<UNROLL>(p, base, a, taken, r, step);
      take_rest<UNROLL / 2>(p, base, a, taken, r, step, last);
    } else {
#pragma unroll 1
      for (uindex round = (uindex)begin; round + UNROLL * step <= last; round += UNROLL * step) {
        take_loads<UNROLL>(p, base, a, taken, r, step);
      }
      take_last_round(p, base, a, taken, r, step, last);
    }
  }
  partial y = lane_result(a, taken);
#pragma unroll 1
  for (u32 half = (sharing < 32 ? sharing : 32) / 2; half > 0; half /= 2) y = combine(y, shuffled(y, half));
  if (sharing > 32) {
    if ((t & 31) == 0) shared[t / 32] = y;
    __syncthreads();
    if (mine == 0) {
#pragma unroll 1
      for (u32 k = 1; k < sharing / 32; ++k) y = combine(y, shared[t / 32 + k]);
    }
  }
  if (mine == 0 && o < p.outputs) store_split(p, o, y);
}
