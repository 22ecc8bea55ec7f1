// The threads of an output stand side by side along its elements; short rows share a block.
//
// Floor: the operand once and the results once. 16 bytes a load and UNROLL loads in flight a thread keep the memory
// busy; what is done with an element must fit into some 25 instructions for four bytes.
DEVICE i64 element_at(const params &p, uindex r) {
  return p.reduced_axes <= 1 ? (i64)r * p.reduced_in[0] : offset_of(r, p.reduced_axes, p.reduced_sizes, p.reduced_in);
}
#if MASKED
DEVICE u32 kept_at(const params &p, const char *mask, uindex r) {
  const i64 step = p.reduced_mask[p.reduced_axes > 1 ? p.reduced_axes - 1 : 0];
  const char *at = mask + (p.reduced_axes <= 1 ? (i64)r * step : offset_of(r, p.reduced_axes, p.reduced_sizes, p.reduced_mask));
  u32 keep = 0;
#pragma unroll
  for (u32 k = 0; k < V; ++k) keep |= (u32)(at[k * step] != 0) << k;
  return keep;
}
#endif

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
    const char *base = (const char *)p.in + offset_of(o, p.kept_axes, p.kept, p.kept_in);
#if MASKED
    const char *mask = (const char *)p.mask + offset_of(o, p.kept_axes, p.kept, p.kept_mask);
#endif
    const uindex step = sharing * V, last = (uindex)end;
    uindex r = (uindex)begin + mine * V;
    // Rows are whole loads, and so are the splits.
#pragma unroll 1
    for (; r + (UNROLL - 1) * step < last; r += UNROLL * step) {
      element e[UNROLL][V];
      u32 keep = ALL_KEPT;
#pragma unroll
      for (u32 u = 0; u < UNROLL; ++u) load(e[u], base + element_at(p, r + u * step));
#if MASKED
      keep = 0;
#pragma unroll
      for (u32 u = 0; u < UNROLL; ++u) keep |= kept_at(p, mask, r + u * step) << (u * V);
#endif
      value x[BATCH];
#pragma unroll
      for (u32 k = 0; k < BATCH; ++k) x[k] = value_of(e[k / V][k % V]);
      take<BATCH, V>(a, x, keep, taken, r, step);
      taken += BATCH;
    }
#pragma unroll 1
    for (; r < last; r += step) {
      element e[V];
      u32 keep = ALL_KEPT;
      load(e, base + element_at(p, r));
#if MASKED
      keep = kept_at(p, mask, r);
#endif
      value x[V];
#pragma unroll
      for (u32 k = 0; k < V; ++k) x[k] = value_of(e[k]);
      take<V, V>(a, x, keep, taken, r, step);
      taken += V;
    }
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
