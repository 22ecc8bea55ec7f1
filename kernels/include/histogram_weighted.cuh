// Sums of weights, in float64 and in a fixed order: a warp has a chunk of adjacent elements and adds their weights, 32
// at a time, to sums of its own; the second kernel adds up the chunks in a tree. If there are more bins than fit, they
// are processed window by window, each by other blocks. Required before it: lanes_alike.cuh, `weight`, `sum`, sum_of(weight)
// and sum_of_nothing(f64).
#if FLAT
// Both arrays have one axis.
DEVICE element counted_at(const params &p, u64 i) { return *(const element *)((const char *)p.input + (i64)i * p.strides[0]); }
DEVICE weight weight_at(const params &p, u64 i) { return *(const weight *)((const char *)p.weights + (i64)i * p.weight_strides[0]); }
// Elements of a lane that are in flight while as many are added.
constexpr int AHEAD = 4;
#else
DEVICE element counted_at(const params &p, u64 i) { return element_at(p, i); }
DEVICE weight weight_at(const params &p, u64 i) {
  const i64 at =
      p.weight_axes <= 1 ? (i64)i * p.weight_strides[0] : offset_of((uindex)i, p.weight_axes, p.weight_sizes, p.weight_strides);
  return *(const weight *)((const char *)p.weights + at);
}
constexpr int AHEAD = 1;
#endif

// Bytes for the sums of a block's warps, and for a word for each.
constexpr int WEIGH_BYTES = 36864;

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
  const bin_finder finder(bounds_of(p), shared_edges);
  __syncthreads();
  const u64 chunk = blockIdx.x / windows * warps + warp, start = chunk * p.chunk;
  if (start >= p.elements) return;
  sum *sums = (sum *)memory + warp * p.window;
  u32 *words = (u32 *)((sum *)memory + warps * p.window) + warp * p.window;
  for (u32 b = lane; b < bins; b += 32) {
    sums[b] = sum_of_nothing(p.nothing);
    words[b] = 0;
  }
  __syncwarp();
  const u64 end = start + p.chunk < p.elements ? start + p.chunk : p.elements;
  element e[AHEAD];
  weight w[AHEAD];
  const auto read = [&](u64 first) {
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
      // Elements beyond the end are read as the first one and ignored.
      const u64 at = first + 32 * k + lane < end ? first + 32 * k + lane : start;
      e[k] = counted_at(p, at);
      w[k] = weight_at(p, at);
    }
  };
  read(start);
#pragma unroll 1
  for (u64 i = start; i < end; i += 32 * AHEAD) {
    u32 bin[AHEAD];
    sum added[AHEAD];
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
      const i64 found = i + 32 * k + lane < end ? finder.bin_of(e[k]) - (i64)begin : -1;
      bin[k] = found >= 0 && found < bins ? (u32)found : ~0u;
      added[k] = sum_of(w[k]);
    }
    if (i + 32 * AHEAD < end) read(i + 32 * AHEAD);
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
      const u32 peers = lanes_alike(words, bin[k], lane);
      gather(added[k], peers, lane);
      if (peers != 0 && (peers & ((1u << lane) - 1)) == 0) accumulate(sums + bin[k], added[k]);
      __syncwarp();
    }
  }
  for (u32 b = lane; b < bins; b += 32) ((sum *)p.out)[chunk * p.bins + begin + b] = sums[b];
}

// The threads of a bin are a row apart, at consecutive chunks; if there are few chunks a thread has a bin.
extern "C" __global__ void __launch_bounds__(THREADS) total(const __grid_constant__ total_params p) {
  __shared__ alignas(16) char memory[THREADS * sizeof(sum)];
  sum *shared = (sum *)memory;
  const u32 t = threadIdx.x, side = 1u << p.side_log2, rows = THREADS >> p.side_log2, row = t >> p.side_log2;
  const u64 b = (u64)blockIdx.x * side + (t & (side - 1));
  sum all = sum_of_nothing(p.nothing);
  if (b < p.bins) {
#pragma unroll 8
    for (u64 c = row; c < p.chunks; c += rows) all = all + ((const sum *)p.input)[c * p.bins + b];
  }
  shared[t] = all;
  __syncthreads();
#pragma unroll 1
  for (u32 half = rows / 2; half > 0; half /= 2) {
    if (row < half) shared[t] = all = all + shared[t + half * side];
    __syncthreads();
  }
  if (row == 0 && b < p.bins) ((sum *)p.out)[b] = all;
}
