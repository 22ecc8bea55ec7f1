// Linear recurrences along an axis: rational filters in the transposed direct form II, and cascades of sections of order 2. Required before
// it: `element`, `result`, `number` (f64 or c128, of the states and coefficients), value_of(element), result_of(number), ORDER (number of
// states), STATES (that number as a power of 2), CASCADE, WARPS (warps of a block), `uindex`, recurrence_numbers.cuh and the parameter struct.
//
// The state after n elements is the state before them multiplied by a matrix, plus the state that the elements alone lead to, which is a
// weighted sum of them (S. Maleki, M. Burtscher, "Automatic Hierarchical Parallelization of Linear Recurrences", 2018). A warp has a segment
// of 32 chunks, one for each lane, and a tile is a few segments. Lines longer than a segment take three kernels:
//
// 1. recurrence_ends: the state that the elements of a tile alone lead to, and those at the beginnings of its segments. Lanes add up elements
//    that are 32 apart, so that loads need no exchange; 32 matrices make one state of the sums of the lanes.
// 2. recurrence_scan: the states at the beginnings of the tiles. A block scans the tiles of a line; those of long lines are reduced to spans,
//    which a block scans, and scanned from the beginnings of the spans.
// 3. recurrence_run: the state before a segment takes one product; those before its chunks are scanned over the lanes, and each chunk is run
//    once from its true state.
//
// Tiles are scanned in groups, sequentially, by a thread for each row, which has its row of the matrix in registers.
//
// Lower bound: the input once for lines of one segment and twice for others, and the output once.
constexpr int CHUNK = STATES * (int)(sizeof(number) / sizeof(f64)) > 8 ? 16 : 32;
// Elements of a segment, and segments of a tile.
constexpr int SEGMENT = 32 * CHUNK, SEGMENTS = 16;
// Groups of tiles that are scanned together.
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

// Two numbers that are loaded together.
struct __align__(16) two {
  number first, second;
};

typedef number matrix[STATES][STATES];

// Matrices by rows. With spans, one of them is between that of a tile and the last two, which are of spans then.
struct matrices {
  // Number [j][c][lane] is in row lane % STATES and column c of the matrix by which the sums of lane (lane / STATES) STATES + j become
  // a part of the state after the last one.
  number ends[STATES][STATES][32];
  // Matrices of 1, 2, 4, 8 and 16 chunks, and of 1 to SEGMENTS - 1 segments.
  matrix chunks[5], segments[SEGMENTS - 1];
  matrix tile, some_tiles, many_tiles;
};

// States of groups of tiles: one number of padding for each of them and each group of them keeps the threads of a warp in different banks.
struct slots {
  number z[THREADS * (STATES + 1) + GROUPS];
  // States at the ends of groups; those of even and odd steps alternate, so that a step needs one barrier.
  number ends[2][GROUPS][STATES];
  DEVICE number *at(u32 tile) { return z + tile * (STATES + 1) + tile / GROUP; }
};

DEVICE u32 slot(u32 i) { return i + i / CHUNK; }

