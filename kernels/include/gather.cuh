// Indexing with index arrays: reads elements, computes flat positions, or writes elements.
//
// Every operand has the axes of the result. An index array has strides along its own axes and 0 along the others; the
// indexed array has strides along the axes that no index array indexes. The address of an element is its offset in the
// walk plus each index times the stride of its axis.
//
// Required before it: `uindex`; `params`; INDICES (number of index arrays); index_at(p, k, offset) (an index of the k-th
// array, as i64); MODE (for an index out of bounds: 0 to reject it, 1 to wrap, 2 to clip, 3 to reject also negative
// ones); SPLIT (the single index array indexes several axes together); METHOD; and for elements `item` (an integer of
// their size).
constexpr int ITEMS = 4;
constexpr int OFFSET = INDICES;

// The rows of the table of strides: the index arrays, the array, the index number in C order, the stored elements, and
// the flat position.
constexpr int POSITION = INDICES + 1;
constexpr int VALUE = INDICES + 2;
constexpr int CELL = INDICES + 3;

template <int AXES, int ROWS> DEVICE void walk(const params &p, uindex e, i64 (&at)[ROWS]) {
  if (AXES == 1) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) at[r] = (i64)e * p.strides[r][0];
    return;
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) at[r] = 0;
  uindex rest = e;
  u32 d = AXES == 2 ? 2 : p.axes;
#pragma unroll 1
  for (; d > 1; --d) {
    const uindex q = divide(rest, p.sizes[d - 1]);
    const i64 c = (i64)(rest - q * (uindex)p.sizes[d - 1].divisor);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) at[r] += c * p.strides[r][d - 1];
    rest = q;
    if (AXES == 2) break;
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) at[r] += (i64)rest * p.strides[r][0];
}

// Normalises one index to be counted from the front. Returns false for a rejected one, which becomes 0.
DEVICE bool settled(const params &p, int k, i64 &i) {
  const i64 size = p.bounds[k];
  // Without a bound the index is known to be valid.
  if (size == 0) return true;
#if MODE == 0
  const i64 from_front = i + (i < 0 ? size : 0);
  const bool fine = (u64)from_front < (u64)size;
  i = fine ? from_front : 0;
  return fine;
#elif MODE == 1
  if ((u64)i >= (u64)size) {
    i %= size;
    i += i < 0 ? size : 0;
  }
  return true;
#elif MODE == 2
  i = i < 0 ? 0 : i >= size ? size - 1 : i;
  return true;
#else
  const bool fine = (u64)i < (u64)size;
  i = fine ? i : 0;
  return fine;
#endif
}

DEVICE i64 stepped(const params &p, int k, i64 i, const i64 (&steps)[4]) {
#if SPLIT
  return offset_of((uindex)i, p.split_axes, p.split_sizes, p.split_strides);
#else
  return i * steps[k];
#endif
}

// Reports the first of the indices that a thread rejects, in C order: `bad` has a bit for each of its results and each
// array.
template <int AXES> DEVICE void report(const params &p, u64 first, u32 bad) {
  if (!p.record) return;
  u64 position = ~(u64)0;
  i64 offset = 0;
  int which = 0;
#pragma unroll 1
  for (; bad != 0; bad &= bad - 1) {
    const int bit = __ffs(bad) - 1, n = bit % INDICES;
    i64 at[POSITION + 1];
    walk<AXES, POSITION + 1>(p, (uindex)(first + (u64)(bit / INDICES) * 256), at);
    // For one position the bits are in the order of the arrays.
    if ((u64)at[POSITION] >= position) continue;
    position = (u64)at[POSITION];
    which = n;
#pragma unroll
    for (int k = 0; k < INDICES; ++k) offset = k == n ? at[k] : offset;
  }
  const i64 value = index_at(p, which, offset);
  report_error((error_record *)p.record, p.call, p.function, position, value, p.along[which], (u64)p.bounds[which]);
}

