// Second pass of stream compaction, after `mark`: in the order of the true elements, writes their indices along each
// axis, or the elements of another array at their positions, or stores elements there (SPREAD).
//
// Required before it: `uindex`, MARK_BLOCKS (the most blocks of `mark`), COORDINATES, SPREAD and `item` (an integer of the
// size of the elements or coordinates).
//
// A warp processes a unit of 32 words, each lane one of them.
constexpr u32 THREADS = 256, WARPS = THREADS / 32, UNIT = 1024;

DEVICE u64 warp_sum(u64 x) {
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
}
// Returns the sum of the first `end` totals of the blocks of `mark`. All threads of a block call it.
DEVICE uindex total_before(const params &p, u32 end) {
  __shared__ uindex parts[WARPS];
  const u32 *totals = (const u32 *)p.counts + (p.elements + UNIT - 1) / UNIT;
  uindex part = 0;
#pragma unroll
  for (u32 k = 0; k < MARK_BLOCKS; k += THREADS) {
    if (k + threadIdx.x < end) part += totals[k + threadIdx.x];
  }
  part = warp_sum(part);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = part;
  __syncthreads();
  uindex sum = 0;
#pragma unroll
  for (u32 w = 0; w < WARPS; ++w) sum += parts[w];
  return sum;
}

