// Medians of small boxes: KX along the last axis, KY along the one before, KZ along the one before that. Required before it:
// `element`, `result`, value_of(element), result_of(value), `key`, key_of(value), value_from(key), outside(params), `uindex`, ROOM,
// window_border.cuh, window_networks.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output. A thread computes REACH results along the second to last axis. The KX * KZ elements of
// a row are sorted once for all windows that contain them. Two adjacent windows share all rows but one each: of the shared rows only
// elements whose rank can be that of a median are kept, and the element of the remaining rank is selected from these and the sorted
// row. Lanes have adjacent results of the last axis.
constexpr int LIST = KX * KZ;
constexpr int REACH = KY == 1 ? 1 : LIST == 3 ? 8 : 4;
constexpr int ACROSS = KY == 1 ? 256 : 32;
constexpr int ROWS = REACH + KY - 1;

// Elements of the last axis of a thread: their offsets, and a bit for each that is beyond a constant border.
struct reach {
  i64 x[KX];
  i64 z[KZ];
  u32 absent;
};

DEVICE keys<LIST> row_of(const params &p, const reach &w, const char *src, i64 y, bool inside) {
  if (!inside) y = border(y, p.n[1], p.rules[1]);
  src += y * p.src_steps[p.axes - 2];
  keys<LIST> row;
#pragma unroll
  for (int k = 0; k < KZ; ++k) {
#pragma unroll
    for (int i = 0; i < KX; ++i) {
      const bool there = inside || (y >= 0 && !(w.absent >> i & 1) && !(w.absent >> (16 + k) & 1));
      row.at[k * KX + i] = key_of(there ? value_of(*(const element *)(src + w.x[i] + w.z[k])) : outside(p));
    }
  }
  return sorted(row);
}

extern "C" __global__ void __launch_bounds__(256) window_median(const __grid_constant__ params p) {
  const u32 column = blockIdx.x / (p.tiles_x * p.tiles_y), tile = blockIdx.x - column * (p.tiles_x * p.tiles_y), row = tile / p.tiles_x;
  const i64 x = (i64)(tile - row * p.tiles_x) * ACROSS + threadIdx.x % ACROSS;
  const i64 top = ((i64)row * (256 / ACROSS) + threadIdx.x / ACROSS) * REACH;
  if (x >= p.n[2] || top >= p.n[1]) return;
  const char *src = p.src;
  char *dst = p.dst;
  i64 z = 0;
  uindex rest = column;
#pragma unroll 1
  for (u32 d = p.axes - 2; d-- > 0;) {
    const uindex q = d > 0 ? divide(rest, p.sizes[d]) : 0;
    const i64 c = (i64)(rest - q * (uindex)p.sizes[d].divisor);
    rest = q;
    dst += c * p.dst_steps[d];
    if (KZ > 1 && d == p.axes - 3) z = c;
    else src += c * p.src_steps[d];
  }
  const i64 left = x - p.leads[2], above = top - p.leads[1], before = z - p.leads[0];
  const bool inside = left >= 0 && left + KX <= p.n[2] && above >= 0 && above + ROWS <= p.n[1] && (KZ == 1 || (before >= 0 && before + KZ <= p.n[0]));
  reach w;
  w.absent = 0;
#pragma unroll
  for (int i = 0; i < KX; ++i) {
    const i64 at = inside ? left + i : border(left + i, p.n[2], p.rules[2]);
    w.x[i] = at * p.src_steps[p.axes - 1];
    if (at < 0) w.absent |= 1u << i;
  }
#pragma unroll
  for (int k = 0; k < KZ; ++k) {
    w.z[k] = 0;
    if (KZ > 1) {
      const i64 at = inside ? before + k : border(before + k, p.n[0], p.rules[0]);
      w.z[k] = at * p.src_steps[p.axes - 3];
      if (at < 0) w.absent |= 1u << (16 + k);
    }
  }
  keys<LIST> rows[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) rows[r] = row_of(p, w, src, above + r, inside);
  key found[REACH];
#if KY == 1
  found[0] = rows[0].at[LIST / 2];
#elif KY == 3 && KX * KZ == 3
  // Of nine elements in sorted rows the median is that of the greatest first, the middle second and the least third one.
#pragma unroll
  for (int r = 0; r < REACH; ++r) {
    const keys<3> &a = rows[r], &b = rows[r + 1], &c = rows[r + 2];
    found[r] = middle_of(high_of(high_of(a.at[0], b.at[0]), c.at[0]), middle_of(a.at[1], b.at[1], c.at[1]),
      low_of(low_of(a.at[2], b.at[2]), c.at[2]));
  }
#else
  // An element of the shared ones with a rank below LEAST, or with as many above it, is no median of the window.
  constexpr int SHARED = LIST * (KY - 1), MEDIAN = LIST * KY / 2, LEAST = SHARED - 1 - MEDIAN, KEPT = MEDIAN - LEAST + 1;
#if KY == 5
  keys<2 * LIST> lower = merged(rows[1], rows[2]);
#endif
#pragma unroll
  for (int r = 0; r < REACH; r += 2) {
#if KY == 5
    const keys<2 * LIST> upper = merged(rows[r + 3], rows[r + 4]);
    const keys<KEPT> shared = part<LEAST, KEPT>(merged(lower, upper));
    lower = upper;
#else
    const keys<KEPT> shared = part<LEAST, KEPT>(merged(rows[r + 1], rows[r + 2]));
#endif
    found[r] = selected<MEDIAN - LEAST>(shared, rows[r]);
    found[r + 1] = selected<MEDIAN - LEAST>(shared, rows[r + KY]);
  }
#endif
  dst += x * p.dst_steps[p.axes - 1] + top * p.dst_steps[p.axes - 2];
#pragma unroll
  for (int r = 0; r < REACH; ++r) {
    if (top + r < p.n[1]) *(result *)(dst + r * p.dst_steps[p.axes - 2]) = result_of(value_from(found[r]));
  }
}
