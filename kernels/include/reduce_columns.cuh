// Column reductions: the threads run along the outputs, V adjacent ones each; the other threads of a block share the
// rows.
//
// Lower bound of memory traffic: the operand once and the results once. A thread reads V adjacent elements by one load
// of up to 16 bytes, so that narrow types fill their memory transactions too, and UNROLL rows are in flight.

// The mask bits of column c in the rows of a load: bit u belongs to the u-th row.
template <u32 U> DEVICE u32 kept_of(const u32 (&kept)[U], u32 c) {
  u32 keep = ALL_KEPT;
#if MASKED
  keep = 0;
#pragma unroll
  for (u32 u = 0; u < U; ++u) keep |= (kept[u] >> c & 1) << u;
#endif
  return keep;
}

extern "C" __global__ void __launch_bounds__(THREADS) reduce(const __grid_constant__ params p) {
  __shared__ partial shared[V * THREADS];
  const u32 t = threadIdx.x, kn = 1u << p.outputs_log2, rows = THREADS >> p.outputs_log2;
  const u64 block = (u64)blockIdx.x * kn * V;
  const uindex o = (uindex)(block + (t & (kn - 1)) * V);
  const u64 begin = (u64)blockIdx.y * p.per_split;
  const u64 end = begin + p.per_split < p.reduced ? begin + p.per_split : p.reduced;
  lane a[V];
#pragma unroll
  for (u32 c = 0; c < V; ++c) a[c] = lane_start();
  u32 taken = 0;
  if (o < p.outputs) {
    const origin base = origin_of(p, o);
    const uindex last = (uindex)end;
    uindex r = (uindex)begin + (t >> p.outputs_log2);
#pragma unroll 1
    for (; r + (UNROLL - 1) * rows < last; r += UNROLL * rows) {
      element e[UNROLL][V];
      u32 kept[UNROLL];
      read_columns<UNROLL>(p, base, r, rows, e, kept);
#pragma unroll
      for (u32 c = 0; c < V; ++c) {
        value x[UNROLL];
#pragma unroll
        for (u32 u = 0; u < UNROLL; ++u) x[u] = value_of(e[u][c]);
        take<UNROLL, 1>(a[c], x, kept_of(kept, c), common{taken}, r, rows);
      }
      taken += UNROLL;
    }
#pragma unroll 1
    for (; r < last; r += rows) {
      element e[1][V];
      u32 kept[1];
      read_columns<1>(p, base, r, rows, e, kept);
#pragma unroll
      for (u32 c = 0; c < V; ++c) {
        value x[1] = {value_of(e[0][c])};
        take<1, 1>(a[c], x, kept_of(kept, c), common{taken}, r, rows);
      }
      ++taken;
    }
  }
#pragma unroll
  for (u32 c = 0; c < V; ++c) shared[c * THREADS + t] = lane_result(a[c], taken);
  __syncthreads();
#pragma unroll 1
  for (u32 width_log2 = 8; width_log2-- > p.outputs_log2;) {
    const u32 width = 1u << width_log2;
#pragma unroll 1
    for (u32 i = t; i < V << width_log2; i += THREADS) {
      partial *at = shared + (i >> width_log2) * THREADS + (i & (width - 1));
      *at = combine(*at, at[width]);
    }
    __syncthreads();
  }
#pragma unroll 1
  for (u32 i = t; i < kn * V; i += THREADS) {
    if (block + i < p.outputs) store_split(p, (uindex)(block + i), shared[i % V * THREADS + i / V]);
  }
}
