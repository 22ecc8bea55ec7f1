// Lexicographic sort of the rows of a table: a stable merge sort of the row numbers. Rows are not moved. They are
// compared in parts of a few elements, each part with a sort of its own: no comparison is long, and the sorts run in
// parallel however few rows there are. The ranks of the rows in their parts form a narrower table, in which they have
// the same order.
//
// Required before it: sort_key.cuh and key_of.
constexpr int THREADS = 256;
constexpr int ITEMS = 4;
constexpr int TILE = THREADS * ITEMS;

// Negative, zero or positive if row a precedes row b, is equal in this part, or follows it.
DEVICE int compared(const params &p, u64 part, u64 a, u64 b) {
  const u64 from = part * p.part_length, left = p.length - from;
  const u32 n = left < p.part_length ? (u32)left : p.part_length;
  const raw *x = (const raw *)p.input + a * p.length + from, *y = (const raw *)p.input + b * p.length + from;
#pragma unroll 1
  for (u32 i = 0; i < n; ++i) {
    const key of_x = key_of(x[i]), of_y = key_of(y[i]);
    if (!same_key(of_x, of_y)) return less_key(of_x, of_y) ? -1 : 1;
  }
  return 0;
}

// Returns the number of items of the first run among the first `at` items of two merged sorted runs (O. Green, R.
// McColl, D. Bader, "GPU merge path", 2012).
template <class T, class F> DEVICE u64 share_of_first(const T *a, u64 of_a, const T *b, u64 of_b, u64 at, F before) {
  u64 low = at > of_b ? at - of_b : 0, high = at < of_a ? at : of_a;
#pragma unroll 1
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if (before(b[at - 1 - middle], a[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Merges ITEMS items of two runs, from item `at` on: fewer where the runs end. Equal items of the first run precede
// those of the second.
template <class T, class F> DEVICE void merge_items(const T *a, u32 of_a, const T *b, u32 of_b, u32 at, T *out, F before) {
  const u32 end = at + ITEMS < of_a + of_b ? at + ITEMS : of_a + of_b;
  if (at >= end) return;
  u32 i = (u32)share_of_first(a, of_a, b, of_b, at, before), j = at - i;
#pragma unroll 1
  for (u32 k = at; k < end; ++k) {
    const bool second = i == of_a || (j < of_b && before(b[j], a[i]));
    *out++ = second ? b[j++] : a[i++];
  }
}

// Tiles of a part, or `per_block` whole parts: runs of TILE rows and the ends of parts.
extern "C" __global__ void __launch_bounds__(THREADS) sort_table_tiles(const __grid_constant__ params p) {
  __shared__ u16 items[2][TILE];
  const u64 tile = blockIdx.x % p.tiles, part = (u64)(blockIdx.x / p.tiles) * p.per_block, base = tile * TILE;
  const u32 rows = p.rows - base < TILE ? (u32)(p.rows - base) : TILE;
  const u32 valid = (p.parts - part < p.per_block ? (u32)(p.parts - part) : p.per_block) * rows;
  const auto before = [&](u32 a, u32 b) {
    // The padding of the tile stays after all rows.
    if (a >= valid || b >= valid) return a < b;
    const u32 of_a = a / rows, of_b = b / rows;
    if (of_a != of_b) return of_a < of_b;
    return compared(p, part + of_a, base + (a - of_a * rows), base + (b - of_b * rows)) < 0;
  };
  const u32 t = threadIdx.x, at = t * ITEMS;
  u16 *own = items[0] + at;
#pragma unroll 1
  for (u32 i = 0; i < ITEMS; ++i) {
    const u16 item = (u16)(at + i);
    u32 slot = i;
#pragma unroll 1
    for (; slot > 0 && before(item, own[slot - 1]); --slot) own[slot] = own[slot - 1];
    own[slot] = item;
  }
  u32 now = 0;
#pragma unroll 1
  for (u32 run = ITEMS; run < valid; run *= 2) {
    __syncthreads();
    const u16 *a = items[now] + (at & ~(2 * run - 1));
    merge_items(a, run, a + run, run, at & (2 * run - 1), items[now ^ 1] + at, before);
    now ^= 1;
  }
  __syncthreads();
  i64 *out = (i64 *)p.out + part * p.rows + base;
  for (u32 k = t; k < valid; k += THREADS) out[k] = (i64)(base + items[now][k] % rows);
}

// Merges adjacent runs of `run` rows of each part, with one block for each tile of the result.
extern "C" __global__ void __launch_bounds__(THREADS) sort_table_merge(const __grid_constant__ params p) {
  __shared__ i64 items[TILE];
  __shared__ u64 shares[2];
  const u64 part = blockIdx.x / p.tiles, begin = (u64)(blockIdx.x % p.tiles) * TILE, group = begin / (2 * p.run) * (2 * p.run);
  const u64 left = p.rows - group, of_a = left < p.run ? left : p.run;
  const u64 of_b = left - of_a < p.run ? left - of_a : p.run, at = begin - group;
  const u64 end = at + TILE < of_a + of_b ? at + TILE : of_a + of_b;
  const i64 *a = (const i64 *)p.order + part * p.rows + group, *b = a + of_a;
  const auto before = [&](i64 x, i64 y) { return compared(p, part, x, y) < 0; };
  const u32 t = threadIdx.x;
  if (t < 2) shares[t] = share_of_first(a, of_a, b, of_b, t == 0 ? at : end, before);
  __syncthreads();
  const u64 first_of_a = shares[0], first_of_b = at - first_of_a;
  // Clamped to the tile in case the elements have changed between the two searches.
  const u64 share = shares[1] < first_of_a ? 0 : shares[1] - first_of_a;
  const u32 all = (u32)(end - at), mine = share < all ? (u32)share : all;
  for (u32 k = t; k < all; k += THREADS) items[k] = k < mine ? a[first_of_a + k] : b[first_of_b + (k - mine)];
  __syncthreads();
  i64 *out = (i64 *)p.out + part * p.rows + begin + t * ITEMS;
  merge_items(items, mine, items + mine, all - mine, t * ITEMS, out, before);
}

// Writes for each row and part the number of rows that precede it. For a single part, instead: true if a row of the
// order differs from the one before it.
extern "C" __global__ void __launch_bounds__(THREADS) sort_table_ranks(const __grid_constant__ params p) {
#pragma unroll 1
  for (u64 e = (u64)blockIdx.x * THREADS + threadIdx.x; e < p.parts * p.rows; e += (u64)gridDim.x * THREADS) {
    const u64 part = e / p.rows, j = e - part * p.rows;
    const i64 *order = (const i64 *)p.order + part * p.rows, row = order[j];
    const bool differs = j == 0 || compared(p, part, order[j - 1], row) != 0;
    if (p.differs) {
      ((bool *)p.differs)[j] = differs;
      continue;
    }
    u64 low = differs ? j : 0, high = differs ? j : j - 1;
#pragma unroll 1
    while (low < high) {
      const u64 middle = (low + high) / 2;
      if (compared(p, part, order[middle], row) == 0) high = middle;
      else low = middle + 1;
    }
    ((i64 *)p.out)[row * p.parts + part] = (i64)low;
  }
}
