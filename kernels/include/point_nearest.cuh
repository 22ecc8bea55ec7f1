// The nearest points of each query. Required before it: point_tree.cuh, and NEAR: the maximum number of neighbours in registers, or 0 for any
// number of them, in the arrays of the results.
//
// A neighbour is nearer if its distance is less, or equal and its number less: results do not depend on the order of the tree. The search
// begins with the leaf at the query's position on the curve, whose points give the limit of the walk.

DEVICE bool nearer(real a, i64 i, real b, i64 j) { return a < b || (a == b && i < j); }

#if NEAR
// The nearest points in ascending order, the last ones of NEAR; those before them are less than any.
struct neighbours {
  real far[NEAR];
  i64 ids[NEAR];
  DEVICE neighbours(const params &p, u64) {
#pragma unroll
    for (int j = 0; j < NEAR; ++j) {
      far[j] = j < NEAR - (int)p.near ? (real)-1 : (real)p.bound;
      ids[j] = -1;
    }
  }
  DEVICE real worst() const { return far[NEAR - 1]; }
  DEVICE void add(const params &p, real d, i64 id) {
    if (!nearer(d, id, far[NEAR - 1], ids[NEAR - 1])) return;
#pragma unroll
    for (int j = 0; j < NEAR; ++j) {
      if (nearer(d, id, far[j], ids[j])) {
        const real other = far[j];
        const i64 number = ids[j];
        far[j] = d;
        ids[j] = id;
        d = other;
        id = number;
      }
    }
  }
  DEVICE void finish(const params &p, u64 row) {
#pragma unroll
    for (int j = 0; j < NEAR; ++j) {
      const int to = j - (NEAR - (int)p.near);
      if (to < 0) continue;
      p.distances[row * p.near + to] = ids[j] < 0 ? (real)bits_to_f32(0x7f800000u) : root_of(p, far[j]);
      p.ids_out[row * p.near + to] = ids[j] < 0 ? (i64)p.count : ids[j];
    }
  }
};
#else
// The nearest points as a heap, whose first one is the farthest.
struct neighbours {
  real *far;
  i64 *ids;
  DEVICE neighbours(const params &p, u64 row) : far(p.distances + row * p.near), ids(p.ids_out + row * p.near) {
    for (u64 j = 0; j < p.near; ++j) {
      far[j] = (real)p.bound;
      ids[j] = -1;
    }
  }
  DEVICE real worst() const { return far[0]; }
  // Places a neighbour in a heap of `size` whose first position is free.
  DEVICE void sink(u64 size, real d, i64 id) {
    u64 j = 0;
    for (;;) {
      u64 child = 2 * j + 1;
      if (child >= size) break;
      if (child + 1 < size && nearer(far[child], ids[child], far[child + 1], ids[child + 1])) ++child;
      if (!nearer(d, id, far[child], ids[child])) break;
      far[j] = far[child];
      ids[j] = ids[child];
      j = child;
    }
    far[j] = d;
    ids[j] = id;
  }
  DEVICE void add(const params &p, real d, i64 id) {
    if (nearer(d, id, far[0], ids[0])) sink(p.near, d, id);
  }
  DEVICE void finish(const params &p, u64) {
    for (u64 size = p.near; size-- > 1;) {
      const real d = far[size];
      const i64 id = ids[size];
      far[size] = far[0];
      ids[size] = ids[0];
      sink(size, d, id);
    }
    for (u64 j = 0; j < p.near; ++j) {
      far[j] = ids[j] < 0 ? (real)bits_to_f32(0x7f800000u) : root_of(p, far[j]);
      if (ids[j] < 0) ids[j] = (i64)p.count;
    }
  }
};
#endif

extern "C" __global__ void __launch_bounds__(128) point_nearest(const __grid_constant__ params p) {
  const u64 thread = (u64)blockIdx.x * 128 + threadIdx.x;
  if (thread >= p.rows) return;
  const u64 row = row_of(p, thread);
  const query q = query_of(p, row);
  neighbours found(p, row);
  auto most = [&] { return found.worst(); };
  auto visit = [&](real d, u64 i) {
    if (d <= found.worst()) found.add(p, d, p.ids[i]);
  };
  // The last leaf that begins at or before the query on the curve.
  const i64 key = p.query_keys[row];
  u64 seed = 0, end = p.nodes[0];
  while (end - seed > 1) {
    const u64 middle = (seed + end) / 2;
    if (p.keys[middle * LEAF] <= key) seed = middle;
    else end = middle;
  }
  visit_leaf(p, q, seed, most(), visit);
  walk(p, q, seed, (real)p.shrink, most, visit);
  found.finish(p, row);
}
