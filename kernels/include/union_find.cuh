// Connected components of the vertices of a graph by union-find (J. Jaiganesh, M. Burtscher, "A High-Performance Connected Components
// Implementation for GPUs", HPDC 2018). Before it: `index` and the parameter struct. A parent has a smaller number than its vertex, and
// roots are joined to smaller ones: in the end the root of each vertex is the first vertex of its component, in whatever order edges come.

constexpr u32 THREADS = 256;

// Each vertex is its own root.
extern "C" __global__ void __launch_bounds__(THREADS) begin_roots(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v < p.vertices) p.parents[v] = (u32)v;
}

DEVICE u32 parent_of(u32 *parents, u32 v) { return *(volatile u32 *)(parents + v); }

// The root of a vertex; the path to it is halved, which other threads may see or not.
DEVICE u32 root_of(u32 *parents, u32 v) {
  u32 parent = parent_of(parents, v);
  while (parent != v) {
    const u32 next = parent_of(parents, parent);
    if (next == parent) return parent;
    atomicMin(parents + v, next);
    v = next;
    parent = parent_of(parents, v);
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(THREADS) join_edges(const __grid_constant__ params p) {
  const u64 e = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (e >= p.edges) return;
  const i64 from = (i64)p.rows[e], to = (i64)p.columns[e];
  if (from < 0 || to < 0 || from >= (i64)p.vertices || to >= (i64)p.vertices || from == to) return;
  u32 a = root_of(p.parents, (u32)from), b = root_of(p.parents, (u32)to);
  while (a != b) {
    const u32 high = a > b ? a : b, low = a > b ? b : a;
    const u32 found = atomicCAS(p.parents + high, high, low);
    if (found == high) return;
    a = root_of(p.parents, found);
    b = root_of(p.parents, low);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) flatten_roots(const __grid_constant__ params p) {
  const u64 v = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (v >= p.vertices) return;
  const u32 root = root_of(p.parents, (u32)v);
  p.roots[v] = (i64)root;
  p.first[v] = root == (u32)v;
}
