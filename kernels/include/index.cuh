// Division of an index by a run-time constant: q = floor(n / d) by one high multiplication and a shift
// (T. Granlund, P. Montgomery, "Division by Invariant Integers using Multiplication", 1994, figure 4.1).
struct divider32 {
  u32 divisor, magic, shift;
};
DEVICE u32 divide(u32 n, const divider32 &d) {
  u32 t = __umulhi(n, d.magic);
  return (t + ((n - t) >> (d.shift != 0))) >> (d.shift == 0 ? 0 : d.shift - 1);
}
struct divider64 {
  u64 divisor, magic;
  u64 shift;
};
DEVICE u64 divide(u64 n, const divider64 &d) {
  u64 t = __umul64hi(n, d.magic);
  return (t + ((n - t) >> (d.shift != 0))) >> (d.shift == 0 ? 0 : d.shift - 1);
}
// Returns the byte offset of element i of a walk over several axes.
template <class I, class D> DEVICE i64 offset_of(I i, u32 axes, const D *sizes, const i64 *strides) {
  i64 offset = 0;
#pragma unroll 1
  for (u32 d = axes; d > 1; --d) {
    I q = divide(i, sizes[d - 1]);
    offset += (i64)(i - q * (I)sizes[d - 1].divisor) * strides[d - 1];
    i = q;
  }
  return offset + (i64)i * strides[0];
}
