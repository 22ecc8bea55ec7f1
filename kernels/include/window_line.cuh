// A window along one axis: weighted sums, means, minima or maxima. Required before it: `element`, `result`, `value`, the
// functions value_of(element), result_of(value), join(value, value) and outside(params), WEIGHTED, MEAN, ALONG, `uindex`,
// window_border.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output. A thread computes REACH adjacent results of a line from a sliding window of
// registers, which it fills from shared memory: an element is loaded and converted once for a tile. Windows of any size are
// read in chunks of a fixed number of elements, so that neither shared memory nor the source depends on the size.
//
// Results r of a thread without weights share the elements from REACH to k: they are joined once, and each result adds the
// elements before and after them. A result of k elements takes k / REACH + 3 operations, and no element is ever removed from a
// sum, so that an infinity affects its own windows only.
constexpr int REACH = 8;
constexpr int WARPS = ALONG ? 4 : 8;
constexpr int CHUNK = ALONG ? 16 : 32;
// Shorter windows without weights are joined element by element.
constexpr int SHORT = 12;

#if ALONG
// A warp has lines of 8 << lanes_log2 results, as many as its 32 lanes serve. One element of padding for each REACH gives
// adjacent threads different banks.
extern __shared__ __align__(16) char shared_tiles[];
struct tile {
  value *part;
  u32 base;
  DEVICE value *slot(u32 i) const { return part + i + i / REACH; }
  DEVICE value at(u32 j) const { return *slot(base + j); }
};
DEVICE void sync() { __syncwarp(); }
#else
// Lanes have adjacent lines, warps have REACH results each. Rows of the tile are reused in a circle.
constexpr int SLOTS = WARPS * REACH + CHUNK;
#endif

DEVICE value element_at(const params &p, const char *line, i64 i) {
  i = border(i, p.n, p.rule);
  return i < 0 ? outside(p) : value_of(*(const element *)(line + i * p.src_step));
}

// Adds the elements of a chunk to the results: `get(j)` is the element j of the chunk for the first result.
template <class G> DEVICE void slide(value (&sum)[REACH], const f64 *weights, u32 count, bool first, G get) {
  value window[REACH];
#pragma unroll
  for (u32 i = 0; i + 1 < REACH; ++i) window[i] = get(i);
#pragma unroll 1
  for (u32 j = 0; j < count; j += REACH) {
#pragma unroll
    for (u32 u = 0; u < REACH; ++u) {
      if (j + u >= count) break;
      window[(u + REACH - 1) % REACH] = get(j + u + REACH - 1);
#if WEIGHTED
      const f64 w = weights[j + u];
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) sum[r] = __fma_rn(window[(u + r) % REACH], w, sum[r]);
#else
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) sum[r] = first && j + u == 0 ? window[(u + r) % REACH] : join(sum[r], window[(u + r) % REACH]);
#endif
    }
  }
}

DEVICE result finished(const params &p, value sum) {
#if MEAN
  sum /= (value)p.k;
#endif
  return result_of(sum);
}

// Computes the results of a thread. `need(c, end)` makes the elements from c up to `end`, counted from the thread's first, available
// to `get`, which counts from c.
template <class N, class G> DEVICE void compute(const params &p, value (&sum)[REACH], const f64 *weights, N need, G get) {
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) sum[r] = value{};
#if !WEIGHTED
  if (p.k >= SHORT) {
    need(0, REACH);
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) sum[r] = get(r);
#pragma unroll
    for (u32 r = REACH - 1; r > 0; --r) sum[r - 1] = join(sum[r - 1], sum[r]);
    value common = value{};
#pragma unroll 1
    for (u64 c = REACH; c < p.k; c += CHUNK) {
      const u32 count = p.k - c < CHUNK ? (u32)(p.k - c) : CHUNK;
      need(c, c + count);
      u32 j = 0;
      if (c == REACH) common = get(j++);
#pragma unroll 4
      for (; j < count; ++j) common = join(common, get(j));
    }
    need(p.k, p.k + REACH - 1);
    sum[0] = join(sum[0], common);
#pragma unroll
    for (u32 r = 1; r < REACH; ++r) {
      common = join(common, get(r - 1));
      sum[r] = join(sum[r], common);
    }
    return;
  }
#endif
#pragma unroll 1
  for (u64 c = 0; c < p.k; c += CHUNK) {
    const u32 count = p.k - c < CHUNK ? (u32)(p.k - c) : CHUNK;
    need(c, c + count + REACH - 1);
    slide(sum, weights, count, c == 0, get);
  }
}

