// Prefilter of B-spline interpolation along an axis: the coefficients of the spline that passes through the samples (M. Unser,
// A. Aldroubi, M. Eden, "B-Spline Signal Processing: Part II", 1993). Required before it: `element`, `result`, value_of(element),
// result_of(f64), ALONG, SAMPLED, `uindex`, window_border.cuh and the parameter struct; for SAMPLED spline_resample.cuh too.
//
// The inverse filter has the symmetric impulse response sum(gain z^|k|) over its one or two poles, by partial fractions. Each
// term is a recurrence in both directions, of which a thread computes a segment of SEGMENT elements in registers: first from the
// state zero, then from the states at both ends, which are the sums of those of the neighbouring segments. |z| is at most 0.431,
// so that two or three segments (`halo`) determine a state to less than the rounding of float64, and the border of a line is any
// continuation of its samples.
//
// SAMPLED: the results are not the coefficients, but values of the spline. A block has those whose coordinates are among its own elements,
// and reads at most 3 coefficients of the segments next to them, which two further segments determine well enough.
//
// Lower bound: the bytes of input and output.
constexpr int SEGMENT = 16;
#if ALONG
constexpr int WARPS = 8;
#else
constexpr int MOST_WARPS = 10;
#endif

// Returns the sample that element i of a padded line refers to; -1 for the constant.
DEVICE i64 sample_at(const params &p, i64 i) {
  i = border(i, p.n, p.rule) - p.pad;
  if ((u64)i < (u64)p.samples) return i;
  return p.constant ? -1 : i < 0 ? 0 : p.samples - 1;
}

// Filters the segment of a thread. `exchange(forth, back)` replaces the states at the ends of the segments by those at their
// beginnings. x(j) returns an element.
template <class X, class E> DEVICE void filter(const params &p, X x, f64 (&sum)[SEGMENT], E exchange) {
#pragma unroll
  for (int j = 0; j < SEGMENT; ++j) sum[j] = 0;
#pragma unroll 1
  for (u32 k = 0; k < p.pole_count; ++k) {
    const f64 z = p.poles[k], gain = p.gains[k];
    f64 forth = 0, back = 0;
#pragma unroll
    for (int j = 0; j < SEGMENT; ++j) {
      forth = __fma_rn(z, forth, x(j));
      back = __fma_rn(z, back, x(SEGMENT - 1 - j));
    }
    exchange(k, forth, back);
    const f64 after = gain * z;
#pragma unroll
    for (int j = 0; j < SEGMENT; ++j) {
      forth = __fma_rn(z, forth, x(j));
      sum[j] = __fma_rn(gain, forth, sum[j]);
    }
#pragma unroll
    for (int j = SEGMENT - 1; j >= 0; --j) {
      sum[j] = __fma_rn(after, back, sum[j]);
      back = __fma_rn(z, back, x(j));
    }
  }
}

#if ALONG
// A warp has lines of 1 << lanes_log2 segments, as many as its lanes serve. One element of padding for each segment gives
// adjacent threads different banks.
DEVICE u32 slot(u32 i) { return i + i / SEGMENT; }

