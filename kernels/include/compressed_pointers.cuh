// Pointers of compressed rows. Required before it: compressed_rows.cuh and the parameter structs.

// The row of each entry: the last one that begins at the entry or before it.
extern "C" __global__ void __launch_bounds__(256) expand_pointers(const __grid_constant__ pointer_params p) {
  __shared__ entry_tile tile;
  visit_rows(p.values, p.length - 1, p.results, tile, [&](u64 i, u64 row) { p.out[i] = (index)row; });
}

// Where each row begins among sorted rows; the last pointer is their number. The entries of a block's rows are found first.
extern "C" __global__ void __launch_bounds__(256) compress_pointers(const __grid_constant__ pointer_params p) {
  __shared__ u64 range[2];
  const u64 start = (u64)blockIdx.x * 1024, end = start + 1024 < p.results ? start + 1024 : p.results;
  if (threadIdx.x < 64) {
    const u64 found = warp_bound<false>(p.values, p.length, (i64)(threadIdx.x < 32 ? start : end - 1));
    if (threadIdx.x % 32 == 0) range[threadIdx.x / 32] = found;
  }
  __syncthreads();
  const u64 first = range[0], many = range[1] > first ? range[1] - first : 0;
#pragma unroll 1
  for (u64 r = start + threadIdx.x; r < end; r += 256) p.out[r] = (index)(first + bound<false>(p.values + first, many, (i64)r));
}

// The entries of chosen rows: for each result the position of its source, and the number of the chosen row.
extern "C" __global__ void __launch_bounds__(256) row_entries(const __grid_constant__ row_params p) {
  __shared__ entry_tile tile;
  visit_rows(p.ends, p.rows, p.results, tile, [&](u64 i, u64 row) {
    p.out[i] = (index)((i64)p.starts[row] + ((i64)i - (i64)p.ends[row]));
    p.row[i] = (index)row;
  });
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

// Reports coordinates that are less than the lowest one, or not less than the size of their axis. The loads of a thread are on their way
// together.
extern "C" __global__ void __launch_bounds__(256) check_coordinates(const __grid_constant__ check_params p) {
  constexpr u32 EACH = 8;
  const u64 start = (u64)blockIdx.x * 256 * EACH + threadIdx.x;
  i64 values[EACH];
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) values[k] = start + k * 256 < p.values_size ? (i64)p.values[start + k * 256] : p.lowest;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 i = start + k * 256;
    const i64 v = values[k];
    if (i < p.values_size && (v < p.lowest || v >= p.bound))
      report_error((error_record *)p.record, p.call, p.function, i, v, p.axis, (u64)p.bound);
  }
}

// Reports pointers that do not begin at 0, that decrease, that exceed the number of entries, or that do not end there; the
// axis is the number of a message.
extern "C" __global__ void __launch_bounds__(256) check_pointers(const __grid_constant__ check_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.values_size) return;
  const i64 v = (i64)p.values[i], least = i + 1 == p.values_size ? p.bound : i > 0 ? (i64)p.values[i - 1] : 0;
  const i64 most = i > 0 || i + 1 == p.values_size ? p.bound : 0;
  if (v < least || v > most) report_error((error_record *)p.record, p.call, p.function, i, v, p.axis, (u64)p.bound);
}

// Counts the entries that have not a greater column than the entry before them in their row, and those that have a smaller one. All entries
// are compared with those before them; what the first entries of rows add is subtracted.
extern "C" __global__ void __launch_bounds__(256) count_descents(const __grid_constant__ descent_params p) {
  constexpr u32 EACH = 8;
  const u64 start = (u64)blockIdx.x * 256 * EACH + threadIdx.x;
  i32 counts[2] = {};
  const auto compare = [&](u64 entry, i32 by) {
    const index before = p.columns[entry - 1], own = p.columns[entry];
    counts[0] += before >= own ? by : 0;
    counts[1] += before > own ? by : 0;
  };
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 i = start + k * 256;
    if (i > 0 && i < p.entries) compare(i, 1);
  }
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 row = start + k * 256;
    if (row >= p.rows) continue;
    const i64 first = (i64)p.ends[row];
    if (first > 0 && first < (i64)p.entries && (i64)p.ends[row + 1] > first) compare((u64)first, -1);
  }
#pragma unroll
  for (u32 c = 0; c < 2; ++c) {
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) counts[c] += __shfl_xor_sync(~0u, counts[c], step);
    if (threadIdx.x % 32 == 0 && counts[c] != 0) atomicAdd(p.counts + c, (u64)(i64)counts[c]);
  }
}

// Finds the largest number of entries of a row.
extern "C" __global__ void __launch_bounds__(256) longest_row(const __grid_constant__ longest_params p) {
  constexpr u32 EACH = 4;
  const u64 start = (u64)blockIdx.x * 256 * EACH + threadIdx.x;
  i64 longest = 0;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 row = start + k * 256;
    const i64 own = row < p.rows ? (i64)p.ends[row + 1] - (i64)p.ends[row] : 0;
    longest = own > longest ? own : longest;
  }
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) {
    const i64 other = __shfl_xor_sync(~0u, longest, step);
    longest = other > longest ? other : longest;
  }
  if (threadIdx.x % 32 == 0 && (u64)longest > *(volatile u64 *)p.longest) atomicMax(p.longest, (u64)longest);
}
