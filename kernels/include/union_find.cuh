// Connected components of the vertices of a graph by union-find. Before it: `index`, compressed_rows.cuh and the parameter struct. The root of each vertex is the first vertex of its component.
//
// The least neighbour of each vertex becomes its parent first, without an atomic operation. Where edges are sorted by vertex, the vertices
// that are still roots are joined with their neighbours, and all paths are cut to one step. The largest component is then found by samples
// of vertices, and a bit for each vertex says if it is in it: an edge of two such vertices takes a read of a bit for each, which stay in the
// cache, and no read of parents (after M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph
// Sampling", IPDPS 2018, where edges are stored in both directions and those of vertices of the component are skipped).

constexpr u32 THREADS = 256;

// Columns of 32 bits are compared in 32 bits.
template <u32 BYTES> struct unsigned_of { typedef u64 type; };
template <> struct unsigned_of<4> { typedef u32 type; };
typedef unsigned_of<sizeof(index)>::type unsigned_index;

DEVICE bool is_vertex(const params &p, i64 v) { return v >= 0 && v < (i64)p.vertices; }

// Entries of a row that are read for the first parent of its vertex.
constexpr u32 FIRST_ENTRIES = 8;

// The parent of a vertex is the least of the first entries of its row if that is smaller, and else the vertex itself.
extern "C" __global__ void __launch_bounds__(THREADS) begin_roots(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v >= p.vertices) return;
  u32 least = (u32)v;
  if (p.ends) {
    const i64 start = (i64)p.ends[v], stop = (i64)p.ends[v + 1], end = stop < (i64)p.edges ? stop : (i64)p.edges;
    const u32 size = start < 0 || end <= start ? 0 : end - start < FIRST_ENTRIES ? (u32)(end - start) : FIRST_ENTRIES;
    const index *const columns = p.columns + start;
    // A negative column is a large one.
    unsigned_index first[FIRST_ENTRIES];
#pragma unroll
    for (u32 k = 0; k < FIRST_ENTRIES; ++k) first[k] = k < size ? (unsigned_index)columns[k] : ~(unsigned_index)0;
#pragma unroll
    for (u32 k = 0; k < FIRST_ENTRIES; ++k)
      if (first[k] < least) least = (u32)first[k];
  }
  p.parents[v] = least;
}

// The root of a vertex, or `stop` where the path passes it. Parents come from the cache of the multiprocessor, whose reads are not ordered
// with the atomic operations of others: the root of a large component is read by all of them. An old parent is an ancestor, too.
DEVICE u32 find_root(const params &p, u32 v, u32 stop) {
  u32 parent = p.parents[v];
  while (parent != v && parent != stop) {
    const u32 next = p.parents[parent];
    if (next == parent) return parent;
    atomicMin(p.parents + v, next);
    v = next;
    parent = p.parents[v];
  }
  return parent;
}

constexpr u32 NO_VERTEX = ~0u;

DEVICE void join_edge(const params &p, i64 from, i64 to) {
  if (from == to || !is_vertex(p, from) || !is_vertex(p, to)) return;
  u32 a = find_root(p, (u32)from, NO_VERTEX), b = find_root(p, (u32)to, NO_VERTEX);
  while (a != b) {
    const u32 high = a > b ? a : b, low = a > b ? b : a;
    // A vertex that is no root any more has a smaller parent, so that this ends.
    const u32 found = atomicCAS(p.parents + high, high, low);
    if (found == high) return;
    a = find_root(p, found, NO_VERTEX);
    b = find_root(p, low, NO_VERTEX);
  }
}

// Returns true for a vertex that was in the largest component when paths were cut.
DEVICE bool is_in_largest(const params &p, i64 v) { return is_vertex(p, v) && (p.bits[v / 32] >> (u32)(v % 32) & 1); }

// Joins an edge whose vertices are not both in the largest component.
DEVICE void join_outer(const params &p, i64 from, i64 to) {
  if (p.bits && is_in_largest(p, from) && is_in_largest(p, to)) return;
  join_edge(p, from, to);
}

// Entries of a row that a root is joined with: the trees of a random graph that have two random edges each are nearly all connected.
constexpr u32 ROOT_ENTRIES = 2;

// Joins each vertex that is a root with the first entries of its row: the threads of a block share the entries of its roots.
extern "C" __global__ void __launch_bounds__(THREADS) join_roots(const __grid_constant__ params p) {
  __shared__ u32 from[THREADS * ROOT_ENTRIES], to[THREADS * ROOT_ENTRIES];
  __shared__ u32 filled;
  if (threadIdx.x == 0) filled = 0;
  __syncthreads();
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v < p.vertices && p.parents[v] == (u32)v) {
    const i64 start = (i64)p.ends[v], stop = (i64)p.ends[v + 1], end = stop < (i64)p.edges ? stop : (i64)p.edges;
    const i64 size = start >= 0 && start < end ? end - start : 0;
    const u32 some = size < ROOT_ENTRIES ? (u32)size : ROOT_ENTRIES, at = some > 0 ? atomicAdd(&filled, some) : 0;
    for (u32 k = 0; k < some; ++k) {
      const i64 other = (i64)p.columns[start + k];
      from[at + k] = (u32)v;
      to[at + k] = is_vertex(p, other) ? (u32)other : (u32)v;
    }
  }
  __syncthreads();
  for (u32 k = threadIdx.x; k < filled; k += THREADS) join_edge(p, (i64)from[k], (i64)to[k]);
}

