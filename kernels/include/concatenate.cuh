// Concatenation: the result's element e, its axes in memory order, is at x of the row o = e / row, and belongs to the
// last part that begins at or before x. Required before it: `item`, `uindex`, `params`, TABLE (the parts are listed in
// memory, not among the parameters), load(dtype, address) and WALK, which says what a thread has:
// - 0: single elements of any dtypes;
// - 1: chunks, for parts of the result's dtype that are contiguous along the last axis;
// - 2: chunks, for parts of the result's dtype so short that a chunk has elements of several: there are two axes, of
//   which the last is the joined one.
//
// For chunks, chunk.cuh is required, too.
constexpr u32 EACH = WALK == 1 ? 2 : 4;

struct location {
  // The element, the distance to the next one, and the number of elements before the address must be computed anew.
  const char *at;
  i64 step;
  uindex left;
  u32 dtype;
};

#if TABLE
// First the offset of each part and the end of the last one, then for each part its address, its dtype and its strides.
DEVICE u64 start_of(const params &p, u32 k) { return ((const u64 *)p.table)[k]; }
DEVICE u64 entry_of(const params &p, u32 k, u32 j) { return ((const u64 *)p.table)[p.parts + 1 + (u64)k * (2 + p.axes) + j]; }
DEVICE u64 address_of(const params &p, u32 k) { return entry_of(p, k, 0); }
DEVICE u32 dtype_of(const params &p, u32 k) { return (u32)entry_of(p, k, 1); }
DEVICE i64 stride_of(const params &p, u32 k, u32 d) { return (i64)entry_of(p, k, 2 + d); }
#else
DEVICE u64 start_of(const params &p, u32 k) { return p.starts[k]; }
DEVICE u64 address_of(const params &p, u32 k) { return p.inputs[k]; }
DEVICE u32 dtype_of(const params &p, u32 k) { return p.dtypes[k]; }
DEVICE i64 stride_of(const params &p, u32 k, u32 d) { return p.strides[k][d]; }
#endif

// Returns the part that contains position x of a row, among those from k on and before `behind`.
DEVICE u32 part_of(const params &p, uindex x, u32 k, u32 behind) {
#pragma unroll 1
  while (behind - k > 1) {
    const u32 middle = (k + behind) / 2;
    if (start_of(p, middle) <= x) k = middle; else behind = middle;
  }
  return k;
}

#if TABLE
// The same by a warp, which tests 32 parts at once.
DEVICE u32 part_by_warp(const params &p, uindex x) {
  const u32 lane = threadIdx.x % 32;
  u32 k = 0, many = p.parts;
#pragma unroll 1
  while (many > 1) {
    const u32 step = (many + 31) / 32, mine = lane * step;
    const bool before = mine < many && start_of(p, k + mine) <= x;
    const u32 found = (__popc(__ballot_sync(~0u, before)) - 1) * step;
    k += found;
    many = many - found < step ? many - found : step;
  }
  return k;
}
#endif

DEVICE location location_of(const params &p, uindex e, u32 k, u32 behind) {
  const uindex o = divide(e, p.row), x = e - o * (uindex)p.row.divisor;
  k = part_of(p, x, k, behind);
  uindex rest = x - (uindex)start_of(p, k), left = (uindex)(start_of(p, k + 1) - x);
  const u32 last = p.axes - 1;
  i64 at = 0;
#pragma unroll 1
  for (u32 d = last; d > p.joined; --d) {
    const uindex q = divide(rest, p.sizes[d]), r = rest - q * (uindex)p.sizes[d].divisor;
    if (d == last) left = (uindex)p.sizes[d].divisor - r;
    at += (i64)r * stride_of(p, k, d);
    rest = q;
  }
  at += (i64)rest * stride_of(p, k, p.joined);
  rest = o;
#pragma unroll 1
  for (u32 d = p.joined; d > 0; --d) {
    const uindex q = d > 1 ? divide(rest, p.sizes[d - 1]) : 0;
    at += (i64)(rest - q * (uindex)p.sizes[d - 1].divisor) * stride_of(p, k, d - 1);
    rest = q;
  }
  return {(const char *)address_of(p, k) + at, stride_of(p, k, last), left, dtype_of(p, k)};
}

