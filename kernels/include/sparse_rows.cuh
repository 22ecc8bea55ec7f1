// Products of a sparse matrix whose rows have about equal numbers of entries with a dense vector or matrix, over any semiring. Before it:
// `index`, `result`, EACH, the parameter struct, and the functions product(result, result) and merge(result, result).
//
// Pointers and columns may be wrong, which their check reports later: no element outside of the arrays is accessed.

constexpr u32 THREADS = 256, CAPACITY = 2048;

// The position of a product in shared memory: rows whose lengths are a multiple of the number of banks begin in different banks.
DEVICE u32 slot(u32 k) { return k + k / 32; }

// Any value of a lane `lanes` above.
template <class T> DEVICE T shuffled_down(T x, u32 lanes) {
  constexpr u32 WORDS = (sizeof(T) + 3) / 4;
  union {
    T value;
    u32 words[WORDS];
  } bits;
  bits.words[WORDS - 1] = 0;
  bits.value = x;
#pragma unroll
  for (u32 k = 0; k < WORDS; ++k) bits.words[k] = __shfl_down_sync(~0u, bits.words[k], lanes);
  return bits.value;
}

DEVICE i64 bounded(i64 x, i64 low, i64 high) { return x < low ? low : x < high ? x : high; }

// Returns the element of the vector that an entry of a column is multiplied by.
template <bool CONTIGUOUS> DEVICE result factor_of(const params &p, index column) {
  // A column of 32 bits is compared in 32 bits.
  const bool inside = sizeof(index) == 4 && p.x_rows <= 0x7fffffffu ? (u32)column < (u32)p.x_rows : (u64)(i64)column < p.x_rows;
  const i64 c = inside ? (i64)column : 0;
  return p.x[CONTIGUOUS ? c : c * p.x_steps[0]];
}

// The entries of a row whose loads are on their way together in `sparse_rows_short`.
constexpr u32 SHORT = 6;

// A thread has a row of few entries, and reads them directly: those of its neighbours are in the same cache lines. Instructions bound it
// if they are many, so that the common cases, values in order or not and a contiguous vector, have addresses of their own.
template <bool ORDERED, bool CONTIGUOUS> DEVICE void short_row(const params &p, u64 row) {
  const i64 from = bounded((i64)p.ends[row], 0, (i64)p.entries), to = bounded((i64)p.ends[row + 1], from, (i64)p.entries);
  const u64 length = (u64)(to - from);
  const u32 few = length < SHORT ? (u32)length : SHORT;
  const index *columns = p.columns + from, *order = p.order + from;
  const result *values = p.values + from;
  const auto value_of = [&](u64 k) { return ORDERED ? p.values[order[k]] : values[k]; };
  index chosen[SHORT], at[SHORT];
  result stored[SHORT], factors[SHORT], sum = p.empty.value;
#pragma unroll
  for (u32 k = 0; k < SHORT; ++k)
    if (k < few) {
      chosen[k] = columns[k];
      if (ORDERED) at[k] = order[k];
      else stored[k] = values[k];
    }
#pragma unroll
  for (u32 k = 0; k < SHORT; ++k)
    if (k < few) {
      if (ORDERED) stored[k] = p.values[at[k]];
      factors[k] = factor_of<CONTIGUOUS>(p, chosen[k]);
    }
#pragma unroll
  for (u32 k = 0; k < SHORT; ++k) {
    if (k >= few) break;
    const result one = product(stored[k], factors[k]);
    sum = k == 0 ? one : merge(sum, one);
  }
#pragma unroll 1
  for (u64 k = SHORT; k < length; ++k) sum = merge(sum, product(value_of(k), factor_of<CONTIGUOUS>(p, columns[k])));
  p.out[(i64)row * p.out_steps[0]] = sum;
}

extern "C" __global__ void __launch_bounds__(THREADS) sparse_rows_short(const __grid_constant__ params p) {
  const u64 row = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (row >= p.rows) return;
  if (p.x_steps[0] == 1)
    p.order ? short_row<true, true>(p, row) : short_row<false, true>(p, row);
  else
    p.order ? short_row<true, false>(p, row) : short_row<false, false>(p, row);
}