// Vertices whose components are compared to find the largest one.
constexpr u32 SAMPLES = 512;

// The root of most samples, of one block.
extern "C" __global__ void __launch_bounds__(THREADS) find_largest(const __grid_constant__ params p) {
  __shared__ u32 roots[SAMPLES];
  __shared__ u32 best;
  if (threadIdx.x == 0) best = 0;
  for (u32 k = threadIdx.x; k < SAMPLES; k += THREADS) roots[k] = find_root(p, (u32)(p.vertices * k / SAMPLES), NO_VERTEX);
  __syncthreads();
  for (u32 k = threadIdx.x; k < SAMPLES; k += THREADS) {
    u32 alike = 0;
    for (u32 other = 0; other < SAMPLES; ++other) alike += roots[other] == roots[k];
    // Of as many samples the last one counts.
    atomicMax(&best, (alike - 1) * SAMPLES + k);
  }
  __syncthreads();
  if (threadIdx.x == 0) *p.largest = roots[best % SAMPLES];
}

// Joins the edges of all rows: first their rows are found, then the columns and bits of several edges are loaded together.
extern "C" __global__ void __launch_bounds__(THREADS) join_rows(const __grid_constant__ params p) {
  constexpr u32 EACH = 8;
  __shared__ entry_tile tile;
  const u64 start = (u64)blockIdx.x * TILE, left = p.edges - start;
  const u32 edges = left < TILE ? (u32)left : TILE;
  // The number that is here was read by this thread. There are fewer than 2^32 vertices.
  visit_rows(p.ends, p.vertices, p.edges, tile, [&](u64 e, u64 row) { tile.first[(u32)(e - start)] = (u32)row; });
  __syncthreads();
  const index *const columns = p.columns + start;
  const unsigned_index vertices = (unsigned_index)p.vertices;
#pragma unroll 1
  for (u32 base = threadIdx.x; base < edges; base += THREADS * EACH) {
    // There is no edge to a column that is no vertex.
    u32 to[EACH], bits[EACH], outer = 0;
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      const u32 at = base + k * THREADS;
      const unsigned_index column = at < edges ? (unsigned_index)columns[at] : vertices;
      to[k] = column < vertices ? (u32)column : NO_VERTEX;
    }
    if (p.bits) {
#pragma unroll
      for (u32 k = 0; k < EACH; ++k) bits[k] = to[k] != NO_VERTEX ? p.bits[to[k] / 32] : 0;
    }
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      const u32 from = tile.first[(base + k * THREADS) % TILE];
      const bool is_inner = p.bits && (bits[k] >> to[k] % 32 & p.bits[from / 32] >> from % 32 & 1);
      if (to[k] != NO_VERTEX && !is_inner) outer |= 1u << k;
    }
#pragma unroll 1
    for (; outer; outer &= outer - 1) {
      const u32 at = base + (__ffs((int)outer) - 1) * THREADS;
      join_edge(p, (i64)tile.first[at], (i64)columns[at]);
    }
  }
}

// Joins edges from the first of a range on.
extern "C" __global__ void __launch_bounds__(THREADS) join_edges(const __grid_constant__ params p) {
  const u64 e = p.first_edge + (u64)blockIdx.x * THREADS + threadIdx.x;
  if (e < p.edges) join_outer(p, (i64)p.rows[e], (i64)p.columns[e]);
}

// The parent of each vertex becomes its root, and its bit says if that is the root of the largest component, if this one is known.
extern "C" __global__ void __launch_bounds__(THREADS) cut_paths(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  bool is_in = false;
  if (v < p.vertices) {
    const u32 largest = p.bits ? *p.largest : NO_VERTEX, root = find_root(p, (u32)v, largest);
    p.parents[v] = root;
    is_in = p.bits && root == largest;
  }
  const u32 bits = __ballot_sync(~0u, is_in);
  if (p.bits && threadIdx.x % 32 == 0 && v < p.vertices) p.bits[v / 32] = bits;
}

extern "C" __global__ void __launch_bounds__(THREADS) flatten_roots(const __grid_constant__ params p) {
  // The root of the largest component may have been joined to another one since: a block finds it once.
  __shared__ u32 largest;
  if (threadIdx.x == 0 && p.bits) largest = find_root(p, *p.largest, NO_VERTEX);
  __syncthreads();
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v >= p.vertices) return;
  const u32 root = p.bits && is_in_largest(p, (i64)v) ? largest : find_root(p, (u32)v, NO_VERTEX);
  if (p.vertices >> 31) ((i64 *)p.roots)[v] = (i64)root;
  else ((i32 *)p.roots)[v] = (i32)root;
  p.first[v] = root == (u32)v;
}
