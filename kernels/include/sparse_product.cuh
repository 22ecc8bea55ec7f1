// Products of a sparse matrix in compressed rows with a dense vector or matrix, over any semiring. Before it: `index`, `result`,
// GROUP, EACH, and the functions product(result, result) and merge(result, result).
//
// The ends of the rows and the entries are merged into one path, of which a block has PATH steps whatever the lengths of the rows
// (D. Merrill, M. Garland, "Merge-Based Parallel Sparse Matrix-Vector Multiplication", SC 2016). GROUP lanes walk a part of the
// block's path together, each for EACH columns of the dense operand. What a part has of a row that goes on is added to the next part
// in order, and what a block has of such a row by `sparse_carries`: no sum depends on the order of the threads.
//
// Pointers and columns may be wrong, which their check reports later: no element outside of the arrays is accessed.

constexpr u32 PATH = 1024, THREADS = 128, PARTS = THREADS / GROUP, STEPS = PATH / PARTS;

// The row of the path's step `d`: the number of row ends among its first d steps.
extern "C" __global__ void __launch_bounds__(THREADS) sparse_tiles(const __grid_constant__ tile_params p) {
  const u64 tile = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (tile > p.tiles) return;
  const u64 all = p.rows + p.entries, d = tile * PATH < all ? tile * PATH : all;
  u64 low = d > p.entries ? d - p.entries : 0, high = d < p.rows ? d : p.rows;
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if ((i64)p.ends[middle + 1] <= (i64)(d - middle - 1)) low = middle + 1; else high = middle;
  }
  p.starts[tile] = (index)low;
}

// The part of the path that a block has.
struct path_tile {
  u64 row, entry;
  u32 rows, entries;
};

DEVICE path_tile tile_of(const params &p, u64 tile) {
  const u64 all = p.rows + p.entries, first = tile * PATH, last = first + PATH < all ? first + PATH : all;
  const u64 row = (u64)p.starts[tile], end = (u64)p.starts[tile + 1];
  const u64 rows = end > row ? end - row : 0, steps = last - first;
  const u32 many = (u32)(rows < steps ? rows : steps);
  return {row, first - row, many, (u32)steps - many};
}

// Rows of the tile before step d of its part of the path.
DEVICE u32 rows_before(const u32 *ends, path_tile tile, u32 d) {
  u32 low = d > tile.entries ? d - tile.entries : 0, high = d < tile.rows ? d : tile.rows;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    if (ends[middle] <= d - middle - 1) low = middle + 1; else high = middle;
  }
  return low;
}

// A sum of no elements yet, or of some.
struct partial {
  result value;
  bool some;
};

DEVICE void append(partial &sum, result value) {
  sum.value = sum.some ? merge(sum.value, value) : value;
  sum.some = true;
}

extern "C" __global__ void __launch_bounds__(THREADS) sparse_product(const __grid_constant__ params p) {
  __shared__ u32 ends[PATH];
  __shared__ u32 borders[PARTS + 1];
  __shared__ u32 closing[THREADS / 32];
  __shared__ result carries[PARTS * GROUP * EACH];
  __shared__ bool filled[PARTS];
  __shared__ result values[PATH];
#if GROUP > 1
  __shared__ index columns[PATH];
#endif
  const path_tile tile = tile_of(p, blockIdx.x);
  const u32 group = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
  const u64 column = ((u64)blockIdx.y * EACH) * GROUP + lane;
#if GROUP == 1
  const result *const x = p.x + column * p.x_steps[1];
#pragma unroll 8
  for (u32 k = threadIdx.x; k < tile.entries; k += THREADS) {
    const u64 at = tile.entry + k;
    const u64 c = (u64)(i64)p.columns[at];
    values[k] = product(p.values[p.order ? p.order[at] : at], x[(i64)(c < p.x_rows ? c : 0) * p.x_steps[0]]);
  }
#else
#pragma unroll 4
  for (u32 k = threadIdx.x; k < tile.entries; k += THREADS) {
    const u64 at = tile.entry + k;
    const u64 c = (u64)(i64)p.columns[at];
    values[k] = p.values[p.order ? p.order[at] : at];
    columns[k] = c < p.x_rows ? (index)c : 0;
  }
#endif
#pragma unroll 4
  for (u32 k = threadIdx.x; k < tile.rows; k += THREADS) {
    const i64 end = (i64)p.ends[tile.row + k + 1] - (i64)tile.entry;
    ends[k] = end < 0 ? 0 : end < (i64)tile.entries ? (u32)end : tile.entries;
  }
  __syncthreads();
  const u32 steps = tile.rows + tile.entries;
  const u32 from = group * STEPS < steps ? group * STEPS : steps, to = from + STEPS < steps ? from + STEPS : steps;
  const u32 first_row = rows_before(ends, tile, from);
  if (lane == 0) borders[group] = first_row;
  if (threadIdx.x == 0) borders[PARTS] = tile.rows;
  __syncthreads();
  const u32 last_row = borders[group + 1] > first_row ? borders[group + 1] : first_row;
  u32 entry = from - first_row;
  const u32 stop = to > last_row ? to - last_row : 0;
  partial sums[EACH], head[EACH];
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) sums[k] = head[k] = {p.empty.value, false};

  // Adds the entries up to `end` to the sums.
  const auto add = [&](u32 end) {
#if GROUP == 1
    for (; entry < end; ++entry) append(sums[0], values[entry]);
#else
#pragma unroll 4
    for (; entry < end; ++entry) {
      const result value = values[entry];
      const result *const x = p.x + (i64)columns[entry] * p.x_steps[0];
#pragma unroll
      for (u32 k = 0; k < EACH; ++k) {
        const u64 c = column + k * GROUP;
        if (c < p.columns_of_x) append(sums[k], product(value, x[(i64)c * p.x_steps[1]]));
      }
    }
#endif
  };
  // The first row that ends in a part may have begun in an earlier one: it is kept until their carries are known.