extern "C" __global__ void __launch_bounds__(32 * WARPS, 4) spline_prefilter(const __grid_constant__ params p) {
  __shared__ f64 tiles[WARPS][34 * SEGMENT];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 lanes = 1u << p.lanes_log2, lines = 32u >> p.lanes_log2, loaded = lanes * SEGMENT;
  const u32 length = (lanes - 2 * p.halo) * SEGMENT;
  const u64 parts = ((u64)p.n + length - 1) / length, part = (u64)blockIdx.x * WARPS + warp, group = part / parts;
  if (group * lines >= p.lines) return;
  const i64 start = (i64)((part - group * parts) * length), origin = start - (i64)(p.halo * SEGMENT);
  const uindex first = (uindex)(group * lines);
  f64 *tile = tiles[warp];
  // The elements from `low` to `high` are samples, and the others continue them.
  const i64 before = p.pad - origin, end = before + p.samples;
  const u32 low = before < 0 ? 0 : before < loaded ? (u32)before : loaded, high = end < 0 ? 0 : end < loaded ? (u32)end : loaded;
#pragma unroll 1
  for (u32 g = 0; g < lines && first + g < p.lines; ++g) {
    const char *line = p.src + offset_of((uindex)(first + g), p.axes, p.sizes, p.src_steps);
    if (low < high) {
      // Clamped indices keep the loads free of branches; the elements that they do not belong to are replaced.
      const char *samples = line - before * p.src_step;
#pragma unroll 8
      for (u32 i = lane; i < loaded; i += 32) {
        const u32 at = i < low ? low : i < high ? i : high - 1;
        tile[slot(g * loaded + i)] = value_of(*(const element *)(samples + at * p.src_step));
      }
    }
#pragma unroll 1
    for (u32 i = lane; i < loaded; i += 32) {
      if (i >= low && i < high) i = high + ((lane - high) & 31);
      if (i >= loaded) break;
      const i64 at = sample_at(p, origin + i);
      tile[slot(g * loaded + i)] = at < 0 ? p.cval : value_of(*(const element *)(line + at * p.src_step));
    }
  }
  __syncwarp();
  f64 sum[SEGMENT];
  // Elements are read again in each direction, not held in registers: more warps hide the latency of memory.
  const volatile f64 *own = tile + slot(lane * SEGMENT);
  const auto x = [=](int j) { return own[j]; };
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
#if SAMPLED
  const i64 bound = first_result(p, lane & 1 ? start + length : start);
  const i64 from = __shfl_sync(~0u, bound, 0), to = __shfl_sync(~0u, bound, 1);
#pragma unroll 1
  for (i64 m = from + lane; m < to; m += 32) {
    f64 weights[TAPS];
    const u32 at = (u32)(find_taps(p, m, weights) - origin);
#pragma unroll 1
    for (u32 g = 0; g < lines && first + g < p.lines; ++g) {
      f64 value = 0;
#pragma unroll
      for (u32 k = 0; k < TAPS; ++k) {
        if (k <= p.order) value = __fma_rn(tile[slot(g * loaded + at + k)], weights[k], value);
      }
      char *line = p.dst + offset_of((uindex)(first + g), p.axes, p.sizes, p.dst_steps);
      *(result *)(line + (m - p.low) * p.dst_step) = result_of(value);
    }
  }
#else
  const u32 count = p.n - start < length ? (u32)(p.n - start) : length;
#pragma unroll 1
  for (u32 g = 0; g < lines && first + g < p.lines; ++g) {
    char *line = p.dst + offset_of((uindex)(first + g), p.axes, p.sizes, p.dst_steps) + start * p.dst_step;
#pragma unroll 4
    for (u32 i = lane; i < count; i += 32)
      *(result *)(line + i * p.dst_step) = result_of(tile[slot(g * loaded + p.halo * SEGMENT + i)]);
  }
#endif
}
#else
#if SAMPLED
// Results whose weights are kept at a time.
constexpr u32 AT_ONCE = 48;

// Finds the weights of results, and the rows of their first taps in a tile that begins at `origin`: a lane has every 32nd.
DEVICE void find_rows(const params &p, i64 first, u32 count, i64 origin, f64 (*weights)[TAPS], u32 *rows) {
#pragma unroll 1
  for (u32 r = threadIdx.x & 31; r < count; r += 32) {
    f64 found[TAPS];
    rows[r] = (u32)(find_taps(p, first + r, found) - origin);
#pragma unroll
    for (u32 k = 0; k < TAPS; ++k) {
      if (k <= p.order) weights[r][k] = found[k];
    }
  }
}
#endif

