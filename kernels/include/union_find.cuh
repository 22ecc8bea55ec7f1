// Connected components of the vertices of a graph by union-find. Before it: `index`, compressed_rows.cuh, union_roots.cuh and the parameter
// struct. The root of each vertex is the first vertex of its component.
//
// The least neighbour of each vertex becomes its parent first, without an atomic operation. Then an edge of each vertex is joined, and all
// paths are cut to one step. Most of the other edges then join vertices of one parent, which takes a read of each of both and no atomic
// operation (M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS 2018).

constexpr u32 THREADS = 256;

DEVICE bool is_vertex(const params &p, i64 v) { return v >= 0 && v < (i64)p.vertices; }

// Entries of a row that are read for the first parent of its vertex.
constexpr u32 FIRST_ENTRIES = 8;

// The parent of a vertex is the least of the first entries of its row if that is smaller, and else the vertex itself.
extern "C" __global__ void __launch_bounds__(THREADS) begin_roots(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v >= p.vertices) return;
  i64 least = (i64)v;
  if (p.ends) {
    const i64 start = (i64)p.ends[v], stop = (i64)p.ends[v + 1], end = stop < (i64)p.edges ? stop : (i64)p.edges;
#pragma unroll
    for (u32 k = 0; k < FIRST_ENTRIES; ++k) {
      const i64 to = start >= 0 && start + k < end ? (i64)p.columns[start + k] : (i64)v;
      if (to >= 0 && to < least) least = to;
    }
  }
  p.parents[v] = (u32)least;
}

DEVICE void join_edge(const params &p, i64 from, i64 to) {
  if (from == to || !is_vertex(p, from) || !is_vertex(p, to)) return;
  if (parent_of(p.parents, (u32)from) == parent_of(p.parents, (u32)to)) return;
  unite(p.parents, (u32)from, (u32)to);
}

// Joins each vertex with the first entry of its row.
extern "C" __global__ void __launch_bounds__(THREADS) join_first(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v >= p.vertices) return;
  const i64 at = (i64)p.ends[v], stop = (i64)p.ends[v + 1];
  if (at >= 0 && at < stop && at < (i64)p.edges) join_edge(p, (i64)v, (i64)p.columns[at]);
}

// Joins the edges of all rows.
extern "C" __global__ void __launch_bounds__(THREADS) join_rows(const __grid_constant__ params p) {
  __shared__ entry_tile tile;
  visit_rows(p.ends, p.vertices, p.edges, tile, [&](u64 e, u64 row) { join_edge(p, (i64)row, (i64)p.columns[e]); });
}

// Joins edges from the first of a range on.
extern "C" __global__ void __launch_bounds__(THREADS) join_edges(const __grid_constant__ params p) {
  const u64 e = p.first_edge + (u64)blockIdx.x * THREADS + threadIdx.x;
  if (e < p.edges) join_edge(p, (i64)p.rows[e], (i64)p.columns[e]);
}

// The parent of each vertex becomes its root.
extern "C" __global__ void __launch_bounds__(THREADS) cut_paths(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v < p.vertices) p.parents[v] = root_of(p.parents, (u32)v);
}

extern "C" __global__ void __launch_bounds__(THREADS) flatten_roots(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v >= p.vertices) return;
  const u32 root = root_of(p.parents, (u32)v);
  if (p.vertices >> 31) ((i64 *)p.roots)[v] = (i64)root;
  else ((i32 *)p.roots)[v] = (i32)root;
  p.first[v] = root == (u32)v;
}
