// Linear recurrences along an axis: rational filters in the transposed direct form II, and cascades of sections of order 2. Required before
// it: `element`, `result`, `number` (f64 or c128, of the states and coefficients), value_of(element), result_of(number), STATES (states
// that there is room for), CASCADE, WARPS (most warps of a block), `uindex`, recurrence_numbers.cuh and the parameter struct.
//
// The state after n elements is the state before them multiplied by a matrix, plus the state that the elements alone lead to, which is a
// weighted sum of them. A thread computes that sum for its chunk, the states at the beginnings of the chunks follow by a recurrence of
// states, and the chunk is run once from its true state (S. Maleki, M. Burtscher, "Automatic Hierarchical Parallelization of Linear
// Recurrences", 2018). Lines longer than a tile take three kernels: the states at the ends of the tiles, their scan, and the results. A block
// scans the tiles of a line; those of long lines are reduced to spans, which a block scans, and scanned from the beginnings of the spans.
//
// Products of matrices and states bound a scan of states, not its depth: chunks are scanned in groups, sequentially, by a thread for each
// row, which has its row of the matrix in registers. A tile takes two products for each chunk, where a scan over lanes takes ten.
//
// Lower bound: the input once for lines of one tile and twice for others, and the output once.
constexpr int CHUNK = STATES * (int)(sizeof(number) / sizeof(f64)) > 8 ? 16 : 32;
// Chunks of a group.
constexpr int GROUP = 16;
constexpr int THREADS = 32 * WARPS, GROUPS = THREADS / GROUP;
// Groups of tiles of a line that are scanned at the same time.
constexpr int TILE_GROUPS = THREADS < 512 / STATES ? THREADS : 512 / STATES;
// Tiles whose states are loaded before they are needed.
constexpr int AHEAD = 8;
// Tiles of a span, and spans of a block.
constexpr int SPAN = 16, SPANS = 64 / STATES;
// Continuations of a line.
enum pad_rule : u32 { ODD_PAD, EVEN_PAD, CONSTANT_PAD };

struct state {
  number z[STATES];
};

// A matrix by rows, and the weights of the elements of a chunk for each state.
struct matrices {
  number chunk[STATES][STATES], group[STATES][STATES], tile[STATES][STATES], some_tiles[STATES][STATES], many_tiles[STATES][STATES];
};

// States of chunks: one number of padding for each chunk and each group keeps the threads of a warp in different banks.
struct slots {
  number z[THREADS * (STATES + 1) + GROUPS];
  // States at the ends of groups; those of even and odd steps alternate, so that a step needs one barrier.
  number ends[2][GROUPS][STATES];
  DEVICE number *at(u32 chunk) { return z + chunk * (STATES + 1) + chunk / GROUP; }
};

DEVICE u32 slot(u32 i) { return i + i / CHUNK; }

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

DEVICE const matrices &matrices_of(const params &p) { return *(const matrices *)p.powers; }

// A row of a matrix in registers.
struct matrix_row {
  number m[STATES];
  u32 order;
  bool used;
  DEVICE matrix_row(const params &p, const number (*matrix)[STATES], u32 r) {
    order = p.order;
    used = r < order;
#pragma unroll
    for (int c = 0; c < STATES; ++c) m[c] = matrix[r][c];
  }
  // Returns the sum of the product with a state and of another number. States beyond the order are 0, and stay so whatever the others are.
  DEVICE number times(const number *s, number more) const {
    number even = more, odd{};
#pragma unroll
    for (int c = 0; c < STATES; c += 2) {
      if (c >= order) break;
      even = product_plus(m[c], s[c], even);
      odd = product_plus(m[c + 1], s[c + 1], odd);
    }
    return used ? even + odd : number{};
  }
};

// Returns an element of a line, which is continued by `pad` elements at both ends: odd or even about the last element, or by it.
DEVICE number element_at(const params &p, const char *line, i64 i) {
  const i64 samples = p.n - 2 * p.pad, at = i - p.pad, last = at < 0 ? 0 : samples - 1;
  const auto sample = [&](i64 k) { return value_of(*(const element *)(line + k * p.src_step)); };
  if (p.pad == 0 || (at >= 0 && at < samples)) return sample(at);
  const number end = sample(last);
  if (p.pad_rule == CONSTANT_PAD) return end;
  const number mirrored = sample(2 * last - at);
  return p.pad_rule == ODD_PAD ? end + end - mirrored : mirrored;
}

