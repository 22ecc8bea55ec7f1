// Connected components of the vertices of a graph by union-find. Before it: `index`, union_roots.cuh and the parameter struct. The root
// of each vertex is the first vertex of its component.

constexpr u32 THREADS = 256;

// Each vertex is its own root.
extern "C" __global__ void __launch_bounds__(THREADS) begin_roots(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v < p.vertices) p.parents[v] = (u32)v;
}

extern "C" __global__ void __launch_bounds__(THREADS) join_edges(const __grid_constant__ params p) {
  const u64 e = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (e >= p.edges) return;
  const i64 from = (i64)p.rows[e], to = (i64)p.columns[e];
  if (from < 0 || to < 0 || from >= (i64)p.vertices || to >= (i64)p.vertices || from == to) return;
  unite(p.parents, (u32)from, (u32)to);
}

extern "C" __global__ void __launch_bounds__(THREADS) flatten_roots(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v >= p.vertices) return;
  const u32 root = root_of(p.parents, (u32)v);
  p.roots[v] = (i64)root;
  p.first[v] = root == (u32)v;
}
