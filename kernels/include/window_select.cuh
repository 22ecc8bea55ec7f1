// The element of a rank among those of a window of any footprint, for windows whose box fits in shared memory. Required before it:
// `element`, `result`, value_of(element), result_of(value), `key`, key_of(value), value_from(key), outside(params), THREADS, ROOM,
// window_border.cuh, window_items.cuh, window_networks.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output. A block computes a box of results. The elements that their windows cover are sorted
// once, so that the window of a result is a set of ranks. A thread holds that set as bits, and slides it along the last axis: for each
// run of the footprint one rank leaves and one enters. The word with the element of the rank moves as the number of elements before
// it does: from one result to the next by few words.
//
// Sorting is a merge sort: ITEMS elements of a thread by a network in registers, then merges whose parts of equal length are found by
// bisection (O. Green, R. McColl, D. A. Bader, "GPU Merge Path", ICS 2012).
constexpr u32 ITEMS = 16, ROOM_FOR = THREADS * ITEMS, WALKERS = 128;

extern "C" __global__ void __launch_bounds__(THREADS) window_select(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  item *items = (item *)shared;
  u32 *sets = (u32 *)(items + ROOM_FOR);
  u16 *ranks = (u16 *)(sets + p.words * WALKERS);
  // The first result of the box.
  i64 origin[ROOM];
  u32 rest = blockIdx.x;
#pragma unroll 1
  for (u32 d = p.axes; d-- > 0;) {
    const u32 q = d > 0 ? rest / (u32)p.tiles[d] : 0;
    origin[d] = (i64)(rest - q * (u32)p.tiles[d]) * p.tile[d].divisor;
    rest = q;
  }
#pragma unroll 1
  for (u32 e = threadIdx.x; e < ROOM_FOR; e += THREADS) {
    key k = ~(key)0;
    if (e < p.box_count) {
      u32 i = e;
      i64 offset = 0;
      bool there = true;
#pragma unroll 1
      for (u32 d = p.axes; d-- > 0;) {
        const u32 q = divide(i, p.box_sizes[d]);
        const i64 at = border(origin[d] + (i64)(i - q * p.box_sizes[d].divisor) + p.first[d], p.lengths[d], (u32)p.rules[d]);
        i = q;
        there = there && at >= 0;
        offset += at * p.src_steps[d];
      }
      k = key_of(there ? value_of(*(const element *)(p.src + offset)) : outside(p));
    }
    items[e] = item_of(k, e);
  }
  __syncthreads();
  keys<ITEMS> all;
#pragma unroll
  for (u32 e = 0; e < ITEMS; ++e) all.at[e] = items[threadIdx.x * ITEMS + e];
  const keys<ITEMS> ordered = sorted(all);
  item own[ITEMS];
#pragma unroll
  for (u32 e = 0; e < ITEMS; ++e) own[e] = ordered.at[e];
#pragma unroll 1
  for (u32 width = ITEMS; width < ROOM_FOR; width *= 2) {
    __syncthreads();
#pragma unroll
    for (u32 e = 0; e < ITEMS; ++e) items[threadIdx.x * ITEMS + e] = own[e];
    __syncthreads();
    const u32 start = threadIdx.x * ITEMS & ~(2 * width - 1), diagonal = threadIdx.x * ITEMS - start;
    const item *a = items + start, *b = a + width;
    u32 low = diagonal > width ? diagonal - width : 0, high = diagonal < width ? diagonal : width;
#pragma unroll 1
    while (low < high) {
      const u32 middle = (low + high) / 2;
      if (before(a[middle], b[diagonal - 1 - middle])) low = middle + 1;
      else high = middle;
    }
    u32 i = low, j = diagonal - low;
#pragma unroll
    for (u32 e = 0; e < ITEMS; ++e) {
      const bool first = j >= width || (i < width && before(a[i], b[j]));
      own[e] = first ? a[i] : b[j];
      i += first;
      j += !first;
    }
  }
  __syncthreads();
#pragma unroll
  for (u32 e = 0; e < ITEMS; ++e) {
    const u32 r = threadIdx.x * ITEMS + e, from = from_of(own[e]);
    items[r] = own[e];
    if (from < p.box_count) ranks[from] = (u16)r;
  }
  __syncthreads();
  if (threadIdx.x >= WALKERS) return;
  u32 *set = sets + threadIdx.x;
  const u32 last = p.axes - 1;
#pragma unroll 1
  for (u32 strip = threadIdx.x; strip < p.strips; strip += WALKERS) {
    // The first result of the strip, its position in the box, and its address.
    const u32 row = divide(strip, p.parts);
    u32 x = (strip - row * p.parts.divisor) * p.strip, i = row, at = 0, step = 1;
    i64 to = 0;
    bool exists = true;
#pragma unroll 1
    for (u32 d = last; d-- > 0;) {
      const u32 q = divide(i, p.tile[d]), c = i - q * p.tile[d].divisor;
      i = q;
      step *= p.box_sizes[d + 1].divisor;
      at += c * step;
      to += (origin[d] + c) * p.dst_steps[d];
      exists = exists && origin[d] + c < p.results[d];
    }
    const u32 end = x + p.strip < p.tile[last].divisor ? x + p.strip : p.tile[last].divisor;
    if (!exists || origin[last] + x >= p.results[last] || x >= end) continue;
#pragma unroll 1
    for (u32 w = 0; w < p.words; ++w) set[w * WALKERS] = 0;
    at += x;
#pragma unroll 1
    for (u32 k = 0; k < p.run_count; ++k) {
      const u32 run = p.runs ? p.runs[k] : p.few[k / 32][k % 32];
#pragma unroll 4
      for (u32 e = 0; e < run >> 16; ++e) {
        const u32 r = ranks[at + (run & 0xffff) + e];
        set[(r >> 5) * WALKERS] |= 1u << (r & 31);
      }
    }
    u32 word = 0, below = 0, here = set[0];
#pragma unroll 1
    for (;; ++x, ++at) {
#pragma unroll 1
      while (below > p.rank) {
        here = set[--word * WALKERS];
        below -= __popc(here);
      }
#pragma unroll 1
      while (below + __popc(here) <= p.rank) {
        below += __popc(here);
        here = set[++word * WALKERS];
      }
      u32 nth = p.rank - below, bits = here, bit = 0;
#pragma unroll
      for (u32 half = 16; half > 0; half /= 2) {
        const u32 count = __popc(bits & ((1u << half) - 1));
        const bool above = nth >= count;
        nth -= above ? count : 0;
        bits >>= above ? half : 0;
        bit += above ? half : 0;
      }
      *(result *)(p.dst + to + (origin[last] + x) * p.dst_steps[last]) = result_of(value_from(order_of(items[word * 32 + bit])));
      if (x + 1 >= end || origin[last] + x + 1 >= p.results[last]) break;
#pragma unroll 4
      for (u32 k = 0; k < p.run_count; ++k) {
        const u32 run = p.runs ? p.runs[k] : p.few[k / 32][k % 32];
        const u32 leaves = ranks[at + (run & 0xffff)], enters = ranks[at + (run & 0xffff) + (run >> 16)];
        set[(leaves >> 5) * WALKERS] ^= 1u << (leaves & 31);
        set[(enters >> 5) * WALKERS] ^= 1u << (enters & 31);
        below += ((enters >> 5) < word) - ((leaves >> 5) < word);
      }
      here = set[word * WALKERS];
    }
  }
}
