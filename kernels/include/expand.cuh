// Elements repeated by counts: `expand_tiles` sums the counts of TILE source elements, and then blocks of `expand`
// write the results of a tile, MOST each. Required before it: `item`, the two structs and chunk.cuh.
constexpr u32 TILE = 2048, MOST = 8192, EACH = TILE / 256;

extern "C" __global__ void __launch_bounds__(256) expand_tiles(const __grid_constant__ tile_params p) {
  const u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  const i64 most = 0x7fffffffffffffffll;
  i64 count[EACH], sum = 0, least = most;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) count[k] = first + k * 256 < p.sources ? p.counts[first + k * 256] : most;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    if (first + k * 256 < p.sources) sum = wrapping_add(sum, count[k]);
    least = count[k] < least ? count[k] : least;
  }
#pragma unroll
  for (u32 lanes = 16; lanes > 0; lanes /= 2) {
    sum = wrapping_add(sum, (i64)__shfl_xor_sync(~0u, sum, lanes));
    const i64 other = __shfl_xor_sync(~0u, least, lanes);
    least = other < least ? other : least;
  }
  __shared__ i64 sums[8], leasts[8];
  if (threadIdx.x % 32 == 0) {
    sums[threadIdx.x / 32] = sum;
    leasts[threadIdx.x / 32] = least;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
#pragma unroll
  for (u32 w = 1; w < 8; ++w) {
    sum = wrapping_add(sum, sums[w]);
    least = leasts[w] < least ? leasts[w] : least;
  }
  p.sums[blockIdx.x] = sum;
  p.least[blockIdx.x] = least;
}

DEVICE u64 before(const params &p, u32 tile) { return tile > 0 ? (u64)p.ends[tile - 1] : 0; }

// Returns the tile whose results the block writes: a tile has one block, and one more for each multiple of MOST that
// its results reach. Computed by a warp, which tests 32 tiles at once.
DEVICE u32 tile_of(const params &p, u32 block) {
  const u32 lane = threadIdx.x % 32;
  u32 tile = 0, many = p.tiles;
#pragma unroll 1
  while (many > 1) {
    const u32 step = (many + 31) / 32, mine = lane * step;
    const bool begun = mine < many && tile + mine + before(p, tile + mine) / MOST <= block;
    const u32 found = (__popc(__ballot_sync(~0u, begun)) - 1) * step;
    tile += found;
    many = many - found < step ? many - found : step;
  }
  return tile;
}

// Finds the ends of the results of each source element of a tile, counted from result `from` of the tile on and capped
// at `many`. The counts are the caller's memory and may have changed since they were summed: these ends are in bounds
// in any case.
template <class N> DEVICE void find_ends(const params &p, u64 first, N from, u32 many, u64 (&sums)[8], u32 (&ends)[TILE]) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, mine = warp * (32 * EACH) + lane;
  N upto[EACH], sum = 0;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) upto[k] = first + mine + k * 32 < p.sources ? (N)p.counts[first + mine + k * 32] : 0;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) {
      const N below = __shfl_up_sync(~0u, upto[k], step);
      if (lane >= step) upto[k] += below;
    }
    upto[k] += sum;
    sum = __shfl_sync(~0u, upto[k], 31);
  }
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  N base = 0;
#pragma unroll
  for (u32 w = 0; w < 8; ++w) base += w < warp ? (N)sums[w] : 0;
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const N end = base + upto[k];
    ends[mine + k * 32] = end <= from ? 0 : end - from < many ? (u32)(end - from) : many;
  }
}

extern "C" __global__ void __launch_bounds__(256) expand(const __grid_constant__ params p) {
  __shared__ u64 sums[8];
  __shared__ u32 found, ends[TILE];
  if (threadIdx.x < 32) {
    const u32 tile = tile_of(p, blockIdx.x);
    if (threadIdx.x == 0) found = tile;
  }
  __syncthreads();
  const u32 tile = found;
  const u64 start = before(p, tile), size = (u64)p.ends[tile] - start;
  const u64 from = (u64)(blockIdx.x - tile - (u32)(start / MOST)) * MOST;
  if (from >= size) return;
  const u32 many = size - from < MOST ? (u32)(size - from) : MOST;
  const u64 source = (u64)tile * TILE;
  if (size >> 32 == 0) find_ends<u32>(p, source, (u32)from, many, sums, ends);
  else find_ends<u64>(p, source, from, many, sums, ends);
  __syncthreads();
  // Chunks begin at multiples of their size; those at both ends are shared with other blocks.
  const u64 begin = start + from, end = begin + many;
  const u32 sources = p.sources - source < TILE ? (u32)(p.sources - source) : TILE;
  const char *input = p.input + (i64)source * p.step;
#pragma unroll 1
  for (u64 e = begin / V * V + threadIdx.x * V; e < end; e += 256 * V) {
    const u32 skipped = e < begin ? (u32)(begin - e) : 0, first = e < begin ? 0 : (u32)(e - begin);
    u32 low = 0, high = sources - 1;
#pragma unroll 1
    while (low < high) {
      const u32 middle = (low + high) / 2;
      if (ends[middle] <= first) low = middle + 1; else high = middle;
    }
    u32 of[V], next = first;
#pragma unroll
    for (u32 v = 0; v < V; ++v) {
      if (v > skipped) {
        ++next;
        while (low + 1 < sources && ends[low] <= next) ++low;
      }
      of[v] = low;
    }
    chunk c;
#pragma unroll
    for (u32 v = 0; v < V; ++v) c.each[v] = element_at(input + (i64)of[v] * p.step);
    if (skipped == 0 && end - e >= V) {
      *((uint4 *)p.out + e / V) = c.all;
    } else {
#pragma unroll
      for (u32 v = 0; v < V; ++v) {
        if (v >= skipped && e + v < end) ((item *)p.out)[e + v] = c.each[v];
      }
    }
  }
}