// Advances a state by an element and returns the result.
DEVICE number step(const params &p, state &s, number x) {
  const number *above = (const number *)p.above, *below = (const number *)p.below;
#if CASCADE
#pragma unroll
  for (int k = 0; k < ORDER; k += 2) {
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
  for (int k = 0; k < ORDER; ++k) {
    number next = above[k + 1] * x;
    if (k + 1 < ORDER) next = next + s.z[k + 1];
    s.z[k] = product_plus(-below[k], y, next);
  }
  return y;
#endif
}

DEVICE const matrices &matrices_of(const params &p) { return *(const matrices *)p.powers; }

// A row of a matrix in registers.
struct matrix_row {
  number m[STATES];
  bool used;
  DEVICE matrix_row(const matrix &all, u32 r) {
    used = r < ORDER;
#pragma unroll
    for (int c = 0; c < STATES; ++c) m[c] = all[r][c];
  }
  // Returns the sum of the product with a state and of another number. States beyond the order are 0, and stay so whatever the others are.
  DEVICE number times(const number *s, number more) const {
    number even = more, odd{};
#pragma unroll
    for (int c = 0; c < ORDER; c += 2) {
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

// Loads the elements of a segment, and zeros after the end of the line.
DEVICE void read_segment(const params &p, const char *line, i64 start, u32 count, number *tile) {
  const u32 lane = threadIdx.x % 32;
  if (count == SEGMENT && start >= p.pad && start + SEGMENT <= p.n - p.pad) {
    const char *from = line + (start - p.pad + lane) * p.src_step;
    const i64 pitch = 32 * p.src_step;
    number *to = tile + slot(lane);
#pragma unroll
    for (u32 j = 0; j < CHUNK; j += 16) {
      element held[16];
#pragma unroll
      for (u32 i = 0; i < 16; ++i, from += pitch) held[i] = *(const element *)from;
#pragma unroll
      for (u32 i = 0; i < 16; ++i) to[(j + i) * slot(32)] = value_of(held[i]);
    }
  } else {
#pragma unroll 1
    for (u32 i = lane; i < SEGMENT; i += 32) tile[slot(i)] = i < count ? element_at(p, line, start + i) : number{};
  }
  __syncwarp();
}

// Returns number r of the state before a line. That of a step is multiplied by the first element.
DEVICE number state_before(const params &p, u64 line, u32 r) {
  if (r >= ORDER) return number{};
  const number z = p.first ? ((const number *)p.first)[line * ORDER + r] : ((const number *)p.start)[r];
  return p.settled ? element_at(p, p.src + offset_of((uindex)line, p.axes, p.sizes, p.src_steps), 0) * z : z;
}

// Adds the weighted sums of some of the elements from number `base` of a chunk on.
template <int N> DEVICE void add_weighted(const params &p, int base, const number (&x)[N], state &s) {
  const number *weights = (const number *)p.weights;
#pragma unroll
  for (int k = 0; k < ORDER; ++k) {
#pragma unroll
    for (int i = 0; i < N; ++i) s.z[k] = product_plus(weights[k * CHUNK + base + i], x[i], s.z[k]);
  }
}

DEVICE bool all_finite(const state &s) {
  bool all = true;
#pragma unroll
  for (int k = 0; k < ORDER; ++k) all = all && all_finite(s.z[k]);
  return all;
}

// Adds the product of a matrix with a state. In a cascade a section depends on itself and on the ones before it only.
DEVICE void add_product(const matrix &m, const state &s, state &sum) {
#pragma unroll
  for (int r = 0; r < ORDER; ++r) {
#pragma unroll
    for (int c = 0; c < ORDER; c += 2) {
      if (CASCADE && c > r) continue;
      const two entries = *(const two *)&m[r][c];
      sum.z[r] = product_plus(entries.first, s.z[c], sum.z[r]);
      if (c + 1 < ORDER) sum.z[r] = product_plus(entries.second, s.z[c + 1], sum.z[r]);
    }
  }
}

// The entries of a matrix that are used, and the matrices of chunks whose entries are parameters, which are operands of instructions.
constexpr int ENTRIES = CASCADE ? ORDER * (ORDER + 2) / 2 : ORDER * ORDER;
constexpr int FITTING = 128 / (int)(sizeof(number) / sizeof(f64)) / ENTRIES, PASSED = FITTING < 5 ? FITTING : 5;

// The same for a matrix of 2^k chunks in parameters.
DEVICE void add_passed_product(const params &p, int k, const state &s, state &sum) {
  const number *entries = (const number *)p.chunks + k * ENTRIES;
  int at = 0;
#pragma unroll
  for (int r = 0; r < ORDER; ++r) {
#pragma unroll
    for (int c = 0; c < ORDER; ++c) {
      if (CASCADE && c > (r | 1)) continue;
      sum.z[r] = product_plus(entries[at++], s.z[c], sum.z[r]);
    }
  }
}

// The state at the end of each tile but the last that its elements alone lead to, and those at the ends of its segments. A warp has a tile.
extern "C" __global__ void __launch_bounds__(THREADS) recurrence_ends(const __grid_constant__ params p) {
  // The sums of a group of STATES lanes are as far apart as different banks need.
  constexpr u32 PITCH = STATES * STATES + 2;
  __shared__ __align__(16) number shared_sums[WARPS][32 / STATES * PITCH];
  const u32 lane = threadIdx.x % 32, r = lane % STATES;
  const u64 index = (u64)blockIdx.x * WARPS + threadIdx.x / 32;
  if (index >= p.lines * p.tiles) return;
  const u64 line = index / p.tiles, part = index - line * p.tiles, first = part * SEGMENTS;
  // The state after the last segment is not needed.
  const u64 left = p.segments - 1 - first;
  const u32 count = left < SEGMENTS ? (u32)left : SEGMENTS;
  const char *src = p.src + offset_of((uindex)line, p.axes, p.sizes, p.src_steps);
  number *all = shared_sums[threadIdx.x / 32], *own = all + lane / STATES * PITCH;
  const matrices &m = matrices_of(p);
  const matrix_row row(m.segments[0], r);
  number total{};
  // The elements of a segment are requested when those of the one before it are added.
  element held[CHUNK];
  const i64 pitch = 32 * p.src_step;
  const char *from = src + ((i64)first * SEGMENT - p.pad + lane) * p.src_step;
  const auto is_inside = [&](u32 s) {
    const i64 start = (i64)(first + s) * SEGMENT;
    return s < count && start >= p.pad && start + SEGMENT <= p.n - p.pad;
  };
  bool inside = is_inside(0);
  if (inside) {
#pragma unroll
    for (int i = 0; i < CHUNK; ++i) held[i] = *(const element *)(from + i * pitch);
  }
#pragma unroll 1
  for (u32 s = 0; s < count; ++s) {
    const i64 start = (i64)(first + s) * SEGMENT;
    const bool continues = is_inside(s + 1);
    state sums = {};
    from += CHUNK * pitch;
    if (inside) {
#pragma unroll
      for (int i = 0; i < CHUNK; ++i) {
        const number x[1] = {value_of(held[i])};
        if (continues) held[i] = *(const element *)(from + i * pitch);
        add_weighted(p, i, x, sums);
      }
    } else {
      if (continues) {
#pragma unroll
        for (int i = 0; i < CHUNK; ++i) held[i] = *(const element *)(from + i * pitch);
      }
#pragma unroll
      for (int i = 0; i < CHUNK; ++i) {
        const number x[1] = {element_at(p, src, start + lane + 32 * i)};
        add_weighted(p, i, x, sums);
      }
    }
    inside = continues;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < STATES; ++k) own[r * STATES + k] = sums.z[k];
    __syncwarp();
    number end{}, odd{};
#pragma unroll
    for (int j = 0; j < STATES; ++j) {
#pragma unroll
      for (int c = 0; c < ORDER; c += 2) {
        const two of = *(const two *)(own + j * STATES + c);
        end = product_plus(m.ends[j][c][lane], of.first, end);
        if (c + 1 < ORDER) odd = product_plus(m.ends[j][c + 1][lane], of.second, odd);
      }
    }
    end = end + odd;
#pragma unroll
    for (u32 step = STATES; step < 32; step *= 2) end = end + lane_across(end, step);
    if (r >= ORDER) end = number{};
    // A weight times infinity is not what the steps make of it, which multiply it by each coefficient: such segments are run.
    if (__any_sync(~0u, p.overflows || !all_finite(end))) {
      __syncwarp();
      if (lane == 0) {
        state run = {};
#pragma unroll 1
        for (int i = 0; i < SEGMENT; ++i) step(p, run, element_at(p, src, start + i));
#pragma unroll
        for (int k = 0; k < STATES; ++k) all[k] = k < ORDER ? run.z[k] : number{};
      }
      __syncwarp();
      end = all[r];
    }
#pragma unroll
    for (int c = 0; c < ORDER; ++c) end = product_plus(row.m[c], lane_at(total, c), end);
    total = r < ORDER ? end : number{};
    const u64 next = first + s + 1;
    if (lane < STATES) {
      if (s + 1 < SEGMENTS) ((number *)p.segment_states)[(line * p.segments + next) * STATES + r] = total;
      else ((number *)p.states)[(line * p.tiles + part + 1) * STATES + r] = total;
    }
  }
}

// Scans the states of slots in groups by the first threads of a block, of which all call it: the states at the ends of the slots become
// those at their beginnings, where `first` is the state before the first slot.
DEVICE void scan_slots(slots &s, u32 count, const matrix_row &row, const matrix_row &large, number first) {
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
  if (threadIdx.x < 32) {
    number *ends = &s.ends[length & 1][0][0], *starts = &s.ends[~length & 1][0][0];
    number total = first;
#pragma unroll 1
    for (u32 j = 0; j < groups; ++j) {
      if (threadIdx.x < STATES) starts[j * STATES + r] = total;
      __syncwarp();
      total = large.times(starts + j * STATES, ends[j * STATES + r]);
    }
  }
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
  // The state before the first tile is not stored.
  number *states = (number *)p.states + blockIdx.x * p.tiles * STATES, *mine = states + (1 + before) * STATES;
  const matrices &m = matrices_of(p);
  const matrix_row row(m.tile, r);
  s.at(g)[r] = run_tiles<false>(mine, length, p.tile_group, row, number{}, exchange);
  const number first = threadIdx.x < STATES ? state_before(p, blockIdx.x, r) : number{};
  __syncthreads();
  const u32 groups = (u32)((count + p.tile_group - 1) / p.tile_group);
  scan_slots(s, groups, matrix_row(m.some_tiles, r), matrix_row(m.many_tiles, r), first);
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
      run_tiles<false>(s.ends - SPAN * STATES, follows ? SPAN : 0, SPAN, {matrices_of(p).tile, r}, number{}, exchange);
  if (follows) *s.before = z;
}

// The states at the beginnings of the tiles of each span, from those at the beginnings of the spans.
extern "C" __global__ void __launch_bounds__(SPANS *STATES) recurrence_spread(const __grid_constant__ params p) {
  __shared__ number exchange[2][SPANS][STATES];
  const span s(p);
  const u32 r = threadIdx.x % STATES;
  const number z = !s.used ? number{} : s.index == 0 ? state_before(p, s.line, r) : *s.before;
  run_tiles<true>(s.ends, s.count, SPAN, {matrices_of(p).tile, r}, z, exchange);
}

// The states before the chunks of a warp, of which each lane has one: from that before the first in lane 0, and those that the chunks before
// the others alone lead to.
DEVICE void scan_lanes(const params &p, state &s) {
  const auto before = [&](u32 k) {
    state of = {};
#pragma unroll
    for (int i = 0; i < ORDER; ++i) of.z[i] = lane_before(s.z[i], 1u << k);
    return of;
  };
#pragma unroll
  for (u32 k = 0; k < PASSED; ++k) {
    const state of = before(k);
    if (threadIdx.x % 32 >= 1u << k) add_passed_product(p, k, of, s);
  }
#pragma unroll 1
  for (u32 k = PASSED; k < 5; ++k) {
    const state of = before(k);
    if (threadIdx.x % 32 >= 1u << k) add_product(matrices_of(p).chunks[k], of, s);
  }
}

// The results. A warp has a segment.
extern "C" __global__ void __launch_bounds__(THREADS) recurrence_run(const __grid_constant__ params p) {
  __shared__ number tiles[WARPS][(CHUNK + 1) * 32];
  const u32 lane = threadIdx.x % 32, r = lane % STATES;
  const u64 index = (u64)blockIdx.x * WARPS + threadIdx.x / 32;
  if (index >= p.lines * p.segments) return;
  const u64 line = index / p.segments, part = index - line * p.segments, tile_part = part / SEGMENTS;
  const i64 start = (i64)(part * SEGMENT);
  const u32 count = p.n - start < SEGMENT ? (u32)(p.n - start) : SEGMENT, before = part % SEGMENTS;
  const char *src = p.src + offset_of((uindex)line, p.axes, p.sizes, p.src_steps);
  number *tile = tiles[threadIdx.x / 32], *mine = tile + lane * (CHUNK + 1);
  read_segment(p, src, start, count, tile);
  // The state before the segment, a number for each lane.
  number first =
      tile_part == 0 ? state_before(p, line, r) : ((const number *)p.states)[(line * p.tiles + tile_part) * STATES + r];
  if (before > 0) {
    const matrix_row row(matrices_of(p).segments[before - 1], r);
    number sum = ((const number *)p.segment_states)[index * STATES + r];
#pragma unroll
    for (int c = 0; c < ORDER; ++c) sum = product_plus(row.m[c], lane_at(first, c), sum);
    first = sum;
  }
  // The state that the chunk alone leads to.
  state own = {};
#pragma unroll
  for (int base = 0; base < CHUNK; base += 16) {
    number x[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i] = mine[base + i];
    add_weighted(p, base, x, own);
  }
  // As in recurrence_ends.
  if (!all_finite(own)) {
    own = {};
#pragma unroll 1
    for (int i = 0; i < CHUNK; ++i) step(p, own, mine[i]);
  }
#pragma unroll
  for (int k = 0; k < ORDER; ++k) {
    const number other = lane_before(own.z[k], 1), z = lane_at(first, k);
    own.z[k] = lane == 0 ? z : other;
  }
  scan_lanes(p, own);
  const u32 left = count > lane * CHUNK ? count - lane * CHUNK : 0;
  if (count == SEGMENT) {
#pragma unroll 4
    for (u32 i = 0; i < CHUNK; ++i) mine[i] = step(p, own, mine[i]);
  } else {
#pragma unroll 1
    for (u32 i = 0; i < CHUNK && i < left; ++i) mine[i] = step(p, own, mine[i]);
  }
  if (p.last && left && left <= CHUNK && part + 1 == p.segments) {
    number *to = (number *)p.last + line * ORDER;
#pragma unroll
    for (int i = 0; i < ORDER; ++i) to[i] = own.z[i];
  }
  __syncwarp();
  char *dst = p.dst + offset_of((uindex)line, p.axes, p.sizes, p.dst_steps);
  if (p.every.divisor == 1) {
    // Results of the continuation are left out.
    const i64 low = p.skip - start, high = p.skip + p.kept - start, pitch = 32 * p.dst_step;
    dst += (start - p.skip + lane) * p.dst_step;
    if (low <= 0 && high >= SEGMENT) {
      const number *from = tile + slot(lane);
#pragma unroll
      for (u32 j = 0; j < CHUNK; ++j, dst += pitch) *(result *)dst = result_of(from[j * slot(32)]);
      return;
    }
#pragma unroll 4
    for (u32 j = 0; j < CHUNK; ++j) {
      const i64 i = lane + 32 * j;
      if (i >= low && i < high) *(result *)(dst + j * pitch) = result_of(tile[slot((u32)i)]);
    }
    return;
  }
  const i64 every = (i64)p.every.divisor, passed = start > p.skip ? start - p.skip : 0;
  i64 k = (i64)divide((uindex)(passed + every - 1), p.every) + lane, i = p.skip + k * every - start;
#pragma unroll 2
  for (; i < count && k < p.kept; k += 32, i += 32 * every) *(result *)(dst + k * p.dst_step) = result_of(tile[slot((u32)i)]);
}
