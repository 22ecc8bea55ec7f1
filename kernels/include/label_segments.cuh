// Sums for many slots, in float64 and in a fixed order, of elements that are sorted by their slots: a block has a tile of them, and sums
// of slots that are in several tiles are added up by another kernel. Required before it: label_reading.cuh.

constexpr u32 ITEMS = 8, SEGMENT_TILE = THREADS * ITEMS;

// Writes a sum of a tile: that of a slot which began in another tile, of one that goes on in the next, or of a whole slot.
DEVICE void put(const params &p, i32 slot, f64 sum, bool begun, bool continues) {
  if (slot < 0) return;
  if (begun) p.heads[blockIdx.x] = sum;
  else if (continues) p.tails[blockIdx.x] = sum;
  else p.out[slot] = sum;
}

extern "C" __global__ void __launch_bounds__(THREADS) label_segments(const __grid_constant__ params p) {
  __shared__ f64 sums[THREADS];
  __shared__ bool heads[THREADS];
  const u32 t = threadIdx.x;
  const u64 begin = (u64)blockIdx.x * SEGMENT_TILE, first = begin + t * ITEMS;
  // -2 is after the last element.
  const i32 before = first > 0 && first - 1 < p.elements ? p.slots[first - 1] : -2;
  i32 slot[ITEMS + 1];
  f64 x[ITEMS];
#pragma unroll
  for (u32 k = 0; k <= ITEMS; ++k) slot[k] = first + k < p.elements ? p.slots[first + k] : -2;
#pragma unroll
  for (u32 k = 0; k < ITEMS; ++k) x[k] = slot[k] >= 0 ? number_at(p, (u64)p.order[first + k], slot[k]) : 0;
  // The sum of the last slot of the thread, and whether it begins there.
  bool head = t == 0 || slot[0] != before;
  f64 sum = x[0];
#pragma unroll
  for (u32 k = 1; k < ITEMS; ++k) {
    const bool next = slot[k] != slot[k - 1];
    sum = next ? x[k] : sum + x[k];
    head = head || next;
  }
  sums[t] = sum, heads[t] = head;
  __syncthreads();
  // Sums back to the last thread in which the slot begins.
#pragma unroll 1
  for (u32 step = 1; step < THREADS; step *= 2) {
    const bool some = t >= step && !head;
    const f64 more = some ? sums[t - step] : 0;
    const bool there = some && heads[t - step];
    __syncthreads();
    if (some) sum = more + sum, head = there;
    sums[t] = sum, heads[t] = head;
    __syncthreads();
  }
  // The slot of the thread's first element is that of the tile's first one if no other begins before.
  f64 all = t > 0 && slot[0] == before ? sums[t - 1] + x[0] : x[0];
  const i32 tile_slot = begin < p.elements ? p.slots[begin] : -2;
  const bool tile_begun = begin > 0 && begin < p.elements && p.slots[begin - 1] == tile_slot;
#pragma unroll
  for (u32 k = 0; k < ITEMS; ++k) {
    if (k > 0) all = slot[k] == slot[k - 1] ? all + x[k] : x[k];
    const bool end_of_tile = t == THREADS - 1 && k == ITEMS - 1;
    if (slot[k + 1] != slot[k] || end_of_tile) put(p, slot[k], all, tile_begun && slot[k] == tile_slot, slot[k + 1] == slot[k]);
  }
}

// The first element of each slot, of those that are sorted, and the number of all.
extern "C" __global__ void __launch_bounds__(THREADS) label_ends(const __grid_constant__ params p) {
  const u64 slot = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (slot > p.count) return;
  u64 low = 0, high = p.elements;
#pragma unroll 1
  while (low < high) {
    const u64 middle = low + (high - low) / 2;
    if (p.slots[middle] < (i64)slot) low = middle + 1;
    else high = middle;
  }
  p.ends[slot] = (i64)low;
}

// The first and one more than the last sorted element of each slot, whose keys are slots or, if there is a list, labels.
extern "C" __global__ void __launch_bounds__(THREADS) label_bounds(const __grid_constant__ params p) {
  const u64 k = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (k >= 2 * p.count) return;
  const u64 slot = k % p.count;
  const i64 label = (p.list ? p.list[slot] : (i64)slot) + (k >= p.count);
  u64 low = 0, high = p.elements;
#pragma unroll 1
  while (low < high) {
    const u64 middle = low + (high - low) / 2;
    if (p.slots[middle] < label) low = middle + 1;
    else high = middle;
  }
  p.ends[k] = (i64)low;
}

// Adds up the slots that are in several tiles, a warp each, and sets those without elements to 0.
extern "C" __global__ void __launch_bounds__(THREADS) label_segment_totals(const __grid_constant__ params p) {
  const u64 slot = ((u64)blockIdx.x * THREADS + threadIdx.x) / 32;
  const u32 lane = threadIdx.x & 31;
  if (slot >= p.count) return;
  const i64 from = p.ends[slot], to = p.ends[slot + 1];
  if (from == to) {
    if (lane == 0) p.out[slot] = 0;
    return;
  }
  const i64 tile = from / SEGMENT_TILE, last = (to - 1) / SEGMENT_TILE;
  if (tile == last) return;
  f64 sum = lane == 0 ? p.tails[tile] : 0;
#pragma unroll 8
  for (i64 k = tile + 1 + lane; k <= last; k += 32) sum += p.heads[k];
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) p.out[slot] = sum;
}
