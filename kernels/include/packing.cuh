// Truth values along an axis, eight to a byte: packed, or taken out again. A thread has one byte. Before it stand: `item` (an
// integer of the size of a loose element), `uindex`, PACK (or unpack) and LITTLE (the first element is the lowest bit).
//
// `p.sizes` are the axes of the bytes in the order in which they lie in the memory of the result, `p.along` is the one that
// eight elements share a byte along, `p.count` how many loose elements it has.

DEVICE u32 bit_of(u32 k) {
#if LITTLE
  return k;
#else
  return 7 - k;
#endif
}

extern "C" __global__ void __launch_bounds__(256) packing(const __grid_constant__ params p) {
  const u64 t = (u64)blockIdx.x * 256 + threadIdx.x;
  if (t >= p.bytes) return;
  uindex i = (uindex)t;
  u64 place = 0;
  i64 packed = 0, loose = 0;
#pragma unroll 1
  for (u32 d = p.axes; d-- > 0;) {
    const uindex q = d > 0 ? divide(i, p.sizes[d]) : 0, r = d > 0 ? i - q * (uindex)p.sizes[d].divisor : i;
    packed += (i64)r * p.packed_strides[d];
    loose += (i64)r * p.loose_strides[d];
    if (d == p.along) place = r;
    i = q;
  }
  const u64 first = place * 8, left = p.count - first;
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
  const u32 byte = place < p.given ? ((const u8 *)p.input)[packed] : 0;
  if (whole && ((u64)to & 7) == 0) {
    u64 eight = 0;
#pragma unroll
    for (u32 k = 0; k < 8; ++k) eight |= (u64)(byte >> bit_of(k) & 1) << (8 * k);
    *(u64 *)to = eight;
  } else {
    for (u32 k = 0; k < here; ++k) to[(i64)k * p.step] = (char)(byte >> bit_of(k) & 1);
  }
#endif
}
