// bfloat16: storage only, the upper half of an f32. Arithmetic is done in f32 and rounded once (24 >= 2 * 8 + 2).
struct bf16 {
  u16 bits;
};
DEVICE f32 widen(bf16 x) { return bits_to_f32((u32)x.bits << 16); }
DEVICE bf16 bf16_from(bf16 x) { return x; }
DEVICE bf16 bf16_from(f32 x) {
  bf16 r;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
#else
  // Half of the last bit, or a bit less if the last bit is even, carries into it (round to nearest even). Every NaN
  // becomes the same.
  const u32 b = f32_to_bits(x);
  r.bits = x != x ? 0x7fff : (u16)((b + 0x7fffu + (b >> 16 & 1u)) >> 16);
#endif
  return r;
}
// A double is first rounded to odd in 24 bits, so that the second rounding decides (S. Boldo, G. Melquiond, "When
// double rounding is odd", 2005).
DEVICE bf16 bf16_from(f64 x) {
  f32 near = __double2float_rn(x);
  if ((f64)near == x || near != near) return bf16_from(near);
  f32 zero = __double2float_rz(x);
  return bf16_from(bits_to_f32(f32_to_bits(zero) | 1u));
}
// 64-bit integers exceed a double's precision: the remaining bits are rounded to odd as well.
DEVICE f64 rounded_to_odd(f64 toward_zero, bool exact) {
  return exact ? toward_zero : __longlong_as_double(__double_as_longlong(toward_zero) | 1);
}
DEVICE bf16 bf16_from(i64 x) {
  f64 z = __ll2double_rz(x);
  return bf16_from(rounded_to_odd(z, __double2ll_rz(z) == x));
}
DEVICE bf16 bf16_from(u64 x) {
  f64 z = __ull2double_rz(x);
  return bf16_from(rounded_to_odd(z, __double2ull_rz(z) == x));
}