// Loads the elements of a tile, and zeros after the end of the line.
DEVICE void read_tile(const params &p, const char *line, i64 start, u32 count, number *tile) {
  const u32 threads = blockDim.x;
  if (start >= p.pad && start + count <= p.n - p.pad) {
    const char *from = line + (start - p.pad + threadIdx.x) * p.src_step;
    const i64 pitch = threads * p.src_step;
    if (count == CHUNK * threads) {
      // Elements of whole tiles are requested together. The slots of a thread are as far apart: chunks divide the threads.
      number *to = tile + slot(threadIdx.x);
      const u32 apart = slot(threads);
#pragma unroll 1
      for (u32 j = 0; j < CHUNK; j += 16) {
        element held[16];
#pragma unroll
        for (u32 i = 0; i < 16; ++i, from += pitch) held[i] = *(const element *)from;
#pragma unroll
        for (u32 i = 0; i < 16; ++i, to += apart) *to = value_of(held[i]);
      }
    } else {
#pragma unroll 4
      for (u32 j = 0; j < CHUNK; ++j) {
        const u32 i = threadIdx.x + j * threads;
        tile[slot(i)] = i < count ? value_of(*(const element *)(from + j * pitch)) : number{};
      }
    }
  } else {
#pragma unroll 1
    for (u32 i = threadIdx.x; i < CHUNK * threads; i += threads) tile[slot(i)] = i < count ? element_at(p, line, start + i) : number{};
  }
  __syncthreads();
}

// Returns a number of the state before a line. That of a step is multiplied by the first element.
DEVICE number state_before(const params &p, const char *line, number z) { return p.settled ? element_at(p, line, 0) * z : z; }

// Stores the state that the elements of each chunk alone lead to.
DEVICE void sum_chunks(const params &p, const number *tile, slots &s) {
  const number *weights = (const number *)p.weights, *own = tile + threadIdx.x * (CHUNK + 1);
  number sums[STATES];
#pragma unroll
  for (int base = 0; base < CHUNK; base += 16) {
    number x[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i] = own[base + i];
#pragma unroll
    for (int k = 0; k < STATES; ++k) {
      if (base == 0) sums[k] = number{};
      if (k < p.order) {
#pragma unroll
        for (int i = 0; i < 16; ++i) sums[k] = product_plus(weights[k * CHUNK + base + i], x[i], sums[k]);
      }
    }
  }
  number *to = s.at(threadIdx.x);
  // A weight times infinity is not what the steps make of it, which multiply it by each coefficient: such chunks are run.
  bool is_sum = true;
#pragma unroll
  for (int k = 0; k < STATES; ++k) is_sum = is_sum && all_finite(sums[k]);
  if (!is_sum) {
    state run = {};
#pragma unroll 1
    for (int i = 0; i < CHUNK; ++i) step(p, run, own[i]);
#pragma unroll
    for (int k = 0; k < STATES; ++k) sums[k] = run.z[k];
  }
#pragma unroll
  for (int k = 0; k < STATES; ++k) to[k] = sums[k];
  __syncthreads();
}

// Scans the states of slots in groups by the first threads of a block, of which all call it: the states at the ends of the slots become
// those at their beginnings, where `first` is the state before the first slot, or those that the slots alone lead to are left if only the
// state after all groups is wanted. Returns that state in the first STATES threads.
template <bool EXCLUSIVE>
DEVICE number scan_slots(slots &s, u32 count, const matrix_row &row, const matrix_row &large, number first) {
  const u32 r = threadIdx.x % STATES, g = threadIdx.x / STATES;
  const u32 groups = (count + GROUP - 1) / GROUP, length = count < GROUP ? count : GROUP;
  const bool some = (threadIdx.x & ~31u) < groups * STATES, active = g < groups;
  number z{};
  if (some) {
    number *own = s.at(g * GROUP);
#pragma unroll 1
    for (u32 j = 0; j < length; ++j) {
      number *all = s.ends[j & 1][g];
      if (active) all[r] = z;
      __syncwarp();
      if (active) z = row.times(all, own[j * (STATES + 1) + r]);
    }
    // The last of the steps left the buffer of the next one free.
    if (active) s.ends[length & 1][g][r] = z;
  }
  __syncthreads();
  number total{};
  if (threadIdx.x < 32) {
    number *ends = &s.ends[length & 1][0][0], *starts = &s.ends[~length & 1][0][0];
    total = first;
#pragma unroll 1
    for (u32 j = 0; j < groups; ++j) {
      if (threadIdx.x < STATES) starts[j * STATES + r] = total;
      __syncwarp();
      total = large.times(starts + j * STATES, ends[j * STATES + r]);
    }
  }
  if (!EXCLUSIVE) return total;
  __syncthreads();
  if (some) {
    number *own = s.at(g * GROUP);
    if (active) z = s.ends[~length & 1][g][r];
#pragma unroll 1
    for (u32 j = 0; j < length; ++j) {
      number *all = own + j * (STATES + 1), end{};
      if (active) end = all[r], all[r] = z;
      __syncwarp();
      if (active) z = row.times(all, end);
    }
  }
  __syncthreads();
  return total;
}

