// Systems of equations with a block tridiagonal matrix by cyclic reduction (B. L. Buzbee, G. H. Golub, C. W. Nielson, "On direct methods for solving
// Poisson's equations", SIAM Journal on Numerical Analysis 7, 1970): the even rows of blocks are eliminated from the odd ones, which
// leaves a block tridiagonal system of half the size. Required before it: the parameter struct.
//
// Blocks are `side` times `side` in C order; the blocks of a row are `lower`, `diagonal` and `upper`. Lower bound: the blocks and the right-hand sides read and written
// twice, as the sizes of the levels are a geometric series.

constexpr u32 THREADS = 128;

// Inverts the diagonal blocks of the even rows in place by elimination with partial pivoting within the block. A thread for each block.
extern "C" __global__ void __launch_bounds__(THREADS) block_invert(const __grid_constant__ params p) {
  const u64 j = (u64)blockIdx.x * THREADS + threadIdx.x, row = 2 * j;
  if (row >= p.rows) return;
  const i64 b = p.side;
  f64 *a = p.diagonal + row * b * b;
  if (b == 1) {
    a[0] = 1 / a[0];
    return;
  }
  i64 *pivots = p.pivots + row * b;
#pragma unroll 1
  for (i64 k = 0; k < b; ++k) {
    i64 best = k;
    for (i64 r = k + 1; r < b; ++r)
      if (fabs(a[r * b + k]) > fabs(a[best * b + k])) best = r;
    pivots[k] = best;
    const f64 inverse = 1 / a[best * b + k];
    for (i64 c = 0; c < b; ++c) {
      const f64 other = a[best * b + c];
      a[best * b + c] = a[k * b + c];
      a[k * b + c] = c == k ? inverse : other * inverse;
    }
    for (i64 r = 0; r < b; ++r) {
      if (r == k) continue;
      const f64 factor = a[r * b + k];
      a[r * b + k] = 0;
      for (i64 c = 0; c < b; ++c) a[r * b + c] = __fma_rn(-factor, a[k * b + c], a[r * b + c]);
    }
  }
#pragma unroll 1
  for (i64 k = b; k-- > 0;) {
    if (pivots[k] == k) continue;
    for (i64 r = 0; r < b; ++r) {
      const f64 other = a[r * b + k];
      a[r * b + k] = a[r * b + pivots[k]];
      a[r * b + pivots[k]] = other;
    }
  }
}

// Returns entry (r, c) of a product of two blocks.
DEVICE f64 product(const f64 *x, const f64 *y, i64 b, i64 r, i64 c) {
  f64 sum = 0;
#pragma unroll 1
  for (i64 q = 0; q < b; ++q) sum = __fma_rn(x[r * b + q], y[q * b + c], sum);
  return sum;
}

// The blocks of the next level, and the factors by which the rows before and after an odd row are subtracted from it. A thread for each row of a block.
extern "C" __global__ void __launch_bounds__(THREADS) block_reduce(const __grid_constant__ params p) {
  const u64 index = (u64)blockIdx.x * THREADS + threadIdx.x;
  const i64 b = p.side, size = b * b;
  const u64 j = index / (u64)b, i = 2 * j + 1;
  if (i >= p.rows) return;
  const i64 r = (i64)(index - j * b);
  const bool last = i + 1 == p.rows;
  f64 *before = p.before + j * size, *after = p.after + j * size;
#pragma unroll 1
  for (i64 c = 0; c < b; ++c) {
    before[r * b + c] = product(p.lower + i * size, p.diagonal + (i - 1) * size, b, r, c);
    after[r * b + c] = last ? 0 : product(p.upper + i * size, p.diagonal + (i + 1) * size, b, r, c);
  }
#pragma unroll 1
  for (i64 c = 0; c < b; ++c) {
    f64 middle = p.diagonal[i * size + r * b + c] - product(before, p.upper + (i - 1) * size, b, r, c);
    if (!last) middle -= product(after, p.lower + (i + 1) * size, b, r, c);
    p.next_diagonal[j * size + r * b + c] = middle;
    p.next_lower[j * size + r * b + c] = -product(before, p.lower + (i - 1) * size, b, r, c);
    p.next_upper[j * size + r * b + c] = last ? 0 : -product(after, p.upper + (i + 1) * size, b, r, c);
  }
}

// Right-hand sides of the next level. A thread for each element.
extern "C" __global__ void __launch_bounds__(THREADS) block_forward(const __grid_constant__ params p) {
  const u64 index = (u64)blockIdx.x * THREADS + threadIdx.x, t = index % p.columns;
  const i64 b = p.side, size = b * b;
  const u64 element = index / p.columns, j = element / (u64)b, i = 2 * j + 1;
  if (i >= p.rows) return;
  const i64 r = (i64)(element - j * b);
  f64 sum = p.rights[(i * b + r) * p.columns + t];
#pragma unroll 1
  for (i64 q = 0; q < b; ++q) {
    sum = __fma_rn(-p.before[j * size + r * b + q], p.rights[((i - 1) * b + q) * p.columns + t], sum);
    if (i + 1 < p.rows) sum = __fma_rn(-p.after[j * size + r * b + q], p.rights[((i + 1) * b + q) * p.columns + t], sum);
  }
  p.next_rights[index] = sum;
}

// The sum of row r of a row of blocks times the solutions of its neighbours, subtracted from the right-hand side.
DEVICE f64 remainder(const params &p, u64 i, i64 r, u64 t) {
  const i64 b = p.side, size = b * b;
  f64 sum = p.rights[(i * b + r) * p.columns + t];
#pragma unroll 1
  for (i64 q = 0; q < b; ++q) {
    if (i > 0) sum = __fma_rn(-p.lower[i * size + r * b + q], p.known[((i - 1) / p.apart * b + q) * p.columns + t], sum);
    if (i + 1 < p.rows)
      sum = __fma_rn(-p.upper[i * size + r * b + q], p.known[((i + 1) / p.apart * b + q) * p.columns + t], sum);
  }
  return sum;
}

// Solutions of a level from those of the next one, which are its odd rows. A thread for each element.
extern "C" __global__ void __launch_bounds__(THREADS) block_back(const __grid_constant__ params p) {
  const u64 index = (u64)blockIdx.x * THREADS + threadIdx.x, t = index % p.columns;
  const i64 b = p.side, size = b * b;
  const u64 element = index / p.columns, i = element / (u64)b;
  if (i >= p.rows) return;
  const i64 r = (i64)(element - i * b);
  f64 sum = 0;
  if (i & 1) {
    sum = p.known[(i / 2 * b + r) * p.columns + t];
  } else {
#pragma unroll 1
    for (i64 q = 0; q < b; ++q) sum = __fma_rn(p.diagonal[i * size + r * b + q], remainder(p, i, q, t), sum);
  }
  p.solutions[index] = sum;
}

// Right-hand sides minus the matrix times solutions. A thread for each element.
extern "C" __global__ void __launch_bounds__(THREADS) block_residual(const __grid_constant__ params p) {
  const u64 index = (u64)blockIdx.x * THREADS + threadIdx.x, t = index % p.columns;
  const i64 b = p.side, size = b * b;
  const u64 element = index / p.columns, i = element / (u64)b;
  if (i >= p.rows) return;
  const i64 r = (i64)(element - i * b);
  f64 sum = remainder(p, i, r, t);
#pragma unroll 1
  for (i64 q = 0; q < b; ++q) sum = __fma_rn(-p.diagonal[i * size + r * b + q], p.known[(i * b + q) * p.columns + t], sum);
  p.solutions[index] = sum;
}
