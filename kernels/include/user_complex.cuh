// Complex numbers, aligned to their size as thrust's are: in kernel parameters, too.
template <class T> class alignas(2 * sizeof(T)) complex {
  T re, im;
public:
  typedef T value_type;
  __device__ complex() {}
  __device__ complex(T re, T im = T()) : re(re), im(im) {}
  template <class U> __device__ complex(complex<U> z) : re((T)z.real()), im((T)z.imag()) {}
  __device__ T real() const { return re; }
  __device__ T imag() const { return im; }
  __device__ void real(T x) { re = x; }
  __device__ void imag(T x) { im = x; }
  __device__ complex operator-() const { return complex(-re, -im); }
  __device__ complex operator+() const { return *this; }
  __device__ complex &operator+=(complex b) { return *this = complex(re + b.re, im + b.im); }
  __device__ complex &operator-=(complex b) { return *this = complex(re - b.re, im - b.im); }
  __device__ complex &operator*=(complex b) { return *this = complex(re * b.re - im * b.im, re * b.im + im * b.re); }
  // R. L. Smith, "Algorithm 116: Complex division", 1962: no overflow unless the quotient overflows.
  __device__ complex &operator/=(complex b) {
    if (fabs(b.re) >= fabs(b.im)) {
      if (b.re == 0 && b.im == 0) return *this = complex(re / fabs(b.re), im / fabs(b.re));
      const T ratio = b.im / b.re, scale = (T)1 / (b.re + b.im * ratio);
      return *this = complex((re + im * ratio) * scale, (im - re * ratio) * scale);
    }
    const T ratio = b.re / b.im, scale = (T)1 / (b.re * ratio + b.im);
    return *this = complex((re * ratio + im) * scale, (im * ratio - re) * scale);
  }
  friend __device__ complex operator+(complex a, complex b) { return a += b; }
  friend __device__ complex operator-(complex a, complex b) { return a -= b; }
  friend __device__ complex operator*(complex a, complex b) { return a *= b; }
  friend __device__ complex operator/(complex a, complex b) { return a /= b; }
  friend __device__ bool operator==(complex a, complex b) { return a.re == b.re && a.im == b.im; }
  friend __device__ bool operator!=(complex a, complex b) { return !(a == b); }
  // By the real parts, then by the imaginary ones; false for any NaN.
  friend __device__ bool operator<(complex a, complex b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
  }
  friend __device__ bool operator<=(complex a, complex b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
  }
  friend __device__ bool operator>(complex a, complex b) { return b < a; }
  friend __device__ bool operator>=(complex a, complex b) { return b <= a; }
};
template <class T> __device__ T real(complex<T> z) { return z.real(); }
template <class T> __device__ T imag(complex<T> z) { return z.imag(); }
template <class T> __device__ complex<T> conj(complex<T> z) { return complex<T>(z.real(), -z.imag()); }
template <class T> __device__ T norm(complex<T> z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> __device__ T abs(complex<T> z) { return hypot(z.real(), z.imag()); }
template <class T> __device__ T arg(complex<T> z) { return atan2(z.imag(), z.real()); }
template <class T> __device__ complex<T> polar(T r, T angle) { return complex<T>(r * cos(angle), r * sin(angle)); }
template <class T> __device__ bool isnan(complex<T> z) { return isnan(z.real()) || isnan(z.imag()); }
template <class T> __device__ bool isinf(complex<T> z) { return isinf(z.real()) || isinf(z.imag()); }
template <class T> __device__ bool isfinite(complex<T> z) { return isfinite(z.real()) && isfinite(z.imag()); }
namespace thrust {
using ::complex;
using ::norm;
using ::conj;
using ::abs;
using ::arg;
using ::polar;
}
