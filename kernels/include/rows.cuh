// Chains of calls and reductions along rows: the threads of a row hold its elements until all is computed. Before it stand what
// reading.cuh says, V (neighbours that a thread holds side by side), and LOADS (how many of such places it holds at the most).
//
// Floor: each array once, each result once. Rows are as long as registers hold them.
constexpr int THREADS = 256;

// What a thread has of a row, as reduce_rows.cuh shares rows out.
struct place {
  u32 sharing, mine, row, loads;
  uindex first, step;
};
DEVICE place place_in(const params &p, uindex &o) {
  const u32 t = threadIdx.x, sharing_log2 = 8 - p.outputs_log2;
  place at;
  at.sharing = 1u << sharing_log2;
  at.mine = t & (at.sharing - 1);
  at.row = t >> sharing_log2;
  o = (uindex)(((u64)blockIdx.x << p.outputs_log2) + at.row);
  at.first = at.mine * V;
  at.step = at.sharing * V;
  const uindex n = (uindex)p.reduced;
  at.loads = o < p.outputs && at.first < n ? (u32)((n - at.first + at.step - 1) / at.step) : 0;
  return at;
}

// Where the elements of an array are, from those of `origin` on.
DEVICE origin row_of(const params &p, uindex o) {
  origin at = beginning(p);
  walk(at, o, p.kept_axes, p.kept, p.read_kept);
  return at;
}
DEVICE origin place_of(const params &p, origin at, uindex r) {
  walk(at, r, p.reduced_axes, p.reduced_sizes, p.read_reduced);
  return at;
}
template <int AXES>
DEVICE char *written_at(const params &p, char *out, uindex o, uindex r, const i64 (&kept)[AXES], const i64 (&reduced)[AXES]) {
  return out + offset_of(o, p.kept_axes, p.kept, kept) + offset_of(r, p.reduced_axes, p.reduced_sizes, reduced);
}

// N neighbours that lie side by side, or `step` bytes apart.
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
