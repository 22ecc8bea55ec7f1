// The product of two matrices of integers or booleans, which the device's library does not have: tiles of both
// operands in shared memory. Before it stand `item` and the functions times(a, b) and plus(a, b).
constexpr int TILE = 16;

extern "C" __global__ void __launch_bounds__(TILE * TILE) matmul(const __grid_constant__ params p) {
  __shared__ item a[TILE][TILE], b[TILE][TILE];
  const u32 x = threadIdx.x % TILE, y = threadIdx.x / TILE;
  const u64 row = (u64)blockIdx.y * TILE + y, column = (u64)blockIdx.x * TILE + x;
  item sum = 0;
  for (u64 start = 0; start < p.k; start += TILE) {
    const u64 across = start + x, down = start + y;
    a[y][x] = row < p.m && across < p.k ? *(const item *)(p.a + row * p.a_row + across * p.a_column) : (item)0;
    b[y][x] = column < p.n && down < p.k ? *(const item *)(p.b + down * p.b_row + column * p.b_column) : (item)0;
    __syncthreads();
    for (u32 i = 0; i < TILE; ++i) sum = plus(sum, times(a[y][i], b[i][x]));
    __syncthreads();
  }
  if (row < p.m && column < p.n) p.c[row * p.n + column] = sum;
}
