// Modified Bessel functions by CUDA's, with SciPy's results at infinity.
template <class T> DEVICE T bessel_i0(T x) { return isinf(x) ? x - x : cyl_bessel_i0(x); }
template <class T> DEVICE T bessel_i1(T x) { return isinf(x) ? x - x : cyl_bessel_i1(x); }
