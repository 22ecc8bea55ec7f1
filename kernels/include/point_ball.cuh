// The points within a radius of each query: their numbers are counted first, and then written from the offset of the query on. Required
// before it: point_tree.cuh.

extern "C" __global__ void __launch_bounds__(128) point_ball(const __grid_constant__ params p) {
  const u64 thread = (u64)blockIdx.x * 128 + threadIdx.x;
  if (thread >= p.rows) return;
  const u64 row = row_of(p, thread);
  const query q = query_of(p, row);
  // The power of the radius is computed in float64, as that of a sum in `real` would be rounded twice.
  const f64 r = p.radii ? p.radii[row] : p.radius;
  real limit = (real)(p.order == SQUARES ? r * r : p.order == POWERS ? pow(r, p.exponent) : r);
  if (r < 0) limit = -1;
  u64 found = 0;
  const u64 begin = p.keys_out ? (u64)p.offsets[row] : 0;
  auto visit = [&](real d, u64 i) {
    const i64 id = p.ids[i];
    if (p.above && id <= (i64)row) return;
    if (p.keys_out) {
      p.keys_out[begin + found] = (i64)(row * p.count) + id;
      if (p.distances) p.distances[begin + found] = root_of(p, d);
    }
    ++found;
  };
  walk(p, q, ~(u64)0, (real)p.shrink, [&] { return limit; }, visit);
  if (!p.keys_out) p.counts[row] = (i64)found;
}
