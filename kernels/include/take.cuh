// Rows of an array at indices: the result's element (o, j, r), its axes in this order in memory, is the operand's at o of
// the outer axes, at index j of the indexed axes (counted in C order, as if they were one) and at r of the inner axes.
// Before it stand: `item` (an integer of an element's size), `uindex`, `divider`, AXES.

template <class D> DEVICE i64 along(uindex i, u32 axes, const D *sizes, const i64 *strides) {
  return axes <= 1 ? (i64)i * strides[0] : offset_of(i, axes, sizes, strides);
}

extern "C" __global__ void __launch_bounds__(256) take(const __grid_constant__ params p) {
  const u64 e = (u64)blockIdx.x * 256 + threadIdx.x;
  if (e >= p.results) return;
  const uindex row = divide((uindex)e, p.inner_divider), o = divide(row, p.indices_divider);
  const uindex r = (uindex)e - row * (uindex)p.inner_divider.divisor, j = row - o * (uindex)p.indices_divider.divisor;
  const uindex index = (uindex)((const i64 *)p.indices)[j];
  const i64 at = along(o, p.outer_axes, p.outer, p.outer_strides) + along(index, p.indexed_axes, p.indexed, p.indexed_strides) +
                 along(r, p.inner_axes, p.inner, p.inner_strides);
  ((item *)p.out)[e] = *(const item *)((const char *)p.input + at);
}
