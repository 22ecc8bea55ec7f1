// What every reduction kernel holds. Before it stand: `element` (in memory), PER_ELEMENT
// (how many of the operand's it is), `value` (what an element becomes),
// `accumulator` (a partial result), `result`, `uindex`, `word` (V elements as one load), V, BATCH and
// the functions value_of(element), combine(accumulator, accumulator) and finish(accumulator, n, ddof), and those by which elements
// are read: of an array (reduce_reads.cuh), or of an expression (reduce_computes.cuh).
//
// A thread gathers batches of values, BATCH of them where there are as many, into a `lane` (take), then makes a partial result of it (lane_result). The
// order of all combinations depends on the plan alone: the same bits every time.
constexpr u32 ALL_KEPT = 0xffffffffu;

// The tree of 2 HALF values, into the first. Each level is a function of its own: of a loop over the levels the compiler
// leaves a part as a loop, and an array that is indexed by a variable lies in memory.
template <u32 HALF, class T, class F> DEVICE void halve(T *y, F combined) {
  if constexpr (HALF > 0) {
#pragma unroll
    for (u32 k = 0; k < HALF; ++k) y[k] = combined(y[k], y[k + HALF]);
    halve<HALF / 2>(y, combined);
  }
}

// The partial result of the lane `delta` further on.
DEVICE accumulator shuffled(const accumulator &a, u32 delta) {
  constexpr u32 n = (sizeof(accumulator) + 3) / 4;
  u32 words[n] = {};
  memcpy(words, &a, sizeof(a));
#pragma unroll
  for (u32 k = 0; k < n; ++k) words[k] = __shfl_down_sync(ALL_KEPT, words[k], delta);
  accumulator b;
  memcpy(&b, words, sizeof(b));
  return b;
}

// What comes of an output: a partial result of a split, or the result.
DEVICE void store(const params &p, uindex o, accumulator a) {
#if FIRST_OF_NONE
  // Where no element is a number, the result is the first of them, or what was to come before them.
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
  *(result *)((char *)p.out + offset_of(o, p.kept_axes, p.kept, p.kept_out)) =
      finish(a, p.reduced * PER_ELEMENT + p.has_initial, p.ddof);
}
DEVICE void store_split(const params &p, uindex o, const accumulator &a) {
  if (p.splits > 1) {
    ((accumulator *)p.scratch)[(u64)blockIdx.y * p.outputs + o] = a;
  } else {
    store(p, o, a);
  }
}

// The second launch: the partial results of an output lie `outputs` apart.
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
  if (row == 0 && o < p.outputs) store(p, o, a);
}
