// Frame of every scan: each element combined with all earlier ones of its slice (inclusive). Required before it:
// `element` and `stored` (the dtypes in memory), `value` (of the accumulator), `uindex`, V (elements that a thread
// takes at once), VECTOR (they are contiguous and aligned), ROUNDS, DEPTH, RADIX_LOG2, TREE, WALKS (a block walks along
// a slice), METHOD, RESIDENT (blocks per multiprocessor, which bounds registers), the functions that read elements
// (scan_reads.cuh or scan_computes.cuh), and the functions element_at(p, line, i), which reads an element of a slice,
// of_element(p, e), combine(a, b), to_stored(x), stored_at(p, line, i, x), which is the value stored at a position of a
// slice of elements, and offset_of.
//
// The order in which elements are combined is that of a tree whose shape depends on the plan alone: the same bits every
// time, whichever block runs first. Nothing is combined with later elements, and there is no neutral element: a sum of
// -0 alone is -0, and a NaN or an overflow only affects the results from its position on.
constexpr int THREADS = 256;
constexpr int WARPS = 8;
constexpr u64 WORDS = (sizeof(value) + 3) / 4;
constexpr u32 RADIX = 1u << RADIX_LOG2;
constexpr int MOST_LEVELS = 16;
// Number of tiles that a block prefetches ahead of its own, to the L2 cache: memory reads continue while tiles wait for
// each other. That is 4 MB for most dtypes; from 2 MB on it is as good, and from 10 MB on tiles evict each other.
constexpr int AHEAD = 128;

// An optional partial result.
struct maybe {
  value v;
  bool has;
};
DEVICE maybe join(maybe a, maybe b) {
  if (!a.has) return b;
  if (!b.has) return a;
  return {combine(a.v, b.v), true};
}

struct words {
  u32 w[WORDS];
};
DEVICE words words_of(value x) {
  words r = {};
  memcpy(&r, &x, sizeof(x));
  return r;
}
DEVICE value value_of(words r) {
  value x;
  memcpy(&x, &r, sizeof(x));
  return x;
}
// The value of the lane `distance` before, and of lane `lane`, among groups of `width` lanes.
DEVICE value lane_before(value x, u32 distance, u32 width) {
  words r = words_of(x);
#pragma unroll
  for (int k = 0; k < WORDS; ++k) r.w[k] = __shfl_up_sync(~0u, r.w[k], distance, width);
  return value_of(r);
}
DEVICE value of_lane(value x, u32 lane, u32 width) {
  words r = words_of(x);
#pragma unroll
  for (int k = 0; k < WORDS; ++k) r.w[k] = __shfl_sync(~0u, r.w[k], lane, width);
  return value_of(r);
}
// Each lane's value combined with those of the lanes before it, `step` apart.
DEVICE value scan_lanes(value x, u32 lane, u32 step, u32 width) {
#pragma unroll 1
  for (u32 d = step; d < width; d *= 2) {
    const value before = lane_before(x, d, width);
    if (lane >= d) x = combine(before, x);
  }
  return x;
}

// Totals in scratch memory: each 32-bit word of a value is stored with a flag that it is valid, in one 64-bit word,
// which is read and written atomically. No fence is needed, and no value is seen partially.
DEVICE volatile u64 *total_of(const params &p, u32 level, u64 group, u64 index) {
  u64 before = 0, count = p.tiles;
#pragma unroll 1
  for (u32 k = 0; k < level; ++k) {
    before += count * p.groups;
    count = (count + RADIX - 1) >> RADIX_LOG2;
  }
  const u64 columns = 1u << p.width_log2;
  return (volatile u64 *)p.scratch + 1 + (before + group * count + index) * columns * WORDS;
}
DEVICE void publish(volatile u64 *at, value x) {
  const words r = words_of(x);
#pragma unroll
  for (int k = 0; k < WORDS; ++k) at[k] = 1ull << 32 | r.w[k];
}
DEVICE value await(const volatile u64 *at) {
  words r;
#pragma unroll
  for (int k = 0; k < WORDS; ++k) {
    u64 w = at[k];
    while (w >> 32 == 0) {
      __nanosleep(20);
      w = at[k];
    }
    r.w[k] = (u32)w;
  }
  return value_of(r);
}
// The index of a block in the order in which blocks start: a tile waits only for tiles that are already running.
DEVICE u64 ticket(const params &p) {
  __shared__ u64 number;
  if (threadIdx.x == 0) number = atomicAdd((u64 *)p.scratch, 1ull);
  __syncthreads();
  return number;
}

