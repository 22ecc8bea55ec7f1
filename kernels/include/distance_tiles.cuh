// Distance transforms along an axis that is not the last: tiles of 32 adjacent lines. Required before it: distance.cuh.
//
// A tile is read and written by rows of 32 adjacent elements, and a lane has a line, so that no array is transposed. Positions are searched as
// by distance_lines, but outwards from the element, until the distance alone is larger than the smallest sum so far.

constexpr u32 TILE_THREADS = 512;

// Distance up to which all elements are searched on their own, before those of a line bound the positions of others.
constexpr i32 NEAR = 8;
constexpr u32 NOT_NEAR = 0xffff;

// Returns the position of the smallest sum of element x, the first of several, in a range; NOT_NEAR if it is not found up to a distance.
DEVICE u32 search_outwards(const params &p, const value *line, i32 x, i32 low, i32 high, i32 most) {
  const i32 nearest = x < low ? low : x > high ? high : x;
  i32 best = nearest, d = x < nearest ? nearest - x : x - nearest;
  value least = cost(p, x, nearest, line[32 * nearest]);
#pragma unroll 1
  while (true) {
    ++d;
    const i32 left = x - d, right = x + d;
    // No value is below 0.
    if ((left < low && right > high) || cost(p, 0, d, 0) > least) return (u32)best;
    if (d > most) return NOT_NEAR;
    if (left >= low) {
      const value v = cost(p, 0, d, line[32 * left]);
      if (v < least || (v == least && left < best)) least = v, best = left;
    }
    if (right <= high) {
      const value v = cost(p, 0, d, line[32 * right]);
      if (v < least) least = v, best = right;
    }
  }
}

extern "C" __global__ void __launch_bounds__(TILE_THREADS) distance_tiles(const __grid_constant__ params p) {
  extern __shared__ __align__(16) value shared_tile[];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = TILE_THREADS / 32;
  const i32 n = (i32)p.n;
  const u64 chunks = (p.inner + 31) / 32, outer = blockIdx.x / chunks, column = (blockIdx.x - outer * chunks) * 32 + lane;
  const bool there = column < p.inner;
  const u64 first = outer * (u64)n * p.inner + column;
  value *tile = shared_tile + lane;
  u16 *found = (u16 *)(shared_tile + 32 * n) + lane;
  bool some = false;
#pragma unroll 4
  for (i32 x = warp; x < n; x += warps) {
    const value v = there ? p.input[first + x * p.inner] : FAR;
    tile[32 * x] = v;
    some = some || v < FAR;
  }
  // Without background in a tile every element remains its own nearest one.
  some = __syncthreads_or(some);
  bool is_near = some;
#pragma unroll 1
  for (i32 x = warp; x < n && is_near; x += warps) {
    const u32 k = search_outwards(p, tile, x, 0, n - 1, NEAR);
    found[32 * x] = (u16)k;
    is_near = __all_sync(~0u, k != NOT_NEAR || !there);
  }
  is_near = __syncthreads_and(is_near);
#pragma unroll 1
  for (i32 s = some && !is_near ? (i32)p.half : 0; s > 0; s /= 2) {
#pragma unroll 1
    for (i32 x = s - 1 + 2 * s * (i32)warp; x < n; x += 2 * s * warps) {
      const i32 low = x >= s ? found[32 * (x - s)] : 0, high = x + s < n ? found[32 * (x + s)] : n - 1;
      found[32 * x] = (u16)search_outwards(p, tile, x, low, high, n);
    }
    __syncthreads();
  }
  if (!there) return;
#pragma unroll 2
  for (i32 x = warp; x < n; x += warps) {
    const i32 k = some ? found[32 * x] : x;
    const value v = cost(p, x, k, tile[32 * k]);
    p.out[first + x * p.inner] = v < FAR ? v : FAR;
    if (p.out_nearest) p.out_nearest[first + x * p.inner] = p.nearest[first + k * p.inner];
  }
}
