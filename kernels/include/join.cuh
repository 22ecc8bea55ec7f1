// Arrays one behind the other: the result's element e, its axes in the order of memory, is at x of the row o = e / row, and
// x is in the last part that begins at or before it. Before it stand: `item`, `uindex`, `params`, UNIT (whether the parts
// are of the result's dtype and their last axes dense), TABLE (whether the parts are listed in memory, not among the
// parameters), load(dtype, address), and for UNIT the text of chunks.

struct place {
  // The element, how far the next one is, and how many there are before another place must be looked for.
  const char *at;
  i64 step;
  uindex left;
  u32 dtype;
};

#if TABLE
// First where each part begins and the last one ends, then of each part its address, its dtype and its strides.
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

DEVICE place place_of(const params &p, uindex e) {
  const uindex o = divide(e, p.row), x = e - o * (uindex)p.row.divisor;
  u32 k = 0, behind = p.parts;
#pragma unroll 1
  while (behind - k > 1) {
    const u32 middle = (k + behind) / 2;
    if (start_of(p, middle) <= x) k = middle; else behind = middle;
  }
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

extern "C" __global__ void __launch_bounds__(256) join(const __grid_constant__ params p) {
#if UNIT
  const u64 first = ((u64)blockIdx.x * 256 + threadIdx.x) * V;
  if (first >= p.results) return;
  const u32 count = p.results - first < V ? (u32)(p.results - first) : V;
  place from = place_of(p, (uindex)first);
  chunk c;
  if (from.left >= V) {
    c.all = chunk_at(from.at);
  } else {
#pragma unroll
    for (u32 v = 0; v < V; ++v) {
      if (v >= count) break;
      if (from.left == 0) from = place_of(p, (uindex)(first + v));
      c.each[v] = element_at(from.at);
      from.at += ITEM;
      --from.left;
    }
  }
  write_chunk((item *)p.out + first, c, count);
#else
  // Neighbouring threads have neighbouring elements, and each has several in flight.
  const u64 first = (u64)blockIdx.x * 1024 + threadIdx.x;
  item each[4];
#pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    const u64 e = first + j * 256;
    if (e >= p.results) break;
    const place from = place_of(p, (uindex)e);
    each[j] = load(from.dtype, from.at);
  }
#pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    const u64 e = first + j * 256;
    if (e < p.results) ((item *)p.out)[e] = each[j];
  }
#endif
}
