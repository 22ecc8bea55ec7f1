// Coordinates packed in sortable keys, and the merge of two sorted lists of keys. Required before it: `index`, the type
// of coordinates and positions, `sort_key`, the unsigned type of keys, and the parameter structs.

// The minor coordinate takes the low bits of a key.
extern "C" __global__ void __launch_bounds__(256) pack_keys(const __grid_constant__ pack_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i < p.entries) p.keys[i] = (sort_key)((u64)p.major[i] << p.shift | (u64)p.minor[i]);
}

extern "C" __global__ void __launch_bounds__(256) unpack_keys(const __grid_constant__ pack_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.entries) return;
  const u64 k = (u64)p.keys[i];
  if (p.major) p.major[i] = (index)(k >> p.shift);
  if (p.minor) p.minor[i] = (index)(k & (((u64)1 << p.shift) - 1));
}

// Flags the first of each run of equal keys.
extern "C" __global__ void __launch_bounds__(256) first_keys(const __grid_constant__ first_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i < p.entries) p.out[i] = i == 0 || p.keys[i] != p.keys[i - 1];
}

// Merge path (O. Green, R. McColl, D. Bader, "GPU Merge Path", ICS 2012): returns the number of keys of a among the
// first `diagonal` keys of the merged list; of equal keys that of a comes first.
template <class P> DEVICE u64 from_first(P a, u64 a_size, P b, u64 b_size, u64 diagonal) {
  u64 low = diagonal > b_size ? diagonal - b_size : 0, high = diagonal < a_size ? diagonal : a_size;
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1; else high = middle;
  }
  return low;
}

constexpr u32 MERGE_TILE = 2048, MERGE_EACH = MERGE_TILE / 256;

struct merge_tile {
  sort_key keys[MERGE_TILE];
  u64 borders[2];
  u32 counts[8];
};

// The part of the merged list that a thread has: `a` and `b` are positions in the two lists.
struct merge_part {
  u64 a, b;
  u32 steps;
};

// Loads the keys of a tile to shared memory and finds each thread's part. Both lists have distinct keys.
DEVICE merge_part load_tile(const merge_params &p, merge_tile &tile, u64 &a0, u64 &b0, u32 &a_size, u32 &b_size) {
  const u64 all = p.sizes[0] + p.sizes[1], start = (u64)blockIdx.x * MERGE_TILE;
  const u64 end = start + MERGE_TILE < all ? start + MERGE_TILE : all;
  if (threadIdx.x < 2) tile.borders[threadIdx.x] = from_first(p.a, p.sizes[0], p.b, p.sizes[1], threadIdx.x ? end : start);
  __syncthreads();
  a0 = tile.borders[0];
  b0 = start - a0;
  a_size = (u32)(tile.borders[1] - a0);
  b_size = (u32)(end - start) - a_size;
  for (u32 i = threadIdx.x; i < a_size + b_size; i += 256) tile.keys[i] = i < a_size ? p.a[a0 + i] : p.b[b0 + i - a_size];
  __syncthreads();
  const u32 mine = threadIdx.x * MERGE_EACH, many = a_size + b_size;
  const u32 from = mine < many ? mine : many;
  const u32 in_a = (u32)from_first((const sort_key *)tile.keys, a_size, (const sort_key *)tile.keys + a_size, b_size, from);
  return {a0 + in_a, b0 + from - in_a, many - from < MERGE_EACH ? many - from : MERGE_EACH};
}

// Walks a thread's part: calls `visit(key, a or -1, b or -1)` for each result.
template <class F> DEVICE void walk(const merge_params &p, const merge_tile &tile, merge_part part, u64 a0, u64 b0, u32 a_size,
                                    u32 b_size, F visit) {
#pragma unroll 1
  for (u32 step = 0; step < part.steps; ++step) {
    const u32 i = (u32)(part.a - a0), j = (u32)(part.b - b0);
    const bool takes_a = i < a_size && (j >= b_size || tile.keys[i] <= tile.keys[a_size + j]);
    if (takes_a) {
      const sort_key k = tile.keys[i];
      // The equal key of b is the next one, which may be the first of the next tile.
      const bool both = part.b < p.sizes[1] && (j < b_size ? tile.keys[a_size + j] : p.b[part.b]) == k;
      visit(k, (i64)part.a, both ? (i64)part.b : (i64)-1);
      ++part.a;
    } else {
      const sort_key k = tile.keys[a_size + j];
      const bool both = part.a > 0 && (i > 0 ? tile.keys[i - 1] : p.a[part.a - 1]) == k;
      if (!both) visit(k, (i64)-1, (i64)part.b);
      ++part.b;
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) merge_count(const __grid_constant__ merge_params p) {
  __shared__ merge_tile tile;
  u64 a0, b0;
  u32 a_size, b_size, count = 0;
  const merge_part part = load_tile(p, tile, a0, b0, a_size, b_size);
  walk(p, tile, part, a0, b0, a_size, b_size, [&](sort_key, i64, i64) { ++count; });
  count = warp_sum(count);
  if (threadIdx.x % 32 == 0) tile.counts[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 sum = 0;
    for (u32 w = 0; w < 8; ++w) sum += tile.counts[w];
    p.counts[blockIdx.x] = (i64)sum;
  }
}

// `counts` are the numbers of results up to the end of each tile.
extern "C" __global__ void __launch_bounds__(256) merge_write(const __grid_constant__ merge_params p) {
  __shared__ merge_tile tile;
  u64 a0, b0;
  u32 a_size, b_size, count = 0;
  const merge_part part = load_tile(p, tile, a0, b0, a_size, b_size);
  walk(p, tile, part, a0, b0, a_size, b_size, [&](sort_key, i64, i64) { ++count; });
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u32 upto = count;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 below = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += below;
  }
  if (lane == 31) tile.counts[warp] = upto;
  __syncthreads();
  u32 before = upto - count;
  for (u32 w = 0; w < warp; ++w) before += tile.counts[w];
  u64 at = (blockIdx.x > 0 ? (u64)p.counts[blockIdx.x - 1] : 0) + before;
  walk(p, tile, part, a0, b0, a_size, b_size, [&](sort_key k, i64 a, i64 b) {
    p.keys[at] = k;
    p.positions[0][at] = (index)a;
    p.positions[1][at] = (index)b;
    ++at;
  });
}
