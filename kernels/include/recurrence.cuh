// Linear recurrences along an axis: rational filters in the transposed direct form II, and cascades of sections of order 2. Required before
// it: `element`, `result`, `number` (f64 or c128, of the states and coefficients), value_of(element), result_of(number), STATES (states
// that there is room for), CASCADE, WARPS (most warps of a block), `uindex`, recurrence_numbers.cuh and the parameter struct.
//
// The state after n elements is the state before them multiplied by a matrix, plus the state that the elements alone lead to. A
// thread runs its chunk from the state zero, the states of a block are combined by an inclusive scan with powers of the matrix, and
// the chunk is run again from its true state (S. Maleki, M. Burtscher, "Automatic Hierarchical Parallelization of Linear
// Recurrences", 2018). Lines longer than a tile take three kernels: the states at the ends of the tiles, their scan, and the results.
//
// Lower bound: the input once for lines of one tile and twice for others, and the output once.
constexpr int CHUNK = 16;
// Powers of the matrix for the scan of a block: of CHUNK 2^j elements, the last of which is that of a warp.
constexpr int LEVELS = 5;

struct state {
  number z[STATES];
};

DEVICE u32 slot(u32 i) { return i + i / CHUNK; }

DEVICE state zero_state() {
  state s;
#pragma unroll
  for (int i = 0; i < STATES; ++i) s.z[i] = number{};
  return s;
}

// Advances a state by an element and returns the result.
DEVICE number step(const params &p, state &s, number x) {
  const number *above = (const number *)p.above, *below = (const number *)p.below;
#if CASCADE
#pragma unroll
  for (int k = 0; k < STATES; k += 2) {
    if (k >= p.order) break;
    const number *b = above + k / 2 * 3, *a = below + k;
    const number y = product_plus(b[0], x, s.z[k]);
    s.z[k] = product_plus(-a[0], y, product_plus(b[1], x, s.z[k + 1]));
    s.z[k + 1] = product_plus(-a[1], y, b[2] * x);
    x = y;
  }
  return x;
#else
  const number y = product_plus(above[0], x, s.z[0]);
#pragma unroll
  for (int k = 0; k < STATES; ++k) {
    if (k >= p.order) break;
    number next = above[k + 1] * x;
    if (k + 1 < STATES && k + 1 < p.order) next = next + s.z[k + 1];
    s.z[k] = product_plus(-below[k], y, next);
  }
  return y;
#endif
}

// Adds the product of a matrix with a state. States beyond the order are 0, and stay so whatever the others are.
DEVICE void add_product(const params &p, const number *matrix, const state &from, state &to) {
#pragma unroll
  for (int r = 0; r < STATES; ++r) {
    if (r >= p.order) break;
#pragma unroll
    for (int c = 0; c < STATES; ++c) to.z[r] = product_plus(matrix[r * STATES + c], from.z[c], to.z[r]);
  }
}

DEVICE state shifted_up(const state &s, u32 lanes) {
  state from;
#pragma unroll
  for (int i = 0; i < STATES; ++i) from.z[i] = from_lane_before(s.z[i], lanes);
  return from;
}

DEVICE void read_tile(const params &p, const char *line, i64 start, u32 count, number *tile) {
#pragma unroll 4
  for (u32 i = threadIdx.x; i < blockDim.x * CHUNK; i += blockDim.x)
    tile[slot(i)] = i < count ? value_of(*(const element *)(line + (start + i) * p.src_step)) : number{};
  __syncthreads();
}

DEVICE const number *powers_of(const params &p) { return (const number *)p.powers; }

// Runs the chunk of each thread from the state zero, and scans the ends within the warps.
DEVICE state scanned(const params &p, const number *tile, state *totals) {
  const u32 lane = threadIdx.x % 32;
  state s = zero_state();
#pragma unroll 1
  for (u32 i = 0; i < CHUNK; ++i) step(p, s, tile[threadIdx.x * (CHUNK + 1) + i]);
#pragma unroll 1
  for (u32 j = 0; j < LEVELS; ++j) {
    const state before = shifted_up(s, 1u << j);
    if (lane >= 1u << j) add_product(p, powers_of(p) + j * STATES * STATES, before, s);
  }
  if (lane == 31) totals[threadIdx.x / 32] = s;
  __syncthreads();
  return s;
}

DEVICE const number *warp_power(const params &p) { return powers_of(p) + LEVELS * STATES * STATES; }

