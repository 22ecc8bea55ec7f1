// Pointers of compressed rows. Required before it: `index`, the integer type of pointers and coordinates, and the
// parameter structs.

// Returns the number of increasing values that are at most x (RIGHT), or less than x.
template <bool RIGHT> DEVICE u64 bound(const index *values, u64 n, i64 x) {
  u64 low = 0;
  while (n > 0) {
    const u64 half = n / 2;
    const i64 v = (i64)values[low + half];
    if (RIGHT ? v <= x : v < x) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

// The row of each entry: the last one that begins at the entry or before it.
extern "C" __global__ void __launch_bounds__(256) expand_pointers(const __grid_constant__ pointer_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.results) return;
  const u64 after = bound<true>(p.values, p.length, (i64)i);
  p.out[i] = (index)(after > 0 ? after - 1 : 0);
}

// Writes the position at which each row begins among sorted rows; the last pointer is their number.
extern "C" __global__ void __launch_bounds__(256) compress_pointers(const __grid_constant__ pointer_params p) {
  const u64 r = (u64)blockIdx.x * 256 + threadIdx.x;
  if (r < p.results) p.out[r] = (index)bound<false>(p.values, p.length, (i64)r);
}

// Writes the entries of selected rows: for each result the position of its source, and the number of the selected row.
extern "C" __global__ void __launch_bounds__(256) row_entries(const __grid_constant__ row_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.results) return;
  const u64 after = bound<true>(p.ends, p.rows + 1, (i64)i);
  const u64 r = after > 0 ? after - 1 : 0;
  p.out[i] = (index)((i64)p.starts[r] + ((i64)i - (i64)p.ends[r]));
  if (p.row) p.row[i] = (index)r;
}

// The position of the entry at a row and a column, -1 where there is none; columns rise within each row.
extern "C" __global__ void __launch_bounds__(256) find_entries(const __grid_constant__ find_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.results) return;
  const i64 row = (i64)p.row[i], column = (i64)p.column[i];
  i64 found = -1;
  if (row >= 0 && row < p.rows) {
    const i64 last = (i64)p.ends[row + 1], end = last < p.entries ? last : p.entries, first = (i64)p.ends[row];
    if (first >= 0 && first < end) {
      const i64 at = first + (i64)bound<false>(p.indices + first, (u64)(end - first), column);
      if (at < end && (i64)p.indices[at] == column) found = at;
    }
  }
  p.out[i] = (index)found;
}

// Reports coordinates that are negative, or not less than the size of their axis.
extern "C" __global__ void __launch_bounds__(256) check_coordinates(const __grid_constant__ check_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.values_size) return;
  const i64 v = (i64)p.values[i];
  if (v < 0 || v >= p.bound) report_error((error_record *)p.record, p.call, p.function, i, v, p.axis, (u64)p.bound);
}

// Reports pointers that do not begin at 0, that decrease, or that exceed the number of entries; the axis is the number
// of a message.
extern "C" __global__ void __launch_bounds__(256) check_pointers(const __grid_constant__ check_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.values_size) return;
  const i64 v = (i64)p.values[i], least = i > 0 ? (i64)p.values[i - 1] : 0, most = i > 0 ? p.bound : 0;
  if (v < least || v > most) report_error((error_record *)p.record, p.call, p.function, i, v, p.axis, (u64)p.bound);
}
