// Sums of weights, in float64 and in a fixed order: a warp has a chunk of neighbouring elements and adds their weights
// one after the other, in sums of its own; the second kernel adds up the chunks in their order. More bins than there is
// room for are done window by window, each by other blocks. Before it stand `weight`, `sum` and sum_of(weight).
DEVICE weight weight_at(const params &p, u64 i) {
  const i64 at =
      p.weight_axes <= 1 ? (i64)i * p.weight_strides[0] : offset_of((uindex)i, p.weight_axes, p.weight_sizes, p.weight_strides);
  return *(const weight *)((const char *)p.weights + at);
}

// Volatile: a lane whose turn it is not must not even read what another writes.
DEVICE void accumulate(f64 *at, f64 added) {
  volatile f64 *place = at;
  *place = *place + added;
}
template <class T> DEVICE void accumulate(T *at, T added) {
  accumulate(&at->re, added.re);
  accumulate(&at->im, added.im);
}

#define WEIGH_BYTES 32768
extern "C" __global__ void __launch_bounds__(THREADS) weigh(const __grid_constant__ params p) {
  __shared__ alignas(16) char memory[WEIGH_BYTES];
#if DIRECT
  key *shared_edges = 0;
#else
  __shared__ key shared_edges[STAGED_EDGES];
#endif
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const u64 windows = (p.bins + p.window - 1) / p.window, begin = blockIdx.x % windows * p.window;
  const u32 bins = (u32)(begin + p.window < p.bins ? p.window : p.bins - begin);
  const bin_finder finder(p, shared_edges);
  __syncthreads();
  const u64 chunk = blockIdx.x / windows * warps + warp, start = chunk * p.chunk;
  if (start >= p.elements) return;
  sum *sums = (sum *)memory + warp * p.window;
  for (u32 b = lane; b < bins; b += 32) sums[b] = sum();
  __syncwarp();
  const u64 end = start + p.chunk < p.elements ? start + p.chunk : p.elements;
  // Each lane reads ahead; what lies beyond the end is read again and left out.
  u64 at = start + lane < end ? start + lane : start;
  element e = element_at(p, at);
  weight w = weight_at(p, at);
#pragma unroll 1
  for (u64 i = start + lane; i - lane < end; i += 32) {
    const element now = e;
    const sum added = sum_of(w);
    if (i + 32 < end) {
      e = element_at(p, i + 32);
      w = weight_at(p, i + 32);
    }
    const i64 found = i < end ? finder.bin_of(now) - (i64)begin : -1;
    const u32 bin = found >= 0 && found < bins ? (u32)found : ~0u;
    // Of the lanes with the same bin, one after the other.
    const u32 peers = __match_any_sync(~0u, bin);
    const u32 rank = bin == ~0u ? 0 : __popc(peers & ((1u << lane) - 1));
    const u32 turns = __reduce_max_sync(~0u, rank);
#pragma unroll 1
    for (u32 turn = 0; turn <= turns; ++turn) {
      if (bin != ~0u && rank == turn) accumulate(sums + bin, added);
      __syncwarp();
    }
  }
  for (u32 b = lane; b < bins; b += 32) ((sum *)p.out)[chunk * p.bins + begin + b] = sums[b];
}

struct total_params {
  u64 bins, chunks, in, out;
};
extern "C" __global__ void __launch_bounds__(THREADS) total(const __grid_constant__ total_params p) {
  const u64 b = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (b >= p.bins) return;
  sum all = sum();
#pragma unroll 4
  for (u64 c = 0; c < p.chunks; ++c) all = all + ((const sum *)p.in)[c * p.bins + b];
  ((sum *)p.out)[b] = all;
}
