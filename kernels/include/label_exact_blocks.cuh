// Exact sums of float32 elements, and of their products with the coordinates along some axes, for slots whose limbs fit into shared memory.
// Required before it: label_exact.cuh.
//
// Each of these sums is a set: the limbs of one set are after those of another, in shared memory as in memory.
//
// The number m 2^(e - 149) is added to the limb e / LIMB as m 2^(e % LIMB), an integer of two words: most numbers change the low word alone,
// whose carry, like the few high words that are not 0, goes to the high one. A block has limbs for the exponents of its largest numbers, of
// which it reads a sample first; numbers that it has no limb for are added in memory, so that sums are exact for any sample. The limbs of
// all blocks are added up in those of label_exact.cuh, which have the same weights.
constexpr u32 LIMB = 8, BLOCK_THREADS = 1024;
// Elements of a thread that are loaded at once.
constexpr u32 LIMBS_AHEAD = 4;
// The low word of a limb initially: small sums of both signs have no carry.
constexpr u32 MIDDLE = 1u << 31;

extern __shared__ __align__(16) u32 shared_words[];

// Adds to a limb of a set in memory: an element, or a product that may have 55 bits, of which the upper ones belong to the limb of 2^32
// times the weight: as many additions as there are elements cannot overflow either.
DEVICE void add_in_memory(const params &p, u32 set, u32 limb, i32 slot, i64 v, bool product) {
  u64 *at = (u64 *)p.sums + ((u64)set * p.chunks + limb) * p.count + slot;
  if (!product) {
    atomicAdd(at, (u64)v);
    return;
  }
  if ((u32)v != 0) atomicAdd(at, (u64)(u32)v);
  if (v >> 32 != 0) atomicAdd(at + 32 / LIMB * p.count, (u64)(v >> 32));
}

// Adds to a limb of the block, if there is one. `own` is the position of the slot in a row of limbs.
template <class T> DEVICE void add_in_block(const params &p, u32 set, u32 row, u32 own, u32 limb, i32 slot, T v, bool product) {
  const u32 pitch = (u32)p.count << p.copies_log2;
  if (row >= p.window) return add_in_memory(p, set, limb, slot, v, product);
  u32 *low = shared_words + (set * p.window + row) * pitch + own;
  const u32 word = (u32)v, before = atomicAdd(low, word);
  const i32 carried = (sizeof(T) == 4 ? (i32)v >> 31 : (i32)((i64)v >> 32)) + (before + word < word);
  if (carried != 0) atomicAdd((i32 *)low + p.sets * p.window * pitch, carried);
}

// Returns the sum over the lanes of a warp: those of parts of 20 bits, of which the last has the sign.
DEVICE i64 sum_of_lanes(i32 v) { return (i64)((u64)(i64)(i32)warp_sum((u32)(v >> 20)) << 20) + warp_sum((u32)v & 0xfffff); }
DEVICE i64 sum_of_lanes(i64 v) {
  return (i64)((u64)(i64)(i32)warp_sum((u32)(v >> 40)) << 40) + ((i64)warp_sum((u32)(v >> 20) & 0xfffff) << 20) + warp_sum((u32)v & 0xfffff);
}

// Returns the limb of the block that has the lowest weight: one limb is above those of the largest elements of a sample.
DEVICE u32 lowest_limb(const params &p, u64 start, u64 count) {
  __shared__ u32 largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  const u32 bits = __float_as_uint(element_at(p, start + count * threadIdx.x / BLOCK_THREADS));
  u32 exponent = bits >> 23 & 255;
  exponent = exponent == 255 ? 0 : exponent;
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) {
    const u32 other = __shfl_xor_sync(~0u, exponent, step);
    exponent = other > exponent ? other : exponent;
  }
  if ((threadIdx.x & 31) == 0) atomicMax(&largest, exponent);
  __syncthreads();
  const u32 limb = largest / LIMB + 2;
  return limb > p.window ? limb - p.window : 0;
}

