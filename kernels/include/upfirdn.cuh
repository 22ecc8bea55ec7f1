// Samples of an input with zeros between its elements, filtered by weights: result m is the sum of h[t - k up] x[k] over k, with t = m down + shift.
// Required before it: `element`, `result`, value_of(element), result_of(f64), `uindex`, window_border.cuh and the parameter
// struct.
//
// The weights are stored by phases t mod up, so that a result reads adjacent weights and adjacent elements.
//
// Lower bound: the bytes of input and output.
DEVICE f64 element_at(const params &p, const char *line, i64 i) {
  i = border(i, p.n, p.rule);
  return i < 0 ? p.cval : value_of(*(const element *)(line + i * p.src_step));
}

extern "C" __global__ void __launch_bounds__(256) upfirdn(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  // Adjacent threads have adjacent results of a line, or adjacent lines.
  const uindex q = divide((uindex)i, p.inner), rest = (uindex)i - q * (uindex)p.inner.divisor;
  const uindex line = p.along ? q : rest, m = p.along ? rest : q;
  const uindex t = m * (uindex)p.down + (uindex)p.shift, k = divide(t, p.up);
  const f64 *h = p.weights + (u64)(t - k * (uindex)p.up.divisor) * p.taps;
  const char *src = p.src + offset_of(line, p.axes, p.sizes, p.src_steps);
  f64 sum = 0;
  if ((i64)k < p.n && (i64)k >= p.taps - 1) {
    const char *at = src + (i64)k * p.src_step;
#pragma unroll 4
    for (i64 j = 0; j < p.taps; ++j, at -= p.src_step) sum = __fma_rn(h[j], value_of(*(const element *)at), sum);
  } else {
#pragma unroll 1
    for (i64 j = 0; j < p.taps; ++j) {
      const i64 from = (i64)k - j;
      // Beyond a border of zeros an infinite weight does not matter.
      if (!p.zero || (u64)from < (u64)p.n) sum = __fma_rn(h[j], element_at(p, src, from), sum);
    }
  }
  *(result *)(p.dst + offset_of(line, p.axes, p.sizes, p.dst_steps) + (i64)m * p.dst_step) = result_of(sum);
}
