// Results that are each one element of an operand, whose position is computed from each coordinate: rolled, repeated,
// mirrored, or clamped at the ends. Required before it: `item`, `uindex`, `params`, SEARCHED, REPEATS (the last axis'
// elements are repeated) and chunk.cuh. A thread has EACH chunks.
//
// The formulas are those of the library's plan, in this order.
enum { SAME, WRAPPED, MIRRORED, CLAMPED, BOUNDED, REPEATED, COUNTED };

constexpr u32 EACH = 2;

// Bounds of the source positions along the counted axis for this block's results, and the position at which a search
// begins.
struct window {
  i64 low, high, hint;
};

#if SEARCHED
// Finds the source of a repetition: the first element whose end is greater than i.
DEVICE i64 counted(const params &p, i64 i, window &w) {
  const i64 *ends = (const i64 *)p.ends;
  i64 low = w.hint, high = w.high;
  // The next result most often has the same source or the next one.
#pragma unroll 1
  for (u32 tries = 0; tries < 2 && low < high; ++tries) {
    if (ends[low] > i) return w.hint = low;
    ++low;
  }
#pragma unroll 1
  while (low < high) {
    const i64 middle = low + (high - low) / 2;
    if (ends[middle] <= i) low = middle + 1; else high = middle;
  }
  return w.hint = low;
}
#endif

// Returns the source coordinate of coordinate i along axis d; sets `outside` if there is none.
DEVICE i64 source_of(const params &p, u32 d, u64 i, bool &outside, window &w) {
  const i64 t = (i64)i + p.first[d];
  switch (p.formula[d]) {
    case WRAPPED: {
      const uindex u = (uindex)t;
      return (i64)(u - divide(u, p.period[d]) * (uindex)p.period[d].divisor);
    }
    case MIRRORED: {
      const uindex u = (uindex)t;
      const i64 r = (i64)(u - divide(u, p.period[d]) * (uindex)p.period[d].divisor);
      return r < p.length[d] ? r : p.turn[d] - r;
    }
    case CLAMPED: return t < 0 ? 0 : t < p.length[d] ? t : p.length[d] - 1;
    case BOUNDED: outside |= t < 0 || t >= p.length[d]; return t;
    case REPEATED: return (i64)divide((uindex)t, p.period[d]);
#if SEARCHED
    case COUNTED: return counted(p, t, w);
#endif
    default: return t;
  }
}

// The value where there is no source element.
DEVICE item filling(const params &p) {
#if ITEM == 16
  return make_uint4((u32)p.fill[0], (u32)(p.fill[0] >> 32), (u32)p.fill[1], (u32)(p.fill[1] >> 32));
#else
  return (item)p.fill[0];
#endif
}

// Returns the byte offset of the sources of a row of results.
DEVICE i64 row_of(const params &p, uindex row, bool &outside, window &w) {
  i64 at = 0;
  w.hint = w.low;
#pragma unroll 1
  for (u32 d = p.axes - 1; d > 0; --d) {
    const uindex q = d > 1 ? divide(row, p.sizes[d - 1]) : 0;
    at += source_of(p, d - 1, (u64)(row - q * (uindex)p.sizes[d - 1].divisor), outside, w) * p.strides[d - 1];
    row = q;
  }
  return at;
}

// Fills a chunk of results from coordinate j of the last axis on, if their sources are consecutive, or repeated REPEATS
// times each. Returns false if they are not; for a row of exactly that many results the chunk is complete.
DEVICE bool whole_chunk(const params &p, const char *row, uindex j, chunk &c) {
  const u32 last = p.axes - 1;
#if REPEATS
  const i64 step = p.strides[last];
  const uindex times = (uindex)p.period[last].divisor;
  uindex s = divide(j, p.period[last]), r = j - s * times;
  if (times >= V) {
    // The results have one source, or two.
    const u32 left = times - r < V ? (u32)(times - r) : V;
    const char *from = row + (i64)s * step;
    const item one = element_at(from), other = element_at(left < V ? from + step : from);
#pragma unroll
    for (u32 v = 0; v < V; ++v) c.each[v] = v < left ? one : other;
    return true;
  }
  const char *from[V];
#pragma unroll
  for (u32 v = 0; v < V; ++v) {
    from[v] = row + (i64)s * step;
    if (++r == times) {
      r = 0;
      ++s;
    }
  }
#pragma unroll
  for (u32 v = 0; v < V; ++v) c.each[v] = element_at(from[v]);
  return true;
#else
  if (!p.runs) return false;
  // Every formula increases by one from a source within the axis on, up to the end of the axis.
  const i64 formula = p.formula[last];
  i64 a = (i64)j + p.first[last];
  if (formula == WRAPPED || formula == MIRRORED) {
    const uindex u = (uindex)a;
    a = (i64)(u - divide(u, p.period[last]) * (uindex)p.period[last].divisor);
  }
  if (formula != SAME && (a < 0 || a + V > p.length[last])) return false;
  c.all = chunk_at(row + a * ITEM);
  return true;
#endif
}

