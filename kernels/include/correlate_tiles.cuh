// Correlation of two sequences, the second already conjugated, for many results. Required before it: what
// `correlate.cuh` requires, and GROUP.
//
// Lower bound: count * k products. A warp has TILE results, a thread GROUP adjacent ones in registers. STEPS elements
// of the shorter sequence at a time, and the elements of the longer one that they are multiplied with, are loaded to
// the warp's part of shared memory: warps do not wait for each other. From there a thread reads a chunk of either, 16
// bytes, for CHUNK * GROUP products, one chunk ahead: its elements of the longer sequence are a sliding window in
// registers, a circular buffer. Each result is summed in the order of the shorter sequence.
constexpr int MOST_THREADS = 512;
constexpr int TILE = 32 * GROUP;
constexpr int STEPS = 2048 / sizeof(value);
// Elements in 16 bytes.
constexpr int CHUNK = 16 / sizeof(value);
// The elements that a thread's results need first, and as many that come next.
constexpr int WINDOW = 2 * GROUP;
// Maximum number of loaded elements, in rows of a warp: what is prefetched beyond the last needed element is loaded,
// too.
constexpr int SPAN = (TILE + STEPS + WINDOW + 31) / 32 * 32;
// Number of rows in flight: all that short sequences need.
constexpr int AHEAD = GROUP + 2;
// The chunks of a group are in consecutive rows, those of adjacent groups adjacent in a row. Concurrent reads of the
// lanes access different banks, and so do their writes, since the banks of each row are offset from those of the row
// before.
constexpr int ROWS = GROUP / CHUNK;
constexpr int ROW = 16 * ((SPAN / GROUP + 7) / 8 * 8 + 8 / ROWS % 8);
constexpr int LONG_BYTES = ROWS * ROW, SHORT_BYTES = (STEPS + 2 * CHUNK) * sizeof(value);
// Distance between an element and the one 32 further on.
constexpr int APART = 32 * 16 / GROUP;
extern __shared__ __align__(16) char memory[];

DEVICE constexpr u32 chunk_offset(u32 chunk) { return chunk % ROWS * ROW + chunk / ROWS * 16; }
DEVICE value *element_of(char *part, u32 i) { return (value *)(part + chunk_offset(i / CHUNK)) + i % CHUNK; }
DEVICE void read(value *to, const char *from) {
  const uint4 words = *(const uint4 *)from;
  memcpy(to, &words, sizeof(words));
}
// Writes results as the largest words that fit.
template <class T> DEVICE void write(T *to, const T (&from)[GROUP]) {
  if constexpr (sizeof(from) < 16) {
    u64 word;
    memcpy(&word, from, sizeof(word));
    *(u64 *)to = word;
  } else {
    uint4 words[sizeof(from) / 16];
    memcpy(words, from, sizeof(words));
#pragma unroll
    for (u32 i = 0; i < sizeof(words) / 16; ++i) ((uint4 *)to)[i] = words[i];
  }
}

DEVICE i32 least(i32 a, i32 b) { return a < b ? a : b; }
DEVICE i32 within_span(i64 x) { return x < 0 ? 0 : x > SPAN ? SPAN : (i32)x; }

// Loads this number of rows of the longer sequence, all of which exist.
DEVICE void bring_rows(const char *from, i64 apart, char *to, i32 rows) {
#pragma unroll 1
  for (; rows >= AHEAD; rows -= AHEAD, to += AHEAD * APART) {
    value some[AHEAD];
#pragma unroll
    for (i32 k = 0; k < AHEAD; ++k, from += apart) some[k] = value_of(*(const element *)from);
#pragma unroll
    for (i32 k = 0; k < AHEAD; ++k) *(value *)(to + k * APART) = some[k];
  }
#pragma unroll 4
  for (; rows > 0; --rows, from += apart, to += APART) *(value *)to = value_of(*(const element *)from);
}

