// Reduction of a symmetric matrix to tridiagonal form by Householder reflectors. The blocks run at the same time and hold the matrix in
// registers. Before it: published.cuh, reflection.cuh, the parameter struct, THREADS, ROWS and COLUMNS.
//
// Block b has the columns b, b + gridDim.x, ...; a thread has the rows threadIdx.x, threadIdx.x + THREADS, ... of them, of both triangles, so
// that no block adds sums of another one. Each step has one exchange: the products of the matrix with the eliminated column below its first
// element, and the next column as it is before the reflection. The product with the reflector's vector is a sum of both, for which no block
// has waited for the norm. From these all blocks compute the same reflection and the same next column, bit by bit. The reflection of the
// matrix itself and its next products take one pass over the registers.
//
// An element of the exchange is written once, and its bits say that it is known: no block resets it, and there are neither fences nor flags.
constexpr u32 WARPS = THREADS / 32, GROUP = COLUMNS % 8 == 0 ? 8 : COLUMNS % 4 == 0 ? 4 : COLUMNS % 2 == 0 ? 2 : 1;

// The sum of N numbers that are `step` apart.
template <u32 N> DEVICE f64 tree_sum(const f64 *x, u32 step) {
  if constexpr (N == 1) return *x;
  else return tree_sum<N / 2>(x, step) + tree_sum<N / 2>(x + N / 2 * step, step);
}

// The sum over the threads of a block, the same bits in all of them. A barrier is between two uses of `parts`.
DEVICE f64 sum_of_block(f64 x, f64 *parts) {
  x = sum_of_warp(x);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  return tree_sum<WARPS>(parts, 1);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) tridiagonal_reduce(const __grid_constant__ params p) {
  // Columns, of this step and of the one before it, from which the vectors v of the reflectors follow; products of the matrix with the last v;
  // partial sums of norms, of products of two vectors, and of the columns' products.
  __shared__ f64 raw[2][ROWS * THREADS], images[ROWS * THREADS], norms[WARPS], dots[WARPS], products[WARPS * COLUMNS];
  const u32 n = p.n, thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  f64 a[COLUMNS][ROWS], v[ROWS], w[ROWS], column[ROWS];
  const auto element = [&](u32 r, u32 c) {
    // One triangle is read.
    const u32 high = r > c ? r : c, low = r > c ? c : r;
    return p.upper ? p.a[(u64)low * n + high] : p.a[(u64)high * n + low];
  };
#pragma unroll
  for (u32 i = 0; i < ROWS; ++i) {
    const u32 r = i * THREADS + thread;
#pragma unroll
    for (u32 s = 0; s < COLUMNS; ++s) {
      const u32 c = s * gridDim.x + blockIdx.x;
      a[s][i] = r < n && c < n ? element(r, c) : 0;
    }
    column[i] = r < n ? element(r, 0) : 0;
    raw[1][r] = images[r] = v[i] = w[i] = 0;
  }
  __syncthreads();
  f64 inverse_before = 0, scale_before = 0, half_before = 0;
#pragma unroll 1
  for (u32 k = 0; k + 1 < n; ++k) {
    f64 *const own = raw[k % 2], *const before = raw[(k + 1) % 2];
    f64 *const product = p.exchange + (u64)k * 2 * n, *const after = product + n;
    f64 tail = 0, next[ROWS];
#pragma unroll
    for (u32 i = 0; i < ROWS; ++i) {
      const u32 r = i * THREADS + thread;
      next[i] = r > k + 1 && r < n ? column[i] : 0;
      tail = fma(next[i], next[i], tail);
      own[r] = column[i];
      if (r == k && blockIdx.x == 0) p.diagonal[k] = column[i];
    }
#pragma unroll
    for (u32 from = 0; from < COLUMNS; from += GROUP) {
      f64 sums[GROUP];
#pragma unroll
      for (u32 g = 0; g < GROUP; ++g) {
        const u32 s = from + g, c = s * gridDim.x + blockIdx.x;
        sums[g] = 0;
        if (c <= k || c >= n) continue;
        const f64 of_v = before[c] * inverse_before, by_v = -of_v, by_w = -fma(half_before, of_v, scale_before * images[c]);
#pragma unroll
        for (u32 i = 0; i < ROWS; ++i) {
          a[s][i] = fma(v[i], by_w, fma(w[i], by_v, a[s][i]));
          sums[g] = fma(a[s][i], next[i], sums[g]);
        }
        if (c == k + 1) {
#pragma unroll
          for (u32 i = 0; i < ROWS; ++i) {
            const u32 r = i * THREADS + thread;
            if (r > k && r < n) publish(after + r, a[s][i]);
          }
        }
      }
      const f64 sum = sums_of_warp(sums);
      if (lane % (32 / GROUP) == 0) products[warp * COLUMNS + from + lane / (32 / GROUP)] = sum;
    }
    tail = sum_of_block(tail, norms);
    if (thread < COLUMNS) {
      const u32 c = thread * gridDim.x + blockIdx.x;
      if (c > k && c < n) publish(product + c, tree_sum<WARPS>(products + thread, COLUMNS));
    }
    f64 image[ROWS], dot = 0;
#pragma unroll
    for (u32 i = 0; i < ROWS; ++i) {
      const u32 r = i * THREADS + thread;
      const bool is_part = r > k && r < n;
      column[i] = is_part ? peek(after + r) : 0;
      image[i] = is_part ? peek(product + r) : 0;
    }
    const reflection by = reflection_of(own[k + 1], tail);
    const f64 scale = by.scale, inverse = by.inverse;
    if (blockIdx.x == 0 && thread == 0) p.beside[k] = by.leading;
#pragma unroll
    for (u32 i = 0; i < ROWS; ++i) {
      const u32 r = i * THREADS + thread;
      v[i] = r == k + 1 ? 1 : next[i] * inverse;
      if (r > k && r < n) {
        column[i] = await(column[i], after + r);
        image[i] = fma(inverse, await(image[i], product + r), column[i]);
      }
      dot = fma(image[i], v[i], dot);
      images[r] = image[i];
    }
    dot = sum_of_block(dot, dots);
    // w = scale A v - scale^2 / 2 (v^T A v) v. Its elements for the columns of a block are computed again from `images`, which are complete.
    const f64 half = -0.5 * scale * scale * dot, w_first = fma(half, 1.0, scale * images[k + 1]);
#pragma unroll
    for (u32 i = 0; i < ROWS; ++i) {
      w[i] = fma(half, v[i], scale * image[i]);
      column[i] = fma(-v[i], w_first, column[i] - w[i]);
    }
    inverse_before = inverse;
    scale_before = scale;
    half_before = half;
  }
#pragma unroll
  for (u32 i = 0; i < ROWS; ++i)
    if (i * THREADS + thread == n - 1 && blockIdx.x == 0) p.diagonal[n - 1] = column[i];
}
