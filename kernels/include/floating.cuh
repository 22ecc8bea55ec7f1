// Floats as bits. float16 and bfloat16 are read as they are stored: widening would replace every NaN by one bit
// pattern.
DEVICE u32 raw(f32 x) { return __float_as_uint(x); }
DEVICE u64 raw(f64 x) { return (u64)__double_as_longlong(x); }
template <class H> DEVICE u16 raw(H x) { return x.bits; }
DEVICE void set_raw(f32 &x, u32 bits) { x = __uint_as_float(bits); }
DEVICE void set_raw(f64 &x, u64 bits) { x = __longlong_as_double((i64)bits); }
template <class H> DEVICE void set_raw(H &x, u16 bits) { x.bits = bits; }
template <class U> DEVICE U sign_bit(U) { return (U)((U)1 << (8 * sizeof(U) - 1)); }

template <class T> DEVICE bool sign_of(T x) { return (raw(x) & sign_bit(raw(x))) != 0; }
template <class T> DEVICE T with_sign_of(T a, T b) {
  const auto sign = sign_bit(raw(a));
  T r;
  set_raw(r, (decltype(raw(a)))((raw(a) & ~sign) | (raw(b) & sign)));
  return r;
}

// The next number: one step of the bits, which have the order of the magnitudes.
template <class U> DEVICE U stepped(U bits, bool outwards) { return outwards ? (U)(bits + 1) : (U)(bits - 1); }
template <class T> DEVICE T next_float(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  const auto bits = raw(a);
  T r;
  set_raw(r, a == 0 ? (decltype(raw(a)))((raw(b) & sign_bit(bits)) | 1) : stepped(bits, (a < b) == (a > 0)));
  return r;
}
// The same for float16 and bfloat16, whose values are `a` and `b`.
template <class H> DEVICE H next_half(H x, H y, f32 a, f32 b) {
  if (a != a) return x;
  if (b != b) return y;
  if (a == b) return x;
  H r;
  r.bits = a == 0 ? (u16)((y.bits & 0x8000) | 1) : stepped(x.bits, (a < b) == (a > 0));
  return r;
}
// Distances between adjacent numbers, which are exact.
template <class T> DEVICE T step_out(T x) {
  if (x != x || isinf(x)) return x - x;
  T r;
  set_raw(r, x == 0 ? (decltype(raw(x)))1 : stepped(raw(x), true));
  return r - x;
}
template <class H> DEVICE f32 half_step_out(H x, f32 value) {
  if (value != value || isinf(value)) return value - value;
  H r;
  r.bits = value == 0 ? (u16)1 : stepped(x.bits, true);
  return widen(r) - value;
}
template <class H> DEVICE f32 half_step_up(H x, f32 value) {
  if (value != value || isinf(value)) return value - value;
  H r;
  r.bits = value == 0 ? (u16)1 : stepped(x.bits, value > 0);
  return widen(r) - value;
}
// No float spans more than some two thousand powers of two.
template <class T> DEVICE int exponent(T n) { return n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n; }

// A subnormal number is first scaled to a normal one.
DEVICE pair<f32, int> fraction_and_exponent(f32 x) {
  if (x == 0 || x != x || isinf(x)) return {x, 0};
  const bool tiny = fabsf(x) < 0x1p-126f;
  const u32 bits = raw(tiny ? x * 0x1p24f : x);
  return {__uint_as_float((bits & 0x807fffffu) | 0x3f000000u), (int)(bits >> 23 & 0xff) - 126 - (tiny ? 24 : 0)};
}
DEVICE pair<f64, int> fraction_and_exponent(f64 x) {
  if (x == 0 || x != x || isinf(x)) return {x, 0};
  const bool tiny = fabs(x) < 0x1p-1022;
  const u64 bits = raw(tiny ? x * 0x1p54 : x);
  f64 fraction;
  set_raw(fraction, (bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
  return {fraction, (int)(bits >> 52 & 0x7ff) - 1022 - (tiny ? 54 : 0)};
}
template <class T> DEVICE pair<T, T> fraction_and_whole(T x) {
  const T whole = trunc(x);
  return {copysign(isinf(x) ? (T)0 : x - whole, x), whole};
}
