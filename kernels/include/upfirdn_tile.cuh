// The filter of upfirdn.cuh for tiles of a line. Required before it: `element`, `result`, value_of(element), result_of(f64), `uindex`,
// window_border.cuh and the parameter struct.
//
// A thread has REACH results of one phase, `up` results apart, whose elements are `down` apart. Of taps that are `down` apart the elements
// of its results are the same but one, so that a window of registers holds them: each element and each weight is read once for REACH
// results. A tile has its elements by their remainders modulo `down`, so that adjacent ones of a window are adjacent there; an element
// of padding for each REACH of them gives the threads of a warp different banks.
//
// Lower bound: the bytes of input and output.
constexpr u32 REACH = 8, THREADS = 256;

DEVICE u32 slot(u32 i) { return i + i / REACH; }
// One of padding for 16 results keeps the phases of adjacent groups of threads apart.
DEVICE u32 result_slot(u32 i) { return i + i / 16; }

extern "C" __global__ void __launch_bounds__(THREADS) upfirdn_tile(const __grid_constant__ params p) {
  extern __shared__ __align__(16) f64 shared_numbers[];
  const u32 up = (u32)p.up.divisor, down = (u32)p.down.divisor, taps = (u32)p.taps, plane = p.plane, t = threadIdx.x;
  f64 *tile = shared_numbers, *weights = tile + p.tile_numbers;
  const u64 line = blockIdx.x / p.tiles, part = blockIdx.x - line * p.tiles;
  const uindex first = (uindex)(part * p.tile_results), at = first * (uindex)down + (uindex)p.shift, k = divide(at, p.up);
  const u32 remainder = (u32)(at - k * (uindex)up);
  // The elements from the first one of the first result to the last one of the last.
  const i64 origin = (i64)k - (taps - 1);
  const char *src = p.src + offset_of((uindex)line, p.axes, p.sizes, p.src_steps);
  const bool inside = origin >= 0 && origin + p.elements <= p.n;
#pragma unroll 4
  for (u32 i = t; i < p.elements; i += blockDim.x) {
    const u32 v = (u32)divide((uindex)i, p.down), c = i - v * down;
    f64 x;
    if (inside) {
      x = value_of(*(const element *)(src + (origin + i) * p.src_step));
    } else {
      const i64 from = border(origin + i, p.n, p.rule);
      x = from < 0 ? p.cval : value_of(*(const element *)(src + from * p.src_step));
    }
    tile[c * plane + slot(v)] = x;
  }
  for (u32 i = t; i < up * taps; i += blockDim.x) {
    const u32 phase = i / taps;
    weights[phase * (taps | 1) + (i - phase * taps)] = p.weights[i];
  }
  __syncthreads();
  const u32 g = (u32)divide((uindex)t, p.up), m = t - g * up;
  const bool active = g < p.groups;
  f64 sums[REACH] = {};
  if (active) {
    const u32 offset = remainder + m * down, ahead = (u32)divide((uindex)offset, p.up);
    const f64 *h = weights + (offset - ahead * up) * (taps | 1);
    // The element of the thread's first result for tap 0.
    const u32 i = taps - 1 + g * REACH * down + ahead, whole = (taps - 1) / down, rest = (taps - 1) - whole * down;
    u32 v = (u32)divide((uindex)i, p.down), c = i - v * down;
#pragma unroll 1
    for (u32 b = 0; b < down && b < taps; ++b) {
      const f64 *own = tile + c * plane;
      const u32 count = whole + (b <= rest);
      f64 window[REACH];
#pragma unroll
      for (u32 r = 1; r < REACH; ++r) window[r] = own[slot(v + r)];
      // The next REACH elements before a position are REACH + 1 numbers before it.
      const f64 *from[REACH], *w = h + b;
#pragma unroll
      for (u32 u = 0; u < REACH; ++u) from[u] = own + (i32)slot(v) - (i32)(u + (v % REACH < u));
      const auto add = [&](u32 u) {
        window[(REACH - u) % REACH] = *from[u];
        from[u] -= REACH + 1;
        const f64 weight = *w;
        w += down;
#pragma unroll
        for (u32 r = 0; r < REACH; ++r) sums[r] = __fma_rn(weight, window[(r + REACH - u) % REACH], sums[r]);
      };
#pragma unroll 1
      for (u32 a = REACH; a <= count; a += REACH) {
#pragma unroll
        for (u32 u = 0; u < REACH; ++u) add(u);
      }
#pragma unroll
      for (u32 u = 0; u + 1 < REACH; ++u) {
        if (u >= count % REACH) break;
        add(u);
      }
      v -= c == 0;
      c = c == 0 ? down - 1 : c - 1;
    }
  }
  __syncthreads();
  if (active) {
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) tile[result_slot((g * REACH + r) * up + m)] = sums[r];
  }
  __syncthreads();
  const u32 count = p.results - first < p.tile_results ? (u32)(p.results - first) : (u32)p.tile_results;
  char *dst = p.dst + offset_of((uindex)line, p.axes, p.sizes, p.dst_steps) + (i64)first * p.dst_step;
#pragma unroll 4
  for (u32 i = t; i < count; i += blockDim.x) *(result *)(dst + i * p.dst_step) = result_of(tile[result_slot(i)]);
}
