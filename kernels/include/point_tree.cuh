// Tree of boxes over points along a Hilbert curve. Required before it: `real`, the constants LEAF and DIMS, and a
// parameter struct with the fields of a tree.
//
// A leaf has LEAF points that follow each other on the curve, a node of another level four nodes of the level below it: the tree is complete
// and has no pointers. DIMS is the number of coordinates that registers hold, to which points are padded with zeros, or 0 for any number.
//
// The distance of a box is computed by the operations of the distance of a point: since rounding is monotonic, it is not above that of any
// point in the box, and no result is lost.
enum { SQUARES, ABSOLUTE, LARGEST, POWERS };

DEVICE real term(const params &p, real t) { return p.order == SQUARES ? t * t : p.order == POWERS ? pow(t, (real)p.exponent) : t; }
DEVICE real join(const params &p, real sum, real t) {
  t = term(p, t);
  return p.order != LARGEST ? sum + t : (t > sum || t != t) ? t : sum;
}
// The distance whose power is the sum.
DEVICE real root_of(const params &p, real sum) {
  return p.order == SQUARES ? sqrt(sum) : p.order == POWERS ? pow(sum, (real)(1 / p.exponent)) : sum;
}

// A point whose neighbours are searched.
struct query {
#if DIMS
  real x[DIMS];
#else
  const real *x;
#endif
};

// Dimensions of points: known to the compiler, or not.
DEVICE int dims_of(const params &p) { return DIMS ? DIMS : (int)p.dims; }

DEVICE real along_period(real t, real length) { return length > 0 ? fmin(t, fabs(length - t)) : t; }

DEVICE real distance_of_point(const params &p, const query &q, const real *x) {
  real sum = 0;
#pragma unroll
  for (int k = 0; k < dims_of(p); ++k) {
    real t = fabs(q.x[k] - x[k]);
    if (p.periodic) t = along_period(t, p.period[k]);
    sum = join(p, sum, t);
  }
  return sum;
}

DEVICE real distance_of_box(const params &p, const query &q, const real *box) {
  const int dims = dims_of(p);
  real sum = 0;
#pragma unroll
  for (int k = 0; k < dims_of(p); ++k) {
    const real low = box[k], high = box[dims + k], x = q.x[k];
    real t = 0;
    if (x < low || x > high) {
      t = x < low ? fabs(x - low) : fabs(x - high);
      if (p.periodic && p.period[k] > 0)
        t = fmin(along_period(fabs(x - low), p.period[k]), along_period(fabs(x - high), p.period[k]));
    }
    sum = join(p, sum, t);
  }
  return sum;
}

DEVICE const real *box_of(const params &p, int level, u64 node) { return p.boxes + (p.begins[level] + node) * (2 * (u64)dims_of(p)); }

// Calls visit(distance, position) for the points of a leaf whose distance is at most `most`. All of them are loaded before the first
// visit.
template <class V> DEVICE void visit_leaf(const params &p, const query &q, u64 leaf, real most, V &visit) {
  const u64 from = leaf * LEAF;
#if DIMS
  real far[LEAF];
  u32 near = 0;
#pragma unroll
  for (int c = 0; c < LEAF; ++c) {
    const u64 i = from + c < p.count ? from + c : p.count - 1;
    far[c] = distance_of_point(p, q, p.points + i * DIMS);
  }
#pragma unroll
  for (int c = 0; c < LEAF; ++c) {
    if (far[c] <= most && from + c < p.count) near |= 1u << c;
  }
  while (near) {
    const int k = __ffs(near) - 1;
    near &= near - 1;
    real d = far[0];
#pragma unroll
    for (int c = 1; c < LEAF; ++c) {
      if (c == k) d = far[c];
    }
    visit(d, from + k);
  }
#else
  const u64 to = from + LEAF < p.count ? from + LEAF : p.count;
  for (u64 i = from; i < to; ++i) {
    const real d = distance_of_point(p, q, p.points + i * p.dims);
    if (d <= most) visit(d, i);
  }
#endif
}

// Visits the points within `most()`, which visits may reduce, of the leaves but one whose boxes are within `slack` times it.
template <class V, class M> DEVICE void walk(const params &p, const query &q, u64 but, real slack, M most, V &visit) {
  int level = (int)p.levels - 1;
  const int top = level;
  u64 node = 0, masks = 0;
  if (top == 0) {
    if (but != 0) visit_leaf(p, q, 0, most(), visit);
    return;
  }
  // Bits 4 level and up of `masks` are the children of the node at a level that are left.
  u32 children = 0;
  bool enter = true;
  for (;;) {
    if (enter) {
      children = 0;
      const u64 first = 4 * node;
      const real limit = most() * slack;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (first + c < p.nodes[level - 1] && distance_of_box(p, q, box_of(p, level - 1, first + c)) <= limit) children |= 1u << c;
      }
    }
    while (children == 0) {
      if (level == top) return;
      ++level;
      node >>= 2;
      children = (u32)(masks >> (4 * level)) & 15;
    }
    const int c = __ffs(children) - 1;
    children &= children - 1;
    masks = (masks & ~((u64)15 << (4 * level))) | ((u64)children << (4 * level));
    if (level > 1) {
      node = 4 * node + c;
      --level;
      enter = true;
      continue;
    }
    const u64 leaf = 4 * node + c;
    if (leaf != but && distance_of_box(p, q, box_of(p, 0, leaf)) <= most() * slack) visit_leaf(p, q, leaf, most(), visit);
    enter = false;
  }
}

// The row of the query of a thread.
DEVICE u64 row_of(const params &p, u64 thread) { return p.sequence ? (u64)p.sequence[thread] : thread; }

DEVICE query query_of(const params &p, u64 row) {
  query q;
#if DIMS
#pragma unroll
  for (int k = 0; k < DIMS; ++k) q.x[k] = p.queries[row * DIMS + k];
#else
  q.x = p.queries + row * p.dims;
#endif
  return q;
}
