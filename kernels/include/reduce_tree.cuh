// What every reduction kernel holds. Before it stand: `element` (in memory), PER_ELEMENT
// (how many of the operand's it is), `value` (what an element becomes),
// `accumulator` (a partial result in memory), `partial` (one of a block), `result`, `uindex`, `word` (V elements as one load), V, BATCH and
// the functions value_of(element), combine of either, whole(partial), the accumulator that it is, and finish(accumulator, n, ddof), and those by which elements
// are read: of an array (reduce_reads.cuh), or of an expression (reduce_computes.cuh).
//
// A thread gathers batches of values, BATCH of them where there are as many, into a `lane` (take), then makes a partial result of it (lane_result). The
// order of all combinations depends on the plan alone: the same bits every time.
constexpr u32 ALL_KEPT = 0xffffffffu;

// How many elements were taken before, where that is known as the text is compiled, or is one number for several lanes. What follows
// from it alone is then made by `/`: as the text is compiled, or once and before the elements are there.
template <u32 N> struct known {
  DEVICE operator u32() const { return N; }
};
struct common {
  u32 n;
  DEVICE operator u32() const { return n; }
};
template <class T> constexpr bool is_made_once(T) { return true; }
constexpr bool is_made_once(u32) { return false; }

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
DEVICE partial shuffled(const partial &a, u32 delta) {
  constexpr u32 n = (sizeof(partial) + 3) / 4;
  u32 words[n] = {};
  memcpy(words, &a, sizeof(a));
#pragma unroll
  for (u32 k = 0; k < n; ++k) words[k] = __shfl_down_sync(ALL_KEPT, words[k], delta);
  partial b;
  memcpy(&b, words, sizeof(b));
  return b;
}

