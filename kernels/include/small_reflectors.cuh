// Householder QR of small matrices: the reflectors and the triangular factor, and columns of products of reflectors.
// Required before it: `small.cuh` and `reflectors.cuh`.

// The columns keep their order.
DEVICE void bring(const columns &to, const element *from, u32 rows, u32 count, u32 *order) {
  bring(to, from, rows, count);
  for (u32 k = threadIdx.x; k < SIDE; k += blockDim.x) order[k] = k;
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(256) small_reflect(const __grid_constant__ params p) {
  __shared__ u32 order[SIDE];
  __shared__ element scales[SIDE];
  const u32 m = p.m, n = p.n, count = p.count;
  const columns a{(element *)memory};
  element *given = (element *)p.a + blockIdx.x * (u64)(m * n);
  bring(a, given, m, n, order);
  reflect(a, order, m, n, count, scales);
  for (u32 e = threadIdx.x; e < m * n; e += blockDim.x) given[e] = a[e / m][e % m];
  if (threadIdx.x == 0) ((i32 *)p.info)[blockIdx.x] = 0;
  for (u32 k = threadIdx.x; k < count; k += blockDim.x) ((element *)p.values)[blockIdx.x * (u64)count + k] = scales[k];
}

extern "C" __global__ void __launch_bounds__(256) small_product(const __grid_constant__ params p) {
  __shared__ u32 order[SIDE];
  const u32 m = p.m, n = p.n, count = p.count;
  const columns a{(element *)memory};
  element *given = (element *)p.a + blockIdx.x * (u64)(m * n);
  if (threadIdx.x == 0) ((i32 *)p.info)[blockIdx.x] = 0;
  bring(a, given, m, count, order);
  product(a, order, (const element *)p.values + blockIdx.x * (u64)count, m, count, n, [](u32) -> real { return 1; }, given);
}
