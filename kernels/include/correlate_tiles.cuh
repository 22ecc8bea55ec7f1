// The correlation of two sequences, the second one already conjugated, where there are many results. Before it stand the
// same as before `correlate.cuh`.
//
// Floor: count * k products. A block has TILE results, a thread GROUP neighbouring ones in registers. STEPS elements of the
// shorter sequence at a time, and those of the longer one that meet them, are brought to shared memory. From there a thread
// reads GROUP of either, 16 bytes a load, for GROUP * GROUP products: what it has of the longer sequence slides along in
// registers. Each result is added up in the order of the shorter sequence.
constexpr int THREADS = 128;
constexpr int GROUP = 8;
constexpr int TILE = THREADS * GROUP;
constexpr int STEPS = 256;
constexpr int SPAN = TILE + STEPS;

// Where a group begins. 16 bytes are left out after 128: threads that read neighbouring groups meet different banks.
DEVICE constexpr u32 place_of(u32 group) {
  const u32 at = group * GROUP * sizeof(value);
  return at + at / 128 * 16;
}
DEVICE value *element_of(char *part, u32 i) { return (value *)(part + place_of(i / GROUP)) + i % GROUP; }
DEVICE void read(value *to, const char *from) {
  uint4 words[GROUP * sizeof(value) / 16];
#pragma unroll
  for (u32 i = 0; i < sizeof(words) / 16; ++i) words[i] = ((const uint4 *)from)[i];
  memcpy(to, words, sizeof(words));
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

// The products of a group of the shorter sequence with two groups of the longer one, of which the first begins at FIRST.
template <u32 FIRST> DEVICE void take(value (&sums)[GROUP], const value (&a)[2 * GROUP], const value (&v)[GROUP]) {
#pragma unroll
  for (u32 j = 0; j < GROUP; ++j) {
#pragma unroll
    for (u32 r = 0; r < GROUP; ++r) sums[r] = step(sums[r], a[(FIRST + j + r) % (2 * GROUP)], v[j]);
  }
}
DEVICE i32 within_span(i64 x) { return x < 0 ? 0 : x > SPAN ? SPAN : (i32)x; }

extern "C" __global__ void __launch_bounds__(THREADS) correlate(const __grid_constant__ params p) {
  __shared__ alignas(16) char long_part[place_of(SPAN / GROUP)];
  __shared__ alignas(16) char short_part[STEPS * sizeof(value)];
  const u32 t = threadIdx.x;
  const u64 first = (u64)blockIdx.x * TILE;
  value sums[GROUP];
#pragma unroll
  for (u32 r = 0; r < GROUP; ++r) sums[r] = none();
#pragma unroll 1
  for (u64 start = 0; start < p.k; start += STEPS) {
    const u32 steps = p.k - start < STEPS ? (u32)(p.k - start) : STEPS;
    // The place in the longer sequence of the first element that is brought, and those of them that it has.
    const i64 base = (i64)(first + start) - (i64)p.lead;
    const i32 begin = within_span(-base), end = within_span((i64)p.n - base);
    if (begin >= end) continue;
    __syncthreads();
#pragma unroll 5
    for (u32 i = t; i < SPAN; i += THREADS) {
      value x = none();
      if ((i32)i >= begin && (i32)i < end) x = value_of(*(const element *)(p.a + (base + i) * p.a_step));
      *element_of(long_part, i) = x;
    }
#pragma unroll
    for (u32 i = t; i < STEPS; i += THREADS)
      ((value *)short_part)[i] = i < steps ? value_of(*(const element *)(p.v + (i64)(start + i) * p.v_step)) : none();
    __syncthreads();
    value a[2 * GROUP], v[GROUP];
    read(a, long_part + place_of(t));
    u32 g = 0;
    if ((i32)(t * GROUP) >= begin && (i32)(t * GROUP + GROUP - 1 + steps) <= end) {
#pragma unroll 1
      for (; (g + 2) * GROUP <= steps; g += 2) {
        read(a + GROUP, long_part + place_of(t + g + 1));
        read(v, short_part + g * GROUP * sizeof(value));
        take<0>(sums, a, v);
        read(a, long_part + place_of(t + g + 2));
        read(v, short_part + (g + 1) * GROUP * sizeof(value));
        take<GROUP>(sums, a, v);
      }
    }
    // What is left, and all of what reaches beyond the longer sequence: what is not there is not multiplied.
#pragma unroll 1
    for (u32 j = g * GROUP; j < steps; ++j) {
      const value x = ((const value *)short_part)[j];
      const u32 at = t * GROUP + j - begin;
#pragma unroll
      for (u32 r = 0; r < GROUP; ++r) {
        if (at + r < (u32)(end - begin)) sums[r] = step(sums[r], a[r], x);
        if (r + 1 < GROUP) a[r] = a[r + 1];
      }
      a[GROUP - 1] = *element_of(long_part, t * GROUP + GROUP + j);
    }
  }
  const u64 o = first + t * GROUP;
  element results[GROUP];
#pragma unroll
  for (u32 r = 0; r < GROUP; ++r) results[r] = result_of(sums[r]);
  if (o + GROUP <= p.count) {
    write(p.out + o, results);
  } else {
#pragma unroll
    for (u32 r = 0; r < GROUP; ++r) {
      if (o + r < p.count) p.out[o + r] = results[r];
    }
  }
}
