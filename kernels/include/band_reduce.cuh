// Reduction of a symmetric matrix to BAND diagonals on each side of the main one, a panel of BAND columns at a time. Before it:
// published.cuh, reflection.cuh and the parameter struct.
//
// The matrix has both triangles, and a multiple of BAND rows. The blocks of a panel run at the same time, hold the columns of a
// panel below the band in registers, two rows in each thread, and replace them by the reflectors V of their QR decomposition and its
// triangle R: Q = I - V T V^T. The rest A of the matrix becomes Q^T A Q = A - V Z^T - Z V^T, with
// Z = A V T - 1/2 V T^T (V^T A V) T. The library of matrix products computes A V and the difference.
//
// A step has one exchange: the products of the eliminated column, below its first element, with all columns, and the row of that element.
// The products of the reflector with the columns follow from both, and those with the reflectors before it, from which T does.
constexpr u32 BAND = 32, AT_ONCE = 8;

// Copies one triangle to both, with zeros after the rows of the matrix.
extern "C" __global__ void __launch_bounds__(256) band_mirror(const __grid_constant__ params p) {
  __shared__ f64 tile[32][33];
  const u32 n = p.n, rows = p.rows, tiles = n / 32, x = threadIdx.x % 32, y = threadIdx.x / 32;
  const u32 down = blockIdx.x / tiles * 32, across = blockIdx.x % tiles * 32;
  const bool is_given = p.upper ? across >= down : across <= down;
  // The triangle that is read: the tile, or the one on the other side of the diagonal.
  const u32 from_down = is_given ? down : across, from_across = is_given ? across : down;
  for (u32 r = y; r < 32; r += 8) {
    const u32 row = from_down + r, column = from_across + x;
    tile[r][x] = row < rows && column < rows ? p.source[(u64)row * rows + column] : 0;
  }
  __syncthreads();
  for (u32 r = y; r < 32; r += 8) {
    const bool direct = is_given && (down != across || (p.upper ? x >= r : x <= r));
    p.a[(u64)(down + r) * n + across + x] = direct ? tile[r][x] : tile[x][r];
  }
}

