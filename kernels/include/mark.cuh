// First pass of stream compaction: a bit for each element that is true, in C order, and counts. A unit is 32 words of 32
// bits; a warp processes `each` adjacent units. `counts` has, for each unit, the number of true elements of its block
// before it, and after these the total of each block. There are fewer than 2^32 units, and true elements of a block.
// Required before it: `element` (the dtype in memory), `uindex`, FLAT (contiguous, aligned elements), is_set(element),
// packed_set(u32) and element_set(p, i), which reads the element of a position in C order.
constexpr int THREADS = 256, WARPS = THREADS / 32;

#if FLAT
// Elements of a load of 16 bytes; loads of a lane that cover 32 elements, which is also the number of lanes whose
// elements form a word; loads of a unit that are in flight together, and units, so that a lane has eight loads in flight.
constexpr int E = 16 / sizeof(element);
constexpr int R = 32 / E;
constexpr int AT_ONCE = R < 8 ? R : 8;
constexpr int UNITS = 8 / AT_ONCE;

DEVICE u32 piece_of(const uint4 &x) {
  u32 bits = 0;
  if constexpr (sizeof(element) <= 2) {
    const u32 parts[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) bits |= packed_set(parts[k]) << k * (E / 4);
  } else {
    element e[E];
    memcpy(e, &x, sizeof(x));
#pragma unroll
    for (int k = 0; k < E; ++k) bits |= (u32)is_set(e[k]) << k;
  }
  return bits;
}
// Transposes bit pieces among R lanes, each of which has a piece of E bits of R words, in order. Each lane gets one
// word, its pieces in the order of the lanes: in each step a lane keeps half of its pieces and exchanges the others
// with a neighbour.
DEVICE u32 reversed(u32 x) {
#pragma unroll
  for (u32 d = R / 2; d > 0; d /= 2) {
    u32 low = 0;
#pragma unroll
    for (u32 r = 0; r < R; ++r) low |= (r & d) == 0 ? (u32)((1ull << E) - 1) << r * E : 0;
    const u32 other = __shfl_xor_sync(~0u, x, d);
    x = threadIdx.x & d ? (x & ~low) | (other >> d * E & low) : (x & low) | (other & low) << d * E;
  }
  return x;
}
// Elements are read once.
DEVICE uint4 read_once(const uint4 *at) {
#ifdef __HIP__
  return *at;
#else
  return __ldcs(at);
#endif
}
// The pieces of a lane of UNITS units, of which those before `end` exist completely.
DEVICE void pieces_of(const params &p, u32 unit, u32 end, u32 (&pieces)[UNITS]) {
  const uint4 *from = (const uint4 *)((const element *)p.input + (u64)unit * 1024) + (threadIdx.x & 31);
#pragma unroll
  for (u32 g = 0; g < UNITS; ++g) pieces[g] = 0;
#pragma unroll 1
  for (u32 r = 0; r < R; r += AT_ONCE) {
    uint4 x[UNITS][AT_ONCE];
#pragma unroll
    for (u32 g = 0; g < UNITS; ++g) {
#pragma unroll
      for (u32 k = 0; k < AT_ONCE; ++k) {
        if (unit + g < end) x[g][k] = read_once(from + (g * R + r + k) * 32);
      }
    }
#pragma unroll
    for (u32 g = 0; g < UNITS; ++g) {
#pragma unroll
      for (u32 k = 0; k < AT_ONCE; ++k) pieces[g] |= piece_of(x[g][k]) << (r + k) * E;
    }
  }
}
#endif
// Stores a word of bits, which the next kernel reads: the second-level cache evicts it last. A few reads of memory between
// the stores of that kernel would take more time than their bytes do.
DEVICE void store_bits(u32 *at, u32 word) {
#if __CUDA_ARCH__ >= 800
  u64 policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(at), "r"(word), "l"(policy) : "memory");
#else
  *at = word;
#endif
}
// Returns the word of this lane of a unit that the warp reads element by element.
DEVICE u32 warp_word(const params &p, u32 unit) {
  const u32 lane = threadIdx.x & 31;
  const u64 first = (u64)unit * 1024 + lane;
  u32 bits = 0;
#pragma unroll 1
  for (u32 w = 0; w < 32; w += 8) {
    bool set[8];
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      const u64 i = first + (w + k) * 32;
      set[k] = i < p.elements && element_set(p, i);
    }
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      const u32 all = __ballot_sync(~0u, set[k]);
      if (lane == w + k) bits = all;
    }
  }
  return bits;
}

// The launch bounds leave registers for all loads in flight.
extern "C" __global__ void __launch_bounds__(THREADS, 4) mark(const __grid_constant__ params p) {
  __shared__ u32 sums[WARPS];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const u32 units = (u32)((p.elements + 1023) / 1024);
  const u32 first = (blockIdx.x * WARPS + warp) * p.each, last = first + p.each < units ? first + p.each : units;
  u32 *counts = (u32 *)p.counts, so_far = 0;
  const auto add = [&](u32 unit, u32 word, u32 which, bool exists) {
    if (exists) store_bits((u32 *)p.bits + ((u64)unit * 32 + which), word);
    if (lane == 0) counts[unit] = so_far;
    so_far += warp_sum(__popc(word));
  };
  u32 unit = first;
#if FLAT
  const u32 complete = (u32)(p.elements / 1024), whole = complete < last ? complete : last;
  // The lane's word is that of the load whose number is its rank among R lanes, whose elements they are.
  const u32 which = lane % R * E + lane / R;
#pragma unroll 1
  for (; unit < whole; unit += UNITS) {
    u32 pieces[UNITS];
    pieces_of(p, unit, whole, pieces);
#pragma unroll
    for (u32 g = 0; g < UNITS; ++g) {
      if (unit + g < whole) add(unit + g, reversed(pieces[g]), which, true);
    }
  }
  unit = first > whole ? first : whole;
#endif
#pragma unroll 1
  for (; unit < last; ++unit) add(unit, warp_word(p, unit), lane, ((u64)unit * 32 + lane) * 32 < p.elements);
  if (lane == 0) sums[warp] = so_far;
  __syncthreads();
  u32 before = 0, all = 0;
#pragma unroll
  for (u32 w = 0; w < WARPS; ++w) {
    if (w < warp) before += sums[w];
    all += sums[w];
  }
  if (threadIdx.x == 0) counts[units + blockIdx.x] = all;
#pragma unroll 1
  for (u32 own = first + lane; own < last; own += 32) counts[own] += before;
}
