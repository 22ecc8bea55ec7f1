// Updates of float32 numbers in the order of the indices, without a sort: the updates of each element are linked in any
// order, and a thread follows the links and does them in order. If they are more than ALONE, the sum is exact instead,
// which needs no order.
//
// Required before it: at_limbs.cuh, and step(element, item), the function with its result cast to the array's dtype.
//
// `heads` has the number of elements with many updates, the number of blocks that are done, and for each element the
// number, counted from 1, of the update that was linked last; `links` has for each update the number of the one that
// was linked before it. 0 ends a list. `limbs` has limbs for `room`
// elements with many updates, and then their positions.
constexpr u32 ALONE = 16, WALKERS = 128;
// The head of an element with many updates: the number of its limbs.
constexpr u32 MANY = 0x80000000u;

DEVICE u32 *heads_of(const params &p) { return (u32 *)p.heads + 2; }
// The position of an element with many updates.
DEVICE u64 &long_position(const params &p, u32 slot) { return ((u64 *)p.limbs)[(u64)LIMBS * PARTS * p.room + slot]; }

extern "C" __global__ void __launch_bounds__(256) link(const __grid_constant__ params p) {
  if (is_rejected_before(p)) return;
  const u64 first = (u64)blockIdx.x * (256 * EACH) + threadIdx.x;
  u64 to[EACH];
  bool exists[EACH];
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 n = first + k * 256;
    exists[k] = n < p.positions && position_of(p, n, to[k]);
  }
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 n = first + k * 256;
    if (exists[k]) ((u32 *)p.links)[n] = atomicExch(heads_of(p) + to[k], (u32)n + 1);
  }
}

extern "C" __global__ void __launch_bounds__(WALKERS) walk(const __grid_constant__ params p) {
  if (is_rejected(p)) return;
  // The updates of each thread's element, in ascending order, and their operands.
  __shared__ u32 sorted[ALONE * WALKERS];
  __shared__ alignas(16) char memory[ALONE * WALKERS * sizeof(item)];
  const u32 t = threadIdx.x;
  u32 *numbers = sorted + t;
  item *operands = (item *)memory + t;
  const u64 i = (u64)blockIdx.x * WALKERS + t;
  u32 next = i < p.targets ? heads_of(p)[i] : 0;
  if (next == 0) return;
  element *target = target_of(p, i);
  element x = *target;
  u32 count = 0;
#pragma unroll 1
  while (next != 0 && count < ALONE) {
    const u32 n = next - 1;
    // Both loads are under way while the update is inserted.
    next = ((const u32 *)p.links)[n];
    const item e = operand_of(p, n, 0);
    u32 j = WALKERS * count++;
#pragma unroll 1
    for (; j > 0 && numbers[j - WALKERS] > n; j -= WALKERS) {
      numbers[j] = numbers[j - WALKERS];
      operands[j] = operands[j - WALKERS];
    }
    numbers[j] = n;
    operands[j] = e;
  }
  if (next == 0) {
#pragma unroll 1
    for (u32 j = 0; j < count; ++j) x = step(x, operands[j * WALKERS]);
    *target = x;
    return;
  }
  // At most one element in ALONE + 1 updates.
  const u32 slot = atomicAdd((u32 *)p.heads, 1u);
  u32 bits[PARTS];
  memcpy(bits, &x, sizeof(x));
  long_position(p, slot) = i;
#pragma unroll
  for (u32 part = 0; part < PARTS; ++part) {
    const term own = term_of(bits[part]);
#pragma unroll
    for (u32 j = 0; j < LIMBS; ++j)
      ((i64 *)p.limbs)[(j * p.room + slot) * PARTS + part] = is_number(bits[part]) && j == own.limb ? own.value : 0;
  }
  heads_of(p)[i] = MANY | slot;
}

// Adds the updates of elements that have many; the last block stores the sums.
extern "C" __global__ void __launch_bounds__(256) many(const __grid_constant__ params p) {
  const u32 count = *(const u32 *)p.heads;
  if (count == 0 || is_rejected(p)) return;
#pragma unroll 1
  for (u64 block = blockIdx.x; block * 256 * EACH < p.positions; block += gridDim.x) {
    const u64 first = (block * 256 + threadIdx.x) * EACH;
    u64 from[EACH], to[EACH];
    updates all;
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      const u64 n = first + k < p.positions ? first + k : p.positions - 1;
      bool exists = position_of(p, n, from[k]) && first + k < p.positions;
      const u32 head = heads_of(p)[from[k]];
      exists = exists && (head & MANY);
      to[k] = exists ? head & ~MANY : 0;
      read_update(p, n, exists, all.given[k]);
    }
    const auto was_zero = [&](u32 k, u32 part) { return ((const u32 *)target_of(p, from[k]))[part] == SIGN; };
    accumulate(p, p.room, to, all, was_zero);
  }
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd((u32 *)p.heads + 1, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
#pragma unroll 1
  for (u32 slot = threadIdx.x; slot < count; slot += 256) {
#pragma unroll
    for (u32 part = 0; part < PARTS; ++part) finish_part(p, long_position(p, slot), part, p.room, (u64)slot * PARTS + part, ~0u);
  }
}