#pragma unroll 1
  for (u32 row = first_row; row < last_row; ++row) {
    add(ends[row] < stop ? ends[row] : stop);
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      const u64 c = column + k * GROUP;
      if (row == first_row) head[k] = sums[k];
      else if (c < p.columns_of_x) p.out[(i64)(tile.row + row) * p.out_steps[0] + (i64)c * p.out_steps[1]] = sums[k].value;
      sums[k] = {p.empty.value, false};
    }
  }
  add(stop);
  const bool closes = last_row > first_row;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) carries[(group * EACH + k) * GROUP + lane] = sums[k].value;
  if (lane == 0) filled[group] = sums[0].some;
  const u32 ballot = __ballot_sync(~0u, closes);
  if (threadIdx.x % 32 == 0) closing[threadIdx.x / 32] = ballot;
  __syncthreads();
  // A part that ends a row, and the end of the block, take what the parts since the last end of a row have of theirs.
  const bool last = group == PARTS - 1;
  if (!closes && !last) return;
  // The part in which the last row before `upto` parts ended, or -1.
  const auto closed_before = [&](u32 upto) {
    const u32 thread = upto * GROUP;
    int word = (int)(thread / 32);
    u32 bits = thread % 32 ? closing[word] & ((1u << thread % 32) - 1) : 0;
    while (bits == 0 && --word >= 0) bits = closing[word];
    return bits ? (word * 32 + 31 - __clz((int)bits)) / GROUP : -1;
  };
  const auto carried = [&](u32 upto, u32 k) {
    partial sum = {p.empty.value, false};
    const int closed = closed_before(upto);
    for (u32 part = closed < 0 ? 0 : (u32)closed; part < upto; ++part)
      if (filled[part]) append(sum, carries[(part * EACH + k) * GROUP + lane]);
    return sum;
  };
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 c = column + k * GROUP;
    if (c >= p.columns_of_x) continue;
    if (closes) {
      partial sum = carried(group, k);
      if (head[k].some) append(sum, head[k].value);
      p.out[(i64)(tile.row + first_row) * p.out_steps[0] + (i64)c * p.out_steps[1]] = sum.value;
    }
    if (last && p.carries) p.carries[(u64)blockIdx.x * p.columns_of_x + c] = carried(PARTS, k).value;
  }
}

// Adds what earlier blocks have of the first row that ends in a block.
extern "C" __global__ void __launch_bounds__(THREADS) sparse_carries(const __grid_constant__ params p) {
  const u64 t = (u64)blockIdx.x * THREADS + threadIdx.x, tile = t / p.columns_of_x, column = t % p.columns_of_x;
  if (tile == 0 || tile >= p.tiles) return;
  const path_tile own = tile_of(p, tile);
  if (own.rows == 0 || (u64)p.ends[own.row] >= own.entry) return;
  // The first block whose path begins in the row: the one before it has the row's first entries.
  u64 low = 0, high = tile;
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if ((u64)p.starts[middle] < own.row) low = middle + 1; else high = middle;
  }
  u64 from = low > 0 ? low - 1 : 0;
  result sum = p.carries[from * p.columns_of_x + column];
#pragma unroll 8
  for (++from; from < tile; ++from) sum = merge(sum, p.carries[from * p.columns_of_x + column]);
  result *const out = p.out + (i64)own.row * p.out_steps[0] + (i64)column * p.out_steps[1];
  *out = merge(sum, *out);
}