#if ALONG
extern "C" __global__ void __launch_bounds__(32 * WARPS) window_line(const __grid_constant__ params p) {
  __shared__ f64 weights[WARPS][CHUNK];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 lines = 32u >> p.lanes_log2, length = REACH << p.lanes_log2, pitch = (length + CHUNK) * 9 / 8 | 1;
  const u64 segments = (p.n + length - 1) / length, part = (u64)blockIdx.x * WARPS + warp;
  const u64 group = part / segments;
  const i64 start = (i64)((part - group * segments) * length);
  const uindex first = (uindex)(group * lines);
  if (group * lines >= p.lines) return;
  const u32 mine = lane >> p.lanes_log2;
  value *own = (value *)shared_tiles + warp * (lines * pitch);
  const tile t{own + mine * pitch, (lane & ((1u << p.lanes_log2) - 1)) * REACH};
  value sum[REACH];
  auto need = [&](u64 c, u64 end) {
    const u32 count = (u32)(end - c) + length - REACH;
    const i64 origin = start - p.lead + (i64)c;
    const bool inside = origin >= 0 && origin + count <= p.n;
    sync();
#if WEIGHTED
    for (u32 j = lane; j < CHUNK; j += 32) {
      if (c + j < p.k) weights[warp][j] = p.weights ? p.weights[c + j] : p.few[c + j];
    }
#endif
#pragma unroll 1
    for (u32 g = 0; g < lines && first + g < p.lines; ++g) {
      const char *line = p.src + offset_of((uindex)(first + g), p.axes, p.sizes, p.src_steps);
      const tile to{own + g * pitch, 0};
      if (inside) {
        const char *from = line + (origin + lane) * p.src_step;
        const i64 apart = 32 * p.src_step;
#pragma unroll 8
        for (u32 i = lane; i < count; i += 32, from += apart) *to.slot(i) = value_of(*(const element *)from);
      } else {
#pragma unroll 1
        for (u32 i = lane; i < count; i += 32) *to.slot(i) = element_at(p, line, origin + i);
      }
    }
    sync();
  };
  compute(p, sum, weights[warp], need, [&](u32 j) { return t.at(j); });
  sync();
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) *t.slot(t.base + r) = sum[r];
  sync();
  const u32 count = p.n - start < length ? (u32)(p.n - start) : length;
#pragma unroll 1
  for (u32 g = 0; g < lines && first + g < p.lines; ++g) {
    char *to = p.dst + offset_of((uindex)(first + g), p.axes, p.sizes, p.dst_steps) + (start + lane) * p.dst_step;
    const i64 apart = 32 * p.dst_step;
    const tile from{own + g * pitch, 0};
#pragma unroll 8
    for (u32 i = lane; i < count; i += 32, to += apart) *(result *)to = finished(p, *from.slot(i));
  }
}
#else
extern "C" __global__ void __launch_bounds__(32 * WARPS) window_line(const __grid_constant__ params p) {
  __shared__ value rows[SLOTS][32];
  __shared__ f64 weights[CHUNK];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u64 groups = (p.lines + 31) / 32, segment = blockIdx.x / groups;
  const uindex line = (uindex)((blockIdx.x - segment * groups) * 32 + lane);
  const i64 start = (i64)(segment * (WARPS * REACH)), origin = start - p.lead;
  const bool active = line < p.lines;
  const char *src = p.src + (active ? offset_of(line, p.axes, p.sizes, p.src_steps) : 0);
  value sum[REACH];
  u64 loaded = 0;
  u32 slot = 0;
  auto need = [&](u64 c, u64 end) {
    // Rows that the last warp needs.
    const u64 to = end + (WARPS - 1) * REACH;
    __syncthreads();
#if WEIGHTED
    if (threadIdx.x < CHUNK && c + threadIdx.x < p.k) weights[threadIdx.x] = p.weights ? p.weights[c + threadIdx.x] : p.few[c + threadIdx.x];
#endif
    if (active) {
#pragma unroll 4
      for (u64 r = loaded + warp; r < to; r += WARPS) rows[(u32)r % SLOTS][lane] = element_at(p, src, origin + (i64)r);
    }
    loaded = to > loaded ? to : loaded;
    slot = ((u32)c + warp * REACH) % SLOTS;
    __syncthreads();
  };
  auto get = [&](u32 j) {
    const u32 r = slot + j;
    return rows[r < SLOTS ? r : r - SLOTS][lane];
  };
  compute(p, sum, weights, need, get);
  if (!active) return;
  char *dst = p.dst + offset_of(line, p.axes, p.sizes, p.dst_steps);
  const i64 at = start + warp * REACH;
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) {
    if (at + r < p.n) *(result *)(dst + (at + r) * p.dst_step) = finished(p, sum[r]);
  }
}
#endif
