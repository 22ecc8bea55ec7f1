// What the text of an elementwise or a reduction kernel of a user finds: its types, its arrays and its indices.
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;

// Halves are stored; arithmetic is that of float.
class float16 {
  unsigned short bits;
public:
  __device__ float16() {}
  __device__ float16(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  __device__ operator float() const {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
  }
};
class bfloat16 {
  unsigned short bits;
public:
  __device__ bfloat16() {}
  // Rounded to the nearest, ties to even; a NaN stays one.
  __device__ bfloat16(float x) {
    const unsigned u = __float_as_uint(x);
    bits = x != x ? 0x7fc0 : (unsigned short)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  }
  __device__ operator float() const { return __uint_as_float((unsigned)bits << 16); }
};

// Aligned as one of its parts: a view may start anywhere.
template <class T> class complex {
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
  // R. L. Smith, "Algorithm 116: Complex division", 1962: no overflow where the quotient has none.
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
};
template <class T> __device__ T real(complex<T> z) { return z.real(); }
template <class T> __device__ T imag(complex<T> z) { return z.imag(); }
template <class T> __device__ complex<T> conj(complex<T> z) { return complex<T>(z.real(), -z.imag()); }
template <class T> __device__ T norm(complex<T> z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> __device__ T abs(complex<T> z) { return hypot(z.real(), z.imag()); }
template <class T> __device__ T arg(complex<T> z) { return atan2(z.imag(), z.real()); }
template <class T> __device__ complex<T> polar(T r, T angle) { return complex<T>(r * cos(angle), r * sin(angle)); }
template <class T> __device__ complex<T> exp(complex<T> z) { return polar(exp(z.real()), z.imag()); }
template <class T> __device__ complex<T> log(complex<T> z) { return complex<T>(log(abs(z)), arg(z)); }
template <class T> __device__ complex<T> sqrt(complex<T> z) { return polar(sqrt(abs(z)), arg(z) / 2); }
namespace thrust { using ::complex; }

template <class T> __device__ T min(T a, T b) { return b < a ? b : a; }
template <class T> __device__ T max(T a, T b) { return a < b ? b : a; }

// Where the loop stands: `i`, and the same as an index of each axis.
template <int N> class Indexer {
  ptrdiff_t size_, shape_[N ? N : 1], index_[N ? N : 1];
public:
  static const int ndim = N;
  __device__ ptrdiff_t size() const { return size_; }
  __device__ const ptrdiff_t *shape() const { return shape_; }
  __device__ const ptrdiff_t (&get() const)[N ? N : 1] { return index_; }
  __device__ void set(ptrdiff_t i) {
    for (int axis = N - 1; axis > 0; axis--) {
      index_[axis] = i % shape_[axis];
      i /= shape_[axis];
    }
    index_[0] = i;
  }
};

// An array: by the place of an element in C order, or by an index of each axis. `Dense` ones lie in C order.
template <class T, int N, bool Dense> class CArray {
  T *data_;
  ptrdiff_t size_, shape_[N ? N : 1], strides_[N ? N : 1];
public:
  static const int ndim = N;
  typedef T value_type;
  __device__ T *data() const { return data_; }
  __device__ ptrdiff_t size() const { return size_; }
  __device__ const ptrdiff_t *shape() const { return shape_; }
  __device__ const ptrdiff_t *strides() const { return strides_; }
  __device__ T &operator[](const ptrdiff_t (&index)[N ? N : 1]) const {
    ptrdiff_t at = 0;
    for (int axis = 0; axis < N; axis++) at += index[axis] * strides_[axis];
    return *(T *)((char *)data_ + at);
  }
  template <class I> __device__ T &operator[](I i) const {
    if (Dense) return data_[i];
    ptrdiff_t at = 0, left = i;
    for (int axis = N - 1; axis >= 0; axis--) {
      const ptrdiff_t n = axis ? shape_[axis] : left + 1;
      at += left % n * strides_[axis];
      left /= n;
    }
    return *(T *)((char *)data_ + at);
  }
};
