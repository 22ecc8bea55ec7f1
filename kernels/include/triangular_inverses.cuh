// Inverses of the dense diagonal blocks of a sparse triangular matrix in compressed rows. Before it: `value`, `index`, COMPLEX and the
// parameter struct.
//
// A block has one warp and one panel: consecutive rows, at most PANEL. A lane computes a column of the inverse by substitution, in the
// order of the rows, so that no bit depends on the schedule.
//
// The product with an inverse X of a triangle A has a residual of at most a few units in the last place of |A| |X| |b| (N. J. Higham,
// "Accuracy and Stability of Numerical Algorithms", 2nd edition, SIAM 2002, chapter 14): the panel is stable if |A| |X| r is not much larger
// than r, whose elements are the largest ones of the rows of A. For transposed systems this holds for the transposes and the columns.
// Rows and columns of other sizes change neither.

constexpr u32 PANEL = 32, STRIDE = PANEL + 1;

// The growth of r up to which an inverse is used.
constexpr f64 MOST_GROWTH = 1e4;

#if COMPLEX
DEVICE f64 size_of(value x) { return fabs((f64)x.re) + fabs((f64)x.im); }
DEVICE value number(f64 x) { return {(decltype(value::re))x, 0}; }
#else
DEVICE f64 size_of(value x) { return fabs((f64)x); }
DEVICE value number(f64 x) { return (value)x; }
#endif

extern "C" __global__ void __launch_bounds__(32) triangular_inverses(const __grid_constant__ params p) {
  // Rows and columns in the order of the solution: both triangles are lower ones.
  __shared__ __align__(16) unsigned char bytes[2 * PANEL * STRIDE * sizeof(value)];
  __shared__ f64 row_sizes[PANEL], column_sizes[PANEL], of_rows[PANEL], of_columns[PANEL];
  value *const a = (value *)bytes, *const x = a + PANEL * STRIDE;
  const u32 lane = threadIdx.x, panel = blockIdx.x;
  const i32 slot = p.slots[panel];
  if (slot < 0) return;
  const u64 first = p.starts[panel];
  const u32 size = p.starts[panel + 1] - (u32)first;
  for (u32 r = 0; r < PANEL; ++r) a[r * STRIDE + lane] = x[r * STRIDE + lane] = value{};
  __syncwarp();
  for (u32 r = 0; r < size; ++r) {
    // Of the other triangle there are no entries: those of the panel are the last or the first of a row.
    const i64 from = (i64)p.ends[first + r], to = (i64)p.ends[first + r + 1], at = p.backward ? from + lane : to - 1 - lane;
    if (at < from || at >= to) continue;
    const u64 column = (u64)(i64)p.columns[at] - first;
    if (column >= size) continue;
    const u32 i = p.backward ? size - 1 - r : r, j = p.backward ? size - 1 - (u32)column : (u32)column;
    a[i * STRIDE + j] = p.unit && i == j ? number(1) : p.values[at];
  }
  __syncwarp();
  if (p.unit && lane < size) a[lane * STRIDE + lane] = number(1);
  __syncwarp();
  for (u32 i = lane; i < size; ++i) {
    value rest = number(i == lane ? 1 : 0);
    for (u32 k = lane; k < i; ++k) rest = rest - a[i * STRIDE + k] * x[k * STRIDE + lane];
    x[i * STRIDE + lane] = p.unit ? rest : rest / a[i * STRIDE + i];
  }
  f64 of_row = 0, of_column = 0;
  for (u32 k = 0; k < size; ++k) {
    of_row = fmax(of_row, size_of(a[lane * STRIDE + k]));
    of_column = fmax(of_column, size_of(a[k * STRIDE + lane]));
  }
  row_sizes[lane] = of_row;
  column_sizes[lane] = of_column;
  __syncwarp();
  f64 by_rows = 0, by_columns = 0;
  for (u32 k = 0; k < size; ++k) {
    by_rows += size_of(x[lane * STRIDE + k]) * row_sizes[k];
    by_columns += size_of(x[k * STRIDE + lane]) * column_sizes[k];
  }
  of_rows[lane] = by_rows;
  of_columns[lane] = by_columns;
  __syncwarp();
  f64 rows = 0, columns = 0;
  for (u32 k = 0; k < size; ++k) {
    rows += size_of(a[lane * STRIDE + k]) * of_rows[k];
    columns += size_of(a[k * STRIDE + lane]) * of_columns[k];
  }
  // A comparison with NaN is false.
  bool stable = lane >= size || (rows <= MOST_GROWTH * of_row && columns <= MOST_GROWTH * of_column);
  stable = __all_sync(~0u, stable);
  if (lane == 0) p.stable[slot] = stable;
  for (u32 r = 0; r < size; ++r) {
    const u32 i = p.backward ? size - 1 - r : r, j = p.backward ? size - 1 - lane : lane;
    if (lane < size) p.inverses[((u64)slot * PANEL + r) * PANEL + lane] = x[i * STRIDE + j];
  }
}
