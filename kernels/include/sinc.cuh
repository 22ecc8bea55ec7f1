// sin(pi x) / (pi x). CUDA's sine of multiples of pi is exact at integers, where a rounded pi x is not.
template <class T> DEVICE T sinc(T x) {
  // Next to 0 it is 1 - (pi x)^2 / 6, whereas subnormal numbers have few digits.
  return fabs(x) < (T)1e-9 ? (T)1 : sinpi(x) / ((T)3.14159265358979323846 * x);
}
