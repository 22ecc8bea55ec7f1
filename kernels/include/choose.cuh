// `choose`: one of several arrays, element by element, by an index array. A launch has some of the arrays, and writes
// the elements for which one of them is chosen.
//
// Required before it: `element`, `index_type`, `uindex`, `params` and MODE (for indices out of bounds: 0 to wrap, 1 to
// clip).
constexpr int THREADS = 256, EACH = 4;

DEVICE i64 in_bounds(i64 c, i64 total) {
#if MODE == 0
  c %= total;
  return c < 0 ? c + total : c;
#else
  return c < 0 ? 0 : c >= total ? total - 1 : c;
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS) choose(const __grid_constant__ params p) {
  const u64 first = (u64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
  index_type index[EACH];
  element chosen[EACH];
#pragma unroll
  for (int j = 0; j < EACH; ++j) {
    const u64 e = first + j * THREADS;
    if (e < p.elements) index[j] = *(const index_type *)((const char *)p.index + offset_of((uindex)e, p.axes, p.sizes, p.index_steps));
  }
  i64 choice[EACH];
#pragma unroll
  for (int j = 0; j < EACH; ++j) {
    const u64 e = first + j * THREADS;
    choice[j] = -1;
    if (e >= p.elements) continue;
    const i64 c = in_bounds((i64)index[j], p.total) - p.begin;
    if (c < 0 || c >= p.count) continue;
    choice[j] = c;
    chosen[j] = *(const element *)((const char *)p.choices[c] + offset_of((uindex)e, p.axes, p.sizes, p.steps[c]));
  }
#pragma unroll
  for (int j = 0; j < EACH; ++j)
    if (choice[j] >= 0)
      *(element *)((char *)p.out + offset_of((uindex)(first + j * THREADS), p.axes, p.sizes, p.out_steps)) = chosen[j];
}