// Loads rows of the longer sequence from position `base` on, of which the elements from `begin` to `end` exist.
DEVICE void bring(const params &p, char *part, i64 base, i32 rows, i32 begin, i32 end) {
  const i32 lane = threadIdx.x % 32;
  const char *from = p.a + (base + lane) * p.a_step;
  char *to = (char *)element_of(part, lane);
  if (begin == 0 && end >= 32 * rows) {
    if (p.a_step == sizeof(element)) bring_rows(from, 32 * sizeof(element), to, rows);
    else bring_rows(from, 32 * p.a_step, to, rows);
    return;
  }
#pragma unroll 1
  for (i32 i = lane; i < 32 * rows; i += 32, from += 32 * p.a_step, to += APART)
    *(value *)to = i >= begin && i < end ? value_of(*(const element *)from) : none();
}

// Registers of a thread.
struct held {
  value sums[GROUP];
  value a[WINDOW];
  // The chunks of the shorter sequence, double-buffered.
  value v[2][CHUNK];
};

// Adds the products with the elements before `end` of a chunk of the shorter sequence; the window begins at AT.
template <u32 AT, u32 J = 0> DEVICE void multiply(held &h, u32 end) {
  if (J >= end) return;
#pragma unroll
  for (u32 r = 0; r < GROUP; ++r) h.sums[r] = step(h.sums[r], h.a[(AT + J + r) % WINDOW], h.v[AT / CHUNK % 2][J]);
  if constexpr (J + 1 < CHUNK) multiply<AT, J + 1>(h, end);
}

// Advances once around the window. Returns true if elements of the shorter sequence are left.
template <u32 AT = 0> DEVICE bool go_round(held &h, const char *long_part, const char *short_part, u32 &left) {
  constexpr u32 NEXT = AT / CHUNK + ROWS + 1;
  read(h.a + NEXT * CHUNK % WINDOW, long_part + chunk_offset(NEXT));
  read(h.v[1 - AT / CHUNK % 2], short_part + (AT / CHUNK + 1) * 16);
  if (left < CHUNK) {
    multiply<AT>(h, left);
    return false;
  }
  multiply<AT>(h, CHUNK);
  left -= CHUNK;
  if constexpr (AT + CHUNK < WINDOW) return go_round<AT + CHUNK>(h, long_part, short_part, left);
  return true;
}

// Adds the products of a thread's results with `left` elements of the shorter sequence from `first` on, a multiple of
// GROUP.
DEVICE void take(held &h, const char *long_part, const char *short_part, u32 first, u32 left) {
  long_part += (threadIdx.x % 32 + first / GROUP) * 16;
  short_part += first * sizeof(value);
#pragma unroll
  for (u32 i = 0; i <= ROWS; ++i) read(h.a + i * CHUNK, long_part + chunk_offset(i));
  read(h.v[0], short_part);
#pragma unroll 1
  while (go_round(h, long_part, short_part, left)) {
    long_part += chunk_offset(WINDOW / CHUNK);
    short_part += WINDOW * sizeof(value);
  }
}

// Adds the products with the elements from `j` to `last` of the shorter sequence, which not all results have: elements
// outside are skipped and not multiplied. `at` is the position of the thread's first result. Everything is loaded
// before it is needed, so that the lanes wait for one load per step.
DEVICE void one_by_one(held &h, char *long_part, const char *short_part, i32 at, i32 j, i32 last, i32 begin, i32 end) {
  if (j >= last) return;
#pragma unroll
  for (i32 r = 0; r + 1 < GROUP; ++r) h.a[r] = *element_of(long_part, at + j + r);
#pragma unroll 1
  for (; j < last; ++j) {
    h.a[GROUP - 1] = *element_of(long_part, at + j + GROUP - 1);
    const value x = ((const value *)short_part)[j];
    const u32 first = at + j - begin, there = end - begin;
#pragma unroll
    for (u32 r = 0; r < GROUP; ++r) {
      const value next = step(h.sums[r], h.a[r], x);
      if (first + r < there) h.sums[r] = next;
      if (r > 0) h.a[r - 1] = h.a[r];
    }
  }
}

