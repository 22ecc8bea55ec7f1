// In [0, 1): as many of a word's bits as the dtype has, so that none is 1 and the steps are the same everywhere.
template <class T> DEVICE f32 unit(u32 w);
template <> DEVICE f32 unit<f32>(u32 w) { return (f32)(w >> 8) * 0x1p-24f; }
struct half_bits {};
struct brain_bits {};
template <> DEVICE f32 unit<half_bits>(u32 w) { return (f32)(w >> 21) * 0x1p-11f; }
template <> DEVICE f32 unit<brain_bits>(u32 w) { return (f32)(w >> 24) * 0x1p-8f; }
template <class T> DEVICE f64 unit(u64 w) { return (f64)(w >> 11) * 0x1p-53; }
// A parameter as the error record holds it.
DEVICE i64 parameter_bits(f64 x) { return __double_as_longlong(x); }
DEVICE i64 parameter_bits(i64 x) { return parameter_bits((f64)x); }
DEVICE i64 parameter_bits(u64 x) { return parameter_bits((f64)x); }
