// Correlation of two sequences, the second already conjugated, for few results. Required before it: `element`, `value`
// (of the accumulator), the functions value_of(element), step(sum, a, v), plus(a, b), none() and result_of(value), and
// correlate_params.cuh.
//
// The threads of a result run along the shorter sequence, and their sums are added in a tree.
constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS) correlate(const __grid_constant__ params p) {
  __shared__ value shared[THREADS];
  const u32 t = threadIdx.x, side = 1u << p.outputs_log2, sharing = THREADS >> p.outputs_log2;
  const u32 mine = t >> p.outputs_log2;
  const u64 o = (u64)blockIdx.x * side + (t & (side - 1));
  value sum = none();
  if (o < p.count) {
    // The elements of the shorter sequence that overlap the longer one.
    const u64 first = o < p.lead ? p.lead - o : 0;
    const u64 room = p.n + p.lead - o, last = room < p.k ? room : p.k;
    const char *a = p.a + ((i64)o - (i64)p.lead) * p.a_step;
#pragma unroll 4
    for (u64 j = first + mine; j < last; j += sharing)
      sum = step(sum, value_of(*(const element *)(a + (i64)j * p.a_step)), value_of(*(const element *)(p.v + (i64)j * p.v_step)));
  }
  shared[t] = sum;
  __syncthreads();
#pragma unroll 1
  for (u32 half = sharing / 2; half > 0; half /= 2) {
    if (mine < half) shared[t] = sum = plus(sum, shared[t + half * side]);
    __syncthreads();
  }
  if (mine == 0 && o < p.count) p.out[o] = result_of(sum);
}
