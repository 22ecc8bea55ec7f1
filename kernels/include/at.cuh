// Elements changed in place at given positions, a position as often as it is given.
// Before it stand `element` (of the array), `item` (of the operand in memory), `uindex`, `divider`, AXES, SORTED, and
// step(element, item): the function, its result cast to the array's dtype. Without an operand `item` is a byte.
struct params {
  u64 positions, inner;           // how many positions, and elements behind each
  u64 keys, order;                // int64: the positions, sorted, and where each comes from; unsorted, as they came
  u64 array, operand;             // addresses
  u32 array_axes, operand_axes;   // of the array: those that the positions count, then those behind
  divider array_sizes[AXES], operand_sizes[AXES];
  i64 array_strides[AXES], operand_strides[AXES];
};

DEVICE item operand_of(const params &p, u64 position, u64 j) {
  if (!p.operand) return item{};
  const u64 i = position * p.inner + j;
  return *(const item *)((const char *)p.operand + offset_of((uindex)i, p.operand_axes, p.operand_sizes, p.operand_strides));
}

extern "C" __global__ void __launch_bounds__(256) at(const __grid_constant__ params p) {
  const u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= p.positions * p.inner) return;
  const u64 k = t / p.inner, j = t - k * p.inner;
  const i64 *keys = (const i64 *)p.keys;
  const i64 key = keys[k];
  element *place = (element *)((char *)p.array + offset_of((uindex)(key * p.inner + j), p.array_axes, p.array_sizes, p.array_strides));
#if SORTED
  // The thread that meets a position first does all of its steps, in the order in which they were given.
  if (k > 0 && keys[k - 1] == key) return;
  const i64 *order = (const i64 *)p.order;
  element x = *place;
  for (u64 next = k; next < p.positions && keys[next] == key; ++next) x = step(x, operand_of(p, order[next], j));
  *place = x;
#else
  change(place, operand_of(p, k, j));
#endif
}
