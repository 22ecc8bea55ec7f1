// Medians of small boxes: KX along the last axis, KY along the one before, KZ along the one before that. Required before it:
// `element`, `result`, value_of(element), result_of(value), `key`, key_of(value), value_from(key), outside(params), `uindex`, ROOM,
// window_border.cuh, window_networks.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output. A thread computes REACH results along the second to last axis. The KX * KZ elements of
// a row are sorted once for all windows that contain them. Two adjacent windows share all rows but one each: of the shared rows only
// elements whose rank can be that of a median are kept, and the element of the remaining rank is selected from these and the sorted
// row. Lanes have adjacent results of the last axis.
constexpr int LIST = KX * KZ;
#if KY == 1
constexpr int REACH = 4;
#else
constexpr int REACH = LIST == 3 ? 8 : 4;
constexpr int ACROSS = 32;
constexpr int ROWS = REACH + KY - 1;

// Elements of the last axis of a thread: their offsets, or that of the first element and a bit for each that is beyond a constant border,
// and the key of the constant.
struct reach {
  i64 x[KX];
  i64 z[KZ];
  u32 absent;
  key beyond;
};

DEVICE keys<LIST> row_of(const params &p, const reach &w, const char *src, i64 y, bool inside) {
  if (!inside) y = border(y, p.n[1], p.rules[1]);
  src += (y < 0 ? 0 : y) * p.src_steps[p.axes - 2];
  const u32 absent = y < 0 ? ~0u : w.absent;
  keys<LIST> row;
#pragma unroll
  for (int k = 0; k < KZ; ++k) {
#pragma unroll
    for (int i = 0; i < KX; ++i) {
      const key loaded = key_of(value_of(*(const element *)(src + w.x[i] + w.z[k])));
      row.at[k * KX + i] = (absent >> i | absent >> (16 + k)) & 1 ? w.beyond : loaded;
    }
  }
  return sorted(row);
}
#endif

// Moves addresses to the row of a block, but for the coordinates along the last two axes and along the one before if windows have several
// elements there, and returns its coordinate along that.
DEVICE i64 to_plane(const params &p, u32 column, const char *&src, char *&dst) {
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
  return z;
}

#if KY == 1
// Medians along the last axis: lanes have adjacent results, and a thread has those that are a block's threads apart.
DEVICE void medians_of_line(const params &p) {
  const u32 column = blockIdx.x / (p.tiles_x * p.tiles_y), tile = blockIdx.x - column * (p.tiles_x * p.tiles_y), row = tile / p.tiles_x;
  const char *src = p.src;
  char *dst = p.dst;
  to_plane(p, column, src, dst);
  src += row * p.src_steps[p.axes - 2];
  dst += row * p.dst_steps[p.axes - 2];
  const i64 block = (i64)(tile - row * p.tiles_x) * (256 * REACH), first = block + threadIdx.x, left = first - p.leads[2];
  const i64 src_step = p.src_steps[p.axes - 1], dst_step = p.dst_steps[p.axes - 1];
  keys<KX> list;
  if (block >= p.leads[2] && block - p.leads[2] + 256 * REACH + KX - 1 <= p.n[2] && src_step == sizeof(element) && dst_step == sizeof(result)) {
    const element *from = (const element *)src + left;
    result *to = (result *)dst + first;
#pragma unroll
    for (int r = 0; r < REACH; ++r) {
#pragma unroll
      for (int i = 0; i < KX; ++i) list.at[i] = key_of(value_of(from[256 * r + i]));
      to[256 * r] = result_of(value_from(sorted(list).at[KX / 2]));
    }
    return;
  }
#pragma unroll 1
  for (i64 x = 0; x < 256 * REACH && first + x < p.n[2]; x += 256) {
#pragma unroll
    for (int i = 0; i < KX; ++i) {
      const i64 at = border(left + x + i, p.n[2], p.rules[2]);
      list.at[i] = key_of(at < 0 ? outside(p) : value_of(*(const element *)(src + at * src_step)));
    }
    *(result *)(dst + (first + x) * dst_step) = result_of(value_from(sorted(list).at[KX / 2]));
  }
}
#endif

extern "C" __global__ void __launch_bounds__(256) window_median(const __grid_constant__ params p) {
#if KY == 1
  medians_of_line(p);
#else
  const u32 column = blockIdx.x / (p.tiles_x * p.tiles_y), tile = blockIdx.x - column * (p.tiles_x * p.tiles_y), row = tile / p.tiles_x;
  const i64 x = (i64)(tile - row * p.tiles_x) * ACROSS + threadIdx.x % ACROSS;
  const i64 top = ((i64)row * (256 / ACROSS) + threadIdx.x / ACROSS) * REACH;
  if (x >= p.n[2] || top >= p.n[1]) return;
  const char *src = p.src;
  char *dst = p.dst;
  const i64 z = to_plane(p, column, src, dst);
  const i64 left = x - p.leads[2], above = top - p.leads[1], before = z - p.leads[0];
  const bool inside = left >= 0 && left + KX <= p.n[2] && above >= 0 && above + ROWS <= p.n[1] && (KZ == 1 || (before >= 0 && before + KZ <= p.n[0]));
  reach w;
  w.absent = 0;
  w.beyond = key_of(outside(p));
#pragma unroll
  for (int i = 0; i < KX; ++i) {
    const i64 at = inside ? left + i : border(left + i, p.n[2], p.rules[2]);
    w.x[i] = (at < 0 ? 0 : at) * p.src_steps[p.axes - 1];
    if (at < 0) w.absent |= 1u << i;
  }
#pragma unroll
  for (int k = 0; k < KZ; ++k) {
    w.z[k] = 0;
    if (KZ > 1) {
      const i64 at = inside ? before + k : border(before + k, p.n[0], p.rules[0]);
      w.z[k] = (at < 0 ? 0 : at) * p.src_steps[p.axes - 3];
      if (at < 0) w.absent |= 1u << (16 + k);
    }
  }
  keys<LIST> rows[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) rows[r] = row_of(p, w, src, above + r, inside);
  key found[REACH];
#if KY == 3 && KX * KZ == 3
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
#endif
}