// Adds the elements of a block, as 32-bit integers, if they are a set, and their products with coordinates, as 64-bit ones.
template <bool ELEMENTS, u32 PRODUCTS> DEVICE void add_all(const params &p, u64 start, u32 count, u32 lowest) {
  constexpr u32 FIRST = ELEMENTS;
  const u32 lane = threadIdx.x & 31, copy = threadIdx.x & ((1u << p.copies_log2) - 1);
  const slot_reader slots(p);
  const bool even = p.axes <= 1;
  const char *from = p.values + (even ? (i64)start * p.steps[0] : 0);
#pragma unroll 1
  for (u32 base = threadIdx.x; base - threadIdx.x < count; base += BLOCK_THREADS * LIMBS_AHEAD) {
    i32 of[LIMBS_AHEAD];
    u32 elements[LIMBS_AHEAD];
#pragma unroll
    for (u32 k = 0; k < LIMBS_AHEAD; ++k) {
      const u32 i = base + k * BLOCK_THREADS;
      of[k] = -1, elements[k] = 0;
      if (i < count) {
        of[k] = slots.at(start + i);
        elements[k] = __float_as_uint(even ? *(const element *)(from + (i64)i * p.steps[0]) : element_at(p, start + i));
      }
    }
#pragma unroll
    for (u32 k = 0; k < LIMBS_AHEAD; ++k) {
      const i32 slot = of[k], first = __shfl_sync(~0u, slot, 0);
      const u32 bits = elements[k];
      const bool one = __all_sync(~0u, slot == first), there = slot >= 0;
      if (one && first < 0) continue;
      const u32 exponent = bits >> 23 & 255, e = exponent == 0 ? 0 : exponent - 1, limb = e / LIMB;
      u32 m = (bits & 0x7fffff) | (exponent != 0) << 23;
      // The coordinates, from the last axis on.
      u32 factors[PRODUCTS + 1];
      uindex rest = PRODUCTS > 0 ? divide((uindex)(start + base + k * BLOCK_THREADS), p.inner) : 0;
#pragma unroll
      for (u32 d = PRODUCTS; d-- > 0;) {
        const uindex above = divide(rest, p.lengths[d]);
        factors[d] = (u32)(rest - above * (uindex)p.lengths[d].divisor);
        rest = above;
      }
      if (!there) m = 0;
      if (there && exponent == 255) {
        if (ELEMENTS) atomicOr(p.marks + slot, mark_of(bits, 1));
        for (u32 d = 0; d < PRODUCTS; ++d) atomicOr(p.marks + (FIRST + d) * p.count + slot, mark_of(bits, factors[d]));
        m = 0;
      }
      const i32 v = bits >> 31 ? -(i32)(m << e % LIMB) : (i32)(m << e % LIMB);
      const u32 own = ((u32)slot << p.copies_log2) + copy, row = limb - lowest;
      if (!one) {
        if (v != 0) {
          if (ELEMENTS) add_in_block(p, 0, row, own, limb, slot, v, false);
#pragma unroll
          for (u32 d = 0; d < PRODUCTS; ++d) {
            const i64 product = (i64)v * (i32)factors[d];
            if (product != 0) add_in_block(p, FIRST + d, row, own, limb, slot, product, true);
          }
        }
        continue;
      }
      // Numbers of a warp with one slot are added up for each limb.
      u32 left = __ballot_sync(~0u, v != 0);
#pragma unroll 1
      while (left != 0) {
        const u32 leader = __ffs(left) - 1, at = __shfl_sync(~0u, limb, leader);
        const bool same = v != 0 && limb == at;
        if (ELEMENTS) {
          const i64 sum = sum_of_lanes(same ? v : 0);
          if (lane == leader && sum != 0) add_in_block(p, 0, row, own, at, slot, sum, false);
        }
#pragma unroll
        for (u32 d = 0; d < PRODUCTS; ++d) {
          const i64 sum = sum_of_lanes(same ? (i64)v * (i32)factors[d] : (i64)0);
          if (lane == leader && sum != 0) add_in_block(p, FIRST + d, row, own, at, slot, sum, true);
        }
        left &= ~__ballot_sync(~0u, same);
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) label_exact_blocks(const __grid_constant__ params p) {
  const u32 count = (u32)p.count, copies = 1u << p.copies_log2, limbs = p.sets * p.window * count;
  for (u32 w = threadIdx.x; w < 2 * limbs * copies; w += BLOCK_THREADS) shared_words[w] = w < limbs * copies ? MIDDLE : 0;
  const u64 start = (u64)blockIdx.x * p.chunk, end = start + p.chunk < p.elements ? start + p.chunk : p.elements;
  const u32 lowest = lowest_limb(p, start, end - start);
  const u32 own = (u32)(end - start);
  if (p.column != 0) add_all<false, 1>(p, start, own, lowest);
  else if (p.products == 0) add_all<true, 0>(p, start, own, lowest);
  else if (p.products == 1) add_all<true, 1>(p, start, own, lowest);
  else if (p.products == 2) add_all<true, 2>(p, start, own, lowest);
  else add_all<true, 3>(p, start, own, lowest);
  __syncthreads();
  for (u32 w = threadIdx.x; w < limbs; w += BLOCK_THREADS) {
    i64 sum = 0;
    for (u32 c = 0; c < copies; ++c) {
      const u32 at = (w << p.copies_log2) + c;
      sum += (i64)((u64)(i64)(i32)shared_words[at + (limbs << p.copies_log2)] << 32) + (i64)shared_words[at] - (i64)MIDDLE;
    }
    const u32 row = w / count, set = row / p.window;
    if (sum != 0) add_in_memory(p, set, lowest + (row - set * p.window), (i32)(w - row * count), sum, set + (p.column != 0) > 0);
  }
}
