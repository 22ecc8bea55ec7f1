// The positions that the items of a block have when they are sorted by one digit, those of equal digit in their order.
// Before it stand THREADS (256 or more) and ITEMS; a thread of lane l of warp w has the items w * 32 * ITEMS + 32 * i + l.
#define WARPS (THREADS / 32)
#define TILE (THREADS * ITEMS)
#define BINS 256

// The lanes whose digit is the same: each bit halves those that are left.
DEVICE u32 lanes_alike(u32 digit) {
  u32 alike = ~0u;
#pragma unroll
  for (u32 bit = 1; bit < BINS; bit *= 2) {
    const bool mine = (digit & bit) != 0;
    const u32 set = __ballot_sync(~0u, mine);
    alike &= mine ? set : ~set;
  }
  return alike;
}

// Turns the digits in `places` into positions. Thread b < BINS learns where digit b starts in the tile, and how many
// there are, which it tells `counted` as soon as it knows. The caller holds the threads together before `counters` is
// used again.
template <class F>
DEVICE void rank_items(u32 (&places)[ITEMS], u32 (*counters)[BINS], u32 *sums, u32 &start, u32 &total, F counted) {
  const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5, below = (1u << lane) - 1;
#pragma unroll
  for (u32 b = 0; b < BINS; b += 32) counters[warp][b + lane] = 0;
  __syncwarp();
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) {
    const u32 digit = places[i], alike = lanes_alike(digit), within = __popc(alike & below);
    const u32 before = counters[warp][digit];
    __syncwarp();
    if (within == 0) counters[warp][digit] = before + __popc(alike);
    __syncwarp();
    places[i] = digit << 16 | (before + within);
  }
  __syncthreads();
  total = 0;
  if (t < BINS) {
#pragma unroll
    for (u32 w = 0; w < WARPS; ++w) {
      const u32 c = counters[w][t];
      counters[w][t] = total;
      total += c;
    }
    counted(total);
  }
  u32 up_to = total;
#pragma unroll
  for (u32 o = 1; o < 32; o *= 2) {
    const u32 other = __shfl_up_sync(~0u, up_to, o);
    if (lane >= o) up_to += other;
  }
  if (lane == 31 && warp < BINS / 32) sums[warp] = up_to;
  __syncthreads();
  start = up_to - total;
#pragma unroll
  for (u32 w = 0; w < BINS / 32; ++w) start += w < warp ? sums[w] : 0;
  if (t < BINS) {
#pragma unroll
    for (u32 w = 0; w < WARPS; ++w) counters[w][t] += start;
  }
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) places[i] = (places[i] & 0xffff) + counters[warp][places[i] >> 16];
}