// The panel has the columns from p.first - BAND and the rows from p.first; `p.parts` is at least the number of blocks of any panel.
// A thread has two rows, so that few sums are exchanged, over the lanes of a warp as well as between blocks.
extern "C" __global__ void __launch_bounds__(PANEL_THREADS) band_panel(const __grid_constant__ params p) {
  constexpr u32 WARPS = PANEL_THREADS / 32, ROWS = PANEL_ROWS / PANEL_THREADS;
  __shared__ f64 sums[WARPS][BAND], parts[WARPS][BAND], factors[WARPS][BAND], pivot[BAND], scales[BAND];
  // Products of reflectors, and T; the first block computes them.
  __shared__ f64 products[BAND][BAND + 1], triangle[BAND][BAND + 1];
  const u32 n = p.n, first = p.first, lane = threadIdx.x % 32, warp = threadIdx.x / 32, blocks = gridDim.x;
  const u32 row = blockIdx.x * PANEL_ROWS + threadIdx.x;
  const bool leads = blockIdx.x == 0;
  f64 *const a = p.a + (u64)(first - BAND) * n + first;
  f64 *exchange = p.exchange + (u64)(first - BAND) * (p.parts + 1) * BAND;
  f64 x[ROWS][BAND];
#pragma unroll
  for (u32 i = 0; i < ROWS; ++i) {
    const u32 r = row + i * PANEL_THREADS;
#pragma unroll
    for (u32 j = 0; j < BAND; ++j) x[i][j] = r < n - first ? a[(u64)j * n + r] : 0;
  }
  // In step k, x[i][j] is an element of column (j + k) % BAND, so that the registers are known to the compiler.
#pragma unroll 1
  for (u32 k = 0; k < BAND; ++k, exchange += (p.parts + 1) * BAND) {
    f64 own[ROWS], dots[BAND];
#pragma unroll
    for (u32 i = 0; i < ROWS; ++i) {
      own[i] = i > 0 || row > k ? x[i][0] : 0;
#pragma unroll
      for (u32 j = 0; j < BAND; ++j) dots[j] = i == 0 ? own[i] * x[i][j] : fma(own[i], x[i][j], dots[j]);
    }
    sums[warp][lane] = sums_of_warp(dots);
    if (row == k) {
#pragma unroll
      for (u32 j = 0; j < BAND; ++j) pivot[j] = x[0][j];
    }
    __syncthreads();
    if (warp == 0) {
      f64 sum = sums[0][lane];
#pragma unroll
      for (u32 i = 1; i < WARPS; ++i) sum += sums[i][lane];
      publish(exchange + blockIdx.x * BAND + lane, sum);
    }
    const f64 *const pivots = exchange + blocks * BAND + lane;
    if (leads && warp == 1) publish((f64 *)pivots, pivot[lane]);
    f64 at_pivot = peek(pivots), total = 0;
#pragma unroll 1
    for (u32 from = warp; from < blocks; from += WARPS * AT_ONCE) {
      f64 part[AT_ONCE];
#pragma unroll
      for (u32 i = 0; i < AT_ONCE; ++i) part[i] = from + i * WARPS < blocks ? peek(exchange + (from + i * WARPS) * BAND + lane) : 0;
#pragma unroll
      for (u32 i = 0; i < AT_ONCE; ++i)
        if (from + i * WARPS < blocks) total += await(part[i], exchange + (from + i * WARPS) * BAND + lane);
    }
    parts[warp][lane] = total;
    at_pivot = await(at_pivot, pivots);
    __syncthreads();
    total = parts[0][lane];
#pragma unroll
    for (u32 i = 1; i < WARPS; ++i) total += parts[i][lane];
    const reflection by = reflection_of(__shfl_sync(~0u, at_pivot, 0), __shfl_sync(~0u, total, 0));
    // The products of v with the columns; before the column of this step they are reflectors.
    const f64 product = fma(by.inverse, total, at_pivot);
    const u32 column = lane + k;
    factors[warp][lane] = lane > 0 && column < BAND ? -by.scale * product : 0;
    if (leads && warp == 0 && column >= BAND) products[column - BAND][k] = product;
    if (leads && threadIdx.x == 0) scales[k] = by.scale;
    __syncwarp();
#pragma unroll
    for (u32 i = 0; i < ROWS; ++i) {
      const bool is_pivot = i == 0 && row == k, is_after = i > 0 || row > k;
      const f64 v = is_pivot ? 1 : own[i] * by.inverse, kept = is_pivot ? by.leading : is_after ? v : x[i][0];
#pragma unroll
      for (u32 j = 0; j + 1 < BAND; ++j) x[i][j] = fma(v, factors[warp][j + 1], x[i][j + 1]);
      x[i][BAND - 1] = kept;
    }
    __syncwarp();
  }
#pragma unroll
  for (u32 i = 0; i < ROWS; ++i) {
    const u32 r = row + i * PANEL_THREADS;
    if (r >= n - first) continue;
    f64 *const v = p.vectors + first + r;
#pragma unroll
    for (u32 j = 0; j < BAND; ++j) {
      v[(u64)j * n] = v[(u64)(j + 2 * BAND) * n] = r > j ? x[i][j] : r == j ? 1 : 0;
      if (r <= j) a[(u64)j * n + r] = x[i][j];
    }
  }
  if (!leads || warp > 0) return;
  // Column k of T is -scale T V^T v above its diagonal element, the scale.
#pragma unroll 1
  for (u32 k = 0; k < BAND; ++k) {
    f64 sum = 0;
#pragma unroll 4
    for (u32 i = 0; i < k; ++i) sum = fma(triangle[lane][i], products[i][k], sum);
    triangle[lane][k] = lane < k ? -scales[k] * sum : lane == k ? scales[k] : 0;
  }
  __syncwarp();
#pragma unroll 1
  for (u32 i = 0; i < BAND; ++i) p.triangle[i * BAND + lane] = triangle[i][lane];
}

