// LU factors with row exchanges of those matrices of a batch, in column-major order, that have a zero pivot, at which a
// library may have stopped. Required before it: `element` and `real`. A block factorises one matrix: the matrix is
// copied to the memory of the factors, and each column is eliminated from those after it.

DEVICE real size_of(real x) { return fabs(x); }
DEVICE real size_of(complex<real> z) { return fabs(z.re) + fabs(z.im); }

extern "C" __global__ void __launch_bounds__(256) eliminate(const __grid_constant__ params p) {
  __shared__ real sizes[256];
  __shared__ u64 pivot_rows[256];
  if (((const i32 *)p.info)[blockIdx.x] == 0) return;
  const u64 n = p.n, t = threadIdx.x;
  const element *given = (const element *)p.given + blockIdx.x * n * n;
  element *a = (element *)p.factors + blockIdx.x * n * n;
  i32 *pivots = (i32 *)p.pivots + blockIdx.x * n;
  for (u64 e = t; e < n * n; e += 256) a[e] = given[e];
#pragma unroll 1
  for (u64 k = 0; k < n; ++k) {
    element *column = a + k * n;
    __syncthreads();
    // The first of the largest elements from the diagonal on.
    real most = -1;
    u64 pivot_row = k;
    for (u64 i = k + t; i < n; i += 256) {
      const real size = size_of(column[i]);
      if (size > most) most = size, pivot_row = i;
    }
    sizes[t] = most;
    pivot_rows[t] = pivot_row;
    for (u32 d = 128; d > 0; d /= 2) {
      __syncthreads();
      if (t < d && (sizes[t + d] > sizes[t] || (sizes[t + d] == sizes[t] && pivot_rows[t + d] < pivot_rows[t]))) {
        sizes[t] = sizes[t + d];
        pivot_rows[t] = pivot_rows[t + d];
      }
    }
    __syncthreads();
    most = sizes[0];
    pivot_row = pivot_rows[0];
    if (t == 0) pivots[k] = (i32)pivot_row + 1;
    if (most == 0) continue;
    for (u64 j = t; j < n; j += 256) {
      const element other = a[j * n + pivot_row];
      a[j * n + pivot_row] = a[j * n + k];
      a[j * n + k] = other;
    }
    __syncthreads();
    for (u64 i = k + 1 + t; i < n; i += 256) column[i] = column[i] / column[k];
    __syncthreads();
    const u64 left = n - k - 1;
    for (u64 e = t; e < left * left; e += 256) {
      const u64 j = k + 1 + e / left, i = k + 1 + e % left;
      a[j * n + i] = a[j * n + i] - column[i] * a[j * n + k];
    }
  }
}
