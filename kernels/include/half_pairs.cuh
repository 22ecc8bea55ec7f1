// Pairs of float16 numbers in a register of 32 bits. Two results in float32 are rounded by one instruction. Sums,
// differences and products have instructions for pairs: a float32 result rounded to float16 is the correctly rounded
// one (24 >= 2 * 11 + 2), and so is theirs. Every NaN has the bits 0x7fff, as a rounded one.
struct alignas(4) f16x2 {
  u32 bits;
};
DEVICE f16x2 f16_pair(f16 low, f16 high) {
  f16x2 r;
  asm("mov.b32 %0, {%1, %2};" : "=r"(r.bits) : "h"(low.bits), "h"(high.bits));
  return r;
}
DEVICE f16 low_of(f16x2 x) {
  f16 r;
  asm("{ .reg .b16 high; mov.b32 {%0, high}, %1; }" : "=h"(r.bits) : "r"(x.bits));
  return r;
}
DEVICE f16 high_of(f16x2 x) {
  f16 r;
  asm("{ .reg .b16 low; mov.b32 {low, %0}, %1; }" : "=h"(r.bits) : "r"(x.bits));
  return r;
}
template <class T> DEVICE f16x2 f16_pair_from(T low, T high) { return f16_pair(f16_from(low), f16_from(high)); }

DEVICE f16x2 add_pairs(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
DEVICE f16x2 subtract_pairs(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
DEVICE f16x2 multiply_pairs(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
// Differences with -0 and sums with it are exact, and a NaN becomes the one of a rounded result.
DEVICE f16x2 negative_pairs(f16x2 a) { return subtract_pairs({0x80008000u}, a); }
DEVICE f16x2 absolute_pairs(f16x2 a) { return add_pairs({a.bits & 0x7fff7fffu}, {0x80008000u}); }

#if __CUDA_ARCH__ >= 800
DEVICE f16x2 f16_pair_from(f32 low, f32 high) {
  f16x2 r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r.bits) : "f"(high), "f"(low));
  return r;
}
DEVICE f16x2 maximum_pairs(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
DEVICE f16x2 minimum_pairs(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
#else
DEVICE f16x2 maximum_pairs(f16x2 a, f16x2 b) {
  return f16_pair_from(one_nan_maximum(widen(low_of(a)), widen(low_of(b))), one_nan_maximum(widen(high_of(a)), widen(high_of(b))));
}
DEVICE f16x2 minimum_pairs(f16x2 a, f16x2 b) {
  return f16_pair_from(one_nan_minimum(widen(low_of(a)), widen(low_of(b))), one_nan_minimum(widen(high_of(a)), widen(high_of(b))));
}
#endif