// ---- slices with contiguous elements

// Loaded elements of a slice are kept in shared memory, in slots of the thread's own: registers hold only one value for
// each vector while a tile waits for the preceding totals, and a multiprocessor has as many bytes in flight as its
// shared memory holds. A block that walks along a slice has two sets of slots: one is filled while the other is used.
constexpr int SETS = WALKS ? 2 : 1;

template <class T> struct alignas(VECTOR ? V * sizeof(T) : alignof(T)) pack {
  T e[V];
};
DEVICE pack<element> &slot(u32 set, u32 round) {
  __shared__ pack<element> held[SETS][ROUNDS][THREADS];
  return held[set][round][threadIdx.x];
}
// Number of elements of a slice from a position on, capped at what a tile needs.
DEVICE u32 left_from(const params &p, u64 start) {
  const u64 left = start < p.length ? p.length - start : 0;
  return left < 1u << 31 ? (u32)left : 1u << 31;
}
// Issues the loads of the vectors of the first `rounds` rounds: from `start` on, `step` elements apart, up to the end
// of the slice. Only its last vector may be partial, and one thread has it. The data is there after `arrive`.
DEVICE void fetch(const params &p, const origin &base, u64 start, u32 step, u32 set, u32 rounds) {
  const u32 left = left_from(p, start);
#pragma unroll
  for (int r = 0; r < ROUNDS; ++r) {
    if (r >= rounds) continue;
    if (VECTOR && r * step + V <= left) {
      send_for(p, base, start + r * step, slot(set, r).e);
    } else {
      pack<element> x = {};
      if (!VECTOR && r * step < left) x.e[0] = element_at(p, base, start + r * step);
      slot(set, r) = x;
    }
  }
  const u64 behind = (p.length & ~(u64)(V - 1)) - start;
  if (V > 1 && (p.length & (V - 1)) && behind < rounds * step && (behind & (step - 1)) == 0) {
#pragma unroll 1
    for (u32 v = 0; start + behind + v < p.length; ++v) {
      slot(set, behind / step).e[v] = element_at(p, base, start + behind + v);
    }
  }
}
// Scans the elements of a vector.
DEVICE void scan_vector(const params &p, const pack<element> &raw, value (&x)[V]) {
#pragma unroll
  for (int v = 0; v < V; ++v) x[v] = of_element(p, raw.e[v]);
#pragma unroll
  for (int v = 1; v < V; ++v) x[v] = combine(x[v - 1], x[v]);
}
// Exchanges two words between two lanes each, so that adjacent lanes store adjacent words: every store writes whole
// sectors. `left` is that of the lower lane.
DEVICE void store_pairs(char *to, u32 at, u32 left, const uint4 (&w)[2]) {
  const u32 odd = threadIdx.x & 1;
  uint4 lower, upper;
  // One number at a time, so that nothing but these depends on the lane.
  const auto change = [&](u32 a, u32 b, u32 &low, u32 &high) {
    const u32 got = __shfl_xor_sync(~0u, odd ? a : b, 1);
    low = odd ? got : a;
    high = odd ? b : got;
  };
  change(w[0].x, w[1].x, lower.x, upper.x);
  change(w[0].y, w[1].y, lower.y, upper.y);
  change(w[0].z, w[1].z, lower.z, upper.z);
  change(w[0].w, w[1].w, lower.w, upper.w);
  uint4 *first = (uint4 *)(to + at * sizeof(stored)) - odd;
  if (at + V <= left) first[0] = lower;
  if (at + 2 * V <= left) first[2] = upper;
}
// Stores a vector of results, `at` elements after a thread's first, of which `left` are in the slice, and
// `left_of_pair` from the lower of two lanes on, if the vectors of adjacent lanes are adjacent (`side_by_side`).
DEVICE void store_vector(char *to, u32 at, u32 left, u32 left_of_pair, const value (&x)[V], bool side_by_side) {
  pack<stored> y;
#pragma unroll
  for (int v = 0; v < V; ++v) y.e[v] = to_stored(x[v]);
  const bool whole = at + V <= left;
  if constexpr (sizeof(y) <= 16) {
    typename word_of<sizeof(y)>::type word;
    memcpy(&word, &y, sizeof(y));
    if (whole) *(decltype(word) *)(to + at * sizeof(stored)) = word;
  } else {
    uint4 w[2];
    memcpy(w, &y, sizeof(y));
    uint4 *words = (uint4 *)(to + at * sizeof(stored));
    if (side_by_side) store_pairs(to, at, left_of_pair, w);
    else if (whole) words[0] = w[0], words[1] = w[1];
  }
  if (V == 1 || whole || at >= left) return;
#pragma unroll
  for (int v = 0; v < V - 1; ++v) {
    if (at + v < left) ((stored *)to)[at + v] = y.e[v];
  }
}

