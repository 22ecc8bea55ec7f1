// `packbits` and `unpackbits` along an axis, eight elements to a byte. Required before it: `item` (an integer of the
// size of an unpacked element), `uindex`, PACK (or unpack), LITTLE (the first element is the lowest bit) and FLAT: both
// sides are contiguous, and a thread has groups of 16 unpacked elements. Otherwise it has one packed byte.
//
// `p.sizes` are the axes of the bytes in the order of the result's memory, `p.along` is the packed axis, `p.count` its
// number of unpacked elements.

DEVICE u32 bit_of(u32 k) {
#if LITTLE
  return k;
#else
  return 7 - k;
#endif
}

#if FLAT
constexpr u32 EACH = PACK ? 4 : 1;

// The nonzero flags of four unpacked elements, as four bits: the partial products of the multiplication meet only in
// the highest four bits.
DEVICE u32 four_bits(u32 x) {
  const u32 set = (((x & 0x7f7f7f7fu) + 0x7f7f7f7fu | x) & 0x80808080u) >> 7;
#if LITTLE
  return set * 0x10204080u >> 28;
#else
  return set * 0x80402010u >> 28;
#endif
}
// The first four elements of a byte, or the last four.
DEVICE u32 four_elements(u32 byte, bool last) {
#if LITTLE
  return (byte >> (last ? 4 : 0) & 15) * 0x00204081u & 0x01010101u;
#else
  return (byte >> (last ? 0 : 4) & 15) * 0x08040201u >> 3 & 0x01010101u;
#endif
}
DEVICE u32 eight_bits(u32 first, u32 last) {
#if LITTLE
  return four_bits(first) | four_bits(last) << 4;
#else
  return four_bits(first) << 4 | four_bits(last);
#endif
}
#endif

extern "C" __global__ void __launch_bounds__(256) packing(const __grid_constant__ params p) {
#if FLAT
  // For `whole` groups all elements and both bytes exist; one thread does the rest bit by bit.
  const u64 first = (u64)blockIdx.x * (256 * EACH) + threadIdx.x;
  const u64 packed = PACK ? p.bytes : p.given, whole = p.count / 16 < packed / 2 ? p.count / 16 : packed / 2;
#if PACK
  uint4 x[EACH];
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    if (first + k * 256 < whole) x[k] = ((const uint4 *)p.input)[first + k * 256];
  }
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    if (first + k * 256 < whole)
      ((u16 *)p.out)[first + k * 256] = (u16)(eight_bits(x[k].x, x[k].y) | eight_bits(x[k].z, x[k].w) << 8);
  }
#else
  u32 x[EACH];
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    if (first + k * 256 < whole) x[k] = ((const u16 *)p.input)[first + k * 256];
  }
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    if (first + k * 256 < whole)
      ((uint4 *)p.out)[first + k * 256] = make_uint4(four_elements(x[k], false), four_elements(x[k], true),
                                                     four_elements(x[k] >> 8, false), four_elements(x[k] >> 8, true));
  }
#endif
  // From there on a thread has a byte.
  for (u64 b = whole * 2 + (u64)blockIdx.x * 256 + threadIdx.x; b < p.bytes; b += (u64)gridDim.x * 256) {
    const u64 left = p.count - b * 8;
    const u32 here = left < 8 ? (u32)left : 8;
#if PACK
    u32 byte = 0;
    for (u32 k = 0; k < here; ++k) byte |= (u32)(((const u8 *)p.input)[b * 8 + k] != 0) << bit_of(k);
    ((u8 *)p.out)[b] = (u8)byte;
#else
    const u32 byte = b < p.given ? ((const u8 *)p.input)[b] : 0;
    for (u32 k = 0; k < here; ++k) ((u8 *)p.out)[b * 8 + k] = (u8)(byte >> bit_of(k) & 1);
#endif
  }
#else
  const u64 t = (u64)blockIdx.x * 256 + threadIdx.x;
  if (t >= p.bytes) return;
  uindex i = (uindex)t;
  u64 along = 0;
  i64 packed = 0, loose = 0;
#pragma unroll 1
  for (u32 d = p.axes; d-- > 0;) {
    const uindex q = d > 0 ? divide(i, p.sizes[d]) : 0, r = d > 0 ? i - q * (uindex)p.sizes[d].divisor : i;
    packed += (i64)r * p.packed_strides[d];
    loose += (i64)r * p.loose_strides[d];
    if (d == p.along) along = r;
    i = q;
  }
  const u64 first = along * 8, left = p.count - first;
  const u32 here = left < 8 ? (u32)left : 8;
  const bool whole = here == 8 && p.step == 1;
#if PACK
  const char *from = p.input + loose;
  u32 byte = 0;
  if (sizeof(item) == 1 && whole && ((u64)from & 7) == 0) {
    const u64 eight = *(const u64 *)from;
#pragma unroll
    for (u32 k = 0; k < 8; ++k) byte |= (u32)((eight >> (8 * k) & 0xff) != 0) << bit_of(k);
  } else {
    for (u32 k = 0; k < here; ++k) byte |= (u32)(*(const item *)(from + (i64)k * p.step) != 0) << bit_of(k);
  }
  ((u8 *)p.out)[packed] = (u8)byte;
#else
  char *to = p.out + loose;
  const u32 byte = along < p.given ? ((const u8 *)p.input)[packed] : 0;
  if (whole && ((u64)to & 7) == 0) {
    u64 eight = 0;
#pragma unroll
    for (u32 k = 0; k < 8; ++k) eight |= (u64)(byte >> bit_of(k) & 1) << (8 * k);
    *(u64 *)to = eight;
  } else {
    for (u32 k = 0; k < here; ++k) to[(i64)k * p.step] = (char)(byte >> bit_of(k) & 1);
  }
#endif
#endif
}