// The state at the end of each tile but the last that its elements alone lead to.
extern "C" __global__ void __launch_bounds__(32 * WARPS) recurrence_ends(const __grid_constant__ params p) {
  __shared__ number tile[(CHUNK + 1) * 32 * WARPS];
  __shared__ state totals[WARPS];
  const u64 tiles = p.tiles - 1, line = blockIdx.x / tiles, part = blockIdx.x - line * tiles;
  const u32 length = blockDim.x * CHUNK;
  read_tile(p, p.src + offset_of((uindex)line, p.axes, p.sizes, p.src_steps), (i64)(part * length), length, tile);
  scanned(p, tile, totals);
  if (threadIdx.x) return;
  state s = zero_state();
#pragma unroll 1
  for (u32 w = 0; w < blockDim.x / 32; ++w) {
    state next = totals[w];
    add_product(p, warp_power(p), s, next);
    s = next;
  }
  number *to = (number *)p.states + (line * p.tiles + part + 1) * STATES;
#pragma unroll
  for (int i = 0; i < STATES; ++i) to[i] = s.z[i];
}

// The states at the beginnings of the tiles of a line, which has a block.
extern "C" __global__ void __launch_bounds__(256) recurrence_scan(const __grid_constant__ params p) {
  __shared__ number all[STATES][256];
  const u64 line = blockIdx.x;
  number *states = (number *)p.states + line * p.tiles * STATES;
  const number *powers = warp_power(p) + STATES * STATES;
  const u32 t = threadIdx.x;
  // The state before the first tile is in the first entry.
#pragma unroll 1
  for (u64 base = 0; base + 1 < p.tiles; base += 256) {
    const u64 entry = base + 1 + t;
    const bool active = entry < p.tiles;
    state s = zero_state();
    if (active) {
#pragma unroll
      for (int i = 0; i < STATES; ++i) s.z[i] = states[entry * STATES + i];
    }
    if (t == 0) {
      state before;
#pragma unroll
      for (int i = 0; i < STATES; ++i) before.z[i] = states[base * STATES + i];
      add_product(p, powers, before, s);
    }
#pragma unroll 1
    for (u32 j = 0; j < 8; ++j) {
      __syncthreads();
#pragma unroll
      for (int i = 0; i < STATES; ++i) all[i][t] = s.z[i];
      __syncthreads();
      if (t >= 1u << j) {
        state before;
#pragma unroll
        for (int i = 0; i < STATES; ++i) before.z[i] = all[i][t - (1u << j)];
        add_product(p, powers + j * STATES * STATES, before, s);
      }
    }
    if (active) {
#pragma unroll
      for (int i = 0; i < STATES; ++i) states[entry * STATES + i] = s.z[i];
    }
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS) recurrence_run(const __grid_constant__ params p) {
  __shared__ number tile[(CHUNK + 1) * 32 * WARPS];
  __shared__ state totals[WARPS];
  const u64 line = blockIdx.x / p.tiles, part = blockIdx.x - line * p.tiles;
  const u32 length = blockDim.x * CHUNK, lane = threadIdx.x % 32;
  const i64 start = (i64)(part * length);
  const u32 count = p.n - start < length ? (u32)(p.n - start) : length;
  read_tile(p, p.src + offset_of((uindex)line, p.axes, p.sizes, p.src_steps), start, count, tile);
  const state s = scanned(p, tile, totals);
  // The state at the beginning of the warp.
  state before;
  const number *first = (const number *)p.states + (line * p.tiles + part) * STATES;
#pragma unroll
  for (int i = 0; i < STATES; ++i) before.z[i] = first[i];
#pragma unroll 1
  for (u32 w = 0; w < threadIdx.x / 32; ++w) {
    state next = totals[w];
    add_product(p, warp_power(p), before, next);
    before = next;
  }
  // That of the lane: the former after the lanes before it, and what these lead to.
  state own = shifted_up(s, 1);
#pragma unroll 1
  for (u32 j = 0; j < LEVELS; ++j) {
    state next = zero_state();
    add_product(p, powers_of(p) + j * STATES * STATES, before, next);
    if (lane >> j & 1) before = next;
  }
#pragma unroll
  for (int i = 0; i < STATES; ++i) own.z[i] = lane ? own.z[i] + before.z[i] : before.z[i];
  number *mine = tile + threadIdx.x * (CHUNK + 1);
  const u32 left = count > threadIdx.x * CHUNK ? count - threadIdx.x * CHUNK : 0;
#pragma unroll 1
  for (u32 i = 0; i < CHUNK && i < left; ++i) mine[i] = step(p, own, mine[i]);
  if (p.last && left && left <= CHUNK && part + 1 == p.tiles) {
    number *to = (number *)p.last + line * STATES;
#pragma unroll
    for (int i = 0; i < STATES; ++i) to[i] = own.z[i];
  }
  __syncthreads();
  char *dst = p.dst + offset_of((uindex)line, p.axes, p.sizes, p.dst_steps) + start * p.dst_step;
#pragma unroll 4
  for (u32 i = threadIdx.x; i < count; i += blockDim.x) *(result *)(dst + i * p.dst_step) = result_of(tile[slot(i)]);
}
