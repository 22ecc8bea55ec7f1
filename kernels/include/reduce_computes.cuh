// Operands of a reduction over an expression whose elements are computed as they are read. Required before it: what
// reading.cuh requires, WHOLE (V adjacent elements are always adjacent along one axis), and the tables `read_kept` and
// `read_reduced` of strides.
//
// Lower bound of memory traffic: each array of the expression once. All arrays are read before anything is computed, so
// that the loads are issued together.
constexpr int THREADS = 256;

DEVICE origin origin_of(const params &p, uindex o) {
  origin at = beginning(p);
  walk(at, o, p.kept_axes, p.kept, p.read_kept);
  return at;
}
DEVICE origin origin_at(const params &p, origin at, uindex r) {
  walk(at, r, p.reduced_axes, p.reduced_sizes, p.read_reduced);
  return at;
}
DEVICE element computed(const params &p, const gathered<1> &g) {
  element e[1];
  compute(p, g, e);
  return e[0];
}
DEVICE element first_of(const params &p, uindex o) {
  gathered<1> g;
  gather(p, origin_at(p, origin_of(p, o), 0), p.read_kept, 0, g);
  return computed(p, g);
}

// Bit k of `kept` is set if the k-th of V adjacent elements takes part. Loads from the `loads`-th on repeat the first
// one.
template <u32 U>
DEVICE void read_row(const params &p, const origin &base, uindex r, uindex step, u32 loads, element (&e)[U][V], u32 (&kept)[U]) {
#if WHOLE
  const u32 last = p.reduced_axes > 1 ? p.reduced_axes - 1 : 0;
  gathered<V> g[U];
#pragma unroll
  for (u32 u = 0; u < U; ++u) gather(p, origin_at(p, base, r + (u < loads ? u * step : 0)), p.read_reduced, last, g[u]);
#pragma unroll
  for (u32 u = 0; u < U; ++u) kept[u] = compute(p, g[u], e[u]);
#else
  gathered<1> g[U * V];
#pragma unroll
  for (u32 k = 0; k < U * V; ++k) gather(p, origin_at(p, base, r + (k / V < loads ? k / V * step : 0) + k % V), p.read_reduced, 0, g[k]);
#pragma unroll
  for (u32 u = 0; u < U; ++u) kept[u] = 0;
#pragma unroll
  for (u32 k = 0; k < U * V; ++k) {
    element x[1];
    kept[k / V] |= compute(p, g[k], x) << k % V;
    e[k / V][k % V] = x[0];
  }
#endif
}

template <u32 U>
DEVICE void read_columns(const params &p, const origin &base, uindex r, uindex step, element (&e)[U][V], u32 (&kept)[U]) {
  const u32 last = p.kept_axes > 1 ? p.kept_axes - 1 : 0;
  gathered<V> g[U];
#pragma unroll
  for (u32 u = 0; u < U; ++u) gather(p, origin_at(p, base, r + u * step), p.read_kept, last, g[u]);
#pragma unroll
  for (u32 u = 0; u < U; ++u) kept[u] = compute(p, g[u], e[u]);
}

// Computes short rows from row `first` on into shared memory, AHEAD elements of a thread at a time: `total` elements in
// rows of `n`, each followed by one unused element if n is even. The rows have one axis, and so have their elements.
// Adjacent threads have adjacent elements, and a thread advances by a fixed step, plus one row where a row ends: no
// division.
DEVICE void stage(const params &p, element *staged, u64 first, u32 total, u32 n) {
  constexpr u32 AHEAD = 4;
  const u32 rows = THREADS / n, columns = THREADS - rows * n;
  u32 row = threadIdx.x / n, column = threadIdx.x - row * n;
  origin at = beginning(p);
  i64 step[ARRAYS], next_row[ARRAYS];
#pragma unroll
  for (u32 k = 0; k < ARRAYS; ++k) {
    const i64 down = p.read_kept[k][0], along = p.read_reduced[k][0];
    at.at[k] += (i64)(first + row) * down + column * along;
    step[k] = rows * down + columns * along;
    next_row[k] = down - n * along;
  }
#pragma unroll 1
  for (u32 i = threadIdx.x; i < total; i += AHEAD * THREADS) {
    gathered<1> g[AHEAD];
    u32 to[AHEAD];
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
      if (i + k * THREADS < total) gather(p, at, p.read_kept, 0, g[k]);
      to[k] = i + k * THREADS + (n % 2 == 0 ? row : 0);
      column += columns;
      const bool over = column >= n;
      if (over) column -= n;
      row += rows + over;
#pragma unroll
      for (u32 j = 0; j < ARRAYS; ++j) at.at[j] += step[j] + (over ? next_row[j] : 0);
    }
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k) {
      if (i + k * THREADS < total) staged[to[k]] = computed(p, g[k]);
    }
  }
}
