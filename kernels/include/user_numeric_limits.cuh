// The limits of C's number types, as std::numeric_limits.
namespace std {
template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
#define CUPRUM_INTEGER(T, least, most, sign, bits)                                                                     \
  template <> struct numeric_limits<T> {                                                                               \
    static constexpr bool is_specialized = true, is_integer = true, is_signed = sign, is_exact = true,                 \
                          has_infinity = false, has_quiet_NaN = false;                                                 \
    static constexpr int digits = bits, digits10 = bits * 30103 / 100000, radix = 2;                                   \
    __host__ __device__ static constexpr T min() { return least; }                                                     \
    __host__ __device__ static constexpr T lowest() { return least; }                                                  \
    __host__ __device__ static constexpr T max() { return most; }                                                      \
    __host__ __device__ static constexpr T epsilon() { return 0; }                                                     \
  };
CUPRUM_INTEGER(char, SCHAR_MIN, SCHAR_MAX, true, 7)
CUPRUM_INTEGER(signed char, SCHAR_MIN, SCHAR_MAX, true, 7)
CUPRUM_INTEGER(unsigned char, 0, UCHAR_MAX, false, 8)
CUPRUM_INTEGER(short, SHRT_MIN, SHRT_MAX, true, 15)
CUPRUM_INTEGER(unsigned short, 0, USHRT_MAX, false, 16)
CUPRUM_INTEGER(int, INT_MIN, INT_MAX, true, 31)
CUPRUM_INTEGER(unsigned int, 0, UINT_MAX, false, 32)
CUPRUM_INTEGER(long, LONG_MIN, LONG_MAX, true, 63)
CUPRUM_INTEGER(unsigned long, 0, ULONG_MAX, false, 64)
CUPRUM_INTEGER(long long, LLONG_MIN, LLONG_MAX, true, 63)
CUPRUM_INTEGER(unsigned long long, 0, ULLONG_MAX, false, 64)
CUPRUM_INTEGER(bool, false, true, false, 1)
#undef CUPRUM_INTEGER
#define CUPRUM_FLOATING(T, P, huge, nan)                                                                               \
  template <> struct numeric_limits<T> {                                                                               \
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, is_exact = false,               \
                          has_infinity = true, has_quiet_NaN = true;                                                   \
    static constexpr int digits = P##_MANT_DIG, digits10 = P##_DIG, radix = 2, min_exponent = P##_MIN_EXP,             \
                         max_exponent = P##_MAX_EXP;                                                                   \
    __host__ __device__ static constexpr T min() { return P##_MIN; }                                                   \
    __host__ __device__ static constexpr T lowest() { return -P##_MAX; }                                               \
    __host__ __device__ static constexpr T max() { return P##_MAX; }                                                   \
    __host__ __device__ static constexpr T epsilon() { return P##_EPSILON; }                                           \
    __host__ __device__ static constexpr T infinity() { return huge; }                                                 \
    __host__ __device__ static constexpr T quiet_NaN() { return nan; }                                                 \
  };
CUPRUM_FLOATING(float, FLT, 1.0f / 0.0f, 0.0f / 0.0f)
CUPRUM_FLOATING(double, DBL, 1.0 / 0.0, 0.0 / 0.0)
#undef CUPRUM_FLOATING
}
