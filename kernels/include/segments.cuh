// Reductions of segments: a result combines the elements from `ends[s]` up to `ends[s + 1]`, LANES threads to a segment. Before
// it: `index`, `element`, `result`, DIRECT, COMPACT and the functions begin(element), combine(result, element), merge(result, result); for
// COMPACT look_back.cuh and is_kept(result), too: then only results that are not zero are written, with their segments. The order in
// which elements are combined depends on LANES alone. A segment of fewer than `full` elements is combined with `empty` at the end:
// elements that are not stored.
//
// With one thread to a segment, it reads its elements directly where they are few; else a block loads those of its 256 segments side by side to shared memory, a stage after the
// other, and each thread reads its own there (J. L. Greathouse, M. Daga, "Efficient Sparse Matrix-Vector Multiplication on GPUs
// Using the CSR Storage Format", SC 2014). Pointers may be wrong, which their check reports later: no element outside of the
// list is read.

DEVICE i64 within(const params &p, i64 i) { return i < 0 ? 0 : i < p.entries ? i : p.entries; }

// Returns an element of the segments.
DEVICE element element_at(const params &p, i64 i) { return p.input[p.order ? (i64)p.order[i] : i]; }

// Writes the result of a thread's segment. All threads call it.
DEVICE void write(const params &p, u64 block, u64 segment, result r) {
#if COMPACT
  __shared__ u32 sums[8];
  __shared__ u64 before_block;
  u64 *const state = (u64 *)p.state;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool kept = segment < p.segments && is_kept(r);
  const u32 flags = __ballot_sync(~0u, kept);
  if (lane == 0) sums[warp] = __popc(flags);
  __syncthreads();
  u32 before = __popc(flags & ((1u << lane) - 1)), total = 0;
  for (u32 w = 0; w < 8; ++w) {
    if (w < warp) before += sums[w];
    total += sums[w];
  }
  if (warp == 0) {
    const u64 of_blocks = counted_before(state + 1, block, total);
    if (lane == 0) {
      before_block = of_blocks;
      if (block + 1 == gridDim.x) state[gridDim.x + 1] = of_blocks + total;
    }
  }
  __syncthreads();
  const u64 at = before_block + before;
  if (!kept || at >= p.segments) return;
  p.out[at] = r;
  p.positions[at] = (index)segment;
  p.zeros[at] = 0;
#else
  if (segment < p.segments) p.out[segment] = r;
#endif
}

extern "C" __global__ void __launch_bounds__(256) segments(const __grid_constant__ params p) {
#if COMPACT
  const u64 block = next_block((u64 *)p.state);
#else
  const u64 block = blockIdx.x;
#endif
  const u64 t = block * 256 + threadIdx.x, segment = t / LANES;
  result r = p.empty.value;
  bool some = false;
#if DIRECT
  // A thread reads its own elements: those of neighbours are in the same cache lines. The loads of several are on their way together.
  constexpr u32 EACH = 8;
  const bool mine = segment < p.segments;
  const i64 begin_at = mine ? within(p, (i64)p.ends[segment]) : 0, end_at = mine ? within(p, (i64)p.ends[segment + 1]) : 0;
#pragma unroll 1
  for (i64 i = begin_at; i < end_at; i += EACH) {
    i64 at[EACH];
    element values[EACH];
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) at[k] = p.order && i + k < end_at ? (i64)p.order[i + k] : i + k;
#pragma unroll
    for (u32 k = 0; k < EACH; ++k)
      if (i + k < end_at) values[k] = p.input[at[k]];
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      if (i + k >= end_at) break;
      r = some ? combine(r, values[k]) : begin(values[k]);
      some = true;
    }
  }
  if (some && end_at - begin_at < p.full) r = merge(r, p.empty.value);
  write(p, block, segment, r);
#elif LANES == 1
  constexpr u32 STAGE = 2048;
  __shared__ element stage[STAGE];
  const u64 first = block * 256, last = first + 256 < p.segments ? first + 256 : p.segments;
  const i64 from = within(p, (i64)p.ends[first]), to = within(p, (i64)p.ends[last]);
  const bool mine = segment < p.segments;
  const i64 begin_at = mine ? within(p, (i64)p.ends[segment]) : 0, end_at = mine ? within(p, (i64)p.ends[segment + 1]) : 0;
#pragma unroll 1
  for (i64 base = from; base < to; base += STAGE) {
    const u32 many = to - base < STAGE ? (u32)(to - base) : STAGE;
#pragma unroll 4
    for (u32 k = threadIdx.x; k < many; k += 256) stage[k] = element_at(p, base + k);
    __syncthreads();
    const u32 low = begin_at > base ? (begin_at - base < many ? (u32)(begin_at - base) : many) : 0;
    const u32 high = end_at > base ? (end_at - base < many ? (u32)(end_at - base) : many) : 0;
#pragma unroll 1
    for (u32 k = low; k < high; ++k) {
      r = some ? combine(r, stage[k]) : begin(stage[k]);
      some = true;
    }
    __syncthreads();
  }
  if (some && end_at - begin_at < p.full) r = merge(r, p.empty.value);
  write(p, block, segment, r);
#else
  const u32 lane = threadIdx.x % LANES;
  if (segment < p.segments) {
    const i64 end = within(p, (i64)p.ends[segment + 1]);
    for (i64 i = within(p, (i64)p.ends[segment]) + lane; i < end; i += LANES) {
      const element e = element_at(p, i);
      r = some ? combine(r, e) : begin(e);
      some = true;
    }
  }
  // The lanes of a segment are in one warp.
  __shared__ result parts[256];
  __shared__ bool any[256];
  for (u32 step = LANES / 2; step > 0; step /= 2) {
    parts[threadIdx.x] = r;
    any[threadIdx.x] = some;
    __syncwarp();
    if (lane < step && any[threadIdx.x + step]) {
      r = some ? merge(r, parts[threadIdx.x + step]) : parts[threadIdx.x + step];
      some = true;
    }
    __syncwarp();
  }
  if (lane == 0 && segment < p.segments) {
    if (some && (i64)p.ends[segment + 1] - (i64)p.ends[segment] < p.full) r = merge(r, p.empty.value);
    p.out[segment] = r;
  }
#endif
}