DEVICE void write_results(const params &p, const held &h, u64 o) {
  element results[GROUP];
#pragma unroll
  for (u32 r = 0; r < GROUP; ++r) results[r] = result_of(h.sums[r]);
  write(p.out + o, results);
}

// Computes a tile of which all results have all operands, for a shorter sequence of at most STEPS elements.
DEVICE void inner(const params &p, held &h, char *long_part, char *short_part, u64 first) {
  const u32 lane = threadIdx.x % 32, k = (u32)p.k;
  const char *from = p.a + (i64)(first - p.lead + lane) * p.a_step;
  char *to = (char *)element_of(long_part, lane);
  const i32 rows = (TILE + (k + GROUP - 1) / GROUP * GROUP + GROUP + 31) / 32;
  if (p.a_step == sizeof(element)) bring_rows(from, 32 * sizeof(element), to, rows);
  else bring_rows(from, 32 * p.a_step, to, rows);
#pragma unroll 1
  for (u32 i = lane; i < k + 2 * CHUNK; i += 32)
    ((value *)short_part)[i] = i < k ? value_of(*(const element *)(p.v + (i64)i * p.v_step)) : none();
  __syncwarp();
  take(h, long_part, short_part, 0, k);
  write_results(p, h, first + lane * GROUP);
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) correlate(const __grid_constant__ params p) {
  static_assert(ROWS % 2 == 0, "the chunks of the shorter sequence take turns between two buffers");
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  char *long_part = memory + warp * (LONG_BYTES + SHORT_BYTES), *short_part = long_part + LONG_BYTES;
  const u64 first = ((u64)blockIdx.x * (blockDim.x / 32) + warp) * TILE;
  if (first >= p.count || p.left != nullptr && p.left[first / p.left_each] == 0) return;
  held h;
#pragma unroll
  for (u32 r = 0; r < GROUP; ++r) h.sums[r] = none();
  if (sizeof(h.sums) <= 32 && p.k <= STEPS && first >= p.lead && first - p.lead + SPAN <= p.n && first + TILE <= p.count) {
    inner(p, h, long_part, short_part, first);
    return;
  }
#pragma unroll 1
  for (u64 start = 0; start < p.k; start += STEPS) {
    const i32 steps = p.k - start < STEPS ? (i32)(p.k - start) : STEPS;
    // The position in the longer sequence of the first loaded element, and the range of them that exists.
    const i64 base = (i64)(first + start) - (i64)p.lead;
    const i32 begin = within_span(-base), end = within_span((i64)p.n - base);
    if (begin >= end) continue;
    __syncwarp();
    bring(p, long_part, base, (TILE + (steps + GROUP - 1) / GROUP * GROUP + GROUP + 31) / 32, begin, end);
    for (i32 i = lane; i < steps + 2 * CHUNK; i += 32)
      ((value *)short_part)[i] = i < steps ? value_of(*(const element *)(p.v + (i64)(start + i) * p.v_step)) : none();
    __syncwarp();
    // The elements of the shorter sequence from `from` to `to` overlap the longer one in all of the thread's results,
    // others in some.
    const i32 at = (i32)(lane * GROUP), last = least(steps, end - at), to = least(steps, end - at - (GROUP - 1));
    const i32 from = least((within_span(begin - at) + GROUP - 1) / GROUP * GROUP, last);
    one_by_one(h, long_part, short_part, at, within_span(begin - at - (GROUP - 1)), from, begin, end);
    __syncwarp();
    if (from < to) take(h, long_part, short_part, from, to - from);
    __syncwarp();
    one_by_one(h, long_part, short_part, at, from < to ? to : from, last, begin, end);
  }
  const u64 o = first + lane * GROUP;
  if (o + GROUP <= p.count) {
    write_results(p, h, o);
  } else {
#pragma unroll
    for (u32 r = 0; r < GROUP; ++r) {
      if (o + r < p.count) p.out[o + r] = result_of(h.sums[r]);
    }
  }
}
