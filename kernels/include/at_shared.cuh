// Few elements updated in place at given positions, in any order: each block updates private copies of the elements in
// shared memory, and then those of the array. There are as many copies of each element as fit, at most one for each
// lane, to reduce contention.
//
// Required before it: at_targets.cuh; `slot` (an integer word; for floats, an integer in their order); slot_of(item);
// change(slot *, slot) and change(element *, slot), which apply an update; NEUTRAL, with which they change nothing; and
// SLOTS.
constexpr int THREADS = 256;
constexpr int BATCH = 4;

extern "C" __global__ void __launch_bounds__(THREADS) at(const __grid_constant__ params p) {
  if (p.rejected && *(const u32 *)p.rejected != 0) return;
  __shared__ slot slots[SLOTS];
  const u32 t = threadIdx.x, targets = (u32)p.targets, room = SLOTS / targets, copies = room < 32 ? room : 32;
  for (u32 i = t; i < targets * copies; i += THREADS) slots[i] = NEUTRAL;
  __syncthreads();
  slot *mine = slots + t % 32 % copies;
  const cell *keys = (const cell *)p.keys;
  const u64 step = (u64)gridDim.x * THREADS * BATCH;
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * THREADS * BATCH + t; i < p.positions; i += step) {
    u32 at[BATCH];
    slot with[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      const u64 n = i + k * THREADS < p.positions ? i + k * THREADS : i;
      at[k] = (u32)keys[n];
      with[k] = slot_of(operand_of(p, n, 0));
    }
#pragma unroll
    for (int k = 0; k < BATCH; ++k)
      if (i + k * THREADS < p.positions) change(mine + at[k] * copies, with[k]);
  }
  __syncthreads();
  for (u32 b = t; b < targets; b += THREADS) {
    element *target = target_of(p, b);
    for (u32 k = 0; k < copies; ++k) {
      const slot own = slots[b * copies + (k + t) % copies];
      if (own != NEUTRAL) change(target, own);
    }
  }
}
