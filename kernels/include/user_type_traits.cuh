// Type traits, under the names of the C++ library.
namespace std {
template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  __host__ __device__ constexpr operator T() const { return v; }
  __host__ __device__ constexpr T operator()() const { return v; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class...> using void_t = void;
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T *> { typedef T type; };
template <class T> struct remove_pointer<T *const> { typedef T type; };
template <class T> struct add_pointer { typedef typename remove_reference<T>::type *type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct remove_extent { typedef T type; };
template <class T, decltype(sizeof(0)) N> struct remove_extent<T[N]> { typedef T type; };
template <class T> struct decay : remove_cv<typename remove_reference<T>::type> {};
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> using decay_t = typename decay<T>::type;
template <class A, class B> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {};
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_pointer_to_any : false_type {};
template <class T> struct is_pointer_to_any<T *> : true_type {};
template <class T> struct is_pointer : is_pointer_to_any<typename remove_cv<T>::type> {};
template <class T> struct is_reference : false_type {};
template <class T> struct is_reference<T &> : true_type {};
template <class T> struct is_reference<T &&> : true_type {};
template <class T> struct is_array : false_type {};
template <class T, decltype(sizeof(0)) N> struct is_array<T[N]> : true_type {};
template <class T> struct is_void : is_same<void, typename remove_cv<T>::type> {};
template <class T> struct is_integer : false_type {};
template <class T> struct is_float : false_type {};
#define CUPRUM_OF(T)                                                                                                   \
  template <> struct is_integer<T> : true_type {};
CUPRUM_OF(bool)
CUPRUM_OF(char)
CUPRUM_OF(signed char)
CUPRUM_OF(unsigned char)
CUPRUM_OF(short)
CUPRUM_OF(unsigned short)
CUPRUM_OF(int)
CUPRUM_OF(unsigned int)
CUPRUM_OF(long)
CUPRUM_OF(unsigned long)
CUPRUM_OF(long long)
CUPRUM_OF(unsigned long long)
CUPRUM_OF(wchar_t)
CUPRUM_OF(char16_t)
CUPRUM_OF(char32_t)
#undef CUPRUM_OF
template <> struct is_float<float> : true_type {};
template <> struct is_float<double> : true_type {};
template <> struct is_float<long double> : true_type {};
template <class T> struct is_integral : is_integer<typename remove_cv<T>::type> {};
template <class T> struct is_floating_point : is_float<typename remove_cv<T>::type> {};
template <class T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T, bool = is_arithmetic<T>::value> struct is_signed : bool_constant<((T)-1 < (T)0)> {};
template <class T> struct is_signed<T, false> : false_type {};
template <class T, bool = is_arithmetic<T>::value> struct is_unsigned : bool_constant<((T)0 < (T)-1)> {};
template <class T> struct is_unsigned<T, false> : false_type {};
template <class T> struct is_enum : bool_constant<__is_enum(T)> {};
template <class T> struct is_class : bool_constant<__is_class(T)> {};
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class A, class B> struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <class A, class B> struct is_convertible : bool_constant<__is_convertible_to(A, B)> {};
template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> struct make_unsigned;
template <class T> struct make_signed;
#define CUPRUM_OF(S, U)                                                                                                \
  template <> struct make_unsigned<S> { typedef U type; };                                                             \
  template <> struct make_unsigned<U> { typedef U type; };                                                             \
  template <> struct make_signed<S> { typedef S type; };                                                               \
  template <> struct make_signed<U> { typedef S type; };
CUPRUM_OF(signed char, unsigned char)
CUPRUM_OF(short, unsigned short)
CUPRUM_OF(int, unsigned int)
CUPRUM_OF(long, unsigned long)
CUPRUM_OF(long long, unsigned long long)
#undef CUPRUM_OF
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class A, class B> constexpr bool is_same_v = is_same<A, B>::value;
template <class A, class B> constexpr bool is_base_of_v = is_base_of<A, B>::value;
template <class A, class B> constexpr bool is_convertible_v = is_convertible<A, B>::value;
#define CUPRUM_OF(name) template <class T> constexpr bool name##_v = name<T>::value;
CUPRUM_OF(is_const)
CUPRUM_OF(is_pointer)
CUPRUM_OF(is_reference)
CUPRUM_OF(is_array)
CUPRUM_OF(is_void)
CUPRUM_OF(is_integral)
CUPRUM_OF(is_floating_point)
CUPRUM_OF(is_arithmetic)
CUPRUM_OF(is_signed)
CUPRUM_OF(is_unsigned)
CUPRUM_OF(is_enum)
CUPRUM_OF(is_class)
CUPRUM_OF(is_trivially_copyable)
#undef CUPRUM_OF
}
