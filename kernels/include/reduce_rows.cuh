// The threads of an output stand side by side along its elements; short rows share a block.
//
// Floor: the operand once and the results once. 16 bytes a load and UNROLL loads in flight a thread keep the memory
// busy; what is done with an element must fit into some 25 instructions for four bytes.
// Takes U loads, `step` apart, and goes on behind them.
template <u32 U>
DEVICE void take_loads(const params &p, const origin &base, lane &a, u32 &taken, uindex &r, uindex step) {
  element e[U][V];
  u32 kept[U], keep = ALL_KEPT;
  read_row<U>(p, base, r, step, e, kept);
#if MASKED
  keep = 0;
#pragma unroll
  for (u32 u = 0; u < U; ++u) keep |= kept[u] << (u * V);
#endif
  value x[U * V];
#pragma unroll
  for (u32 k = 0; k < U * V; ++k) x[k] = value_of(e[k / V][k % V]);
  take<U * V, V>(a, x, keep, taken, r, step);
  taken += U * V;
  r += U * step;
}
// Fewer than 2 U loads that are left.
template <u32 U>
DEVICE void take_rest(const params &p, const origin &base, lane &a, u32 &taken, uindex &r, uindex step, uindex last) {
  if constexpr (U > 0) {
    if (r + (U - 1) * step < last) take_loads<U>(p, base, a, taken, r, step);
    take_rest<U / 2>(p, base, a, taken, r, step, last);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) reduce(const __grid_constant__ params p) {
  __shared__ accumulator shared[THREADS / 32];
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
    while (r + (UNROLL - 1) * step < last) take_loads<UNROLL>(p, base, a, taken, r, step);
    take_rest<UNROLL / 2>(p, base, a, taken, r, step, last);
  }
  accumulator y = lane_result(a, taken);
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
