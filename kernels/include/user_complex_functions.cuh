// Elementary functions of complex numbers through those of the library: in double precision, rounded once.
#undef DEVICE
#define CUPRUM_OF(name)                                                                                                \
  template <class T> __device__ complex<T> name(complex<T> z) {                                                        \
    const cuprum_functions::c128 w = cuprum_functions::complex_##name({(double)z.real(), (double)z.imag()});           \
    return complex<T>((T)w.re, (T)w.im);                                                                               \
  }                                                                                                                    \
  namespace thrust { using ::name; }
CUPRUM_OF(exp)
CUPRUM_OF(log)
CUPRUM_OF(log10)
CUPRUM_OF(sqrt)
CUPRUM_OF(sin)
CUPRUM_OF(cos)
CUPRUM_OF(tan)
CUPRUM_OF(sinh)
CUPRUM_OF(cosh)
CUPRUM_OF(tanh)
CUPRUM_OF(asin)
CUPRUM_OF(acos)
CUPRUM_OF(atan)
CUPRUM_OF(asinh)
CUPRUM_OF(acosh)
CUPRUM_OF(atanh)
#undef CUPRUM_OF
template <class T> __device__ complex<T> pow(complex<T> a, complex<T> b) {
  const cuprum_functions::c128 w = cuprum_functions::complex_power({(double)a.real(), (double)a.imag()},
                                                                   {(double)b.real(), (double)b.imag()});
  return complex<T>((T)w.re, (T)w.im);
}
template <class T, class U> __device__ complex<T> pow(complex<T> a, U b) { return pow(a, complex<T>((T)b)); }
template <class T, class U> __device__ complex<T> pow(U a, complex<T> b) { return pow(complex<T>((T)a), b); }
// A number with an infinite part is projected to the one infinity of the Riemann sphere.
template <class T> __device__ complex<T> proj(complex<T> z) {
  return isinf(z) ? complex<T>((T)__int_as_float(0x7f800000), copysign((T)0, z.imag())) : z;
}
namespace thrust {
using ::pow;
using ::proj;
}
