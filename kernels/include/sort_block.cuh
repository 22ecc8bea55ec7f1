// Sorts rows that fit in a block, in one launch. Required before it: sort_key.cuh, sort_rank.cuh, key_of, last_item,
// and INDEXED (items carry their original position).
//
// A block has `per_block` whole contiguous rows (256 at most). It sorts all of its items by the key, digit by digit
// from the least significant, and then by the row, which restores the order of the rows. Digits that are equal
// everywhere move nothing. The padding of the tile has the digit 255 in every pass and stays after all items.

extern "C" __global__ void __launch_bounds__(THREADS) sort_block(const __grid_constant__ params p) {
  __shared__ union {
    u32 counters[WARPS][BINS];
    raw elements[TILE];
    u16 origins[TILE];
  } s;
  __shared__ u32 sums[BINS / 32];
#if INDEXED
  u16 origin[ITEMS];
#endif
  const u32 t = threadIdx.x, first = (t >> 5) * 32 * ITEMS + (t & 31);
  const u64 row = (u64)blockIdx.x * p.per_block, left = p.rows - row;
  const u32 length = (u32)p.length, rows = left < p.per_block ? (u32)left : p.per_block, valid = rows * length;
  const raw *in = (const raw *)p.input + row * p.length;
  raw item[ITEMS];
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) {
    const u32 at = first + 32 * i;
    item[i] = at < valid ? in[at] : last_item();
#if INDEXED
    origin[i] = (u16)at;
#endif
  }
#pragma unroll 1
  for (u32 d = 0; d < DIGITS + (rows > 1); ++d) {
    u32 digits[QUADS], ranks[ITEMS], start, total;
    if (d < DIGITS) gather_digits(digits, d, [&](u32 i) { return key_of(item[i]); });
#if INDEXED
    else gather_digits(digits, 0, [&](u32 i) { return first + 32 * i < valid ? origin[i] / length : 255; });
#endif
    count_items(digits, s.counters, sums, start, total, [](u32) {});
    if (__syncthreads_or(t < BINS && total + (t == 255 ? 0 : TILE - valid) == TILE)) continue;
    rank_items(digits, s.counters, [&](u32 i, u32 at) { ranks[i] = at; });
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) s.elements[ranks[i]] = item[i];
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) item[i] = s.elements[first + 32 * i];
    __syncthreads();
#if INDEXED
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) s.origins[ranks[i]] = origin[i];
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) origin[i] = s.origins[first + 32 * i];
    __syncthreads();
#endif
  }
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) {
    const u32 at = first + 32 * i;
    if (at >= valid) continue;
    if (p.out) ((raw *)p.out)[row * p.length + at] = item[i];
#if INDEXED
    if (p.positions) ((i64 *)p.positions)[row * p.length + at] = origin[i] % length;
#endif
  }
}
