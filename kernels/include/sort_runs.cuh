// Compaction of elements of a sorted row: the first of each run of equal elements (FIRST_OF_RUN), those that are equal
// to the next one (EQUAL_TO_NEXT), those without an equal (WITHOUT_EQUAL), or those where a mask is true (MASKED). One
// launch reads every element once; a tile gets the number of picked elements before it by decoupled look-back.
//
// Required before it: sort_key.cuh, sort_publish.cuh, key_of, is_nan (of a key), `count` (u64), and PICK.
enum : u32 { FIRST_OF_RUN, EQUAL_TO_NEXT, WITHOUT_EQUAL, MASKED };
constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int ITEMS = 8;
constexpr int TILE = THREADS * ITEMS;

DEVICE bool differ(const params &p, raw a, raw b) {
  const key x = key_of(a), y = key_of(b);
  return is_nan(x) && is_nan(y) ? !p.nan_equal : !same_key(x, y);
}

DEVICE bool picked(const params &p, u64 i) {
  const raw *in = (const raw *)p.input;
  if constexpr (PICK == MASKED) return ((const u8 *)p.mask)[i] != 0;
  if constexpr (PICK == FIRST_OF_RUN) return i == 0 || differ(p, in[i - 1], in[i]);
  if constexpr (PICK == EQUAL_TO_NEXT) return i + 1 < p.n && !differ(p, in[i], in[i + 1]);
  return (i == 0 || differ(p, in[i - 1], in[i])) && (i + 1 == p.n || differ(p, in[i], in[i + 1]));
}

extern "C" __global__ void __launch_bounds__(THREADS) sort_runs(const __grid_constant__ params p) {
  __shared__ u32 of_warps[WARPS], number;
  __shared__ u64 before_tile;
  const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5, below = (1u << lane) - 1;
  if (t == 0) number = atomicAdd((u32 *)p.ticket, 1);
  __syncthreads();
  const u64 first = (u64)number * TILE + warp * 32 * ITEMS + lane;
  u32 sets[ITEMS], own = 0;
#pragma unroll
  for (u32 k = 0; k < ITEMS; ++k) {
    const u64 i = first + 32 * k;
    sets[k] = __ballot_sync(~0u, i < p.n && picked(p, i));
    own += __popc(sets[k]);
  }
  if (lane == 0) of_warps[warp] = own;
  __syncthreads();
  if (warp == 0) {
    // Look-back over 32 tiles at a time, from the nearest: up to the first one with an inclusive prefix.
    const u32 mine = lane < WARPS ? of_warps[lane] : 0;
    const u32 total = warp_sum(mine);
    count *states = (count *)p.states, before = 0;
    if (lane == 0) publish(states + number, (number == 0 ? UP_TO : OWN) | total);
    for (u32 end = number; end > 0; end -= end < 32 ? end : 32) {
      count seen = UP_TO;
      if (lane < end) {
        do seen = published(states + end - 1 - lane);
        while (seen < OWN);
      }
      const u32 known = __ballot_sync(~0u, seen >= UP_TO);
      const u32 last = known ? __ffs(known) - 1 : 31;
      count part = lane <= last && lane < end ? seen & (OWN - 1) : 0;
#pragma unroll
      for (u32 o = 16; o > 0; o /= 2) part += __shfl_xor_sync(~0u, part, o);
      before += part;
      if (known) break;
    }
    if (lane == 0) {
      if (number > 0) publish(states + number, UP_TO | (before + total));
      before_tile = before;
      if ((u64)(number + 1) * TILE >= p.n) {
        *(u64 *)p.total = before + total;
        if (p.starts) ((i64 *)p.starts)[before + total] = (i64)p.n;
      }
    }
  }
  __syncthreads();
  u64 rank = before_tile;
  for (u32 w = 0; w < warp; ++w) rank += of_warps[w];
#pragma unroll
  for (u32 k = 0; k < ITEMS; ++k) {
    const u64 i = first + 32 * k, at = rank + __popc(sets[k] & below);
    rank += __popc(sets[k]);
    const bool chosen = sets[k] >> lane & 1;
    if (i >= p.n) continue;
    const i64 *positions = (const i64 *)p.positions;
    if (p.inverse) ((i64 *)p.inverse)[positions ? positions[i] : (i64)i] = (i64)(at + chosen) - 1;
    if (!chosen) continue;
    if (p.out) ((raw *)p.out)[at] = ((const raw *)p.input)[i];
    if (p.firsts) ((i64 *)p.firsts)[at] = positions ? positions[i] : (i64)i;
    if (p.seconds) ((i64 *)p.seconds)[at] = positions ? positions[i + 1] : (i64)i + 1;
    if (p.starts) ((i64 *)p.starts)[at] = (i64)i;
  }
}
