// Second pass of stream compaction, after `mark`: in the order of the true elements, writes their indices along each
// axis, or the elements of another array at their positions, or stores elements there (SPREAD).
//
// Required before it: `uindex`, THREADS, SUMS_LOG2, COORDINATES, SPREAD and `item` (an integer of the size of the elements or
// coordinates).
//
// A block processes a group of THREADS words.
constexpr int WARPS = THREADS / 32;

// Returns this warp's share of the number of true elements before a group: at each level of the tree, the sums before
// its own.
DEVICE u64 part_before(const params &p, u64 group) {
  const u32 lane = threadIdx.x & 31;
  const u64 *sums = (const u64 *)p.sums;
  u64 part = 0, size = ((p.elements + 31) / 32 + THREADS - 1) / THREADS;
#pragma unroll 1
  for (u32 level = 0; size > 1; ++level) {
    const u32 digit = (u32)group & ((1 << SUMS_LOG2) - 1);
    if (level % WARPS == threadIdx.x / 32 && lane < digit) part += sums[group - digit + lane];
    sums += size;
    size = (size + (1 << SUMS_LOG2) - 1) >> SUMS_LOG2;
    group >>= SUMS_LOG2;
  }
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) part += __shfl_xor_sync(~0u, part, step);
  return part;
}

#if COORDINATES
DEVICE void write(const params &p, i64 axis_step, u64 result, u64 i) {
  char *out = (char *)p.out + (i64)result * p.result_step;
  uindex rest = (uindex)i;
#pragma unroll 1
  for (u32 d = p.axes; d > 1; --d) {
    const uindex q = divide(rest, p.sizes[d - 1]);
    *(item *)(out + (i64)(d - 1) * axis_step) = (item)(rest - q * (uindex)p.sizes[d - 1].divisor);
    rest = q;
  }
  *(item *)out = (item)rest;
}
// The positions are collected in shared memory, so that adjacent threads write adjacent results: a lane lists four
// elements at a time, of a word that it shares with seven others.
DEVICE void take(const params &p, u32 word, u32 first, u32 count, u64 base, u64 start) {
  __shared__ u16 positions[THREADS * 32];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32;
#pragma unroll
  for (u32 w = 0; w < 32; w += 4) {
    const u32 from = w + lane / 8, own = lane % 8 * 4;
    const u32 bits = __shfl_sync(~0u, word, from);
    u32 at = __shfl_sync(~0u, first, from) + __popc(bits & ((1u << own) - 1));
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      if (bits >> (own + k) & 1) positions[at++] = (u16)((warp * 32 + from) * 32 + own + k);
    }
  }
  i64 axis_step = p.axis_step;
  if (p.axes > 1 && axis_step == 0) axis_step = (i64)((const u64 *)p.sums)[p.total] * (i64)sizeof(item);
  __syncthreads();
  // Each warp writes whole cache lines, except for the first and the last.
#pragma unroll 4
  for (i32 j = (i32)threadIdx.x - (i32)(base & 31); j < (i32)count; j += THREADS) {
    if (j >= 0) write(p, axis_step, base + j, start + positions[j]);
  }
}
#else
// Word by word: the lanes of a warp have the word's contiguous elements, and the true ones have contiguous results. N
// words are in flight at once. LINE: the array has one axis.
template <bool LINE, u32 N> DEVICE void take_words(const params &p, u32 word, u32 first, u64 base, u64 start) {
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const u32 any = __ballot_sync(~0u, word != 0);
  const auto selected = [&](u32 w) {
    const u64 i = start + (warp * 32 + w) * 32 + lane;
    return LINE ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
  };
  const auto packed = [&](u32 bits, u32 w) {
    const u32 at = __shfl_sync(~0u, first, w);
    return (i64)(base + at + __popc(bits & ((1u << lane) - 1))) * p.result_step;
  };
#pragma unroll 1
  for (u32 w = 0; w < 32; w += N) {
    if ((any >> w & ((1u << N) - 1)) == 0) continue;
    item x[N];
#pragma unroll
    for (u32 k = 0; k < N; ++k) {
      const u32 bits = __shfl_sync(~0u, word, w + k);
      const i64 from = SPREAD ? packed(bits, w + k) : selected(w + k);
      if (bits >> lane & 1) x[k] = *(const item *)((const char *)p.input + from);
    }
#pragma unroll
    for (u32 k = 0; k < N; ++k) {
      const u32 bits = __shfl_sync(~0u, word, w + k);
      const i64 to = SPREAD ? selected(w + k) : packed(bits, w + k);
      if (bits >> lane & 1) *(item *)((char *)p.out + to) = x[k];
    }
  }
}
DEVICE void take(const params &p, u32 word, u32 first, u32, u64 base, u64 start) {
  if (p.axes <= 1) {
    take_words<true, (sizeof(item) <= 4 ? 16 : 64 / sizeof(item))>(p, word, first, base, start);
  } else {
    take_words<false, 4>(p, word, first, base, start);
  }
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS) compact(const __grid_constant__ params p) {
  __shared__ u32 counts[WARPS];
  __shared__ u64 parts[WARPS];
  const u32 t = threadIdx.x, lane = t & 31, warp = t / 32;
  const u64 words = (p.elements + 31) / 32, mine = (u64)blockIdx.x * THREADS + t;
  const u32 word = mine < words ? ((const u32 *)p.bits)[mine] : 0;
  const u64 part = part_before(p, blockIdx.x);
  u32 upto = __popc(word);
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 below = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += below;
  }
  if (lane == 31) {
    counts[warp] = upto;
    parts[warp] = part;
  }
  __syncthreads();
  u32 first = upto - __popc(word), count = 0;
  u64 base = 0;
#pragma unroll
  for (u32 w = 0; w < WARPS; ++w) {
    if (w < warp) first += counts[w];
    count += counts[w];
    base += parts[w];
  }
  take(p, word, first, count, base, (u64)blockIdx.x * (THREADS * 32));
}
