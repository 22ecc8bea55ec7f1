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

