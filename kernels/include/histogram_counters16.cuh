// 16-bit counters in shared memory, two in a word, for as many bins as it has room for. Between rounds, in which a
// block has fewer elements than half of a counter holds, counters that have reached that half are flushed to device
// memory: no counter overflows. At the end all counters of a block are written as they are, for histogram_parts.cuh to add
// them up, or, if there is no memory for them, added one by one.
constexpr u32 HALF = 0x8000;
extern __shared__ __align__(16) unsigned char memory[];

DEVICE void add_half(u32 bin) { atomicAdd((u32 *)memory + bin / 2, bin % 2 ? 0x10000u : 1u); }

// Sets all counters of a block to 0.
DEVICE void clear_halves(u64 bins) {
  for (u32 i = threadIdx.x; i < (bins + 7) / 8; i += blockDim.x) ((uint4 *)memory)[i] = make_uint4(0, 0, 0, 0);
}

// Flushes pairs of counters of which one has reached the half, or all nonzero ones; `copies` counters of each bin are
// adjacent. The block synchronises before and after it.
template <bool ALL> DEVICE void bring_halves(u64 *out, u64 bins, u32 copies = 1) {
  constexpr u32 REACHED = ALL ? ~0u : HALF << 16 | HALF;
  for (u32 i = threadIdx.x; i < (bins + 7) / 8; i += blockDim.x) {
    const uint4 four = ((uint4 *)memory)[i];
    if (((four.x | four.y | four.z | four.w) & REACHED) == 0) continue;
#pragma unroll 1
    for (u32 k = 4 * i; k < 4 * i + 4; ++k) {
      const u32 pair = ((u32 *)memory)[k];
      if ((pair & REACHED) == 0) continue;
      ((u32 *)memory)[k] = 0;
      if ((pair & 0xffff) != 0) atomicAdd(out + 2 * k / copies, (u64)(pair & 0xffff));
      if (pair >> 16 != 0) atomicAdd(out + (2 * k + 1) / copies, (u64)(pair >> 16));
    }
  }
}

// Writes all counters to device memory. The block synchronises before it.
DEVICE void leave_halves(u64 parts, u64 *out, u64 bins, u32 copies = 1) {
  const u64 fours = (bins + 7) / 8;
  if (!parts) return bring_halves<true>(out, bins, copies);
  uint4 *own = (uint4 *)parts + blockIdx.x * fours;
  for (u64 i = threadIdx.x; i < fours; i += blockDim.x) own[i] = ((uint4 *)memory)[i];
}