// Scans what `width` lanes hold, in the order of rounds, lanes and elements, of which the first `rounds` rounds have
// any. Leaves in `before` the exclusive prefix of each vector; returns the total up to this lane's last vector.
DEVICE value scan_rounds(const params &p, u32 set, value (&before)[ROUNDS], u32 lane, u32 width, u32 rounds) {
  value sum[ROUNDS];
#pragma unroll
  for (int r = 0; r < ROUNDS; ++r) {
    sum[r] = value();
    if (r >= rounds) continue;
    value x[V];
    scan_vector(p, slot(set, r), x);
    sum[r] = x[V - 1];
  }
#pragma unroll 1
  for (u32 d = 1; d < width; d *= 2) {
    // The rounds are independent of each other.
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      if (r >= rounds) continue;
      const value lower = lane_before(sum[r], d, width);
      if (lane >= d) sum[r] = combine(lower, sum[r]);
    }
  }
  value so_far = sum[0];
#pragma unroll
  for (int r = 0; r < ROUNDS; ++r) {
    before[r] = so_far;
    if (r >= rounds) continue;
    if (r > 0) {
      so_far = of_lane(so_far, width - 1, width);
      sum[r] = combine(so_far, sum[r]);
    }
    const value lower = lane_before(sum[r], 1, width);
    before[r] = lane > 0 ? lower : so_far;
    so_far = sum[r];
  }
  return so_far;
}
// Stores each vector combined with its prefix: for the first vector of the first lane, only with the prefix of the
// tile.
DEVICE void store(
  const params &p, const origin &in, char *base, u64 start, u32 step, u32 set, u32 rounds, const value (&before)[ROUNDS],
  u32 lane, maybe outer, bool side_by_side
) {
  const u32 left = left_from(p, start), left_of_pair = left_from(p, start - (lane & 1) * V);
#pragma unroll
  for (int r = 0; r < ROUNDS; ++r) {
    if (r >= rounds) continue;
    value x[V];
    scan_vector(p, slot(set, r), x);
    const maybe all = join(outer, {before[r], r > 0 || lane > 0});
    if (all.has) {
#pragma unroll
      for (int v = 0; v < V; ++v) x[v] = combine(all.v, x[v]);
    }
    if (VECTOR) {
      store_vector(base + start * sizeof(stored), r * step, left, left_of_pair, x, side_by_side);
    } else if (r * step < left) {
      const u64 i = start + r * step;
      *(stored *)(base + (i64)i * p.step_out) = stored_at(p, in, i, x[0]);
    }
  }
}

