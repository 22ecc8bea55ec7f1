// What becomes of the elements that `mark` found true, in their order: their indices along each axis, or the elements of
// another array at their places, or what is written there (SPREAD). Before it stand: `uindex`, THREADS, COORDINATES, SPREAD and, for elements,
// `item` (an integer of their size).
//
// A block takes a group of THREADS words. It lists the places of the true ones in shared memory, and then neighbouring
// threads write neighbouring results.
constexpr int WARPS = THREADS / 32;

DEVICE void write(const params &p, u64 result, u64 i) {
#if !SPREAD
  char *out = (char *)p.out + (i64)result * p.result_step;
#endif
#if COORDINATES
  uindex rest = (uindex)i;
#pragma unroll 1
  for (u32 d = p.axes; d > 1; --d) {
    const uindex q = divide(rest, p.sizes[d - 1]);
    *(i64 *)(out + (i64)(d - 1) * p.axis_step) = (i64)(rest - q * (uindex)p.sizes[d - 1].divisor);
    rest = q;
  }
  *(i64 *)out = (i64)rest;
#else
  const i64 at = p.axes <= 1 ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
#if SPREAD
  *(item *)((char *)p.out + at) = *(const item *)((const char *)p.input + (i64)result * p.result_step);
#else
  *(item *)out = *(const item *)((const char *)p.input + at);
#endif
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS) compact(const __grid_constant__ params p) {
  __shared__ u16 places[THREADS * 32];
  __shared__ u32 sums[WARPS];
  const u32 t = threadIdx.x, lane = t & 31, warp = t / 32;
  const u64 words = (p.elements + 31) / 32, mine = (u64)blockIdx.x * THREADS + t;
  const u32 word = mine < words ? ((const u32 *)p.bits)[mine] : 0;
  u32 upto = __popc(word);
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 below = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += below;
  }
  if (lane == 31) sums[warp] = upto;
  __syncthreads();
  u32 first = upto - __popc(word), count = 0;
#pragma unroll
  for (u32 w = 0; w < WARPS; ++w) {
    if (w < warp) first += sums[w];
    count += sums[w];
  }
  // Word by word, so that the lanes list neighbouring places side by side; words of nothing are left out.
#pragma unroll 1
  for (u32 todo = __ballot_sync(~0u, word != 0); todo != 0; todo &= todo - 1) {
    const u32 from = __ffs(todo) - 1;
    const u32 bits = __shfl_sync(~0u, word, from), at = __shfl_sync(~0u, first, from);
    if (bits >> lane & 1) places[at + __popc(bits & ((1u << lane) - 1))] = (u16)((warp * 32 + from) * 32 + lane);
  }
  __syncthreads();
  const u64 base = ((const u64 *)p.before)[blockIdx.x], start = (u64)blockIdx.x * (THREADS * 32);
#pragma unroll 4
  for (u32 j = t; j < count; j += THREADS) write(p, base + j, start + places[j]);
}
