// In [0, 1): as many of a word's bits as the dtype has, so that none is 1 and the steps are the same everywhere.
template <class T> DEVICE f32 unit(u32 w);
template <> DEVICE f32 unit<f32>(u32 w) { return (f32)(w >> 8) * 0x1p-24f; }
struct half_bits {};
struct brain_bits {};
template <> DEVICE f32 unit<half_bits>(u32 w) { return (f32)(w >> 21) * 0x1p-11f; }
template <> DEVICE f32 unit<brain_bits>(u32 w) { return (f32)(w >> 24) * 0x1p-8f; }
// (w >> 11) 2^-53 by its halves, each in the last digits of a number: 2^20 + h 2^-32 and 1/2 + l 2^-53. All differences are exact, and a
// conversion of 64 bits takes several times as long.
template <class T> DEVICE f64 unit(u64 w) {
  const f64 upper = __hiloint2double(0x41300000, (int)(w >> 32)) - 1048576.5;
  return upper + __hiloint2double(0x3fe00000, (int)((u32)w >> 11));
}
// A parameter as the error record holds it.
DEVICE i64 parameter_bits(f64 x) { return __double_as_longlong(x); }
DEVICE i64 parameter_bits(i64 x) { return parameter_bits((f64)x); }
DEVICE i64 parameter_bits(u64 x) { return parameter_bits((f64)x); }
// In [0, 1), rounded down from endless bits: the exponent by the zeros in front of the first one, then as many bits as the
// dtype has, subnormal numbers among them.
template <class T> DEVICE f32 full_unit(u32 w, draws &more);
template <> DEVICE f32 full_unit<f32>(u32 w, draws &more) {
  int zeros = 0;
  while (w == 0 && zeros < 160) zeros += 32, w = more.word();
  if (w == 0) return 0;
  const int own = 31 - __clz(w);
  u32 rest = own ? w << (32 - own) : 0;
  if (own < 23) rest |= more.word() >> own;
  zeros += 31 - own;
  // 2^-(zeros + 1) is the value of the first one.
  const u32 digits = rest >> 9;
  if (zeros < 126) return bits_to_f32((u32)(126 - zeros) << 23 | digits);
  return zeros < 149 ? bits_to_f32((1u << 23 | digits) >> (zeros - 125)) : 0;
}
template <> DEVICE f32 full_unit<brain_bits>(u32 w, draws &more) {
  return bits_to_f32(f32_to_bits(full_unit<f32>(w, more)) & 0xffff0000u);
}
template <> DEVICE f32 full_unit<half_bits>(u32 w, draws &more) {
  const f32 x = full_unit<f32>(w, more);
  return x < 0x1p-14f ? floorf(x * 0x1p24f) * 0x1p-24f : bits_to_f32(f32_to_bits(x) & 0xffffe000u);
}
template <class T> DEVICE f64 full_unit(u64 w, draws &more) {
  int zeros = 0;
  while (w == 0 && zeros < 1088) zeros += 64, w = more.two();
  if (w == 0) return 0;
  const int own = 63 - __clzll((long long)w);
  u64 rest = own ? w << (64 - own) : 0;
  if (own < 52) rest |= more.two() >> own;
  zeros += 63 - own;
  const u64 digits = rest >> 12;
  if (zeros < 1022) return __longlong_as_double((long long)((u64)(1022 - zeros) << 52 | digits));
  return zeros < 1074 ? __longlong_as_double((long long)((1ull << 52 | digits) >> (zeros - 1021))) : 0;
}
