// Prefilter of B-spline interpolation along an axis: the coefficients of the spline that passes through the samples (M. Unser,
// A. Aldroubi, M. Eden, "B-Spline Signal Processing: Part II", 1993). Required before it: `element`, `result`, value_of(element),
// result_of(f64), ALONG, `uindex`, window_border.cuh and the parameter struct.
//
// The inverse filter has the symmetric impulse response sum(gain z^|k|) over its one or two poles, by partial fractions. Each
// term is a recurrence in both directions, of which a thread computes a segment of SEGMENT elements in registers: first from the
// state zero, then from the states at both ends, which are the sums of those of the neighbouring segments. |z| is at most 0.431,
// so that two or three segments (`halo`) determine a state to less than the rounding of float64, and the border of a line is any
// continuation of its samples.
//
// Lower bound: the bytes of input and output.
constexpr int SEGMENT = 16;
#if ALONG
constexpr int WARPS = 8;
#else
constexpr int MOST_WARPS = 20;
#endif

DEVICE f64 element_at(const params &p, const char *line, i64 i) {
  i = border(i, p.n, p.rule) - p.pad;
  if ((u64)i >= (u64)p.samples) {
    if (p.constant) return p.cval;
    i = i < 0 ? 0 : p.samples - 1;
  }
  return value_of(*(const element *)(line + i * p.src_step));
}

// Filters the segment of a thread. `exchange(forth, back)` replaces the states at the ends of the segments by those at their
// beginnings.
template <class E> DEVICE void filter(const params &p, const f64 (&x)[SEGMENT], f64 (&sum)[SEGMENT], E exchange) {
#pragma unroll
  for (int j = 0; j < SEGMENT; ++j) sum[j] = 0;
#pragma unroll 1
  for (u32 k = 0; k < p.pole_count; ++k) {
    const f64 z = p.poles[k], gain = p.gains[k];
    f64 forth = 0, back = 0;
#pragma unroll
    for (int j = 0; j < SEGMENT; ++j) {
      forth = __fma_rn(z, forth, x[j]);
      back = __fma_rn(z, back, x[SEGMENT - 1 - j]);
    }
    exchange(k, forth, back);
    const f64 after = gain * z;
#pragma unroll
    for (int j = 0; j < SEGMENT; ++j) {
      forth = __fma_rn(z, forth, x[j]);
      sum[j] = __fma_rn(gain, forth, sum[j]);
    }
#pragma unroll
    for (int j = SEGMENT - 1; j >= 0; --j) {
      sum[j] = __fma_rn(after, back, sum[j]);
      back = __fma_rn(z, back, x[j]);
    }
  }
}

#if ALONG
// A warp has lines of 1 << lanes_log2 segments, as many as its lanes serve. One element of padding for each segment gives
// adjacent threads different banks.
DEVICE u32 slot(u32 i) { return i + i / SEGMENT; }