DEVICE matrix_row chunk_row(const params &p) { return {p, matrices_of(p).chunk, threadIdx.x % STATES}; }
DEVICE matrix_row group_row(const params &p) { return {p, matrices_of(p).group, threadIdx.x % STATES}; }

// The state at the end of each tile but the last that its elements alone lead to.
extern "C" __global__ void __launch_bounds__(THREADS) recurrence_ends(const __grid_constant__ params p) {
  __shared__ number tile[(CHUNK + 1) * THREADS];
  __shared__ slots s;
  const u64 tiles = p.tiles - 1, line = blockIdx.x / tiles, part = blockIdx.x - line * tiles;
  const u32 length = blockDim.x * CHUNK;
  read_tile(p, p.src + offset_of((uindex)line, p.axes, p.sizes, p.src_steps), (i64)(part * length), length, tile);
  sum_chunks(p, tile, s);
  const number end = scan_slots<false>(s, blockDim.x, chunk_row(p), group_row(p), number{});
  if (threadIdx.x < STATES) ((number *)p.states)[(line * p.tiles + part + 1) * STATES + threadIdx.x] = end;
}

// Visits the states of `count` tiles in sequence, in as many steps as the other groups of a warp: `z` is the state of a thread's row before the
// first of them, and after the last.
template <bool STORE, int N>
DEVICE number run_tiles(number *states, u64 count, u64 steps, const matrix_row &row, number z, number (*exchange)[N][STATES]) {
  const u32 r = threadIdx.x % STATES, g = threadIdx.x / STATES;
#pragma unroll 1
  for (u64 base = 0; base < steps; base += AHEAD) {
    number ends[AHEAD];
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) ends[j] = base + j < count ? states[(base + j) * STATES + r] : number{};
#pragma unroll
    for (u32 j = 0; j < AHEAD; ++j) {
      if (base + j >= steps) break;
      // Buffers alternate, so that a step needs one barrier.
      number *all = exchange[j & 1][g];
      all[r] = z;
      __syncwarp();
      const number next = row.times(all, ends[j]);
      if (base + j >= count) continue;
      z = next;
      if (STORE) states[(base + j) * STATES + r] = z;
    }
    __syncwarp();
  }
  return z;
}

// The states at the beginnings of the tiles of a line, which has a block of STATES threads for each group of `tile_group` tiles.
extern "C" __global__ void __launch_bounds__(TILE_GROUPS *STATES) recurrence_scan(const __grid_constant__ params p) {
  __shared__ slots s;
  __shared__ number exchange[2][TILE_GROUPS][STATES];
  const u32 r = threadIdx.x % STATES, g = threadIdx.x / STATES;
  const u64 count = p.tiles - 1, before = g * p.tile_group, own = before < count ? count - before : 0;
  const u64 length = own < p.tile_group ? own : p.tile_group;
  // The state before the first tile is in the first entry.
  number *states = (number *)p.states + blockIdx.x * p.tiles * STATES, *mine = states + (1 + before) * STATES;
  const matrices &m = matrices_of(p);
  const matrix_row row(p, m.tile, r);
  s.at(g)[r] = run_tiles<false>(mine, length, p.tile_group, row, number{}, exchange);
  const char *line = p.src + offset_of((uindex)blockIdx.x, p.axes, p.sizes, p.src_steps);
  const number first = threadIdx.x < STATES ? state_before(p, line, states[r]) : number{};
  __syncthreads();
  const u32 groups = (u32)((count + p.tile_group - 1) / p.tile_group);
  scan_slots<true>(s, groups, matrix_row(p, m.some_tiles, r), matrix_row(p, m.many_tiles, r), first);
  run_tiles<true>(mine, length, p.tile_group, row, s.at(g)[r], exchange);
}