// Short slices: each has as many lanes of a warp as it needs, and is scanned at once.
DEVICE void teams(const params &p) {
  const u32 width = 1u << p.width_log2, lane = threadIdx.x & (width - 1), step = width * V;
  const u64 own = (u64)blockIdx.x * (THREADS >> p.width_log2) + (threadIdx.x >> p.width_log2);
  const bool active = own < p.lines;
  const uindex line = (uindex)(active ? own : 0);
  const origin in = origin_of(p, line);
  char *out = (char *)p.out + offset_of(line, p.line_axes, p.line, p.line_out);
  const u64 start = active ? lane * V : p.length;
  const u32 rounds = (u32)((p.length + step - 1) / step);
  fetch(p, in, start, step, 0, rounds);
  arrive();
  value before[ROUNDS];
  scan_rounds(p, 0, before, lane, width, rounds);
  store(p, in, out, start, step, 0, rounds, before, lane, {before[0], false}, false);
}

// Look-back: returns the prefix of a tile of a slice, where `all` is the tile's own total: the warps read the totals of
// each level, 32 each. No level waits for the one above. The last tile of a group publishes the total of the group.
constexpr u32 PART = RADIX < 32 ? RADIX : 32, PARTS = RADIX / PART;
DEVICE maybe look_back(const params &p, u64 line, u64 tile, value all) {
  __shared__ value above[MOST_LEVELS][PARTS];
  const u32 lane = threadIdx.x & 31;
  if (threadIdx.x == 0) publish(total_of(p, 0, line, tile), all);
#pragma unroll 1
  for (u32 k = threadIdx.x >> 5; k < p.levels * PARTS; k += WARPS) {
    const u32 level = k / PARTS, part = k % PARTS;
    const u64 index = tile >> (RADIX_LOG2 * level);
    const u32 digit = (u32)index & (RADIX - 1);
    if (digit <= part * PART) continue;
    const u32 count = digit - part * PART < PART ? digit - part * PART : PART;
    value x = all;
    if (lane < count) x = await(total_of(p, level, line, index - digit + part * PART + lane));
    x = scan_lanes(x, lane, 1, 32);
    if (lane + 1 == count) above[level][part] = x;
  }
  __syncthreads();
  maybe before = {all, false};
  bool ends = true;
#pragma unroll 1
  for (u32 level = 0; level < p.levels; ++level) {
    const u64 index = tile >> (RADIX_LOG2 * level);
    const u32 digit = (u32)index & (RADIX - 1);
    maybe group = {all, false};
#pragma unroll 1
    for (u32 part = 0; part * PART < digit; ++part) group = join(group, {above[level][part], true});
    before = join(group, before);
    ends = ends && digit == RADIX - 1;
    if (ends && level + 1 < p.levels && threadIdx.x == 0) {
      publish(total_of(p, level + 1, line, index >> RADIX_LOG2), combine(before.v, all));
    }
  }
  return before;
}