extern "C" __global__ void __launch_bounds__(256) remap(const __grid_constant__ params p) {
  u64 begin = (u64)blockIdx.x * (256 * EACH * V), end = p.results;
  if (p.turns > 1) {
    // Results with the same sources are computed by adjacent blocks, so that the sources are read once.
    const u32 part = blockIdx.x / p.turns, turn = blockIdx.x - part * p.turns;
    begin = turn * p.turn_results + (u64)part * (256 * EACH * V);
    end = (turn + 1) * p.turn_results;
  }
  window w = {0, p.counts - 1, 0};
#if SEARCHED
  // If the counted axis is the slowest, the sources of a block's results are between those of its first and last.
  __shared__ i64 ends[2];
  if (p.formula[0] == COUNTED) {
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
      const u64 behind = begin + 256 * EACH * V < end ? begin + 256 * EACH * V : end;
      uindex e = (uindex)(threadIdx.x == 0 ? begin : behind - 1);
#pragma unroll 1
      for (u32 d = p.axes - 1; d > 0; --d) e = divide(e, p.sizes[d]);
      ends[threadIdx.x / 32] = counted(p, (i64)e, w);
    }
    __syncthreads();
    w = {ends[0], ends[1], ends[0]};
  }
#endif
  const u32 last = p.axes - 1;
  const uindex length = (uindex)p.sizes[last].divisor;
  const char *input = (const char *)p.input;
  chunk c[EACH];
  u32 todo = 0;
  uindex row = 0, j = 0;
  i64 base = 0;
  bool nowhere = false;
#pragma unroll
  for (u32 u = 0; u < EACH; ++u) {
    const u64 first = begin + (u64)(u * 256 + threadIdx.x) * V;
    if (first >= end) break;
    if (u > 0 && length - j > 256 * V) {
      // In the same row.
      j += 256 * V;
    } else {
      row = divide((uindex)first, p.sizes[last]);
      j = (uindex)first - row * length;
      nowhere = false;
      base = row_of(p, row, nowhere, w);
    }
    if (nowhere || length - j < V || !whole_chunk(p, input + base, j, c[u])) todo |= 1u << u;
  }
#pragma unroll
  for (u32 u = 0; u < EACH; ++u) {
    const u64 first = begin + (u64)(u * 256 + threadIdx.x) * V;
    if (first < end && !(todo >> u & 1)) *((uint4 *)p.out + first / V) = c[u].all;
  }
  // The rest is located at the ends of rows, outside, or has strides.
  const i64 step = p.strides[last];
#pragma unroll 1
  for (; todo != 0; todo &= todo - 1) {
    const u64 first = begin + (u64)((__ffs(todo) - 1) * 256 + threadIdx.x) * V;
    const u32 count = end - first < V ? (u32)(end - first) : V;
    row = divide((uindex)first, p.sizes[last]);
    j = (uindex)first - row * length;
    nowhere = false;
    base = row_of(p, row, nowhere, w);
    chunk one;
#pragma unroll
    for (u32 v = 0; v < V; ++v) {
      if (v >= count) break;
      if (j == length) {
        nowhere = false;
        base = row_of(p, ++row, nowhere, w);
        j = 0;
      }
      bool outside = nowhere;
      const i64 at = base + source_of(p, last, j++, outside, w) * step;
      one.each[v] = outside ? filling(p) : element_at(input + at);
    }
    write_chunk((item *)p.out + first, one, count);
  }
}
