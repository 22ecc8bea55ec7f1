// Arithmetic of Krylov methods: elements widened to double precision, their inner products, and sums over a block and over a grid. Before
// it: `value`, the dtype of the vectors, `real`, its real dtype, `wide`, f64 or c128, COMPLEX and THREADS.

DEVICE wide widened(f32 x) { return wide{x}; }
DEVICE wide widened(f64 x) { return wide{x}; }
DEVICE f64 conjugated(f64 x) { return x; }
DEVICE f64 real_of(f64 x) { return x; }
DEVICE f64 shuffled(f64 x, u32 lanes) { return __shfl_xor_sync(~0u, x, lanes); }
DEVICE f64 loaded(const f64 *at) { return *(const volatile f64 *)at; }
#if COMPLEX
DEVICE wide widened(c64 z) { return {z.re, z.im}; }
DEVICE wide widened(c128 z) { return z; }
DEVICE c128 conjugated(c128 z) { return {z.re, -z.im}; }
DEVICE f64 real_of(c128 z) { return z.re; }
DEVICE c128 shuffled(c128 z, u32 lanes) { return {shuffled(z.re, lanes), shuffled(z.im, lanes)}; }
DEVICE c128 loaded(const c128 *at) { return {loaded(&at->re), loaded(&at->im)}; }
DEVICE value narrowed(wide z) { return {(real)z.re, (real)z.im}; }
DEVICE value scaled(value x, f64 by) { return {(real)(x.re * by), (real)(x.im * by)}; }
#else
DEVICE value narrowed(wide x) { return (value)x; }
DEVICE value scaled(value x, f64 by) { return (value)(x * by); }
#endif

// The product of two elements, the first one conjugated.
DEVICE wide inner(value a, value b) { return conjugated(widened(a)) * widened(b); }

DEVICE wide warp_sum(wide x) {
#pragma unroll
  for (u32 lanes = 16; lanes > 0; lanes /= 2) x = x + shuffled(x, lanes);
  return x;
}

DEVICE wide block_sum(wide x, wide *warps) {
  x = warp_sum(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  x = warps[0];
#pragma unroll
  for (u32 w = 1; w < THREADS / 32; ++w) x = x + warps[w];
  return x;
}

// Returns true in the block that ends last, for all of its threads: what the other blocks have written is visible there.
DEVICE bool ends_last(u32 *ticket) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return false;
  __threadfence();
  if (threadIdx.x == 0) *ticket = 0;
  return true;
}
