// A parameter in the form of the error record.
DEVICE i64 parameter_bits(f64 x) { return __double_as_longlong(x); }
DEVICE i64 parameter_bits(i64 x) { return parameter_bits((f64)x); }
DEVICE i64 parameter_bits(u64 x) { return parameter_bits((f64)x); }
// A number in [0, 1), rounded down from infinitely many bits: the exponent by the number of leading zeros, then as many
// bits as the dtype has, subnormal numbers included.
template <class T> DEVICE f32 full_unit(u32 w, draws &more);
template <> DEVICE f32 full_unit<f32>(u32 w, draws &more) {
  int zeros = 0;
  while (w == 0 && zeros < 160) zeros += 32, w = more.word();
  if (w == 0) return 0;
  const int own = 31 - __clz(w);
  u32 rest = own ? w << (32 - own) : 0;
  if (own < 23) rest |= more.word() >> own;
  zeros += 31 - own;
  // 2^-(zeros + 1) is the value of the first set bit.
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
