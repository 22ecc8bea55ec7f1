// Reductions of segments: a result combines the elements from `ends[s]` up to `ends[s + 1]`, LANES threads to a segment. Before
// it: `index`, `element`, `result`, DIRECT and the functions begin(element), combine(result, element), merge(result, result). The order in
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

#if DIRECT
// Reduces a segment by one thread: the elements of neighbours are in the same cache lines. The loads of several are on their way together.
// Lengths are counted in the type of pointers.
DEVICE result reduced(const params &p, u64 segment) {
  constexpr index EACH = 8;
  result r = p.empty.value;
  const index begin_at = (index)within(p, (i64)p.ends[segment]), end_at = (index)within(p, (i64)p.ends[segment + 1]);
  const index length = end_at > begin_at ? end_at - begin_at : 0;
#pragma unroll 1
  for (index base = 0; base < length; base += EACH) {
    const index left = length - base;
    const index *const order = p.order + begin_at + base;
    const element *const input = p.input + begin_at + base;
    element values[EACH];
    if (p.order) {
      index at[EACH];
#pragma unroll
      for (index k = 0; k < EACH; ++k) at[k] = k < left ? order[k] : 0;
#pragma unroll
      for (index k = 0; k < EACH; ++k)
        if (k < left) values[k] = p.input[at[k]];
    } else {
#pragma unroll
      for (index k = 0; k < EACH; ++k)
        if (k < left) values[k] = input[k];
    }
#pragma unroll
    for (index k = 0; k < EACH; ++k) {
      if (k >= left) break;
      r = base + k == 0 ? begin(values[k]) : combine(r, values[k]);
    }
  }
  if (length > 0 && length < p.full) r = merge(r, p.empty.value);
  return r;
}
#endif

extern "C" __global__ void __launch_bounds__(256) segments(const __grid_constant__ params p) {
  const u64 t = (u64)blockIdx.x * 256 + threadIdx.x, segment = t / LANES;
#if DIRECT
  if (segment < p.segments) p.out[segment] = reduced(p, segment);
#else
  result r = p.empty.value;
  bool some = false;
#endif
#if !DIRECT && LANES == 1
  constexpr u32 STAGE = 2048;
  __shared__ element stage[STAGE];
  const u64 first = (u64)blockIdx.x * 256, last = first + 256 < p.segments ? first + 256 : p.segments;
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
  if (mine) p.out[segment] = r;
#elif !DIRECT
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
