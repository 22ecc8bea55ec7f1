// Real functions whose results NumPy specifies beyond C++'s operators.
template <class T> DEVICE bool is_nan(T x) { return x != x; }
DEVICE bool is_finite(f32 x) { return isfinite(x); }
DEVICE bool is_finite(f64 x) { return isfinite(x); }

template <class T> DEVICE T integer_floor_divide(T a, T b) {
  if (b == 0) return 0;
  if (b == (T)-1 && (T)-1 < (T)0) return wrapping_neg(a);
  T q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}
template <class T> DEVICE T integer_remainder(T a, T b) {
  if (b == 0 || (b == (T)-1 && (T)-1 < (T)0)) return 0;
  T r = a % b;
  return (r != 0 && (a < 0) != (b < 0)) ? r + b : r;
}
template <class T> DEVICE T integer_power(T base, T exponent) {
  T r = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) r = wrapping_mul(r, base);
    base = wrapping_mul(base, base);
  }
  return r;
}
template <class T> DEVICE T integer_absolute(T a) {
  // 16-bit integers are negated in 32 bits: the assembler treats the result of abs.s16 for -2^15 as 2^15 if it is
  // converted next.
  if constexpr (sizeof(T) == 2) {
    const i32 wide = a;
    return (T)(wide < 0 ? -wide : wide);
  } else {
    return a < 0 ? wrapping_neg(a) : a;
  }
}

// Both functions of floats start from r, the result of fmod.
template <class T> DEVICE T remainder_of(T b, T r) {
  if (b == 0) return r;
  if (r == 0) return copysign((T)0, b);
  return (b < 0) != (r < 0) ? r + b : r;
}
template <class T> DEVICE T float_remainder(T a, T b) { return remainder_of(b, fmod(a, b)); }
// The quotient for the remainder: a == b * quotient + remainder as closely as floats allow.
template <class T> DEVICE T floor_quotient_of(T a, T b, T r) {
  if (b == 0) return a / b;
  T q = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) q -= (T)1;
  if (q == 0) return copysign((T)0, a / b);
  T down = floor(q);
  return q - down > (T)0.5 ? down + (T)1 : down;
}
template <class T> DEVICE T float_floor_divide(T a, T b) { return floor_quotient_of(a, b, fmod(a, b)); }
// fmod of float32 numbers, by a quotient in double precision if its product with b is exact.
DEVICE f32 short_fmod(f32 a, f32 b) {
  f64 q = trunc((f64)a / (f64)b);
  if (!(fabs(q) < 0x1p29) || isinf(b)) return fmod(a, b);
  // The quotient may have been rounded up to an integer.
  f64 r = (f64)a - q * b;
  if (r != 0 && (r < 0) != (a < 0)) r += copysign((f64)b, (f64)a);
  return copysign((f32)r, a);
}
DEVICE f32 float_floor_divide(f32 a, f32 b) { return floor_quotient_of(a, b, short_fmod(a, b)); }
// A NaN of either operand propagates; +0 is larger than -0.
DEVICE f32 float_maximum(f32 a, f32 b) { return a != a ? a : b != b ? b : fmaxf(a, b); }
DEVICE f64 float_maximum(f64 a, f64 b) { return a != a ? a : b != b ? b : fmax(a, b); }
DEVICE f32 float_minimum(f32 a, f32 b) { return a != a ? a : b != b ? b : fminf(a, b); }
DEVICE f64 float_minimum(f64 a, f64 b) { return a != a ? a : b != b ? b : fmin(a, b); }
// The same if all NaNs become one bit pattern, as in results of float16 and bfloat16: one instruction from sm_80 on,
// which returns the same NaN whenever either operand is one.
DEVICE f32 one_nan_maximum(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return a != a || b != b ? bits_to_f32(0x7fffffffu) : fmaxf(a, b);
#endif
}
DEVICE f32 one_nan_minimum(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return a != a || b != b ? bits_to_f32(0x7fffffffu) : fminf(a, b);
#endif
}
template <class T> DEVICE T complex_maximum(T a, T b) { return is_nan(a) || b <= a ? a : b; }
template <class T> DEVICE T complex_minimum(T a, T b) { return is_nan(a) || a <= b ? a : b; }

// Signed and unsigned 64-bit integers are compared by value, not by bits.
DEVICE bool mixed_equal(i64 a, u64 b) { return a >= 0 && (u64)a == b; }
DEVICE bool mixed_less(i64 a, u64 b) { return a < 0 || (u64)a < b; }
DEVICE bool mixed_less(u64 a, i64 b) { return b >= 0 && a < (u64)b; }
