// Addresses of the elements that `at` updates, and of its operands. Required before it: `element` (of the array),
// `item` (of the operand in memory; a byte if there is none), `cell` (of the positions), `uindex` and FLAT (both have
// one axis).

DEVICE item operand_of(const params &p, u64 position, u64 j) {
  if (!p.operand) return item{};
  const u64 i = position * p.inner + j;
#if FLAT
  return *(const item *)((const char *)p.operand + (i64)i * p.operand_strides[0]);
#else
  return *(const item *)((const char *)p.operand + offset_of((uindex)i, p.operand_axes, p.operand_sizes, p.operand_strides));
#endif
}
DEVICE element *target_of(const params &p, u64 i) {
#if FLAT
  return (element *)((char *)p.array + (i64)i * p.array_strides[0]);
#else
  return (element *)((char *)p.array + offset_of((uindex)i, p.array_axes, p.array_sizes, p.array_strides));
#endif
}
