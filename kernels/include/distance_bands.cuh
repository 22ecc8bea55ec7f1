// Distance transforms along an axis that is not the last, of lines that are too long for the tiles of distance_tiles.cuh. Strips of 32 adjacent
// lines are cut into bands, in which the nearest elements are found if they are near; strips with others are marked, and have their lines
// transposed for distance_lines. Required before it: distance_tiles.cuh.

// Elements of a line in a band, and distance up to which nearest elements are found.
constexpr i32 BAND = 128, BAND_REACH = 32;

extern "C" __global__ void __launch_bounds__(THREADS) distance_bands(const __grid_constant__ params p) {
  extern __shared__ __align__(16) value shared_tile[];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = THREADS / 32;
  const u64 chunks = (p.inner + 31) / 32, bands = ((u64)p.n + BAND - 1) / BAND;
  // Adjacent blocks have adjacent strips.
  const u64 row = blockIdx.x / chunks, chunk = blockIdx.x - row * chunks, outer = row / bands, strip = outer * chunks + chunk;
  const u64 column = chunk * 32 + lane;
  const bool there = column < p.inner;
  // Another block may have marked the strip, all of which is then searched again.
  if (__syncthreads_or(*(volatile u32 *)(p.strips + strip) != 0)) return;
  const i64 start = (i64)((row - outer * bands) * BAND), origin = start > BAND_REACH ? start - BAND_REACH : 0;
  const i64 end = start + BAND < p.n ? start + BAND : p.n, last = end + BAND_REACH < p.n ? end + BAND_REACH : p.n;
  const u64 first = outer * (u64)p.n * p.inner + column;
  value *tile = shared_tile + lane;
#pragma unroll 4
  for (i64 x = origin + warp; x < last; x += warps) tile[32 * (x - origin)] = there ? p.input[first + x * p.inner] : FAR;
  __syncthreads();
#pragma unroll 1
  for (i64 x = start + warp; x < end; x += warps) {
    // The ends of the line, of which those outside the band are farther than the reach.
    const i64 low = -origin, high = p.n - 1 - origin;
    const u32 k = there ? search_outwards(p, tile, (i32)(x - origin), low < -BAND ? -BAND : (i32)low,
                                          high > 4 * BAND ? 4 * BAND : (i32)high, BAND_REACH) : 0;
    if (__any_sync(~0u, k == NOT_NEAR)) {
      *(volatile u32 *)(p.strips + strip) = 1;
      return;
    }
    if (!there) continue;
    const i64 to = origin + k;
    const value v = cost(p, x, to, tile[32 * k]);
    p.out[first + x * p.inner] = v < FAR ? v : FAR;
    if (p.out_nearest) p.out_nearest[first + x * p.inner] = p.nearest[first + to * p.inner];
  }
}

template <class T> DEVICE void transpose_tile(const params &p, const T *from, T *to, T *tile, u64 outer, u64 column, i64 row) {
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = THREADS / 32;
  const u64 plane = outer * (u64)p.n * p.inner;
  __syncthreads();
#pragma unroll
  for (u32 k = warp; k < 32; k += warps) {
    // Of the tile's 32 rows and columns, `k` is along the outer one of the array that is read.
    const i64 x = row + (p.back ? lane : k);
    const u64 c = column + (p.back ? k : lane);
    if (x < p.n && c < p.inner) tile[k * 33 + lane] = from[plane + (p.back ? c * (u64)p.n + (u64)x : (u64)x * p.inner + c)];
  }
  __syncthreads();
#pragma unroll
  for (u32 k = warp; k < 32; k += warps) {
    const i64 x = row + (p.back ? k : lane);
    const u64 c = column + (p.back ? lane : k);
    if (x < p.n && c < p.inner) to[plane + (p.back ? (u64)x * p.inner + c : c * (u64)p.n + (u64)x)] = tile[lane * 33 + k];
  }
}

// Transposes the marked strips, or `back`.
extern "C" __global__ void __launch_bounds__(THREADS) distance_transpose(const __grid_constant__ params p) {
  __shared__ value values[32 * 33];
  __shared__ position positions[32 * 33];
  const u64 chunks = (p.inner + 31) / 32, tiles = ((u64)p.n + 31) / 32;
  const u64 row = blockIdx.x / chunks, chunk = blockIdx.x - row * chunks, outer = row / tiles;
  if (p.strips[outer * chunks + chunk] == 0) return;
  const i64 x = (i64)((row - outer * tiles) * 32);
  transpose_tile(p, p.input, p.out, values, outer, chunk * 32, x);
  if (p.out_nearest) transpose_tile(p, p.nearest, p.out_nearest, positions, outer, chunk * 32, x);
}