// Writes the part of V^T A V of PRODUCT_ROWS rows of the panel.
extern "C" __global__ void __launch_bounds__(256) band_products(const __grid_constant__ params p) {
  constexpr u32 TILE = 64;
  __shared__ f64 v[TILE][BAND + 1], image[TILE][BAND + 1];
  const u32 n = p.n, first = p.first + blockIdx.x * PRODUCT_ROWS, x = threadIdx.x % 16, y = threadIdx.x / 16;
  f64 sums[2][2] = {};
#pragma unroll 1
  for (u32 from = first; from < first + PRODUCT_ROWS; from += TILE) {
    for (u32 e = threadIdx.x; e < TILE * BAND; e += 256) {
      const u32 r = e % TILE, j = e / TILE;
      const bool is_row = from + r < n;
      v[r][j] = is_row ? p.vectors[(u64)j * n + from + r] : 0;
      image[r][j] = is_row ? p.images[(u64)j * n + from + r] : 0;
    }
    __syncthreads();
#pragma unroll 4
    for (u32 r = 0; r < TILE; ++r) {
      const f64 one[2] = {v[r][y], v[r][y + 16]}, other[2] = {image[r][x], image[r][x + 16]};
#pragma unroll
      for (u32 i = 0; i < 2; ++i)
#pragma unroll
        for (u32 j = 0; j < 2; ++j) sums[i][j] = fma(one[i], other[j], sums[i][j]);
    }
    __syncthreads();
  }
  f64 *const out = p.products + blockIdx.x * (BAND * BAND);
#pragma unroll
  for (u32 i = 0; i < 2; ++i)
#pragma unroll
    for (u32 j = 0; j < 2; ++j) out[(y + 16 * i) * BAND + x + 16 * j] = sums[i][j];
}

// Writes -Z between the two copies of V, from A V and the parts of V^T A V.
extern "C" __global__ void __launch_bounds__(256) band_vectors(const __grid_constant__ params p) {
  constexpr u32 TILE = 64, EACH = BAND * BAND / 256, COLUMNS = BAND * TILE / 256;
  __shared__ f64 triangle[BAND][BAND], one[BAND][BAND + 1], other[BAND][BAND + 1];
  const u32 n = p.n, t = threadIdx.x, i = t / BAND, j = t % BAND, parts = (n - p.first + PRODUCT_ROWS - 1) / PRODUCT_ROWS;
  f64 sums[EACH] = {};
#pragma unroll 4
  for (u32 part = 0; part < parts; ++part) {
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) sums[e] += p.products[part * (BAND * BAND) + e * 256 + t];
  }
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) {
    one[i + e * 8][j] = sums[e];
    triangle[i + e * 8][j] = p.triangle[e * 256 + t];
  }
  __syncthreads();
  // (V^T A V) T, then half of T^T times that.
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) {
    f64 sum = 0;
#pragma unroll 8
    for (u32 k = 0; k < BAND; ++k) sum = fma(one[i + e * 8][k], triangle[k][j], sum);
    other[i + e * 8][j] = sum;
  }
  __syncthreads();
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) {
    f64 sum = 0;
#pragma unroll 8
    for (u32 k = 0; k < BAND; ++k) sum = fma(triangle[k][i + e * 8], other[k][j], sum);
    one[i + e * 8][j] = 0.5 * sum;
  }
  __syncthreads();
  const u32 row = p.first + blockIdx.x * TILE + t % TILE, from = t / TILE * COLUMNS;
  if (row >= n) return;
  f64 z[COLUMNS] = {};
#pragma unroll 4
  for (u32 k = 0; k < BAND; ++k) {
    const f64 v = p.vectors[(u64)k * n + row], image = -p.images[(u64)k * n + row];
#pragma unroll
    for (u32 c = 0; c < COLUMNS; ++c) z[c] = fma(v, one[k][from + c], fma(image, triangle[k][from + c], z[c]));
  }
#pragma unroll
  for (u32 c = 0; c < COLUMNS; ++c) p.vectors[(u64)(BAND + from + c) * n + row] = z[c];
}
