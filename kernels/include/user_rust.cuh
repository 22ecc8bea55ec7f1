// Device code of kernels written in Rust: arrays with checked indices, and Rust's conversions and methods.
struct rejecting {
  error_record *record;
  u64 call;
  u64 function;
};
// The struct of a contiguous one-dimensional array that is passed by value.
template <class T> struct Slice {
  T *data;
  u64 length;
  i64 shape, stride;
};

DEVICE u64 thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + (u64)blockDim.y * threadIdx.z); }

// Rarely called: it is not inlined, to keep the code of its callers small.
static __device__ __noinline__ void rejected(rejecting to, u64 i, u64 length) {
  const u64 block = blockIdx.x + gridDim.x * (blockIdx.y + (u64)gridDim.y * blockIdx.z);
  const u64 thread = block * (blockDim.x * blockDim.y * blockDim.z) + thread_rank();
  report_error(to.record, to.call, (u32)to.function, thread, (i64)i, 0, length);
}
DEVICE bool inside(u64 length, u64 i, rejecting to) {
  if (i < length) return true;
  rejected(to, i, length);
  return false;
}
template <class T> DEVICE T get(const T *data, u64 length, u64 i, rejecting to) {
  return inside(length, i, to) ? data[i] : (T)0;
}
template <class T> DEVICE void set(T *data, u64 length, u64 i, rejecting to, T value) {
  if (inside(length, i, to)) data[i] = value;
}

// Out-of-range values are saturated, and NaN becomes 0.
template <class To> DEVICE To saturated(f64 x) {
  const bool is_signed = (To)-1 < (To)0;
  const int bits = sizeof(To) * 8;
  const To most = is_signed ? (To)(((u64)1 << (bits - 1)) - 1) : (To)~(u64)0;
  const To least = is_signed ? (To)((u64)1 << (bits - 1)) : (To)0;
  if (!(x == x)) return (To)0;
  if (x >= (f64)most) return most;
  if (x <= (f64)least) return least;
  return (To)x;
}
template <class To> DEVICE To saturated(f32 x) { return saturated<To>((f64)x); }
template <> DEVICE i32 saturated<i32>(f32 x) { return __float2int_rz(x); }
template <> DEVICE u32 saturated<u32>(f32 x) { return __float2uint_rz(x); }

template <class T> DEVICE T reciprocal(T x) { return (T)1 / x; }
template <class T> DEVICE T least(T a, T b) { return b < a ? b : a; }
template <class T> DEVICE T most(T a, T b) { return a < b ? b : a; }
DEVICE f32 least(f32 a, f32 b) { return fminf(a, b); }
DEVICE f32 most(f32 a, f32 b) { return fmaxf(a, b); }
DEVICE f64 least(f64 a, f64 b) { return fmin(a, b); }
DEVICE f64 most(f64 a, f64 b) { return fmax(a, b); }
template <class T> DEVICE T absolute(T x) { return x < (T)0 ? (T)((T)0 - x) : x; }
DEVICE f32 absolute(f32 x) { return fabsf(x); }
DEVICE f64 absolute(f64 x) { return fabs(x); }
template <class T> DEVICE u32 count_ones(T x) { return __popcll((u64)(typename unsigned_of<T>::type)x); }
template <class T> DEVICE u32 leading_zeros(T x) {
  return __clzll((u64)(typename unsigned_of<T>::type)x) - (64 - 8 * (u32)sizeof(T));
}
template <class T> DEVICE T atomic_sub(T *at, T x) { return atomicAdd(at, (T)0 - x); }
