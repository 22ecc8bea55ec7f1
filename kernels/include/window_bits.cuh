// Binary erosion of images whose elements are bits: one step from elements to bits, of an erosion between bits, or of an erosion from
// bits to elements. Required before it: `element`, `result`, value_of(element), result_of(bool), outside(params), `uindex`, PACK, UNPACK,
// window_bytes.cuh and the parameter struct.
//
// Lower bound: the bytes of elements once, and an eighth of them for each step between bits. A word has 32 elements along the last axis;
// the bits of a row beyond its end are those of the border. A result of a word is the conjunction of as many shifted words as the structure
// has elements. A thread has a word.

DEVICE u32 border_word(const params &p) { return outside(p) ? ~0u : 0u; }

// Coordinates of a word along the other axes, and its position along the last one.
struct word_position {
  i64 at[3];
  i64 word;
};

DEVICE word_position position_of(const params &p, uindex i) {
  word_position w;
  uindex line = divide(i, p.words);
  w.word = (i64)(i - line * (uindex)p.words.divisor);
#pragma unroll
  for (int d = 2; d >= 0; --d) {
    const uindex q = divide(line, p.sizes[d]);
    w.at[d] = (i64)(line - q * (uindex)p.sizes[d].divisor);
    line = q;
  }
  return w;
}

DEVICE i64 offset_of_word(const word_position &w, const i64 (&steps)[3], i64 step) {
  return w.at[0] * steps[0] + w.at[1] * steps[1] + w.at[2] * steps[2] + w.word * 32 * step;
}

// Returns the bits of a word that are elements.
DEVICE u32 existing(const params &p, i64 word) {
  const i64 left = p.n - word * 32;
  return left >= 32 ? ~0u : (1u << left) - 1;
}

#if PACK
extern "C" __global__ void __launch_bounds__(256) window_bits(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  const u32 lane = threadIdx.x % 32;
  u32 bits = 0;
  word_position w{};
  i64 from = 0;
  if (i < p.count) {
    w = position_of(p, (uindex)i);
    from = offset_of_word(w, p.src_steps, p.src_step);
  }
  if (p.dense) {
    if (i >= p.count) return;
    const uint4 *v = (const uint4 *)(p.src + from);
    bits = pack16(v[0]) | (w.word * 32 + 16 < p.n ? pack16(v[1]) << 16 : 0);
  } else {
    // The lanes of a warp read the elements of each of its words together.
#pragma unroll 1
    for (u32 k = 0; k < 32; ++k) {
      const i64 start = __shfl_sync(~0u, from, k), word = __shfl_sync(~0u, w.word, k);
      if (i - lane + k >= p.count) break;
      const bool own = word * 32 + lane < p.n && value_of(*(const element *)(p.src + start + lane * p.src_step));
      const u32 all = __ballot_sync(~0u, own);
      if (lane == k) bits = all;
    }
    if (i >= p.count) return;
  }
  if (p.invert) bits = ~bits;
  const u32 exist = existing(p, w.word);
  p.bits_out[i] = (bits & exist) | (border_word(p) & ~exist);
}
#else
extern "C" __global__ void __launch_bounds__(256) window_bits(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  const bool active = i < p.count;
  word_position w{};
  u32 bits = ~0u;
  if (active) {
    w = position_of(p, (uindex)i);
    const u32 beyond = border_word(p);
    const i64 words = p.words.divisor;
#pragma unroll 1
    for (u32 k = 0; k < p.entry_count; ++k) {
      // Coordinates of an element of the structure: 16 bits for each axis, the last one lowest.
      const u64 entry = p.entries ? p.entries[k] : p.few[k / 32][k % 32];
      const i64 x = (i16)entry, c2 = (i16)(entry >> 16), c1 = (i16)(entry >> 32), c0 = (i16)(entry >> 48);
      const bool there = (u64)(w.at[2] + c2) < p.sizes[2].divisor && (u64)(w.at[1] + c1) < p.sizes[1].divisor &&
        (u64)(w.at[0] + c0) < p.sizes[0].divisor;
      const i64 line = (c0 * (i64)p.sizes[1].divisor + c1) * (i64)p.sizes[2].divisor + c2, first = w.word + (x >> 5);
      const u32 *row = p.bits_in + (i64)i + line * words + (x >> 5);
      const u32 low = there && (u64)first < (u64)words ? row[0] : beyond;
      u32 high = low;
      if (x & 31) high = there && (u64)(first + 1) < (u64)words ? row[1] : beyond;
      bits &= __funnelshift_r(low, high, (u32)x & 31);
      if (!bits) break;
    }
    const u32 before = p.bits_in[i], exist = existing(p, w.word);
    if (p.mask) {
      const u32 kept = ~p.mask[i];
      bits = (bits & ~kept) | (before & kept);
    }
    bits = (bits & exist) | (beyond & ~exist);
    if (p.changed && bits != before) *p.changed = 1;
  }
#if UNPACK
  if (p.invert) bits = ~bits;
  if (p.dense) {
    if (!active) return;
    uint4 *to = (uint4 *)(p.dst + offset_of_word(w, p.dst_steps, p.dst_step));
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      if (w.word * 32 + 16 * half < p.n) to[half] = unpack16(bits >> 16 * half);
    }
    return;
  }
  const u32 lane = threadIdx.x % 32;
  const i64 own = active ? offset_of_word(w, p.dst_steps, p.dst_step) : 0;
#pragma unroll 1
  for (u32 k = 0; k < 32; ++k) {
    const i64 start = __shfl_sync(~0u, own, k), word = __shfl_sync(~0u, w.word, k);
    const u32 b = __shfl_sync(~0u, bits, k);
    if (i - lane + k >= p.count) break;
    if (word * 32 + lane < p.n) *(result *)(p.dst + start + lane * p.dst_step) = result_of((b >> lane & 1) != 0);
  }
#else
  if (active) p.bits_out[i] = bits;
#endif
}
#endif
