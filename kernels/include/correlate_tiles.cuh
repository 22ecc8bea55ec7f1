// The correlation of two sequences, the second one already conjugated, where there are many results. Before it stand the
// same as before `correlate.cuh`, and GROUP.
//
// Floor: count * k products. A block has TILE results, a thread GROUP neighbouring ones in registers. STEPS elements of the
// shorter sequence at a time, and those of the longer one that meet them, are brought to shared memory. From there a thread
// reads a chunk of either, 16 bytes, for CHUNK * GROUP products, one chunk ahead of them: what it has of the longer sequence
// is a window in registers that slides along by going round. Each result is added up in the order of the shorter sequence.
constexpr int TILE = 1024;
constexpr int THREADS = TILE / GROUP;
constexpr int STEPS = 256;
// Elements of 16 bytes.
constexpr int CHUNK = 16 / sizeof(value);
// What the products of a chunk meet, and the chunk that comes next.
constexpr int WINDOW = GROUP + 2 * CHUNK;
// The most elements that are brought: what is read ahead behind the last that is needed is brought, too.
constexpr int SPAN = TILE + STEPS + 2 * CHUNK;

// Where a chunk begins. 16 bytes are left out after 128: threads that read neighbouring groups meet different banks.
DEVICE constexpr u32 place_of(u32 chunk) { return (chunk + chunk / 8) * 16; }
DEVICE value *element_of(char *part, u32 i) { return (value *)(part + place_of(i / CHUNK)) + i % CHUNK; }
DEVICE void read(value *to, const char *from) {
  const uint4 words = *(const uint4 *)from;
  memcpy(to, &words, sizeof(words));
}

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

// Brings the elements of the longer sequence from place `base` on, so many, of which it has those from `begin` to `end`.
DEVICE void bring(const params &p, char *part, i64 base, u32 count, i32 begin, i32 end) {
  const u32 t = threadIdx.x;
  const char *from = p.a + (base + t) * p.a_step;
  const i64 apart = THREADS * p.a_step;
  if (begin == 0 && end >= (i32)count) {
#pragma unroll 8
    for (u32 i = t; i < count; i += THREADS, from += apart) *element_of(part, i) = value_of(*(const element *)from);
    return;
  }
#pragma unroll 1
  for (u32 i = t; i < count; i += THREADS, from += apart)
    *element_of(part, i) = (i32)i >= begin && (i32)i < end ? value_of(*(const element *)from) : none();
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
template <u32 AT = 0> DEVICE bool go_round(held &h, const char *long_part, u32 &chunk, const char *&short_part, u32 &left) {
  read(h.a + (AT + GROUP + CHUNK) % WINDOW, long_part + place_of(chunk));
  read(h.v[1 - AT / CHUNK % 2], short_part);
  ++chunk;
  short_part += 16;
  if (left < CHUNK) {
    multiply<AT>(h, left);
    return false;
  }
  multiply<AT>(h, CHUNK);
  left -= CHUNK;
  if constexpr (AT + CHUNK < WINDOW) return go_round<AT + CHUNK>(h, long_part, chunk, short_part, left);
  return true;
}

// The products of a thread's results with so many elements of the shorter sequence from `first` on, where a chunk begins.
DEVICE void take(held &h, const char *long_part, const char *short_part, u32 first, u32 left) {
  u32 chunk = (threadIdx.x * GROUP + first) / CHUNK;
  short_part += first * sizeof(value);
#pragma unroll
  for (u32 i = 0; i <= GROUP / CHUNK; ++i) read(h.a + i * CHUNK, long_part + place_of(chunk + i));
  read(h.v[0], short_part);
  chunk += GROUP / CHUNK + 1;
  short_part += 16;
#pragma unroll 1
  while (go_round(h, long_part, chunk, short_part, left)) {}
}

extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS) correlate(const __grid_constant__ params p) {
  static_assert(WINDOW / CHUNK % 2 == 0, "the chunks of the shorter sequence take turns in two places");
  __shared__ alignas(16) char long_part[place_of((SPAN + CHUNK - 1) / CHUNK)];
  __shared__ alignas(16) char short_part[(STEPS + 2 * CHUNK) * sizeof(value)];
  const u32 t = threadIdx.x;
  const u64 first = (u64)blockIdx.x * TILE;
  held h;
#pragma unroll
  for (u32 r = 0; r < GROUP; ++r) h.sums[r] = none();
#pragma unroll 1
  for (u64 start = 0; start < p.k; start += STEPS) {
    const u32 steps = p.k - start < STEPS ? (u32)(p.k - start) : STEPS;
    // The place in the longer sequence of the first element that is brought, and those of them that it has.
    const i64 base = (i64)(first + start) - (i64)p.lead;
    const i32 begin = within_span(-base), end = within_span((i64)p.n - base);
    if (begin >= end) continue;
    __syncthreads();
    bring(p, long_part, base, TILE + steps + 2 * CHUNK, begin, end);
    for (u32 i = t; i < steps + 2 * CHUNK; i += THREADS)
      ((value *)short_part)[i] = i < steps ? value_of(*(const element *)(p.v + (i64)(start + i) * p.v_step)) : none();
    __syncthreads();
    // Elements of the shorter sequence from `from` to `to` meet the longer one in all of the thread's results. Others meet it
    // in some: what is not there is not multiplied.
    const i32 at = (i32)(t * GROUP), from = (within_span(begin - at) + CHUNK - 1) / CHUNK * CHUNK;
    const i32 to = least(steps, end - at - (GROUP - 1)), last = least(steps, end - at);
#pragma unroll 1
    for (i32 j = within_span(begin - at - (GROUP - 1)); j < last; ++j) {
      if (j == from && from < to) {
        take(h, long_part, short_part, from, to - from);
        j = to;
        if (j == last) break;
      }
      const value x = ((const value *)short_part)[j];
#pragma unroll
      for (i32 r = 0; r < GROUP; ++r)
        if (at + j + r >= begin && at + j + r < end) h.sums[r] = step(h.sums[r], *element_of(long_part, at + j + r), x);
    }
  }
  const u64 o = first + t * GROUP;
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
