// The threads stand side by side along the outputs, V neighbouring ones each; the others of a block share the rows.
//
// Floor: the operand once and the results once. A thread reads V neighbours by one load of up to 16 bytes, so that
// narrow types fill their memory transactions too, and UNROLL rows are in flight.
extern "C" __global__ void __launch_bounds__(THREADS) reduce(const __grid_constant__ params p) {
  __shared__ accumulator shared[THREADS];
  const u32 t = threadIdx.x, kn = 1u << p.outputs_log2, rows = THREADS >> p.outputs_log2;
  const u32 row = t >> p.outputs_log2;
  const uindex o = (uindex)(((u64)blockIdx.x * kn + (t & (kn - 1))) * V);
  const u64 begin = (u64)blockIdx.y * p.per_split;
  const u64 end = begin + p.per_split < p.reduced ? begin + p.per_split : p.reduced;
  lane a[V];
#pragma unroll
  for (u32 c = 0; c < V; ++c) a[c] = lane_start();
  u32 taken = 0;
  if (o < p.outputs) {
    const char *base = (const char *)p.in + offset_of(o, p.kept_axes, p.kept, p.kept_in);
#if MASKED
    const char *mask = (const char *)p.mask + offset_of(o, p.kept_axes, p.kept, p.kept_mask);
    const i64 mask_step = p.kept_mask[p.kept_axes > 1 ? p.kept_axes - 1 : 0];
#endif
    const uindex last = (uindex)end;
#pragma unroll 1
    for (uindex r = (uindex)begin + row; r < last; r += UNROLL * rows) {
      element e[UNROLL][V];
      u32 there = ALL_KEPT;
      if (r + (UNROLL - 1) * rows < last) {
#pragma unroll
        for (u32 u = 0; u < UNROLL; ++u) {
          const uindex at = r + u * rows;
          load(e[u], base + (p.reduced_axes <= 1 ? (i64)at * p.reduced_in[0] : offset_of(at, p.reduced_axes, p.reduced_sizes, p.reduced_in)));
        }
      } else {
        there = 0;
#pragma unroll
        for (u32 u = 0; u < UNROLL; ++u) {
          const uindex at = r + u * rows;
#pragma unroll
          for (u32 c = 0; c < V; ++c) e[u][c] = {};
          if (at < last) {
            there |= 1u << u;
            load(e[u], base + (p.reduced_axes <= 1 ? (i64)at * p.reduced_in[0] : offset_of(at, p.reduced_axes, p.reduced_sizes, p.reduced_in)));
          }
        }
      }
#pragma unroll
      for (u32 c = 0; c < V; ++c) {
        value x[BATCH];
        u32 keep = there;
#pragma unroll
        for (u32 u = 0; u < UNROLL; ++u) x[u] = value_of(e[u][c]);
#if MASKED
        keep = 0;
#pragma unroll
        for (u32 u = 0; u < UNROLL; ++u) {
          const uindex at = r + u * rows;
          if (at < last && mask[(p.reduced_axes <= 1 ? (i64)at * p.reduced_mask[0] : offset_of(at, p.reduced_axes, p.reduced_sizes, p.reduced_mask)) + c * mask_step] != 0) keep |= 1u << u;
        }
#endif
        if (there == ALL_KEPT && !MASKED) take<1>(a[c], x, ALL_KEPT, taken, r, rows);
        else take<1>(a[c], x, keep, taken, r, rows);
      }
      taken += there == ALL_KEPT ? UNROLL : __popc(there);
    }
  }
#pragma unroll
  for (u32 c = 0; c < V; ++c) {
    accumulator y = lane_result(a[c], taken);
    shared[t] = y;
    __syncthreads();
#pragma unroll 1
    for (u32 half = rows / 2; half > 0; half /= 2) {
      if (row < half) shared[t] = y = combine(y, shared[t + half * kn]);
      __syncthreads();
    }
    if (row == 0 && o < p.outputs) store_split(p, o + c, y);
  }
}
