// Reduction of a symmetric matrix of BAND diagonals on each side of the main one to tridiagonal form, by reflections whose fill is
// eliminated along the band (H. R. Schwarz, "Tridiagonalization of a symmetric band matrix", 1968, with reflectors of BAND elements:
// B. Lang, "A parallel algorithm for reducing symmetric banded matrices to tridiagonal form", 1993). Before it: band_reduce.cuh.
//
// Sweep s eliminates column s below its first element after the diagonal. Window t of it are the BAND rows from s + 1 + BAND t. A block
// has window t of all sweeps: in registers, a row in each lane, one warp has the square B below the diagonal one, whose columns are
// those of the window and whose rows those of the next window, and another one the diagonal square D. In a sweep
//   * a reflection H of the window arrives from the block before it: D becomes H D H, B becomes B H;
//   * the first column of B determines the reflection of the next window, which goes to the next block, and B is multiplied by it;
//   * the window moves by a row and a column: the first column of D, and the first element of that of B, of which the others are zero,
//     go to the block before it. The first row of B is the next last row of D.
// So nothing but these two columns moves between blocks, and all sweeps are under way at the same time. Block 0 eliminates the columns.
//
// Rows move by an index: row i of a window is in lane (i + s) % 32. Columns move by a register, as part of an update.

// Index of a message of window t in sweep s, of which there are n - 1 - BAND t.
DEVICE u64 message(u32 n, u32 t, u32 s) { return (u64)t * n - (u64)(BAND / 2) * t * (t - 1) + s; }

// Sum of products of a lane's numbers with those of a vector.
DEVICE f64 along(const f64 (&x)[BAND], const f64 *v) {
  f64 sums[4] = {};
#pragma unroll
  for (u32 j = 0; j < BAND; j += 4) {
#pragma unroll
    for (u32 i = 0; i < 4; ++i) sums[i] = fma(x[j + i], v[j + i], sums[i]);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The reflection of the column of which a lane has an element, and lane `at` the first one; `index` is that of the element. Publishes its
// vector, whose first element is 1, with the scale as that element.
DEVICE reflection eliminate(f64 x, u32 index, u32 at, f64 *to) {
  const reflection by = reflection_of(__shfl_sync(~0u, x, (int)at), sum_of_warp(index == 0 ? 0 : x * x));
  publish(to + index, index == 0 ? by.scale : x * by.inverse);
  return by;
}

DEVICE void chase_columns(const params &p) {
  const u32 n = p.n, lane = threadIdx.x;
#pragma unroll 1
  for (u32 s = 0; s + 1 < n; ++s) {
    f64 x, diagonal;
    if (s == 0) {
      x = p.a[1 + lane];
      diagonal = p.a[0];
    } else {
      const u64 from = message(n, 0, s - 1);
      const bool is_last = lane == BAND - 1;
      const f64 *const at = is_last ? p.corners + from : p.columns + from * BAND + lane + 1, *const first = p.columns + from * BAND;
      const bool is_known = is_last && s + BAND >= n;
      x = is_known ? 0 : peek(at);
      diagonal = peek(first);
      if (!is_known) x = await(x, at);
      diagonal = await(diagonal, first);
    }
    const reflection by = eliminate(x, lane, 0, p.reflectors + message(n, 0, s) * BAND);
    if (lane == 0) {
      p.diagonal[s] = diagonal;
      p.beside[s] = by.leading;
    }
  }
  if (lane == 0) {
    const f64 *const last = p.columns + message(n, 0, n - 2) * BAND;
    p.diagonal[n - 1] = await(peek(last), last);
  }
}

extern "C" __global__ void __launch_bounds__(64) band_chase(const __grid_constant__ params p) {
  __shared__ __align__(16) f64 vectors[2][BAND], images[2][BAND], edge[2][BAND];
  const u32 n = p.n, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (blockIdx.x == 0) {
    if (warp == 0) chase_columns(p);
    return;
  }
  const bool is_below = warp == 0;
  const u32 t = blockIdx.x - 1, sweeps = n - 1 - BAND * t, after = sweeps > BAND ? sweeps - BAND : 0;
  f64 *const v = vectors[warp], *const image = images[warp];
  f64 x[BAND];
  {
    const u32 c = 1 + BAND * t, r = c + lane + (is_below ? BAND : 0);
#pragma unroll
    for (u32 j = 0; j < BAND; ++j) {
      const u32 column = c + j, low = min(r, column), high = max(r, column);
      x[j] = high < n && high - low <= BAND ? p.a[(u64)low * n + high] : 0;
    }
  }
#pragma unroll 1
  for (u32 s = 0; s < sweeps; ++s) {
    const u64 own = message(n, t, s), next = message(n, t + 1, s);
    const u32 index = (lane - s) % BAND, first = s % BAND, moved = (index - 1) % BAND;
    f64 *const row = edge[s % 2];
    const f64 *const arrived = p.reflectors + own * BAND + lane;
    const f64 element = await(peek(arrived), arrived), scale = __shfl_sync(~0u, element, 0);
    v[lane] = lane == 0 ? 1 : element;
    __syncwarp();
    if (is_below) {
      if (s < after) {
        const f64 by_right = -scale * along(x, v);
        const f64 head = x[0] + by_right;
        const reflection by = eliminate(head, index, first, p.reflectors + next * BAND);
        if (index == 0) publish(p.corners + own, by.leading);
        const f64 left = index == 0 ? 1 : head * by.inverse;
        f64 products[BAND];
#pragma unroll
        for (u32 j = 0; j < BAND; ++j) {
          x[j] = fma(by_right, v[j], x[j]);
          products[j] = left * x[j];
        }
        image[lane] = sums_of_warp(products);
        __syncwarp();
        const f64 by_left = -by.scale * left;
#pragma unroll
        for (u32 j = 0; j + 1 < BAND; ++j) x[j] = fma(by_left, image[j + 1], x[j + 1]);
      }
      // The rows after the last one of the matrix are zero, and so is the whole square once its windows have none.
      if (index == 0) {
#pragma unroll
        for (u32 j = 0; j + 1 < BAND; ++j) {
          row[j] = x[j];
          x[j] = 0;
        }
      }
    } else {
      const f64 part = v[index], product = along(x, v), dot = sum_of_warp(part * product);
      // z = scale D v - scale^2 / 2 (v^T D v) v, and D becomes D - v z^T - z v^T.
      const f64 z = fma(-0.5 * scale * scale * dot, part, scale * product);
      publish(p.columns + own * BAND + index, fma(-part, __shfl_sync(~0u, z, (int)first), x[0] - z));
      image[index] = z;
      __syncwarp();
#pragma unroll
      for (u32 j = 0; j + 1 < BAND; ++j) x[j] = fma(-part, image[j + 1], fma(-z, v[j + 1], x[j + 1]));
    }
    __syncthreads();
    const bool is_last = moved == BAND - 1;
    f64 entering = 0;
    if (s < after) {
      const f64 *const column = p.columns + next * BAND;
      const f64 *const at = is_below ? (is_last ? p.corners + next : column + moved + 1) : column;
      // The last window has nothing below it.
      if (!(is_below && is_last && s + BAND >= after) && (is_below || is_last)) entering = await(peek(at), at);
    }
    if (!is_below) {
      if (is_last) {
#pragma unroll
        for (u32 j = 0; j + 1 < BAND; ++j) x[j] = row[j];
      } else {
        entering = row[moved];
      }
    }
    x[BAND - 1] = entering;
  }
}
