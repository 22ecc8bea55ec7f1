// Common part of every reduction kernel. Required before it: `element` (in memory), PER_ELEMENT (the number of the
// operand's elements in it), `value` (of the map of an element), `accumulator` (a partial result in memory), `partial`
// (one of a block), `result`, `uindex`, `word` (V elements as one load), V, BATCH; the functions value_of(element),
// combine of either type, whole(partial), which is the accumulator, and finish(accumulator, n, ddof); and those that
// read elements: of an array (reduce_reads.cuh), or of an expression (reduce_computes.cuh).
//
// A thread accumulates batches of up to BATCH values in a `lane` (take), then converts it to a partial result
// (lane_result). The order of all combinations depends on the plan alone: the same bits every time.
constexpr u32 ALL_KEPT = 0xffffffffu;

// The number of elements accumulated before, if it is a compile-time constant, or is common to several lanes. What
// depends on it alone is then computed by `/`: at compile time, or once and before the elements are there.
template <u32 N> struct known {
  DEVICE operator u32() const { return N; }
};
struct common {
  u32 n;
  DEVICE operator u32() const { return n; }
};
template <class T> constexpr bool is_made_once(T) { return true; }
constexpr bool is_made_once(u32) { return false; }

// Reduces 2 HALF values to the first by a tree. Each level is a function of its own: the compiler would leave a part of
// a loop over the levels as a loop, and an array that is indexed by a variable is stored in local memory.
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

