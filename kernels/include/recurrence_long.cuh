// A rational filter of many states in the transposed direct form II, one element after another. Required before it: `element`, `result`,
// `number` (f64 or c128), value_of(element), result_of(number), MOST (states), `uindex`, recurrence_numbers.cuh and the parameter struct.
//
// A block filters a line, with its states in two arrays that alternate: each thread computes the next value of some states from the same
// result, and there is one barrier for an element.
constexpr int TILE = 256;

extern "C" __global__ void __launch_bounds__(TILE) recurrence_long(const __grid_constant__ params p) {
  __shared__ number states[2][MOST + 1], tile[TILE];
  const number *above = (const number *)p.above, *below = (const number *)p.below, *first = (const number *)p.first;
  const u32 t = threadIdx.x, threads = blockDim.x, order = p.order;
  const u64 line = blockIdx.x;
  const char *src = p.src + offset_of((uindex)line, p.axes, p.sizes, p.src_steps);
  char *dst = p.dst + offset_of((uindex)line, p.axes, p.sizes, p.dst_steps);
#pragma unroll 1
  for (u32 k = t; k <= order; k += threads) {
    states[0][k] = first && k < order ? first[line * order + k] : number{};
    // Beyond the last state is 0.
    if (k == order) states[1][k] = number{};
  }
  u32 now = 0;
#pragma unroll 1
  for (i64 base = 0; base < p.n; base += TILE) {
    const u32 count = p.n - base < TILE ? (u32)(p.n - base) : TILE;
#pragma unroll 1
    for (u32 i = t; i < count; i += threads) tile[i] = value_of(*(const element *)(src + (base + i) * p.src_step));
    __syncthreads();
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      const number x = tile[i], y = product_plus(above[0], x, states[now][0]);
#pragma unroll 1
      for (u32 k = t; k < order; k += threads)
        states[now ^ 1][k] = product_plus(-below[k + 1], y, product_plus(above[k + 1], x, states[now][k + 1]));
      __syncthreads();
      if (t == 0) tile[i] = y;
      now ^= 1;
    }
    __syncthreads();
#pragma unroll 1
    for (u32 i = t; i < count; i += threads) *(result *)(dst + (base + i) * p.dst_step) = result_of(tile[i]);
    __syncthreads();
  }
  if (p.last) {
#pragma unroll 1
    for (u32 k = t; k < order; k += threads) ((number *)p.last)[line * order + k] = states[now][k];
  }
}