// Long slices: a block has a tile of one (TREE), or a slice, along which it walks.
DEVICE void rows(const params &p) {
  __shared__ value totals[2][WARPS];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const u64 number = TREE ? ticket(p) : blockIdx.x;
  const u64 line = TREE ? number / p.tiles : number;
  const u64 first = TREE ? number - line * p.tiles : 0, last = TREE ? first + 1 : p.tiles;
  const origin in = origin_of(p, (uindex)line);
  char *out = (char *)p.out + offset_of((uindex)line, p.line_axes, p.line, p.line_out);
  const u32 step = 32 * V, tile_elements = THREADS * ROUNDS * V;
  u64 start = first * tile_elements + warp * (ROUNDS * step) + lane * V;
  fetch(p, in, start, step, 0, ROUNDS);
  if (TREE && VECTOR) {
    constexpr int LINE = 128 / sizeof(given);
    const u64 ahead = ((first + AHEAD) * THREADS + threadIdx.x) * (ROUNDS * V);
#pragma unroll
    for (int e = 0; e < ROUNDS * V; e += LINE) {
      if (ahead + e < p.length) bring_closer(p, in, ahead + e);
    }
  }
  maybe carry = {value(), false};
#pragma unroll 1
  for (u64 tile = first; tile < last; ++tile, start += tile_elements) {
    const u32 set = TREE ? 0 : (u32)tile & 1;
    arrive();
    // The next tile is loaded while this one is scanned.
    if (!TREE && tile + 1 < last) fetch(p, in, start + tile_elements, step, 1 - set, ROUNDS);
    value before[ROUNDS];
    const value sum = scan_rounds(p, set, before, lane, 32, ROUNDS);
    value *shared = totals[tile & 1];
    if (lane == 31) shared[warp] = sum;
    __syncthreads();
    maybe mine = {sum, false}, all = mine;
#pragma unroll
    for (int k = 0; k < WARPS; ++k) {
      if (k == warp) mine = all;
      all = join(all, {shared[k], true});
    }
    if (TREE) carry = look_back(p, line, tile, all.v);
    store(p, in, out, start, step, set, ROUNDS, before, lane, join(carry, mine), true);
    if (!TREE) carry = join(carry, all);
  }
}

// ---- adjacent slices: a block has a panel of them, DEPTH elements of V adjacent slices for each thread

struct column_totals {
  value v[WARPS][32];
  bool has[WARPS][32];
};
// Scans the threads' parts of N columns over the threads of the same columns: leaves the exclusive prefix in x, and
// returns the total. EACH: every thread has parts.
template <bool EACH, int N>
DEVICE void scan_columns(maybe (&x)[N], u32 column, u32 columns, column_totals (&shared)[N], maybe (&all)[N]) {
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll 1
  for (u32 d = columns; d < 32; d *= 2) {
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const maybe before = {lane_before(x[n].v, d, 32), EACH || __shfl_up_sync(~0u, (u32)x[n].has, d) != 0};
      if (lane >= d) x[n] = join(before, x[n]);
    }
  }
#pragma unroll
  for (int n = 0; n < N; ++n) {
    if (lane + columns >= 32) {
      shared[n].v[warp][column] = x[n].v;
      if (!EACH) shared[n].has[warp][column] = x[n].has;
    }
    const bool has = EACH || __shfl_up_sync(~0u, (u32)x[n].has, columns & 31) != 0;
    x[n] = {lane_before(x[n].v, columns & 31, 32), has && lane >= columns};
  }
  __syncthreads();
#pragma unroll
  for (int n = 0; n < N; ++n) {
    maybe before = {x[n].v, false};
    all[n] = before;
#pragma unroll
    for (int k = 0; k < WARPS; ++k) {
      if (k == warp) before = all[n];
      all[n] = join(all[n], {shared[n].v[k][column], EACH || shared[n].has[k][column]});
    }
    x[n] = join(before, x[n]);
  }
}

// Returns the prefix of a strip of a panel, in each column: as look_back, with the totals shared by the threads of a
// column.
DEVICE maybe look_up(const params &p, u64 panel, u64 strip, u32 column, u32 columns, value all) {
  __shared__ column_totals shared[1];
  const u32 row = threadIdx.x / columns, rows = THREADS / columns;
  const u32 each = RADIX > rows ? RADIX / rows : 1;
  if (row == 0) publish(total_of(p, 0, panel, strip) + column * WORDS, all);
  maybe before = {all, false};
  bool ends = true;
#pragma unroll 1
  for (u32 level = 0; level < p.levels; ++level) {
    const u64 index = strip >> (RADIX_LOG2 * level);
    const u32 digit = (u32)index & (RADIX - 1);
    maybe part[1] = {{all, false}}, total[1];
#pragma unroll 1
    for (u32 k = row * each; k < (row + 1) * each && k < digit; ++k) {
      part[0] = join(part[0], {await(total_of(p, level, panel, index - digit + k) + column * WORDS), true});
    }
    scan_columns<false>(part, column, columns, shared, total);
    before = join(total[0], before);
    ends = ends && digit == RADIX - 1;
    if (ends && level + 1 < p.levels) {
      all = combine(total[0].v, all);
      if (row == 0) publish(total_of(p, level + 1, panel, index >> RADIX_LOG2) + column * WORDS, all);
    }
    __syncthreads();
  }
  return before;
}

