// Union and intersection of two patterns of compressed rows whose columns rise. Each entry is searched in the same row of the other
// pattern. The entries of the first pattern that the second has, too, are flagged, 32 in a word; the number of flags up to an entry says
// how many common entries are before it, and so where it is in the result. Required before it: compressed_rows.cuh and the parameters.

// Returns the number of the first entry of a row whose column is not less than `column`; `found` is set if it is equal.
DEVICE u64 search_row(const params &p, u32 pattern, u64 row, i64 column, bool &found) {
  const i64 size = (i64)p.sizes[pattern], first = (i64)p.ends[pattern][row], last = (i64)p.ends[pattern][row + 1];
  // Pointers may be wrong, which their check reports.
  const i64 from = first < 0 ? 0 : first < size ? first : size, to = last < from ? from : last < size ? last : size;
  const i64 at = from + (i64)bound<false>(p.indices[pattern] + from, (u64)(to - from), column);
  found = at < to && (i64)p.indices[pattern][at] == column;
  return (u64)at;
}

// Returns the number of common entries before entry i of the first pattern, which may be the end.
DEVICE u64 common_before(const params &p, u64 i) {
  const u64 words = (p.sizes[0] + 31) / 32, word = i / 32;
  if (word >= words) return words > 0 ? (u64)p.counts[words - 1] : 0;
  return (u64)p.counts[word] - (u64)__popc(p.flags[word] >> (u32)(i % 32));
}

// Flags the common entries of the first pattern and counts those of each word.
extern "C" __global__ void __launch_bounds__(256) match_entries(const __grid_constant__ params p) {
  __shared__ entry_tile tile;
  const u64 start = (u64)blockIdx.x * TILE;
  visit_rows(p.ends[0], p.rows, p.sizes[0], tile, [&](u64 i, u64 row) {
    bool found;
    search_row(p, 1, row, (i64)p.indices[0][i], found);
    // The row that is here was read by this thread.
    tile.first[(u32)(i - start)] = found;
  });
  __syncthreads();
  const u32 lane = threadIdx.x % 32;
  for (u32 word = threadIdx.x / 32; word < TILE / 32; word += WARPS) {
    const u64 i = start + word * 32 + lane;
    const u32 flags = __ballot_sync(~0u, i < p.sizes[0] && tile.first[word * 32 + lane]);
    if (lane == 0 && i < p.sizes[0]) {
      p.flags[i / 32] = flags;
      p.counts[i / 32] = (index)__popc(flags);
    }
  }
}

template <class T> DEVICE void put_as(u64 out, u64 at, u64 in, u64 from, bool stored) {
  ((T *)out)[at] = stored ? ((const T *)in)[from] : T{};
}

// Writes an element of `bytes` bytes, zero if it is not stored.
DEVICE void put(const params &p, u32 pattern, u64 at, u64 from, bool stored) {
  const u64 out = p.values[pattern], in = p.inputs[pattern];
  switch (p.bytes) {
    case 1: put_as<u8>(out, at, in, from, stored); break;
    case 2: put_as<u16>(out, at, in, from, stored); break;
    case 4: put_as<u32>(out, at, in, from, stored); break;
    case 8: put_as<u64>(out, at, in, from, stored); break;
    default: put_as<uint4>(out, at, in, from, stored);
  }
}

// Writes the entries of a pattern, of the second one those that the first has not. `counts` are the numbers of flags up to the end of
// each word.
extern "C" __global__ void __launch_bounds__(256) write_entries(const __grid_constant__ params p) {
  __shared__ entry_tile tile;
  const u32 own = p.own, other = 1 - own;
  visit_rows(p.ends[own], p.rows, p.sizes[own], tile, [&](u64 i, u64 row) {
    if (p.intersection && !(p.flags[i / 32] >> (u32)(i % 32) & 1)) return;
    const index column = p.indices[own][i];
    bool found;
    const u64 k = search_row(p, other, row, (i64)column, found);
    if (own == 1 && found) return;
    const u64 common = common_before(p, own == 1 ? k : i), at = p.intersection ? common : i + k - common;
    if (at >= p.results) return;
    p.columns[at] = column;
    put(p, own, at, i, true);
    put(p, other, at, k, found);
  });
}

// Writes where the rows of the result begin, and their end.
extern "C" __global__ void __launch_bounds__(256) write_pointers(const __grid_constant__ params p) {
  const u64 row = (u64)blockIdx.x * 256 + threadIdx.x;
  if (row > p.rows) return;
  const u64 a = (u64)p.ends[0][row], b = (u64)p.ends[1][row], common = common_before(p, a);
  p.out[row] = (index)(p.intersection ? common : a + b - common);
}