#if COORDINATES
// Results of a vector of 16 bytes, and of a cache line.
constexpr u32 PER = 16 / sizeof(item), LINE = 128 / sizeof(item), SLOTS = UNIT + LINE;

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
// Lists the positions in a unit from a byte of shared memory on: a lane has four elements at a time, of a word that it
// shares with seven others.
DEVICE void list(char *positions, u32 word, u32 begin) {
  const u32 lane = threadIdx.x & 31, own = lane % 8 * 4, below = (1u << own) - 1, position = lane / 8 * 32 + own;
#pragma unroll
  for (u32 w = 0; w < 32; w += 4) {
    const u32 bits = __shfl_sync(~0u, word, w + lane / 8);
    u32 at = __shfl_sync(~0u, begin, w + lane / 8) + (u32)sizeof(u16) * __popc(bits & below);
    const u32 four = bits >> own;
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      if (four >> k & 1) {
        *(u16 *)(positions + at) = (u16)(position + (w * 32 + k));
        at += sizeof(u16);
      }
    }
  }
}
struct alignas(16) vector { item at[PER]; };
struct alignas(PER * sizeof(u16)) few { u16 at[PER]; };
// Writes the positions in slots from `skip` up to `end`, for `skip` results before the first, as indices along one axis.
DEVICE void write_line(const u16 *slots, item *out, u32 skip, u32 end, u64 start) {
  const u32 lane = threadIdx.x & 31, from = (skip + PER - 1) / PER, till = end / PER;
#pragma unroll 4
  for (u32 j = lane; j < till; j += 32) {
    const few own = ((const few *)slots)[j];
    vector x;
#pragma unroll
    for (u32 k = 0; k < PER; ++k) x.at[k] = (item)(start | own.at[k]);
    if (j >= from) ((vector *)out)[j] = x;
  }
  // Before the first whole vector and after the last.
  const u32 head = from * PER < end ? from * PER : end, tail = till * PER > head ? till * PER : head;
  const u32 edge = lane < PER ? skip + lane : tail + lane - PER;
  if (lane < 2 * PER && edge < (lane < PER ? head : end)) out[edge] = (item)(start | slots[edge]);
}
// The positions are collected in shared memory, so that adjacent lanes write adjacent results, and whole cache lines
// except for the first and the last.
DEVICE void take(const params &p, u32 word, u32 first, u64 base, u64 start) {
  __shared__ alignas(16) u16 positions[WARPS * SLOTS];
  const u32 lane = threadIdx.x & 31, own = threadIdx.x / 32 * SLOTS, skip = (u32)base & (LINE - 1);
  list((char *)positions, word, (u32)sizeof(u16) * (own + skip + first));
  __syncwarp();
  const u32 end = skip + __shfl_sync(~0u, first + __popc(word), 31);
  const bool line = p.axes <= 1 && p.result_step == sizeof(item);
  if (line) {
    write_line(positions + own, (item *)p.out + (base - skip), skip, end, start);
    return;
  }
  i64 axis_step = p.axis_step;
  if (p.axes > 1 && axis_step == 0) {
    __syncthreads();
    axis_step = (i64)total_before(p, p.blocks) * (i64)sizeof(item);
  }
#pragma unroll 4
  for (u32 j = lane; j < end; j += 32) {
    if (j >= skip) write(p, axis_step, base - skip + j, start + positions[own + j]);
  }
}
#else
// Word by word: the lanes of a warp have the word's contiguous elements, and the true ones have contiguous results. N
// words are in flight at once. DENSE: elements and results are contiguous along one axis, so that their offsets from the
// first of the warp fit 32 bits.
template <bool DENSE, u32 N> DEVICE void take_words(const params &p, u32 word, u32 first, u64 base, u64 start) {
  const u32 lane = threadIdx.x & 31;
  const u32 any = __ballot_sync(~0u, word != 0);
  const char *in = (const char *)p.input;
  char *out = (char *)p.out;
  if (DENSE) {
    in += (SPREAD ? base : start) * sizeof(item);
    out += (SPREAD ? start : base) * sizeof(item);
  }
  const auto selected = [&](u32 w) {
    const u32 own = w * 32 + lane;
    if (DENSE) return (i64)(own * (u32)sizeof(item));
    return p.axes <= 1 ? (i64)(start + own) * p.strides[0] : offset_of((uindex)(start + own), p.axes, p.sizes, p.strides);
  };
  const auto packed = [&](u32 bits, u32 w) {
    const u32 at = __shfl_sync(~0u, first, w) + __popc(bits & ((1u << lane) - 1));
    return DENSE ? (i64)(at * (u32)sizeof(item)) : (i64)(base + at) * p.result_step;
  };
#pragma unroll 1
  for (u32 w = 0; w < 32; w += N) {
    if ((any >> w & ((1u << N) - 1)) == 0) continue;
    item x[N];
#pragma unroll
    for (u32 k = 0; k < N; ++k) {
      const u32 bits = __shfl_sync(~0u, word, w + k);
      const i64 from = SPREAD ? packed(bits, w + k) : selected(w + k);
      if (bits >> lane & 1) x[k] = *(const item *)(in + from);
    }
#pragma unroll
    for (u32 k = 0; k < N; ++k) {
      const u32 bits = __shfl_sync(~0u, word, w + k);
      const i64 to = SPREAD ? selected(w + k) : packed(bits, w + k);
      if (bits >> lane & 1) *(item *)(out + to) = x[k];
    }
  }
}
DEVICE void take(const params &p, u32 word, u32 first, u64 base, u64 start) {
  constexpr u32 N = sizeof(item) <= 4 ? 16 : 64 / sizeof(item);
  if (p.axes <= 1 && p.strides[0] == sizeof(item) && p.result_step == sizeof(item)) {
    take_words<true, N>(p, word, first, base, start);
  } else {
    take_words<false, 4>(p, word, first, base, start);
  }
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS) compact(const __grid_constant__ params p) {
  const u32 lane = threadIdx.x & 31;
  const u32 unit = blockIdx.x * WARPS + threadIdx.x / 32;
  const u64 mine = (u64)unit * 32 + lane;
  const u32 word = mine * 32 < p.elements ? ((const u32 *)p.bits)[mine] : 0;
  const u32 before = (u64)unit * UNIT < p.elements ? ((const u32 *)p.counts)[unit] : 0;
  // The units of a block are of one block of `mark`, of which each warp has `each` of them.
  const u64 base = (u64)total_before(p, blockIdx.x / p.each) + before;
  u32 upto = __popc(word);
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 below = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += below;
  }
  take(p, word, upto - __popc(word), base, (u64)unit * UNIT);
}
