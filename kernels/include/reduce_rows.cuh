// The threads of an output stand side by side along its elements; short rows share a block.
//
// Floor: the operand once and the results once. 16 bytes a load and UNROLL loads in flight a thread keep the memory
// busy; what is done with an element must fit into some 25 instructions for four bytes.

// Takes the UNROLL loads of a round, or those of them that lie before `last`: all are asked for before one is taken, also where not all
// threads of a warp have as many.
template <bool WHOLE_ROUND>
DEVICE void take_round(const params &p, const origin &base, lane &a, u32 &taken, uindex &r, uindex step, uindex last) {
  u32 loads = UNROLL;
  if (!WHOLE_ROUND) {
    if (r >= last) return;
    loads = 1;
#pragma unroll
    for (u32 u = 1; u < UNROLL; ++u) loads += r + u * step < last;
  }
  element e[UNROLL][V];
  u32 kept[UNROLL];
  read_row<UNROLL>(p, base, r, step, loads, e, kept);
#if POSITIONS
  // The best value and its place are the same in any order: what is missing counts as what none is worse than, so that all threads
  // go one way.
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
    // Rows are whole loads, and so are the splits.
#pragma unroll 1
    for (uindex round = (uindex)begin; round + UNROLL * step <= last; round += UNROLL * step) {
      take_round<true>(p, base, a, taken, r, step, last);
    }
    take_round<false>(p, base, a, taken, r, step, last);
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
