// Medians of small boxes: KX along the last axis, KY along the one before, KZ along the one before that. Required before it:
// `element`, `result`, value_of(element), result_of(value), `key`, key_of(value), value_from(key), outside(params), `uindex`, ROOM, STRIPS,
// window_border.cuh, window_networks.cuh, window_plane.cuh and the parameter struct.
//
// Lower bound: the bytes of input and output. A block has the keys of its elements in shared memory, each converted once. A thread
// computes REACH results along the second to last axis. The KX * KZ elements of a row are sorted once for all windows that contain them. Two adjacent windows share all rows but one each: of the shared rows only
// elements whose rank can be that of a median are kept, and the element of the remaining rank is selected from these and the sorted
// row. Lanes have adjacent results of the last axis.
constexpr int LIST = KX * KZ;
#if KY == 1
constexpr int REACH = 4;
#else
// A block has 4 times STRIPS groups of threads with REACH rows of results each.
constexpr int REACH = LIST == 3 ? 8 : 4, COLUMNS = 64, WIDTH = COLUMNS - KX + 1;
constexpr int HEIGHT = 256 / COLUMNS * STRIPS * REACH, TALL = HEIGHT + KY - 1, ROWS = REACH + KY - 1;

// Loads the keys of the elements that the windows of a block have, from these coordinates along the last three axes on.
DEVICE void load(const params &p, const char *src, i64 before, i64 above, i64 left, key *tile) {
  const u32 lane = threadIdx.x % 32;
  const i64 step_x = p.src_steps[p.axes - 1], step_y = p.src_steps[p.axes - 2], step_z = KZ > 1 ? p.src_steps[p.axes - 3] : 0;
  const bool inside = left >= 0 && left + COLUMNS <= p.n[2] && above >= 0 && above + TALL <= p.n[1] && (KZ == 1 || (before >= 0 && before + KZ <= p.n[0]));
  if (!inside || step_x != sizeof(element)) {
    const key beyond = key_of(outside(p));
#pragma unroll 1
    for (u32 i = threadIdx.x; i < KZ * TALL * COLUMNS; i += 256) {
      const u32 column = i % COLUMNS, row = i / COLUMNS;
      const i64 x = border(left + column, p.n[2], p.rules[2]), y = border(above + row % TALL, p.n[1], p.rules[1]);
      const i64 z = KZ > 1 ? border(before + row / TALL, p.n[0], p.rules[0]) : 0;
      tile[i] = (x | y | z) < 0 ? beyond : key_of(value_of(*(const element *)(src + z * step_z + y * step_y + x * step_x)));
    }
    return;
  }
  src += before * step_z + above * step_y + (left + lane) * sizeof(element);
  constexpr u32 BATCH = 4;
#pragma unroll 1
  for (u32 first = threadIdx.x / 32; first < KZ * TALL; first += 8 * BATCH) {
    element held[BATCH][2];
#pragma unroll
    for (u32 b = 0; b < BATCH; ++b) {
      const u32 row = first + 8 * b;
      if (row >= KZ * TALL) break;
      const element *from = (const element *)(src + row / TALL * step_z + row % TALL * step_y);
      held[b][0] = from[0];
      held[b][1] = from[32];
    }
#pragma unroll
    for (u32 b = 0; b < BATCH; ++b) {
      const u32 row = first + 8 * b;
      if (row >= KZ * TALL) break;
      tile[row * COLUMNS + lane] = key_of(value_of(held[b][0]));
      tile[row * COLUMNS + lane + 32] = key_of(value_of(held[b][1]));
    }
  }
}

// Returns the sorted keys of a row of a window, of which this is the first one.
DEVICE keys<LIST> row_of(const key *first) {
  keys<LIST> row;
#pragma unroll
  for (int k = 0; k < KZ; ++k) {
#pragma unroll
    for (int i = 0; i < KX; ++i) row.at[k * KX + i] = first[k * TALL * COLUMNS + i];
  }
  return sorted(row);
}

// Computes the medians of REACH windows below each other; `from` is the first key of the first one.
DEVICE void medians(const key *from, key (&found)[REACH]) {
  keys<LIST> rows[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) rows[r] = row_of(from + r * COLUMNS);
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
}
#endif

#if KY == 1
constexpr int MORE = KX - 1, HALF = KX / 2;

// Computes the medians of adjacent windows, of which two share all elements but one each. Of the shared elements those are kept whose rank can
// be that of a median.
DEVICE void medians_of(const key (&own)[REACH + MORE], result (&found)[REACH]) {
  constexpr int MEDIAN = KX / 2, LEAST = KX - 2 - MEDIAN, KEPT = MEDIAN - LEAST + 1;
#pragma unroll
  for (u32 r = 0; r < REACH; r += 2) {
    keys<KX - 1> both;
#pragma unroll
    for (u32 i = 0; i < KX - 1; ++i) both.at[i] = own[r + 1 + i];
    const keys<KEPT> shared = part<LEAST, KEPT>(sorted(both));
    found[r] = result_of(value_from(selected<MEDIAN - LEAST>(shared, keys<1>{{own[r]}})));
    found[r + 1] = result_of(value_from(selected<MEDIAN - LEAST>(shared, keys<1>{{own[r + KX]}})));
  }
}

template <class T> struct __align__(REACH * sizeof(T) < 16 ? REACH * sizeof(T) : 16) vector {
  T at[REACH];
};

