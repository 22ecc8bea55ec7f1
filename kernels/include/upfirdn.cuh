// Samples of an input with zeros between its elements, filtered by weights: result m is the sum of h[t - k up] x[k] over k, with t = m down + shift.
// Required before it: `element`, `result`, value_of(element), result_of(f64), `uindex`, window_border.cuh and the parameter
// struct.
//
// The weights are stored by phases t mod up, so that a result reads adjacent weights and adjacent elements.
//
// Lower bound: the bytes of input and output.
constexpr int REACH = 4;

DEVICE f64 element_at(const params &p, const char *line, i64 i) {
  i = border(i, p.n, p.rule);
  return i < 0 ? p.cval : value_of(*(const element *)(line + i * p.src_step));
}

extern "C" __global__ void __launch_bounds__(256) upfirdn(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  // Adjacent threads have adjacent results of a line, or adjacent lines. A thread has REACH results of one phase, or one.
  const uindex q = divide((uindex)i, p.inner), rest = (uindex)i - q * (uindex)p.inner.divisor;
  const uindex position = p.along ? rest : q, others = p.along ? q : 0;
  const uindex s = p.along ? divide(others, p.segments) : 0;
  const uindex line = p.along ? s : rest;
  uindex m;
  if (p.along) {
    m = (others - s * (uindex)p.segments.divisor) * (uindex)(p.pitch * p.reach) + position;
  } else {
    const uindex segment = divide(position, p.segments);
    m = segment * (uindex)(p.pitch * p.reach) + (position - segment * (uindex)p.segments.divisor);
  }
  if (m >= p.results) return;
  const uindex t = m * (uindex)p.down + (uindex)p.shift, k = divide(t, p.up);
  const f64 *h = p.weights + (u64)(t - k * (uindex)p.up.divisor) * p.taps;
  const char *src = p.src + offset_of(line, p.axes, p.sizes, p.src_steps);
  char *dst = p.dst + offset_of(line, p.axes, p.sizes, p.dst_steps) + (i64)m * p.dst_step;
  if (p.reach == REACH && (i64)k >= p.taps - 1 && (i64)k + (REACH - 1) * p.advance < p.n && m + (REACH - 1) * p.pitch < p.results) {
    const i64 apart = p.advance * p.src_step;
    const char *at = src + (i64)k * p.src_step;
    f64 sums[REACH] = {};
#pragma unroll 2
    for (i64 j = 0; j < p.taps; ++j, at -= p.src_step) {
      const f64 w = h[j];
#pragma unroll
      for (int r = 0; r < REACH; ++r) sums[r] = __fma_rn(w, value_of(*(const element *)(at + r * apart)), sums[r]);
    }
#pragma unroll
    for (int r = 0; r < REACH; ++r) *(result *)(dst + (i64)(r * p.pitch) * p.dst_step) = result_of(sums[r]);
    return;
  }
#pragma unroll 1
  for (u64 r = 0; r < p.reach && m + r * p.pitch < p.results; ++r) {
    f64 sum = 0;
#pragma unroll 1
    for (i64 j = 0; j < p.taps; ++j) {
      const i64 from = (i64)k + (i64)r * p.advance - j;
      // Beyond a border of zeros an infinite weight does not matter.
      if (!p.zero || (u64)from < (u64)p.n) sum = __fma_rn(h[j], element_at(p, src, from), sum);
    }
    *(result *)(dst + (i64)(r * p.pitch) * p.dst_step) = result_of(sum);
  }
}
