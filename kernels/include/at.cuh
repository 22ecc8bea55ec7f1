// The ufunc method `at`: elements updated in place at given positions, once for every occurrence of a position.
//
// Required before it: at_targets.cuh; SORTED; TOGETHER (a warp helps a thread with many updates); and either
// step(element, item), the function with its result cast to the array's dtype, or change(element *, slot), an update
// whose order does not matter or is not specified, with slot_of(item) of the operand.

#if SORTED
DEVICE bool is_at(const params &p, u64 k, cell key) { return k < p.positions && ((const cell *)p.keys)[k] == key; }
// Without an order the operand is sorted with the positions, or the same for all of them.
DEVICE item given(const params &p, u64 k, u64 j) { return operand_of(p, p.order ? ((const i64 *)p.order)[k] : k, j); }
#endif

#if TOGETHER
DEVICE element shuffled(const element &a, u32 from) {
  u32 words[(sizeof(element) + 3) / 4] = {};
  memcpy(words, &a, sizeof(a));
#pragma unroll
  for (u32 k = 0; k < sizeof(words) / 4; ++k) words[k] = __shfl_sync(~0u, words[k], from);
  element b;
  memcpy(&b, words, sizeof(b));
  return b;
}

// Number of updates that a thread does alone, and number that a warp loads to shared memory at a time: AHEAD for each
// lane.
constexpr int ALONE = 16;
constexpr int AHEAD = 4;
constexpr int STAGED = 32 * AHEAD;

// Loads the operands of the updates from `next` on at one position, and returns their number.
DEVICE u32 fetch(const params &p, item (&got)[AHEAD], u64 next, cell key, u32 lane) {
  u32 n = 0;
#pragma unroll
  for (u32 k = 0; k < AHEAD; ++k) {
    const u64 at = next + 32 * k + lane;
    const bool here = is_at(p, at, key);
    got[k] = item{};
    if (here) got[k] = given(p, at, 0);
    n += __popc(__ballot_sync(~0u, here));
  }
  return n;
}

// Applies the updates from `next` on at one position with a warp: its lanes load, and all of them do the same updates
// in order.
DEVICE element folded(const params &p, item *staged, element x, u64 next, cell key, u32 lane) {
  item got[AHEAD];
  u32 n = fetch(p, got, next, key, lane);
#pragma unroll 1
  while (n > 0) {
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) staged[32 * k + lane] = got[k];
    __syncwarp();
    const u32 steps = n;
    next += STAGED;
    n = steps == STAGED ? fetch(p, got, next, key, lane) : 0;
#pragma unroll 8
    for (u32 i = 0; i < steps; ++i) x = step(x, staged[i]);
    __syncwarp();
  }
  return x;
}
#endif

extern "C" __global__ void __launch_bounds__(256) at(const __grid_constant__ params p) {
  if (p.rejected && *(const u32 *)p.rejected != 0) return;
  const u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  const bool exists = t < p.positions * p.inner;
  const u64 k = exists ? t / p.inner : 0, j = exists ? t - k * p.inner : 0;
  const cell key = ((const cell *)p.keys)[k];
  element *target = target_of(p, (u64)key * p.inner + j);
#if SORTED
  // The thread at the first occurrence of a position does its updates in the given order: if there are many of one
  // element each, with the help of its warp.
  const bool first = exists && (k == 0 || ((const cell *)p.keys)[k - 1] != key);
#if TOGETHER
  const u64 limit = p.inner == 1 ? k + ALONE : p.positions;
#else
  const u64 limit = p.positions;
#endif
  element x = {};
  u64 next = k;
  if (first) {
    x = *target;
#pragma unroll 1
    for (; next < limit && is_at(p, next, key); ++next) x = step(x, given(p, next, j));
    *target = x;
  }
#if TOGETHER
  __shared__ alignas(16) char memory[256 / 32 * STAGED * sizeof(item)];
  const u32 lane = threadIdx.x & 31;
  item *staged = (item *)memory + threadIdx.x / 32 * STAGED;
  u32 waiting = __ballot_sync(~0u, first && next == limit && is_at(p, next, key));
#pragma unroll 1
  for (; waiting != 0; waiting &= waiting - 1) {
    const u32 leader = __ffs(waiting) - 1;
    const element y = folded(p, staged, shuffled(x, leader), __shfl_sync(~0u, next, leader), __shfl_sync(~0u, key, leader), lane);
    if (lane == leader) *target = y;
  }
#endif
#else
  if (exists) change(target, slot_of(operand_of(p, k, j)));
#endif
}
