// A step of the Arnoldi process: the product of an operator with the last vector of an orthonormal basis is orthogonalised against all of
// them, twice (L. Giraud, J. Langou, M. Rozloznik, "The loss of orthogonality in the Gram-Schmidt orthogonalization process", 2005), and
// becomes the next vector. The number of the step is read from memory, so that a graph may repeat the kernels. Before it:
// krylov_arithmetic.cuh, the parameter struct and SLAB, half of THREADS.
//
// The second kernel subtracts the first projection of a slab of the vector and computes the inner products of the second one while the
// rows of the basis are in the cache. The norm of the residual of the least-squares problem of GMRES is that at the beginning divided by
// the norm of the vector from the left, with the first element 1, whose products with all columns of coefficients are zero.

enum { STEP, LIMIT, LOCKED, BETA, BOUND, SQUARES, NORM };

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ params p)

// The number of vectors that the next one is orthogonalised against.
DEVICE u64 rows_of(const params &p) { return (u64)p.reals[LOCKED] + (u64)p.reals[STEP] + 1; }

// Passes the elements of a slab of a vector without its projection on the rows to `store(k, x)`. Two threads share an element: one adds
// the products of the even rows, one those of the odd rows.
template <class Store>
DEVICE void subtract(const params &p, const wide *of, u64 rows, u64 from, u32 many, const value *vector, Store store) {
  __shared__ wide odd[SLAB];
  const u32 k = threadIdx.x % SLAB, parity = threadIdx.x / SLAB;
  wide sum = wide{};
  if (k < many) {
    const value *const at = p.basis + from + k;
#pragma unroll 8
    for (u64 row = parity; row < rows; row += 2) sum = sum + of[row] * widened(at[row * p.length]);
    if (parity) odd[k] = sum;
  }
  __syncthreads();
  if (k < many && !parity) store(k, narrowed(widened(vector[from + k]) - (sum + odd[k])));
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

// Returns the number of elements of the slab at `from`.
DEVICE u32 slab_size(const params &p, u64 from) { return p.length - from < SLAB ? (u32)(p.length - from) : SLAB; }

// Has `fill(slab, from, many)` store a slab after the other, and adds the inner products of the rows with them to `out`.
template <class Fill> DEVICE void project(const params &p, u64 rows, wide *out, Fill fill) {
  __shared__ value slab[SLAB];
  bool begins = true;
#pragma unroll 1
  for (u64 from = (u64)blockIdx.x * SLAB; from < p.length; from += (u64)gridDim.x * SLAB) {
    const u32 many = slab_size(p, from);
    __syncthreads();
    fill(slab, from, many);
    __syncthreads();
    add_products(p, rows, from, many, slab, begins);
    begins = false;
  }
  if (ends_last(p.ticket)) add_blocks(p, rows, out);
}

KERNEL(arnoldi_first) {
  if (!*p.going) return;
  project(p, rows_of(p), p.first, [&](value *slab, u64 from, u32 many) {
    if (threadIdx.x < many) slab[threadIdx.x] = p.product[from + threadIdx.x];
  });
}

KERNEL(arnoldi_second) {
  if (!*p.going) return;
  const u64 rows = rows_of(p);
  value *const next = p.basis + rows * p.length;
  project(p, rows, p.second, [&](value *slab, u64 from, u32 many) {
    subtract(p, p.first, rows, from, many, p.product, [&](u32 k, value x) { next[from + k] = slab[k] = x; });
  });
}

// Subtracts the second projection; the last block writes the column of coefficients.
KERNEL(arnoldi_column) {
  __shared__ wide warps[THREADS / 32];
  if (!*p.going) return;
  const u64 rows = rows_of(p);
  value *const next = p.basis + rows * p.length;
  wide squares = wide{};
#pragma unroll 1
  for (u64 from = (u64)blockIdx.x * SLAB; from < p.length; from += (u64)gridDim.x * SLAB) {
    __syncthreads();
    subtract(p, p.second, rows, from, slab_size(p, from), next, [&](u32 k, value x) {
      next[from + k] = x;
      squares = squares + inner(x, x);
    });
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
