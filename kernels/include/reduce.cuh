// Result of an output: the partial result of a split, or the final result, stored at `to`.
DEVICE char *result_at(const params &p, uindex o) {
  return (char *)p.out + offset_of(o, p.kept_axes, p.kept, p.kept_out);
}
DEVICE void store(const params &p, uindex o, char *to, accumulator a) {
#if FIRST_OF_NONE
  // If no element is a number, the result is the first of them, or the initial value.
  const bool none = a.index == NOWHERE;
  if (none && !p.has_initial) {
    a = accumulator{value_of(first_of(p, o)), 0};
  }
#endif
  if (p.has_initial) {
    result first;
    memcpy(&first, &p.initial, sizeof(first));
#if FIRST_OF_NONE
    if (none) a = initial_of(first);
    else if (!is_nan(initial_of(first).value))
#endif
    a = combine(initial_of(first), a);
  }
  *(result *)to = finish(a, p.reduced * PER_ELEMENT + p.has_initial, p.ddof);
}
DEVICE void store_split(const params &p, uindex o, const partial &part) {
  const accumulator a = whole(part);
  if (p.splits > 1) {
    ((accumulator *)p.scratch)[(u64)blockIdx.y * p.outputs + o] = a;
  } else {
    store(p, o, result_at(p, o), a);
  }
}

// Second launch: the partial results of an output are `outputs` apart.
extern "C" __global__ void __launch_bounds__(THREADS) reduce_splits(const __grid_constant__ params p) {
  __shared__ accumulator shared[THREADS];
  const u32 t = threadIdx.x, kn = 1u << p.outputs_log2;
  const u32 row = t >> p.outputs_log2, rows = THREADS >> p.outputs_log2;
  const uindex o = (uindex)((u64)blockIdx.x * kn + (t & (kn - 1)));
  accumulator a = identity();
  if (o < p.outputs) {
    const accumulator *parts = (const accumulator *)p.scratch + o;
#pragma unroll 4
    for (u32 s = row; s < p.splits; s += rows) a = combine(a, parts[(u64)s * p.outputs]);
  }
  shared[t] = a;
  __syncthreads();
#pragma unroll 1
  for (u32 half = rows / 2; half > 0; half /= 2) {
    if (row < half) shared[t] = a = combine(a, shared[t + half * kn]);
    __syncthreads();
  }
  if (row == 0 && o < p.outputs) store(p, o, result_at(p, o), a);
}
