// Moments of complex numbers: both parts at once, with the squares of the modulus. Every byte of a partial result is
// written, so that it can be copied as whole words.
template <class T, class N> struct moments<complex<T>, T, N> {
  N count;
  complex<T> mean;
#ifdef __HIP__
  // clang rejects arrays in shared memory whose elements have an initialiser.
  T squares, unused;
#else
  T squares, unused = 0;
#endif
};
template <class T> DEVICE complex<T> scaled(complex<T> z, T by) { return {z.re * by, z.im * by}; }
template <class T> DEVICE T squared(complex<T> z) { return z.re * z.re + z.im * z.im; }
template <class T> DEVICE complex<T> parted(complex<T> z, T by) { return {z.re / by, z.im / by}; }
template <class T> DEVICE T squared(complex<T> z, T weight) { return z.re * (z.re * weight) + z.im * (z.im * weight); }
