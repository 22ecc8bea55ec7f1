// The correlation of two sequences, the second one already conjugated, where there are many results. Before it stand the
// same as before `correlate.cuh`, and GROUP.
//
// Floor: count * k products. A warp has TILE results, a thread GROUP neighbouring ones in registers. STEPS elements of the
// shorter sequence at a time, and those of the longer one that meet them, are brought to the warp's part of shared memory: warps wait
// for no others. From there a thread reads a chunk of either, 16 bytes, for CHUNK * GROUP products, one chunk ahead of them: what it has
// of the longer sequence is a window in registers that slides along by going round. Each result is added up in the order of the
// shorter sequence.
constexpr int MOST_THREADS = 512;
constexpr int TILE = 32 * GROUP;
constexpr int STEPS = 2048 / sizeof(value);
// Elements of 16 bytes.
constexpr int CHUNK = 16 / sizeof(value);
// What a thread's results meet at first, and as much that comes next.
constexpr int WINDOW = 2 * GROUP;
// The most elements that are brought, in rows of a warp: what is read ahead behind the last that is needed is brought, too.
constexpr int SPAN = (TILE + STEPS + WINDOW + 31) / 32 * 32;
// So many rows are on their way at a time: all that short sequences need.
constexpr int AHEAD = GROUP + 2;
// The chunks of a group stand below each other in so many rows, those of neighbouring groups side by side: what lanes read at the same
// time is in different banks, and so is what they write, as a row begins as many banks behind the one above as that leaves free.
constexpr int ROWS = GROUP / CHUNK;
constexpr int ROW = 16 * ((SPAN / GROUP + 7) / 8 * 8 + 8 / ROWS % 8);
constexpr int LONG_BYTES = ROWS * ROW, SHORT_BYTES = (STEPS + 2 * CHUNK) * sizeof(value);
// From an element to the one 32 further on.
constexpr int APART = 32 * 16 / GROUP;
extern __shared__ __align__(16) char memory[];

DEVICE constexpr u32 place_of(u32 chunk) { return chunk % ROWS * ROW + chunk / ROWS * 16; }
DEVICE value *element_of(char *part, u32 i) { return (value *)(part + place_of(i / CHUNK)) + i % CHUNK; }
DEVICE void read(value *to, const char *from) {
  const uint4 words = *(const uint4 *)from;
  memcpy(to, &words, sizeof(words));
}
// Writes results as the largest words that have no more.
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

// Brings so many rows of elements of the longer sequence, which has them all.
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

// Brings rows of elements of the longer sequence from place `base` on, of which it has those from `begin` to `end`.
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

// What a thread has in registers.
struct held {
  value sums[GROUP];
  value a[WINDOW];
  // The chunks of the shorter sequence, which take turns.
  value v[2][CHUNK];
};

// The products with the elements before `end` of a chunk of the shorter sequence; the window begins at AT.
template <u32 AT, u32 J = 0> DEVICE void multiply(held &h, u32 end) {
  if (J >= end) return;
#pragma unroll
  for (u32 r = 0; r < GROUP; ++r) h.sums[r] = step(h.sums[r], h.a[(AT + J + r) % WINDOW], h.v[AT / CHUNK % 2][J]);
  if constexpr (J + 1 < CHUNK) multiply<AT, J + 1>(h, end);
}

// One way round the window. Whether there are more elements of the shorter sequence.
template <u32 AT = 0> DEVICE bool go_round(held &h, const char *long_part, const char *short_part, u32 &left) {
  constexpr u32 NEXT = AT / CHUNK + ROWS + 1;
  read(h.a + NEXT * CHUNK % WINDOW, long_part + place_of(NEXT));
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

// The products of a thread's results with so many elements of the shorter sequence from `first` on, a multiple of GROUP.
DEVICE void take(held &h, const char *long_part, const char *short_part, u32 first, u32 left) {
  long_part += (threadIdx.x % 32 + first / GROUP) * 16;
  short_part += first * sizeof(value);
#pragma unroll
  for (u32 i = 0; i <= ROWS; ++i) read(h.a + i * CHUNK, long_part + place_of(i));
  read(h.v[0], short_part);
#pragma unroll 1
  while (go_round(h, long_part, short_part, left)) {
    long_part += place_of(WINDOW / CHUNK);
    short_part += WINDOW * sizeof(value);
  }
}

// The products with the elements from `j` to `last` of the shorter sequence, of which some results have none: what is not there is not
// multiplied. `at` is where the thread's first result stands. Everything is read before it is requested: lanes wait for one reading a step.
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

extern "C" __global__ void __launch_bounds__(MOST_THREADS) correlate(const __grid_constant__ params p) {
  static_assert(ROWS % 2 == 0, "the chunks of the shorter sequence take turns in two places");
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  char *long_part = memory + warp * (LONG_BYTES + SHORT_BYTES), *short_part = long_part + LONG_BYTES;
  const u64 first = ((u64)blockIdx.x * (blockDim.x / 32) + warp) * TILE;
  if (first >= p.count) return;
  held h;
#pragma unroll
  for (u32 r = 0; r < GROUP; ++r) h.sums[r] = none();
#pragma unroll 1
  for (u64 start = 0; start < p.k; start += STEPS) {
    const i32 steps = p.k - start < STEPS ? (i32)(p.k - start) : STEPS;
    // The place in the longer sequence of the first element that is brought, and those of them that it has.
    const i64 base = (i64)(first + start) - (i64)p.lead;
    const i32 begin = within_span(-base), end = within_span((i64)p.n - base);
    if (begin >= end) continue;
    __syncwarp();
    bring(p, long_part, base, (TILE + (steps + GROUP - 1) / GROUP * GROUP + GROUP + 31) / 32, begin, end);
    for (i32 i = lane; i < steps + 2 * CHUNK; i += 32)
      ((value *)short_part)[i] = i < steps ? value_of(*(const element *)(p.v + (i64)(start + i) * p.v_step)) : none();
    __syncwarp();
    // Elements of the shorter sequence from `from` to `to` meet the longer one in all of the thread's results, others in some.
    const i32 at = (i32)(lane * GROUP), last = least(steps, end - at), to = least(steps, end - at - (GROUP - 1));
    const i32 from = least((within_span(begin - at) + GROUP - 1) / GROUP * GROUP, last);
    one_by_one(h, long_part, short_part, at, within_span(begin - at - (GROUP - 1)), from, begin, end);
    __syncwarp();
    if (from < to) take(h, long_part, short_part, from, to - from);
    __syncwarp();
    one_by_one(h, long_part, short_part, at, from < to ? to : from, last, begin, end);
  }
  const u64 o = first + lane * GROUP;
  element results[GROUP];
#pragma unroll
  for (u32 r = 0; r < GROUP; ++r) results[r] = result_of(h.sums[r]);
  if (o + GROUP <= p.count) {
    write(p.out + o, results);
  } else {
#pragma unroll
    for (u32 r = 0; r < GROUP; ++r) {
      if (o + r < p.count) p.out[o + r] = results[r];
    }
  }
}
