// Incomplete factorisations without fill-in, of a sparse matrix in compressed rows: LU on the pattern of the matrix, or L L^H on that of
// its lower triangle. Before it: `value`, `index`, `word`, COMPLEX, `published.cuh` and the parameter struct.
//
// A warp has a row, and each of its lanes every 32nd entry. It eliminates the columns before the diagonal in order; the elements of
// earlier rows are read as soon as their warps publish them. Blocks take their rows in the order in which they start: a warp waits only
// for blocks that are running. Each entry is updated in the order of the columns: no bit depends on the schedule.
//
// Entries are sorted by column. Pointers and columns may be wrong, which their check reports later: no element outside of the arrays is
// accessed, and a warp publishes all entries of its row.

constexpr u32 THREADS = 128, WARPS = THREADS / 32;

DEVICE f32 real_part(f32 x) { return x; }
DEVICE f64 real_part(f64 x) { return x; }
DEVICE bool is_number(f32 x) { return x - x == 0; }
DEVICE bool is_number(f64 x) { return x - x == 0; }
#if COMPLEX
template <class T> DEVICE T real_part(complex<T> x) { return x.re; }
template <class T> DEVICE bool is_number(complex<T> x) { return is_number(x.re) && is_number(x.im); }
DEVICE value real_value(decltype(value::re) x) { return {x, 0}; }
#else
DEVICE value real_value(value x) { return x; }
#endif

// The entries of a row.
struct span {
  i64 from, to;
};
DEVICE span entries_of(const params &p, u64 row) {
  i64 from = (i64)p.ends[row], to = (i64)p.ends[row + 1];
  if (from < 0) from = 0;
  if (to > (i64)p.entries) to = (i64)p.entries;
  return {from, to};
}
// Returns the position of the entry of a row in a column, or -1.
DEVICE i64 find(const params &p, u64 row, i64 column) {
  const span s = entries_of(p, row);
  i64 low = s.from, high = s.to;
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if ((i64)p.columns[middle] < column) low = middle + 1; else high = middle;
  }
  return low < s.to && (i64)p.columns[low] == column ? low : -1;
}

extern "C" __global__ void __launch_bounds__(THREADS) incomplete_diagonals(const __grid_constant__ params p) {
  const u64 row = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (row >= p.rows) return;
  const i64 at = find(p, row, (i64)row);
  p.diagonals[row] = (index)at;
  if (at < 0) atomicMin(p.failed, row);
}

extern "C" __global__ void __launch_bounds__(THREADS) incomplete_factors(const __grid_constant__ params p) {
  __shared__ u64 number;
  if (threadIdx.x == 0) number = atomicAdd(p.ticket, 1ull) + 1;
  __syncthreads();
  const u64 row = number * WARPS + threadIdx.x / 32;
  if (row >= p.rows) return;
  const u32 lane = threadIdx.x % 32;
  const span own = entries_of(p, row);
  const i64 size = own.to - own.from;
  const index *const columns = p.columns + own.from;
  value *const work = p.work + own.from;
  // A lane has its first entry in registers, and the others in memory that no other lane reads.
  value first = value{};
  i64 first_column = -1;
  if ((i64)lane < size) {
    first = p.values[own.from + lane];
    first_column = (i64)columns[lane];
  }
  for (i64 t = 32 + lane; t < size; t += 32) work[t] = p.values[own.from + t];
  for (i64 e = 0; e < size; ++e) {
    const i64 k = (i64)columns[e];
    if (k < 0 || k >= (i64)row) break;
    const i64 pivot = (i64)p.diagonals[k];
    const u32 owner = (u32)(e % 32);
    value l = first;
    if (e >= 32 && lane == owner) l = work[e];
    l = from_lane(l, owner) / (pivot < 0 ? value{} : await(peek(p.out + pivot), p.out + pivot));
    for (i64 t = e / 32 * 32 + lane; t < size; t += 32) {
      if (t < e) continue;
      value x = t < 32 ? first : work[t];
      if (t == e) {
        x = l;
      } else {
        const i64 column = t < 32 ? first_column : (i64)columns[t];
        value other = l;
        if (!p.cholesky || column != (i64)row) {
          if (column < 0 || (p.cholesky && column > (i64)row)) continue;
          // The element of U in row k and this column, or that of L in the row of this column and column k.
          const i64 at = p.cholesky ? find(p, (u64)column, k) : find(p, (u64)k, column);
          if (at < 0) continue;
          other = await(peek(p.out + at), p.out + at);
        }
        x = x - l * (p.cholesky ? conjugated(other) : other);
      }
      if (t < 32) first = x; else work[t] = x;
    }
  }
  for (i64 t = lane; t < size; t += 32) {
    value x = t < 32 ? first : work[t];
    if ((i64)columns[t] == (i64)row) {
      // A pivot that is none is published as it is: it is part of the error.
      if (p.cholesky) x = real_value(real_part(x));
      const bool good = is_number(x) && (p.cholesky ? real_part(x) > 0 : x != value{});
      if (!good) atomicMin(p.failed, row);
      else if (p.cholesky) x = real_value(sqrt(real_part(x)));
    }
    publish(p.out + own.from + t, x);
  }
}
