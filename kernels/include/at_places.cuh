// Where the elements of a change in place are, and its operands. Before it stand `element` (of the array), `item` (of the operand in
// memory; without one, a byte), `cell` (of the positions), `uindex` and FLAT (both walk one axis).

DEVICE item operand_of(const params &p, u64 position, u64 j) {
  if (!p.operand) return item{};
  const u64 i = position * p.inner + j;
#if FLAT
  return *(const item *)((const char *)p.operand + (i64)i * p.operand_strides[0]);
#else
  return *(const item *)((const char *)p.operand + offset_of((uindex)i, p.operand_axes, p.operand_sizes, p.operand_strides));
#endif
}
DEVICE element *place_of(const params &p, u64 i) {
#if FLAT
  return (element *)((char *)p.array + (i64)i * p.array_strides[0]);
#else
  return (element *)((char *)p.array + offset_of((uindex)i, p.array_axes, p.array_sizes, p.array_strides));
#endif
}