// Multiplies entries by their factors, in their order. As for short rows, the common case has addresses of its own. Loads that depend on
// each other are apart, so that those of several entries are on their way together.
template <bool PLAIN> DEVICE void multiply_entries(const params &p, i64 start, u32 count, result *products) {
  constexpr u32 ITEMS = sizeof(result) <= 4 ? 8 : sizeof(result) <= 8 ? 5 : 3;
  const index *const own_columns = p.columns + start;
  const result *const own_values = p.values + start;
#pragma unroll 1
  for (u32 base = threadIdx.x; base < count; base += ITEMS * THREADS) {
    index columns[ITEMS];
    i64 positions[ITEMS];
    result values[ITEMS], factors[ITEMS];
#pragma unroll
    for (u32 k = 0; k < ITEMS; ++k) {
      const u32 i = base + k * THREADS;
      if (i >= count) break;
      columns[k] = own_columns[i];
      if (PLAIN) values[k] = own_values[i];
      else positions[k] = p.order ? (i64)p.order[start + i] : start + i;
    }
#pragma unroll
    for (u32 k = 0; k < ITEMS; ++k) {
      if (base + k * THREADS >= count) break;
      if (!PLAIN) values[k] = p.values[positions[k]];
      factors[k] = factor_of<PLAIN>(p, columns[k]);
    }
#pragma unroll
    for (u32 k = 0; k < ITEMS; ++k) {
      const u32 i = base + k * THREADS;
      if (i >= count) break;
      products[slot(i)] = product(values[k], factors[k]);
    }
  }
}

// A block multiplies the entries of its rows, and 2^lanes_log2 lanes add those of a row.
extern "C" __global__ void __launch_bounds__(THREADS) sparse_rows(const __grid_constant__ params p) {
  __shared__ result products[CAPACITY + CAPACITY / 32];
  const u32 rows = THREADS >> p.lanes_log2, lanes = 1u << p.lanes_log2;
  const u64 first = (u64)blockIdx.x * rows;
  const u32 many = p.rows - first < rows ? (u32)(p.rows - first) : rows;
  const u32 own = threadIdx.x >> p.lanes_log2, lane = threadIdx.x & (lanes - 1);
  i64 from = 0, to = 0;
  if (own < many) {
    from = (i64)p.ends[first + own];
    to = (i64)p.ends[first + own + 1];
  }
  const i64 start = bounded((i64)p.ends[first], 0, (i64)p.entries);
  const u32 count = (u32)bounded((i64)p.ends[first + many] - start, 0, bounded((i64)p.entries - start, 0, CAPACITY));
  if (!p.order && p.x_steps[0] == 1)
    multiply_entries<true>(p, start, count, products);
  else
    multiply_entries<false>(p, start, count, products);
  __syncthreads();
  const u32 begin = (u32)bounded(from - start, 0, count), end = (u32)bounded(to - start, begin, count), length = end - begin;
  result sum = p.empty.value;
  if (lane < length) {
    sum = products[slot(begin + lane)];
    for (u32 k = lane + lanes; k < length; k += lanes) sum = merge(sum, products[slot(begin + k)]);
  }
#pragma unroll 1
  for (u32 step = lanes / 2; step > 0; step /= 2) {
    const result other = shuffled_down(sum, step);
    if (lane < step && lane + step < length) sum = merge(sum, other);
  }
  if (lane == 0 && own < many) p.out[(i64)(first + own) * p.out_steps[0]] = sum;
}

// The adjacent elements of a lane. One element is aligned as its parts are.
#if EACH > 1
struct __align__(sizeof(result) * EACH) pack {
#else
struct pack {
#endif
  result of[EACH];
};

// A row has 2^lanes_log2 lanes, and a lane EACH adjacent columns of the dense operand: rows are contiguous and aligned unless it is 1.
extern "C" __global__ void __launch_bounds__(THREADS) sparse_rows_dense(const __grid_constant__ params p) {
  const u64 row = ((u64)blockIdx.x * THREADS + threadIdx.x) >> p.lanes_log2;
  const u32 lane = threadIdx.x & ((1u << p.lanes_log2) - 1);
  const u64 column = (((u64)blockIdx.y << p.lanes_log2) + lane) * EACH;
  if (row >= p.rows || column >= p.columns_of_x) return;
  const i64 from = bounded((i64)p.ends[row], 0, (i64)p.entries), to = bounded((i64)p.ends[row + 1], from, (i64)p.entries);
  pack sum;
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) sum.of[e] = p.empty.value;
#pragma unroll 4
  for (i64 k = from; k < to; ++k) {
    const u64 c = (u64)(i64)p.columns[k];
    const result value = p.values[p.order ? (i64)p.order[k] : k];
    const pack x = *(const pack *)(p.x + (i64)(c < p.x_rows ? c : 0) * p.x_steps[0] + (i64)column * p.x_steps[1]);
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      const result one = product(value, x.of[e]);
      sum.of[e] = k == from ? one : merge(sum.of[e], one);
    }
  }
  *(pack *)(p.out + (i64)row * p.out_steps[0] + (i64)column * p.out_steps[1]) = sum;
}
