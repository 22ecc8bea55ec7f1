// Binary erosions of images of bytes, several of them with one load. Required before it: outside(params), window_bytes.cuh and the
// parameter struct.
//
// Lower bound: the bytes of input and output. A block packs the elements of a region to bits, of which a word has 32 along the last axis, erodes
// them in shared memory, and unpacks the words of its results. The region has as many elements around the results as the erosions need: words at
// its edges become wrong from one erosion to the next, but reach no result. Words and bits that are not of the image are those of the border.
constexpr u32 THREADS = 256, BATCH = 4;
constexpr i64 NO_ROW = (i64)(1ull << 63);

extern "C" __global__ void __launch_bounds__(THREADS) window_bits_tile(const __grid_constant__ params p) {
  extern __shared__ u64 shared[];
  const u32 count = p.region_count, rows = p.region_rows;
  // Offsets of the rows of the region in the input, and of those of results in the output.
  i64 *src_rows = (i64 *)shared, *dst_rows = src_rows + rows;
  // Bits that exist, and those of two erosions, with a word after each: bits of the last word may be read together with the next one.
  u32 *exist = (u32 *)(dst_rows + rows), *from = exist + count, *to = from + count + 1;
  if (threadIdx.x == 0) from[count] = to[count] = 0;
  const u32 beyond = outside(p) ? ~0u : 0u, inverted = p.invert ? 0xffffu : 0u;
  // The first results of the block.
  i64 origin[4];
  u32 rest = blockIdx.x;
#pragma unroll
  for (int d = 3; d >= 0; --d) {
    const u32 q = d > 0 ? rest / p.tiles[d] : 0;
    origin[d] = (i64)(rest - q * p.tiles[d]) * p.tile[d];
    rest = q;
  }
#pragma unroll 1
  for (u32 row = threadIdx.x; row < rows; row += THREADS) {
    i64 src = 0, dst = 0;
    bool exists = true, has_results = true;
    u32 i = row;
#pragma unroll
    for (int d = 2; d >= 0; --d) {
      const u32 q = divide(i, p.region[d]);
      const i64 own = (i64)(i - q * p.region[d].divisor) - p.before[d], at = origin[d] + own;
      i = q;
      src += at * p.src_steps[d];
      dst += at * p.dst_steps[d];
      exists = exists && (u64)at < (u64)p.lengths[d];
      has_results = has_results && (u64)own < (u64)p.tile[d];
    }
    src_rows[row] = exists ? src : NO_ROW;
    dst_rows[row] = exists && has_results ? dst : NO_ROW;
  }
  __syncthreads();
  // Adjacent lanes have adjacent vectors, half a word each.
  const u32 vectors = p.vectors.divisor;
  const i64 left = (origin[3] - p.before[3]) * 32;
#pragma unroll 1
  for (u32 start = threadIdx.x; start < 2 * count; start += THREADS * BATCH) {
    uint4 held[BATCH];
    u32 mask[BATCH];
#pragma unroll
    for (u32 b = 0; b < BATCH; ++b) {
      const u32 h = start + THREADS * b;
      mask[b] = 0;
      if (h >= 2 * count) continue;
      const u32 row = divide(h, p.vectors);
      const i64 x = left + (h - row * vectors) * 16, offset = src_rows[row];
      if ((u64)x >= (u64)p.n || offset == NO_ROW) continue;
      mask[b] = 0xffff;
      held[b] = *(const uint4 *)(p.src + offset + x);
    }
#pragma unroll
    for (u32 b = 0; b < BATCH; ++b) {
      const u32 h = start + THREADS * b;
      if (h >= 2 * count) continue;
      ((u16 *)exist)[h] = (u16)mask[b];
      ((u16 *)from)[h] = (u16)(mask[b] ? pack16(held[b]) ^ inverted : beyond);
    }
  }
#pragma unroll 1
  for (u32 k = 0; k < p.iterations; ++k) {
    __syncthreads();
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
      u32 bits = ~0u;
#pragma unroll 4
      for (u32 e = 0; e < p.entry_count; ++e) {
        // The offset of a word in the region, and that of a bit.
        const i64 entry = p.few[e / 32][e % 32];
        const u32 at = i + (u32)(entry >> 32);
        if (at < count) bits &= __funnelshift_r(from[at], from[at + 1], (u32)entry);
      }
      const u32 own = exist[i];
      to[i] = (bits & own) | (beyond & ~own);
    }
    u32 *const last = from;
    from = to;
    to = last;
  }
  __syncthreads();
  const u32 before = 2 * (u32)p.before[3], width = 2 * (u32)p.tile[3];
#pragma unroll 2
  for (u32 h = threadIdx.x; h < 2 * count; h += THREADS) {
    const u32 row = divide(h, p.vectors), own = h - row * vectors;
    const i64 x = left + own * 16, offset = dst_rows[row];
    if (offset == NO_ROW || own - before >= width || x >= p.n) continue;
    *(uint4 *)(p.dst + offset + x) = unpack16(((const u16 *)from)[h] ^ inverted);
  }
}
