// float16: storage only. Arithmetic is done in f32 and rounded once, which for + - * / and sqrt is the correctly
// rounded result (24 >= 2 * 11 + 2).
struct f16 {
  u16 bits;
};
DEVICE f32 widen(f16 x) {
  f32 r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits));
  return r;
}
DEVICE f16 f16_from(f16 x) { return x; }
DEVICE f16 f16_from(f32 x) {
  f16 r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
  return r;
}
DEVICE f16 f16_from(f64 x) {
  f16 r;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r.bits) : "d"(x));
  return r;
}