DEVICE void read_row(const params &p, const origin (&in)[V], u64 i, element (&x)[V]) {
  if (VECTOR) {
    row_at(p, in, i, x);
  } else {
    x[0] = element_at(p, in[0], i);
  }
}
DEVICE void store_row(const params &p, const origin (&in)[V], char *out, u64 i, const value (&x)[V]) {
  if (VECTOR) {
    stored y[V];
#pragma unroll
    for (int v = 0; v < V; ++v) y[v] = to_stored(x[v]);
    typename word_of<V * sizeof(stored)>::type word;
    memcpy(&word, y, sizeof(y));
    *(decltype(word) *)(out + (i64)i * p.step_out) = word;
  } else {
    *(stored *)(out + (i64)i * p.step_out) = stored_at(p, in[0], i, x[0]);
  }
}
DEVICE void columns(const params &p) {
  __shared__ column_totals totals[2][V];
  const u32 columns = 1u << p.width_log2, column = threadIdx.x & (columns - 1), row = threadIdx.x >> p.width_log2;
  const u64 number = TREE ? ticket(p) : blockIdx.x;
  // Adjacent panels run at the same time.
  const u64 first = TREE ? number / p.groups : 0, last = TREE ? first + 1 : p.tiles;
  const u64 panel = TREE ? number - first * p.groups : number;
  const u64 own = (panel * columns + column) * V;
  const bool active = own < p.lines;
  const uindex line = (uindex)(active ? own : 0);
  origin in[V];
#pragma unroll
  for (int v = 0; v < V; ++v) in[v] = origin_of(p, line + v);
  char *out = (char *)p.out + offset_of(line, p.line_axes, p.line, p.line_out);
  const u64 height = (u64)(THREADS * DEPTH) >> p.width_log2, length = active ? p.length : 0;
  u64 start = first * height + row * DEPTH;
  element raw[DEPTH][V] = {};
#pragma unroll
  for (int k = 0; k < DEPTH; ++k) {
    if (start + k < length) read_row(p, in, start + k, raw[k]);
  }
  maybe carry[V] = {};
#pragma unroll 1
  for (u64 strip = first; strip < last; ++strip, start += height) {
    value x[DEPTH][V];
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
#pragma unroll
      for (int v = 0; v < V; ++v) x[k][v] = of_element(p, raw[k][v]);
    }
    if (!TREE && strip + 1 < last) {
      // The next strip is loaded while this one is scanned.
#pragma unroll
      for (int k = 0; k < DEPTH; ++k) {
        const u64 i = start + height + k;
        if (i < length) read_row(p, in, i, raw[k]);
      }
    }
    maybe above[V], all[V];
#pragma unroll
    for (int v = 0; v < V; ++v) {
#pragma unroll
      for (int k = 1; k < DEPTH; ++k) x[k][v] = combine(x[k - 1][v], x[k][v]);
      above[v] = {x[DEPTH - 1][v], true};
    }
    scan_columns<true>(above, column, columns, totals[strip & 1], all);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (TREE) carry[v] = look_up(p, panel, strip, column, columns, all[v].v);
      const maybe before = join(carry[v], above[v]);
      if (!TREE) carry[v] = join(carry[v], all[v]);
      if (!before.has) continue;
#pragma unroll
      for (int k = 0; k < DEPTH; ++k) x[k][v] = combine(before.v, x[k][v]);
    }
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      if (start + k < length) store_row(p, in, out, start + k, x[k]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) scan(const __grid_constant__ params p) { METHOD(p); }
