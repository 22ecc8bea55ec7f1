// A step of the Arnoldi process: the product of an operator with the last vector of an orthonormal basis is orthogonalised against all of
// them, twice (L. Giraud, J. Langou, M. Rozloznik, "The loss of orthogonality in the Gram-Schmidt orthogonalization process", 2005), and
// becomes the next vector. The number of the step is read from memory, so that a graph may repeat the kernels. Before it:
// krylov_arithmetic.cuh and the parameter struct.
//
// The second kernel subtracts the first projection of a slab of the vector and computes the inner products of the second one while the
// rows of the basis are in the cache. The norm of the residual of the least-squares problem of GMRES is that at the beginning divided by
// the norm of the vector from the left, with the first element 1, whose products with all columns of coefficients are zero.

constexpr u32 SLAB = 512;

enum { STEP, LIMIT, LOCKED, BETA, BOUND, SQUARES, NORM };

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ params p)

// The number of vectors that the next one is orthogonalised against.
DEVICE u64 rows_of(const params &p) { return (u64)p.reals[LOCKED] + (u64)p.reals[STEP] + 1; }

// Returns element i of a vector without its projection on the rows.
DEVICE value without(const params &p, const wide *of, u64 rows, u64 i, value x) {
  wide left = widened(x);
#pragma unroll 8
  for (u64 row = 0; row < rows; ++row) left = left - of[row] * widened(p.basis[row * p.length + i]);
  return narrowed(left);
}

// Adds the inner products of all rows with a slab of a vector to those of this block; the first slab begins them.
DEVICE void add_products(const params &p, u64 rows, u64 from, u32 many, const value *slab, bool begins) {
  const u32 lane = threadIdx.x % 32;
  for (u64 row = threadIdx.x / 32; row < rows; row += THREADS / 32) {
    const value *const of = p.basis + row * p.length + from;
    wide sum = wide{};
#pragma unroll 8
    for (u32 k = lane; k < many; k += 32) sum = sum + inner(of[k], slab[k]);
    sum = warp_sum(sum);
    wide *const at = p.partials + row * gridDim.x + blockIdx.x;
    if (lane == 0) *at = begins ? sum : *at + sum;
  }
}

// Adds the sums of all blocks for each row, in the order of the blocks.
DEVICE void add_blocks(const params &p, u64 rows, wide *out) {
  const u32 lane = threadIdx.x % 32;
  for (u64 row = threadIdx.x / 32; row < rows; row += THREADS / 32) {
    wide sum = wide{};
    for (u32 b = lane; b < gridDim.x; b += 32) sum = sum + loaded(p.partials + row * gridDim.x + b);
    sum = warp_sum(sum);
    if (lane == 0) out[row] = sum;
  }
}

// Stores `element(i)` for a slab after the other, and adds the inner products of the rows with them to `out`.
template <class Element> DEVICE void project(const params &p, u64 rows, wide *out, Element element) {
  __shared__ value slab[SLAB];
  bool begins = true;
#pragma unroll 1
  for (u64 from = (u64)blockIdx.x * SLAB; from < p.length; from += (u64)gridDim.x * SLAB) {
    const u32 many = p.length - from < SLAB ? (u32)(p.length - from) : SLAB;
    __syncthreads();
    for (u32 k = threadIdx.x; k < many; k += THREADS) slab[k] = element(from + k);
    __syncthreads();
    add_products(p, rows, from, many, slab, begins);
    begins = false;
  }
  if (ends_last(p.ticket)) add_blocks(p, rows, out);
}

KERNEL(arnoldi_first) {
  if (!*p.going) return;
  project(p, rows_of(p), p.first, [&](u64 i) { return p.product[i]; });
}

KERNEL(arnoldi_second) {
  if (!*p.going) return;
  const u64 rows = rows_of(p);
  value *const next = p.basis + rows * p.length;
  project(p, rows, p.second, [&](u64 i) { return next[i] = without(p, p.first, rows, i, p.product[i]); });
}

// Subtracts the second projection; the last block writes the column of coefficients.
KERNEL(arnoldi_column) {
  __shared__ wide warps[THREADS / 32];
  if (!*p.going) return;
  const u64 rows = rows_of(p);
  value *const next = p.basis + rows * p.length;
  wide squares = wide{};
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < p.length; i += (u64)gridDim.x * THREADS) {
    const value x = without(p, p.second, rows, i, next[i]);
    next[i] = x;
    squares = squares + inner(x, x);
  }
  squares = block_sum(squares, warps);
  if (threadIdx.x == 0) p.partials[blockIdx.x] = squares;
  if (!ends_last(p.ticket)) return;
  squares = wide{};
  for (u32 b = threadIdx.x; b < gridDim.x; b += THREADS) squares = squares + loaded(p.partials + b);
  const f64 norm = sqrt(real_of(block_sum(squares, warps)));
  const u64 locked = (u64)p.reals[LOCKED], step = (u64)p.reals[STEP];
  wide *const column = p.columns + step * p.column_length;
  wide sum = wide{};
  for (u64 i = threadIdx.x; i <= step; i += THREADS) {
    const wide h = p.first[locked + i] + p.second[locked + i];
    column[i] = h;
    sum = sum + p.left[i] * h;
  }
  sum = block_sum(sum, warps);
  if (threadIdx.x != 0) return;
  column[step + 1] = wide{norm};
  const wide left = (wide{} - sum) / wide{norm};
  p.left[step + 1] = left;
  p.reals[SQUARES] += real_of(conjugated(left) * left);
  p.reals[NORM] = norm;
}

// Divides the next vector by its norm, and counts the step.
KERNEL(arnoldi_unit) {
  if (!*p.going) return;
  const f64 norm = p.reals[NORM], by = norm > 0 ? 1 / norm : 0;
  value *const next = p.basis + rows_of(p) * p.length;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < p.length; i += (u64)gridDim.x * THREADS) {
    const value x = scaled(next[i], by);
    next[i] = x;
    p.vector[i] = x;
  }
  if (!ends_last(p.ticket) || threadIdx.x != 0) return;
  const f64 step = p.reals[STEP] += 1;
  *p.going = step < p.reals[LIMIT] && norm > 0 && isfinite(norm) && p.reals[BETA] > p.reals[BOUND] * sqrt(p.reals[SQUARES]);
}

#undef KERNEL
