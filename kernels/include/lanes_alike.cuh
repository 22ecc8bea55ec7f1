// Sums of the values of lanes with the same bin, in a fixed order. `T` is f64 or a pair `re` and `im` of them.

// Volatile: a lane that does not add must not even read what another one writes.
DEVICE void accumulate(f64 *at, f64 added) {
  volatile f64 *counter = at;
  *counter = *counter + added;
}
template <class T> DEVICE void accumulate(T *at, T added) {
  accumulate(&at->re, added.re);
  accumulate(&at->im, added.im);
}
DEVICE f64 shuffled(f64 x, u32 from) { return __shfl_sync(~0u, x, from); }
template <class T> DEVICE T shuffled(T x, u32 from) { return {shuffled(x.re, from), shuffled(x.im, from)}; }

// Adds the values of lanes with the same bin, to the first of them: pairwise among adjacent ones, repeatedly. `peers`
// are the lanes with the lane's bin, none for a lane without a bin.
template <class T> DEVICE void gather(T &x, u32 peers, u32 lane) {
  u32 rank = __popc(peers & ((1u << lane) - 1)), later = peers & (~1u << lane);
#pragma unroll 1
  while (__any_sync(~0u, later != 0)) {
    const T next = shuffled(x, later != 0 ? __ffs(later) - 1 : lane);
    if (later != 0) x = x + next;
    // Those at an odd rank have been added to another.
    later &= ~__ballot_sync(~0u, rank & 1);
    rank /= 2;
  }
}

// Returns the lanes with the same bin as each lane, none for one without a bin: every lane sets its bit in the word of
// its bin, and the first of them clears it again.
DEVICE u32 lanes_alike(u32 *words, u32 bin, u32 lane) {
  const bool has = bin != ~0u;
  if (has) atomicOr(words + bin, 1u << lane);
  __syncwarp();
  const u32 alike = has ? words[bin] : 0;
  __syncwarp();
  if (alike != 0 && (alike & ((1u << lane) - 1)) == 0) words[bin] = 0;
  __syncwarp();
  return alike;
}
