// The filter of upfirdn.cuh for tiles of a line. Required before it: `element`, `result`, `number`, of elements in shared memory,
// value_of(element), result_of(f64), widened(number), STORED (numbers are elements), REACH, BLOCKS (that run on a multiprocessor), `uindex`,
// window_border.cuh and the parameter struct.
//
// A thread has REACH results of one phase, `up` results apart, whose elements are `down` apart. Of taps that are `down` apart the elements
// of its results are the same but one, so that a window of registers holds them: each element and each weight is read once for REACH
// results. A tile has its elements by their remainders modulo `down`, so that adjacent ones of a window are adjacent there; if REACH is even,
// an element of padding for each REACH of them gives the threads of a warp different banks, which it does by itself if it is odd.
//
// A block computes one tile after another, and the elements of the next one are on the way to shared memory meanwhile.
//
// Lower bound: the bytes of input and output.
constexpr u32 THREADS = 256;
constexpr bool PADDED = REACH % 2 == 0;

DEVICE u32 slot(u32 i) { return PADDED ? i + i / REACH : i; }
// One of padding for 16 results keeps the phases of adjacent groups of threads apart.
DEVICE u32 result_slot(u32 i) { return i + i / 16; }

// A tile: the addresses of its line, its first result, the first element of that, and the phase.
struct position {
  const char *src;
  char *dst;
  uindex first;
  i64 origin;
  u32 remainder;
};

DEVICE position position_of(const params &p, uindex index) {
  const uindex line = divide(index, p.tiles), first = (index - line * (uindex)p.tiles.divisor) * (uindex)p.tile_results;
  const uindex at = first * (uindex)p.down.divisor + (uindex)p.shift, k = divide(at, p.up);
  return {p.src + offset_of(line, p.axes, p.sizes, p.src_steps),
    p.dst + offset_of(line, p.axes, p.sizes, p.dst_steps) + (i64)first * p.dst_step, first, (i64)k - (p.taps - 1),
    (u32)(at - k * (uindex)p.up.divisor)};
}

// Copies an element to shared memory, asynchronously if the device can.
DEVICE void send(const char *from, number *to) {
#if STORED && __CUDA_ARCH__ >= 800
  const u32 at = (u32)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(number)) : "memory");
#elif STORED
  *to = *(const number *)from;
#else
  *to = value_of(*(const element *)from);
#endif
}
DEVICE void arrive() {
#if STORED && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Loads the elements from the first one of the first result of a tile to the last one of the last.
DEVICE void load(const params &p, const position &tile, number *to) {
  const u32 down = (u32)p.down.divisor;
  if (tile.origin >= 0 && tile.origin + p.elements <= p.n) {
    const char *from = tile.src + (tile.origin + threadIdx.x) * p.src_step;
    const i64 pitch = blockDim.x * p.src_step;
#pragma unroll 2
    for (u32 i = threadIdx.x; i < p.elements; i += blockDim.x, from += pitch) {
      const u32 v = (u32)divide((uindex)i, p.down);
      send(from, to + (i - v * down) * p.plane + slot(v));
    }
    return;
  }
#pragma unroll 1
  for (u32 i = threadIdx.x; i < p.elements; i += blockDim.x) {
    const u32 v = (u32)divide((uindex)i, p.down);
    const i64 from = border(tile.origin + i, p.n, p.rule);
    number x = (number)p.cval;
#if STORED
    if (from >= 0) x = *(const number *)(tile.src + from * p.src_step);
#else
    if (from >= 0) x = value_of(*(const element *)(tile.src + from * p.src_step));
#endif
    to[(i - v * down) * p.plane + slot(v)] = x;
  }
}

// Computes the results of a thread: those of group g at position m of `up`.
DEVICE void compute(const params &p, const number *tile, const f64 *weights, u32 remainder, u32 g, u32 m, f64 (&sums)[REACH]) {
  const u32 up = (u32)p.up.divisor, down = (u32)p.down.divisor, taps = (u32)p.taps;
  const u32 offset = remainder + m * down, ahead = (u32)divide((uindex)offset, p.up);
  const f64 *h = weights + (offset - ahead * up) * (taps | 1);
  // The element of the thread's first result for tap 0.
  const u32 i = taps - 1 + g * REACH * down + ahead, whole = (u32)divide((uindex)(taps - 1), p.down), rest = (taps - 1) - whole * down;
  u32 v = (u32)divide((uindex)i, p.down), c = i - v * down;
#pragma unroll 1
  for (u32 b = 0; b < down && b < taps; ++b) {
    const number *own = tile + c * p.plane;
    const u32 count = whole + (b <= rest);
    f64 window[REACH];
#pragma unroll
    for (u32 r = 1; r < REACH; ++r) window[r] = widened(own[slot(v + r)]);
    // The next REACH elements before a position are as many numbers before it, and one more with padding.
    const number *from[PADDED ? REACH : 1];
    const f64 *w = h + b;
    if (PADDED) {
#pragma unroll
      for (u32 u = 0; u < REACH; ++u) from[PADDED ? u : 0] = own + (i32)slot(v) - (i32)(u + (v % REACH < u));
    } else {
      from[0] = own + v;
    }
    const auto add = [&](u32 u) {
      if (PADDED) {
        window[(REACH - u) % REACH] = widened(*from[PADDED ? u : 0]);
        from[PADDED ? u : 0] -= REACH + 1;
      } else {
        window[(REACH - u) % REACH] = widened(*(from[0] - (i32)u));
        if (u == REACH - 1) from[0] -= REACH;
      }
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

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upfirdn_tile(const __grid_constant__ params p) {
  extern __shared__ __align__(16) f64 shared_numbers[];
  const u32 up = (u32)p.up.divisor, taps = (u32)p.taps, t = threadIdx.x;
  f64 *weights = shared_numbers;
  number *tile = (number *)(weights + up * (taps | 1));
  result *results = (result *)(tile + 2 * p.tile_numbers);
  const u32 g = (u32)divide((uindex)t, p.up), m = t - g * up;
  uindex index = blockIdx.x;
  position now = position_of(p, index);
  load(p, now, tile);
#pragma unroll 1
  for (u32 i = t; i < up * taps; i += blockDim.x) {
    const u32 phase = i / taps;
    weights[phase * (taps | 1) + (i - phase * taps)] = p.weights ? p.weights[i] : p.few[i / 32][i % 32];
  }
#pragma unroll 1
  for (u32 side = 0;; side ^= 1) {
    arrive();
    __syncthreads();
    index += gridDim.x;
    const bool more = index < p.count;
    position next{};
    if (more) {
      next = position_of(p, index);
      load(p, next, tile + (side ^ 1) * p.tile_numbers);
    }
    if (g < p.groups) {
      f64 sums[REACH] = {};
      compute(p, tile + side * p.tile_numbers, weights, now.remainder, g, m, sums);
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) results[result_slot((g * REACH + r) * up + m)] = result_of(sums[r]);
    }
    __syncthreads();
    const u32 count = p.results - now.first < p.tile_results ? (u32)(p.results - now.first) : (u32)p.tile_results;
#pragma unroll 4
    for (u32 i = t; i < count; i += blockDim.x) *(result *)(now.dst + i * p.dst_step) = results[result_slot(i)];
    if (!more) return;
    now = next;
  }
}