extern "C" __global__ void __launch_bounds__(256) concatenate(const __grid_constant__ params p) {
#if WALK == 0
  // Adjacent threads have adjacent elements, and each has several in flight.
  const u64 first = (u64)blockIdx.x * (256 * EACH) + threadIdx.x;
  item each[EACH];
#pragma unroll
  for (u32 j = 0; j < EACH; ++j) {
    const u64 e = first + j * 256;
    if (e >= p.results) break;
    const location from = location_of(p, (uindex)e, 0, p.parts);
    each[j] = load(from.dtype, from.at);
  }
#pragma unroll
  for (u32 j = 0; j < EACH; ++j) {
    const u64 e = first + j * 256;
    if (e < p.results) ((item *)p.out)[e] = each[j];
  }
#else
  const u64 begin = (u64)blockIdx.x * (256 * EACH * V);
  u32 from_part = 0, behind_part = p.parts;
#if WALK == 1 && TABLE
  // The parts of a block whose elements are in one row: one warp finds the first, another one the last.
  const u64 end = begin + 256 * EACH * V < p.results ? begin + 256 * EACH * V : p.results;
  const uindex o = divide((uindex)begin, p.row);
  __shared__ u32 ends[2];
  if (divide((uindex)(end - 1), p.row) == o) {
    if (threadIdx.x < 64) {
      const uindex e = (uindex)(threadIdx.x < 32 ? begin : end - 1);
      ends[threadIdx.x / 32] = part_by_warp(p, e - o * (uindex)p.row.divisor);
    }
    __syncthreads();
    from_part = ends[0];
    behind_part = ends[1] + 1;
  }
#endif
  chunk c[EACH];
#pragma unroll
  for (u32 u = 0; u < EACH; ++u) {
    const u64 first = begin + (u64)(u * 256 + threadIdx.x) * V;
    if (first >= p.results) break;
    const u32 count = p.results - first < V ? (u32)(p.results - first) : V;
#if WALK == 1
    location from = location_of(p, (uindex)first, from_part, behind_part);
    if (from.left >= V) {
      c[u].all = chunk_at(from.at);
    } else {
#pragma unroll
      for (u32 v = 0; v < V; ++v) {
        if (v >= count) break;
        if (from.left == 0) from = location_of(p, (uindex)(first + v), from_part, behind_part);
        c[u].each[v] = element_at(from.at);
        from.at += ITEM;
        --from.left;
      }
    }
#else
    // One division for a chunk; the part and the row are then tracked from element to element.
    uindex o = divide((uindex)first, p.row), x = (uindex)first - o * (uindex)p.row.divisor;
    u32 k = part_of(p, x, from_part, behind_part);
    uindex inside = x - (uindex)start_of(p, k), left = (uindex)start_of(p, k + 1) - x;
    const char *from[V];
#pragma unroll
    for (u32 v = 0; v < V; ++v) {
      if (left == 0) {
        if (++k == p.parts) {
          k = 0;
          ++o;
        }
        inside = 0;
        left = (uindex)(start_of(p, k + 1) - start_of(p, k));
      }
      from[v] = (const char *)address_of(p, k) + (i64)o * stride_of(p, k, 0) + (i64)inside * stride_of(p, k, 1);
      ++inside;
      --left;
    }
#pragma unroll
    for (u32 v = 0; v < V; ++v) {
      if (v < count) c[u].each[v] = element_at(from[v]);
    }
#endif
  }
#pragma unroll
  for (u32 u = 0; u < EACH; ++u) {
    const u64 first = begin + (u64)(u * 256 + threadIdx.x) * V;
    if (first >= p.results) break;
    write_chunk((item *)p.out + first, c[u], p.results - first < V ? (u32)(p.results - first) : V);
  }
#endif
}