// The span of a thread, of which a line has one for each SPAN states at the ends of its tiles, and a block for SPANS of them.
struct span {
  u64 line, index;
  // The number of states at the ends of its tiles, and the first of them.
  u64 count;
  number *ends;
  // The number of the thread's row in the state before the span.
  number *before;
  bool used;
  DEVICE span(const params &p) {
    const u64 all = (p.tiles - 1 + SPAN - 1) / SPAN, blocks = (all + SPANS - 1) / SPANS;
    line = blockIdx.x / blocks;
    index = (blockIdx.x - line * blocks) * SPANS + threadIdx.x / STATES;
    used = index < all;
    const u64 first = index * SPAN, left = used ? p.tiles - 1 - first : 0;
    count = left < SPAN ? left : SPAN;
    ends = (number *)p.states + (line * p.tiles + 1 + first) * STATES;
    before = (number *)p.spans + (line * all + index) * STATES + threadIdx.x % STATES;
  }
};

// The state at the end of each span but the last that its tiles alone lead to, and the state before the line.
extern "C" __global__ void __launch_bounds__(SPANS *STATES) recurrence_reduce(const __grid_constant__ params p) {
  __shared__ number exchange[2][SPANS][STATES];
  const span s(p);
  const u32 r = threadIdx.x % STATES;
  // The states of a span are those before the next one.
  const bool follows = s.used && s.index > 0;
  const number z =
      run_tiles<false>(s.ends - SPAN * STATES, follows ? SPAN : 0, SPAN, {p, matrices_of(p).tile, r}, number{}, exchange);
  if (s.used) *s.before = follows ? z : ((const number *)p.states)[s.line * p.tiles * STATES + r];
}

// The states at the beginnings of the tiles of each span, from those at the beginnings of the spans.
extern "C" __global__ void __launch_bounds__(SPANS *STATES) recurrence_spread(const __grid_constant__ params p) {
  __shared__ number exchange[2][SPANS][STATES];
  const span s(p);
  number z = s.used ? *s.before : number{};
  if (s.used && s.index == 0) z = state_before(p, p.src + offset_of((uindex)s.line, p.axes, p.sizes, p.src_steps), z);
  run_tiles<true>(s.ends, s.count, SPAN, {p, matrices_of(p).tile, threadIdx.x % STATES}, z, exchange);
}

extern "C" __global__ void __launch_bounds__(THREADS) recurrence_run(const __grid_constant__ params p) {
  __shared__ number tile[(CHUNK + 1) * THREADS];
  __shared__ slots s;
  const u64 line = blockIdx.x / p.tiles, part = blockIdx.x - line * p.tiles;
  const u32 length = blockDim.x * CHUNK;
  const i64 start = (i64)(part * length);
  const u32 count = p.n - start < length ? (u32)(p.n - start) : length;
  const char *src = p.src + offset_of((uindex)line, p.axes, p.sizes, p.src_steps);
  read_tile(p, src, start, count, tile);
  sum_chunks(p, tile, s);
  const number *before = (const number *)p.states + (line * p.tiles + part) * STATES;
  number first = threadIdx.x < STATES ? before[threadIdx.x] : number{};
  if (part == 0 && threadIdx.x < STATES) first = state_before(p, src, first);
  scan_slots<true>(s, (count + CHUNK - 1) / CHUNK, chunk_row(p), group_row(p), first);
  state own;
  const number *start_state = s.at(threadIdx.x);
#pragma unroll
  for (int i = 0; i < STATES; ++i) own.z[i] = start_state[i];
  number *mine = tile + threadIdx.x * (CHUNK + 1);
  const u32 left = count > threadIdx.x * CHUNK ? count - threadIdx.x * CHUNK : 0;
#pragma unroll 2
  for (u32 i = 0; i < CHUNK; ++i) {
    if (i >= left) break;
    mine[i] = step(p, own, mine[i]);
  }
  if (p.last && left && left <= CHUNK && part + 1 == p.tiles) {
    number *to = (number *)p.last + line * STATES;
#pragma unroll
    for (int i = 0; i < STATES; ++i) to[i] = own.z[i];
  }
  __syncthreads();
  // Results of the continuation are left out.
  const i64 low = p.skip - start, high = p.skip + p.kept - start, pitch = blockDim.x * p.dst_step;
  char *dst = p.dst + offset_of((uindex)line, p.axes, p.sizes, p.dst_steps) + (start - p.skip + threadIdx.x) * p.dst_step;
  if (low <= 0 && high >= length) {
    const number *from = tile + slot(threadIdx.x);
    const u32 apart = slot(blockDim.x);
#pragma unroll 8
    for (u32 j = 0; j < CHUNK; ++j, dst += pitch, from += apart) *(result *)dst = result_of(*from);
    return;
  }
#pragma unroll 4
  for (u32 j = 0; j < CHUNK; ++j) {
    const i64 i = threadIdx.x + j * blockDim.x;
    if (i >= low && i < high) *(result *)(dst + j * pitch) = result_of(tile[slot((u32)i)]);
  }
}