// Lanes have adjacent lines, warps have adjacent segments.
extern "C" __global__ void __launch_bounds__(32 * MOST_WARPS, 3) spline_prefilter(const __grid_constant__ params p) {
  __shared__ f64 tiles[MOST_WARPS][SEGMENT][32], forths[MOST_WARPS][32], backs[MOST_WARPS][32];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, useful = warps - 2 * p.halo;
  // Blocks of a line are adjacent, so that the segments that two of them read are in cache.
  const u64 parts = ((u64)p.n + useful * SEGMENT - 1) / (useful * SEGMENT), group = blockIdx.x / parts;
  const uindex line = (uindex)(group * 32 + lane);
  const i64 start = (i64)(((blockIdx.x - group * parts) * useful + warp) * SEGMENT) - (i64)(p.halo * SEGMENT);
  const bool active = line < p.lines;
  const char *src = p.src + (active ? offset_of(line, p.axes, p.sizes, p.src_steps) : 0);
#if SAMPLED
  // The first warp finds the results of the block and the weights of some while the others load their elements.
  __shared__ f64 weights[AT_ONCE][TAPS];
  __shared__ u32 rows[AT_ONCE];
  __shared__ i64 ends[2];
  const i64 origin = start - (i64)(warp * SEGMENT);
  if (warp == 0) {
    const i64 own = origin + (i64)(p.halo * SEGMENT), end = first_result(p, lane & 1 ? own + (i64)(useful * SEGMENT) : own);
    const i64 from = __shfl_sync(~0u, end, 0), to = __shfl_sync(~0u, end, 1);
    if (lane < 2) ends[lane] = end;
    find_rows(p, from, to - from < AT_ONCE ? (u32)(to - from) : AT_ONCE, origin, weights, rows);
  }
#endif
  f64 x[SEGMENT], sum[SEGMENT];
  if (start >= p.pad && start + SEGMENT <= p.pad + p.samples) {
    src += (start - p.pad) * p.src_step;
#pragma unroll
    for (int j = 0; j < SEGMENT; ++j) x[j] = value_of(*(const element *)(src + j * p.src_step));
  } else {
    // A lane finds the sample of an element for all lines.
    const i64 own = sample_at(p, start + lane % SEGMENT);
    const u32 outside = __ballot_sync(~0u, own < 0);
    const i64 own_offset = own < 0 ? 0 : own * p.src_step;
#pragma unroll
    for (int j = 0; j < SEGMENT; ++j) x[j] = value_of(*(const element *)(src + __shfl_sync(~0u, own_offset, j)));
#pragma unroll
    for (int j = 0; j < SEGMENT; ++j) {
      if (outside >> j & 1) x[j] = p.cval;
    }
  }
#pragma unroll
  for (int j = 0; j < SEGMENT; ++j) tiles[warp][j][lane] = x[j];
  const volatile f64 *tile = &tiles[warp][0][lane];
  filter(p, [=](int j) { return tile[j * 32]; }, sum, [&](u32 k, f64 &forth, f64 &back) {
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
#if SAMPLED
#pragma unroll
  for (int j = 0; j < SEGMENT; ++j) tiles[warp][j][lane] = sum[j];
  const f64 *coefficients = &tiles[0][0][lane];
  const i64 from = ends[0], to = ends[1];
  char *dst = p.dst + (active ? offset_of(line, p.axes, p.sizes, p.dst_steps) : 0) - p.low * p.dst_step;
#pragma unroll 1
  for (i64 base = from; base < to; base += AT_ONCE) {
    const u32 count = to - base < AT_ONCE ? (u32)(to - base) : AT_ONCE;
    if (base > from) {
      __syncthreads();
      if (warp == 0) find_rows(p, base, count, origin, weights, rows);
    }
    __syncthreads();
    if (!active) continue;
#pragma unroll 1
    for (u32 r = warp; r < count; r += warps) {
      const f64 *own = coefficients + 32 * rows[r];
      f64 value = 0;
#pragma unroll
      for (u32 k = 0; k < TAPS; ++k) {
        if (k <= p.order) value = __fma_rn(own[32 * k], weights[r][k], value);
      }
      *(result *)(dst + (base + r) * p.dst_step) = result_of(value);
    }
  }
#else
  if (!active || warp < p.halo || warp >= warps - p.halo) return;
  char *dst = p.dst + offset_of(line, p.axes, p.sizes, p.dst_steps);
#pragma unroll
  for (int j = 0; j < SEGMENT; ++j) {
    if (start + j < p.n) *(result *)(dst + (start + j) * p.dst_step) = result_of(sum[j]);
  }
#endif
}
#endif
