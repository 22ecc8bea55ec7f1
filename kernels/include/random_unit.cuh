// A number in [0, 1): as many of a word's bits as the dtype has, so that none is 1 and the steps are the same
// everywhere.
template <class T> DEVICE f32 unit(u32 w);
template <> DEVICE f32 unit<f32>(u32 w) { return (f32)(w >> 8) * 0x1p-24f; }
struct half_bits {};
struct brain_bits {};
template <> DEVICE f32 unit<half_bits>(u32 w) { return (f32)(w >> 21) * 0x1p-11f; }
template <> DEVICE f32 unit<brain_bits>(u32 w) { return (f32)(w >> 24) * 0x1p-8f; }
// (w >> 11) 2^-53 from its halves, each in the last digits of a double: 2^20 + h 2^-32 and 1/2 + l 2^-53. All
// differences are exact, and a 64-bit conversion takes several times as long.
template <class T> DEVICE f64 unit(u64 w) {
  const f64 upper = __hiloint2double(0x41300000, (int)(w >> 32)) - 1048576.5;
  return upper + __hiloint2double(0x3fe00000, (int)((u32)w >> 11));
}
