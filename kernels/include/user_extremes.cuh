// Minimum and maximum of two values of one type.
template <class T> __device__ T min(T a, T b) { return b < a ? b : a; }
template <class T> __device__ T max(T a, T b) { return a < b ? b : a; }