extern "C" __global__ void __launch_bounds__(32 * WARPS) spline_prefilter(const __grid_constant__ params p) {
  __shared__ f64 tiles[WARPS][34 * SEGMENT];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 lanes = 1u << p.lanes_log2, lines = 32u >> p.lanes_log2, loaded = lanes * SEGMENT;
  const u32 length = (lanes - 2 * p.halo) * SEGMENT;
  const u64 parts = ((u64)p.n + length - 1) / length, part = (u64)blockIdx.x * WARPS + warp, group = part / parts;
  if (group * lines >= p.lines) return;
  const i64 start = (i64)((part - group * parts) * length), origin = start - (i64)(p.halo * SEGMENT);
  const uindex first = (uindex)(group * lines);
  f64 *tile = tiles[warp];
  const bool inside = origin >= p.pad && origin + loaded <= p.pad + p.samples;
#pragma unroll 1
  for (u32 g = 0; g < lines && first + g < p.lines; ++g) {
    const char *line = p.src + offset_of((uindex)(first + g), p.axes, p.sizes, p.src_steps);
    if (inside) {
      line += (origin - p.pad) * p.src_step;
#pragma unroll 8
      for (u32 i = lane; i < loaded; i += 32) tile[slot(g * loaded + i)] = value_of(*(const element *)(line + i * p.src_step));
    } else {
#pragma unroll 1
      for (u32 i = lane; i < loaded; i += 32) tile[slot(g * loaded + i)] = element_at(p, line, origin + i);
    }
  }
  __syncwarp();
  f64 x[SEGMENT], sum[SEGMENT];
#pragma unroll
  for (int j = 0; j < SEGMENT; ++j) x[j] = tile[slot(lane * SEGMENT + j)];
  // The outermost lanes of a line have no neighbours, and their results are not stored.
  filter(p, x, sum, [&](u32 k, f64 &forth, f64 &back) {
    const f64 own_forth = forth, own_back = back;
    forth = back = 0;
#pragma unroll 1
    for (u32 h = p.halo; h > 0; --h) {
      forth = __fma_rn(p.decays[k], forth, __shfl_up_sync(~0u, own_forth, h));
      back = __fma_rn(p.decays[k], back, __shfl_down_sync(~0u, own_back, h));
    }
  });
#pragma unroll
  for (int j = 0; j < SEGMENT; ++j) tile[slot(lane * SEGMENT + j)] = sum[j];
  __syncwarp();
  const u32 count = p.n - start < length ? (u32)(p.n - start) : length;
#pragma unroll 1
  for (u32 g = 0; g < lines && first + g < p.lines; ++g) {
    char *line = p.dst + offset_of((uindex)(first + g), p.axes, p.sizes, p.dst_steps) + start * p.dst_step;
#pragma unroll 4
    for (u32 i = lane; i < count; i += 32)
      *(result *)(line + i * p.dst_step) = result_of(tile[slot(g * loaded + p.halo * SEGMENT + i)]);
  }
}
#else
// Lanes have adjacent lines, warps have adjacent segments.
extern "C" __global__ void __launch_bounds__(32 * MOST_WARPS) spline_prefilter(const __grid_constant__ params p) {
  __shared__ f64 forths[MOST_WARPS][32], backs[MOST_WARPS][32];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, useful = warps - 2 * p.halo;
  const u64 groups = (p.lines + 31) / 32, part = blockIdx.x / groups;
  const uindex line = (uindex)((blockIdx.x - part * groups) * 32 + lane);
  const i64 start = (i64)((part * useful + warp) * SEGMENT) - (i64)(p.halo * SEGMENT);
  const bool active = line < p.lines;
  const char *src = p.src + (active ? offset_of(line, p.axes, p.sizes, p.src_steps) : 0);
  f64 x[SEGMENT], sum[SEGMENT];
  if (start >= p.pad && start + SEGMENT <= p.pad + p.samples) {
    src += (start - p.pad) * p.src_step;
#pragma unroll
    for (int j = 0; j < SEGMENT; ++j) x[j] = active ? value_of(*(const element *)(src + j * p.src_step)) : 0;
  } else {
#pragma unroll
    for (int j = 0; j < SEGMENT; ++j) x[j] = active ? element_at(p, src, start + j) : 0;
  }
  filter(p, x, sum, [&](u32 k, f64 &forth, f64 &back) {
    __syncthreads();
    forths[warp][lane] = forth;
    backs[warp][lane] = back;
    __syncthreads();
    forth = back = 0;
    // The outermost segments have no neighbours, and their results are not stored.
#pragma unroll 1
    for (u32 h = p.halo; h > 0; --h) {
      if (warp >= h) forth = __fma_rn(p.decays[k], forth, forths[warp - h][lane]);
      if (warp + h < warps) back = __fma_rn(p.decays[k], back, backs[warp + h][lane]);
    }
  });
  if (!active || warp < p.halo || warp >= warps - p.halo) return;
  char *dst = p.dst + offset_of(line, p.axes, p.sizes, p.dst_steps);
#pragma unroll
  for (int j = 0; j < SEGMENT; ++j) {
    if (start + j < p.n) *(result *)(dst + (start + j) * p.dst_step) = result_of(sum[j]);
  }
}
#endif