#if METHOD == 0
template <int AXES> DEVICE void run(const params &p) {
  const u64 first = (u64)blockIdx.x * (256 * ITEMS) + threadIdx.x;
  i64 offset[ITEMS], index[ITEMS][INDICES];
  item got[ITEMS];
  u32 bad = 0;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const u64 e = first + k * 256;
    offset[k] = 0;
#pragma unroll
    for (int n = 0; n < INDICES; ++n) index[k][n] = 0;
    if (e < p.results) {
      i64 at[INDICES + 1];
      walk<AXES, INDICES + 1>(p, (uindex)e, at);
      offset[k] = at[OFFSET];
#pragma unroll
      for (int n = 0; n < INDICES; ++n) index[k][n] = index_at(p, n, at[n]);
    }
  }
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const u64 e = first + k * 256;
    if (e < p.results) {
#pragma unroll
      for (int n = 0; n < INDICES; ++n) {
        i64 i = index[k][n];
        bad |= (u32)!settled(p, n, i) << (k * INDICES + n);
        offset[k] += stepped(p, n, i, p.steps);
      }
      got[k] = *(const item *)((const char *)p.input + offset[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const u64 e = first + k * 256;
    if (e < p.results) ((item *)p.out)[e] = got[k];
  }
  if (bad != 0) report<AXES>(p, first, bad);
}

#elif METHOD == 1 || METHOD == 2 || METHOD == 4
// Computes the flat position that the indices name among those of the indexed axes, to write it, or to be claimed by
// the last index in C order that names it. A rejected index sets a word that the writing kernel reads.
template <int AXES> DEVICE void run(const params &p) {
  const u64 first = (u64)blockIdx.x * (256 * ITEMS) + threadIdx.x;
  u32 bad = 0;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const u64 e = first + k * 256;
    if (e >= p.results) break;
    i64 at[POSITION + 1];
    walk<AXES, POSITION + 1>(p, (uindex)e, at);
    i64 cell = at[OFFSET];
    bool all = true;
#pragma unroll
    for (int n = 0; n < INDICES; ++n) {
      i64 i = index_at(p, n, at[n]);
      const bool fine = settled(p, n, i);
      bad |= (u32)!fine << (k * INDICES + n);
      all = all && fine;
      cell += stepped(p, n, i, p.steps);
    }
#if METHOD == 1
    if (p.out) ((i64 *)p.out)[e] = cell;
#elif METHOD == 4
    ((u32 *)p.out)[e] = (u32)cell;
#else
    if (all) atomicMax((uindex *)p.out + cell, (uindex)at[POSITION] + 1);
#endif
  }
  if (bad != 0) {
    // All threads that write here write the same value.
    if (p.rejected) *(volatile u32 *)p.rejected = 1u;
    report<AXES>(p, first, bad);
  }
}

#else
// Writes the stored element to the position that the indices name, unless an index of the call was rejected or a later
// one names the same position. The indices are checked again: they are the caller's memory and may have changed.
template <int AXES> DEVICE void run(const params &p) {
  if (p.rejected && *(const u32 *)p.rejected != 0) return;
  const u64 first = (u64)blockIdx.x * (256 * ITEMS) + threadIdx.x;
  i64 index[ITEMS][INDICES], at[ITEMS][CELL + 1];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const u64 e = first + k * 256;
    if (e < p.results) {
      walk<AXES, CELL + 1>(p, (uindex)e, at[k]);
#pragma unroll
      for (int n = 0; n < INDICES; ++n) index[k][n] = index_at(p, n, at[k][n]);
    }
  }
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const u64 e = first + k * 256;
    if (e < p.results) {
      i64 offset = at[k][OFFSET], cell = at[k][CELL];
      bool all = true;
#pragma unroll
      for (int n = 0; n < INDICES; ++n) {
        i64 i = index[k][n];
        all = settled(p, n, i) && all;
        offset += stepped(p, n, i, p.steps);
        cell += SPLIT ? i : i * p.cell_steps[n];
      }
      if (all && p.table) all = ((const uindex *)p.table)[cell] == (uindex)at[k][POSITION] + 1;
      if (all && p.last) all = ((const u8 *)p.last)[at[k][POSITION]] != 0;
      if (all) *(item *)((char *)p.out + offset) = stored(p, at[k][VALUE]);
    }
  }
}
#endif

extern "C" __global__ void __launch_bounds__(256) gather(const __grid_constant__ params p) {
  if (p.axes <= 1)
    run<1>(p);
  else if (p.axes == 2)
    run<2>(p);
  else
    run<0>(p);
}
