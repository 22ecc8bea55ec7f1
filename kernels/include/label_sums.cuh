// Sums for few slots, in float64 and in a fixed order: a warp has a chunk of adjacent elements and adds them, 32 at a time, to sums of
// its own in shared memory; the second kernel adds up the chunks in a tree. Required before it: label_reading.cuh, lanes_alike.cuh.

// Elements of a lane that are in flight.
constexpr u32 AHEAD = 4;

extern __shared__ __align__(16) char memory[];

extern "C" __global__ void __launch_bounds__(THREADS) label_sums(const __grid_constant__ params p) {
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32, count = (u32)p.count;
  const u64 chunk = (u64)blockIdx.x * warps + warp, start = chunk * p.chunk;
  if (start >= p.elements) return;
  f64 *sums = (f64 *)memory + warp * count;
  u32 *words = (u32 *)((f64 *)memory + warps * count) + warp * count;
  for (u32 b = lane; b < count; b += 32) sums[b] = 0, words[b] = 0;
  __syncwarp();
  const slot_reader slots(p);
  const u64 end = start + p.chunk < p.elements ? start + p.chunk : p.elements;
#pragma unroll 1
  for (u64 base = start; base < end; base += 32 * AHEAD) {
    i32 slot[AHEAD];
    f64 x[AHEAD];
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
      const u64 i = base + 32 * k + lane;
      slot[k] = i < end ? slots.at(i) : -1;
      x[k] = slot[k] >= 0 ? number_at(p, i, slot[k]) : 0;
    }
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
      const u32 peers = lanes_alike(words, (u32)slot[k], lane);
      gather(x[k], peers, lane);
      if (peers != 0 && (peers & ((1u << lane) - 1)) == 0) accumulate(sums + slot[k], x[k]);
      __syncwarp();
    }
  }
  for (u32 b = lane; b < count; b += 32) p.sums[chunk * count + b] = sums[b];
}

// Threads of 8 adjacent slots and 32 chunks.
extern "C" __global__ void __launch_bounds__(THREADS) label_totals(const __grid_constant__ params p) {
  __shared__ f64 shared[THREADS];
  const u32 t = threadIdx.x, row = t / 8;
  const u64 slot = (u64)blockIdx.x * 8 + t % 8;
  f64 sum = 0;
  if (slot < p.count) {
#pragma unroll 8
    for (u64 c = row; c < p.chunks; c += 32) sum += p.sums[c * p.count + slot];
  }
  shared[t] = sum;
  __syncthreads();
#pragma unroll 1
  for (u32 rows = 16; rows > 0; rows /= 2) {
    if (row < rows) shared[t] = sum = sum + shared[t + rows * 8];
    __syncthreads();
  }
  if (row == 0 && slot < p.count) p.out[slot] = sum;
}

// Sums of integers, exact, for many slots: each element is added in memory, those of a warp with one slot at once.
extern "C" __global__ void __launch_bounds__(THREADS) label_integers(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  const i32 slot = i < p.elements ? slot_reader(p).at(i) : -1;
  i64 x = 0;
  if (slot >= 0) {
    x = (i64)element_at(p, i);
    if (p.column == 2) x *= (i64)coordinate_of(p, i);
  }
  const i32 first = __shfl_sync(~0u, slot, 0);
  const bool one = __all_sync(~0u, slot == first);
  if (one) {
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  }
  if (slot < 0 || x == 0 || (one && (threadIdx.x & 31) != 0)) return;
  atomicAdd((u64 *)p.sums + slot, (u64)x);
}