// Medians along the last axis. A block has RESULTS adjacent results, a thread REACH of them.
DEVICE void medians_of_line(const params &p) {
  constexpr u32 RESULTS = 256 * REACH;
  __shared__ __align__(16) key tile[RESULTS + MORE];
  __shared__ __align__(16) result found[RESULTS];
  const u32 column = blockIdx.x / (p.tiles_x * p.tiles_y), index = blockIdx.x - column * (p.tiles_x * p.tiles_y), row = index / p.tiles_x, t = threadIdx.x;
  const char *src = p.src;
  char *dst = p.dst;
  to_plane(p, column, src, dst);
  const i64 first = (i64)(index - row * p.tiles_x) * RESULTS, left = first - p.leads[2];
  const i64 src_step = p.src_steps[p.axes - 1], dst_step = p.dst_steps[p.axes - 1];
  src += row * p.src_steps[p.axes - 2];
  dst += row * p.dst_steps[p.axes - 2] + first * dst_step;
  const bool inside = left >= 0 && left + RESULTS + MORE <= p.n[2];
  const bool dense = src_step == sizeof(element) && dst_step == sizeof(result) && (u64)(src + first * src_step) % sizeof(vector<element>) == 0 &&
    (u64)dst % sizeof(vector<result>) == 0;
  key own[REACH + MORE];
  vector<result> results;
  if (inside && dense && p.leads[2] == HALF) {
    // The keys around those of a lane are those of its neighbours: the first lane and the last one load them.
    const u32 lane = t % 32;
    const element *from = (const element *)(src + first * src_step) + t * REACH;
    const vector<element> elements = *(const vector<element> *)from;
    element around[HALF];
    if (lane == 0 || lane == 31) {
#pragma unroll
      for (u32 i = 0; i < HALF; ++i) around[i] = lane == 0 ? from[(i32)i - HALF] : from[REACH + i];
    }
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) own[HALF + r] = key_of(value_of(elements.at[r]));
#pragma unroll
    for (u32 i = 0; i < HALF; ++i) {
      own[i] = __shfl_up_sync(~0u, own[REACH + i], 1);
      own[HALF + REACH + i] = __shfl_down_sync(~0u, own[HALF + i], 1);
    }
    if (lane == 0 || lane == 31) {
#pragma unroll
      for (u32 i = 0; i < HALF; ++i) {
        const key k = key_of(value_of(around[i]));
        own[i] = lane == 0 ? k : own[i];
        own[HALF + REACH + i] = lane == 0 ? own[HALF + REACH + i] : k;
      }
    }
    medians_of(own, results.at);
    *(vector<result> *)((result *)dst + t * REACH) = results;
    return;
  }
  // Elements and results pass through shared memory, so that lanes have adjacent ones.
  if (inside) {
    src += left * src_step;
    element held[REACH];
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) held[r] = *(const element *)(src + (t + 256 * r) * src_step);
    if (t < MORE) tile[RESULTS + t] = key_of(value_of(*(const element *)(src + (RESULTS + t) * src_step)));
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) tile[t + 256 * r] = key_of(value_of(held[r]));
  } else {
#pragma unroll 1
    for (u32 i = t; i < RESULTS + MORE; i += 256) {
      const i64 at = border(left + i, p.n[2], p.rules[2]);
      tile[i] = key_of(at < 0 ? outside(p) : value_of(*(const element *)(src + at * src_step)));
    }
  }
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < REACH + MORE; ++i) own[i] = tile[t * REACH + i];
  medians_of(own, results.at);
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) found[t * REACH + r] = results.at[r];
  __syncthreads();
  const i64 count = p.n[2] - first < RESULTS ? p.n[2] - first : RESULTS;
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) {
    const u32 i = t + 256 * r;
    if (i < count) *(result *)(dst + i * dst_step) = found[i];
  }
}
#endif

extern "C" __global__ void __launch_bounds__(256) window_median(const __grid_constant__ params p) {
#if KY == 1
  medians_of_line(p);
#else
  __shared__ key tile[KZ * TALL * COLUMNS];
  const u32 column = blockIdx.x / (p.tiles_x * p.tiles_y), index = blockIdx.x - column * (p.tiles_x * p.tiles_y), row = index / p.tiles_x;
  const u32 own = threadIdx.x % COLUMNS;
  const i64 x0 = (i64)(index - row * p.tiles_x) * WIDTH, y0 = (i64)row * HEIGHT;
  const char *src = p.src;
  char *dst = p.dst;
  const i64 z = to_plane(p, column, src, dst);
  load(p, src, z - p.leads[0], y0 - p.leads[1], x0 - p.leads[2], tile);
  __syncthreads();
  if (own >= WIDTH || x0 + own >= p.n[2]) return;
  dst += (x0 + own) * p.dst_steps[p.axes - 1];
#pragma unroll 1
  for (u32 below = threadIdx.x / COLUMNS * REACH; below < HEIGHT; below += 256 / COLUMNS * REACH) {
    key found[REACH];
    medians(tile + below * COLUMNS + own, found);
    char *to = dst + (y0 + below) * p.dst_steps[p.axes - 2];
#pragma unroll
    for (int r = 0; r < REACH; ++r) {
      if (y0 + below + r < p.n[1]) *(result *)(to + r * p.dst_steps[p.axes - 2]) = result_of(value_from(found[r]));
    }
  }
#endif
}
