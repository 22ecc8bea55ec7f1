// Row-wise fusion: chains of elementwise calls and reductions along rows, whose elements the threads of a row hold
// until everything is computed. Required before it: what reading.cuh requires, V (adjacent elements in a load of a
// thread), LOADS (maximum number of loads that a thread holds), ONE_AXIS (the elements of a row are along one axis, so
// that their addresses are sums), and ALL_LOADS (each thread has LOADS loads, so that no load needs a branch; threads
// of a row after the last hold the first row, which they do not write).
//
// Lower bound of memory traffic: each array once, each result once. Rows are at most as long as registers hold them.
constexpr int THREADS = 256;

// The part of a row that a thread has, with the distribution of reduce_rows.cuh.
struct row_position {
  u32 sharing, mine, row, loads;
  uindex first, step;
};
DEVICE row_position row_start(const params &p, uindex &o) {
  const u32 t = threadIdx.x, sharing_log2 = 8 - p.outputs_log2;
  row_position at;
  at.sharing = 1u << sharing_log2;
  at.mine = t & (at.sharing - 1);
  at.row = t >> sharing_log2;
  o = (uindex)(((u64)blockIdx.x << p.outputs_log2) + at.row);
  at.first = at.mine * V;
  at.step = at.sharing * V;
#if ALL_LOADS
  at.loads = LOADS;
#else
  const uindex n = (uindex)p.reduced;
  at.loads = o < p.outputs && at.first < n ? (u32)((n - at.first + at.step - 1) / at.step) : 0;
#endif
  return at;
}

// Addresses of the elements of the arrays, relative to `origin`.
DEVICE origin row_of(const params &p, uindex o) {
  origin at = beginning(p);
  walk(at, o, p.kept_axes, p.kept, p.read_kept);
  return at;
}
#if ONE_AXIS
// Byte offset of the first element of load u, for elements `step` bytes apart. No offset is computed from another one, so
// that all loads are issued before the first of them is used.
DEVICE i64 load_offset(const row_position &at, u32 u, i64 step) { return (i64)(at.first + u * at.step) * step; }
#else
DEVICE origin origin_at(const params &p, origin at, uindex r) {
  walk(at, r, p.reduced_axes, p.reduced_sizes, p.read_reduced);
  return at;
}
template <int AXES> DEVICE char *written_at(const params &p, char *row, uindex r, const i64 (&reduced)[AXES]) {
  return row + offset_of(r, p.reduced_axes, p.reduced_sizes, reduced);
}
#endif
template <int AXES> DEVICE char *written_row(const params &p, char *out, uindex o, const i64 (&kept)[AXES]) {
  return out + offset_of(o, p.kept_axes, p.kept, kept);
}

// N elements that are contiguous, or `step` bytes apart.
template <class T, int N> DEVICE void put_dense(const T (&x)[N], char *at) {
  typedef typename chunk_of<(sizeof(T) * N > 16 ? 16 : sizeof(T) * N)>::type chunk;
  constexpr int CHUNKS = sizeof(T) * N / sizeof(chunk);
  chunk w[CHUNKS];
  memcpy(w, x, sizeof(x));
#pragma unroll
  for (int k = 0; k < CHUNKS; ++k) ((chunk *)at)[k] = w[k];
}
template <class T, int N> DEVICE void put_apart(const T (&x)[N], char *at, i64 step) {
#pragma unroll
  for (int k = 0; k < N; ++k) *(T *)(at + k * step) = x[k];
}
