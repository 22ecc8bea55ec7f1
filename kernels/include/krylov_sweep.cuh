// Passes over the vectors of a Krylov method, fused with sums and with the scalars that follow from those. Before it: krylov_arithmetic.cuh
// and the parameter struct.
//
// A block adds its products by a tree. The block that ends last adds the sums of all blocks in their order and computes the scalars: no
// sum depends on the order of the blocks. No kernel does anything while `going` is false, so that iterations may be queued ahead.

DEVICE bool is_zero(wide x) { return x == wide{}; }

// Calls `element(i, sums)` for each position, then `finish(sums)` on one thread with the N sums of all.
template <u32 N, class Element, class Finish> DEVICE void sweep(const params &p, Element element, Finish finish) {
  __shared__ wide warps[THREADS / 32];
  if (!*p.going) return;
  wide sums[N + 1];
#pragma unroll
  for (u32 k = 0; k <= N; ++k) sums[k] = wide{};
  const u64 apart = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < p.length; i += apart) element(i, sums);
#pragma unroll
  for (u32 k = 0; k < N; ++k) {
    const wide sum = block_sum(sums[k], warps);
    if (threadIdx.x == 0) p.partials[(u64)k * gridDim.x + blockIdx.x] = sum;
  }
  if (!ends_last(p.ticket)) return;
#pragma unroll
  for (u32 k = 0; k < N; ++k) {
    wide sum = wide{};
    for (u32 b = threadIdx.x; b < gridDim.x; b += THREADS) sum = sum + loaded(p.partials + (u64)k * gridDim.x + b);
    sums[k] = block_sum(sum, warps);
  }
  if (threadIdx.x == 0) finish(sums);
}

template <class Element> DEVICE void update(const params &p, Element element) {
  if (!*p.going) return;
  const u64 apart = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < p.length; i += apart) element(i);
}

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ params p)
#define VECTOR(name, k) value *const name = p.vectors[k]
