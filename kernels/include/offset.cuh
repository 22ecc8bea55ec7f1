// The byte offset of element i of a walk over several axes. Before it stand `uindex` and `divider`.
DEVICE i64 offset_of(uindex i, u32 axes, const divider *sizes, const i64 *strides) {
  i64 offset = 0;
#pragma unroll 1
  for (u32 d = axes; d > 1; --d) {
    uindex q = divide(i, sizes[d - 1]);
    offset += (i64)(i - q * (uindex)sizes[d - 1].divisor) * strides[d - 1];
    i = q;
  }
  return offset + (i64)i * strides[0];
}
