// Correlation of two arrays of AXES axes, the second already conjugated. Required before it: `uindex`, and what
// `correlate.cuh` requires.
//
// Lower bound: count * k products, each of which reads an element of either array from the L1 cache: adjacent threads
// read adjacent elements of the longer array, and the same element of the shorter one. A thread computes one result,
// summed in the order of the shorter array. Elements outside an array are skipped and not multiplied: an infinity is
// not multiplied by 0.
constexpr int THREADS = 256;

// Adds the products along the axes from AXIS on. `at` is the position of the shorter array's first element in the
// longer array.
template <int AXIS> DEVICE void gather(value &sum, const params &p, const i64 (&at)[AXES], const char *a, const char *v) {
  const i64 room = p.longs[AXIS] - at[AXIS], k = p.shorts[AXIS];
  const i64 first = at[AXIS] < 0 ? -at[AXIS] : 0, last = room < k ? room : k;
  a += (at[AXIS] + first) * p.a_steps[AXIS];
  v += first * p.v_steps[AXIS];
#pragma unroll 1
  for (i64 j = first; j < last; ++j) {
    if constexpr (AXIS + 1 < AXES)
      gather<AXIS + 1>(sum, p, at, a, v);
    else
      sum = step(sum, value_of(*(const element *)a), value_of(*(const element *)v));
    a += p.a_steps[AXIS];
    v += p.v_steps[AXIS];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) correlate_axes(const __grid_constant__ params p) {
  const uindex o = (uindex)blockIdx.x * THREADS + threadIdx.x;
  if (o >= p.count) return;
  i64 at[AXES];
  uindex rest = o;
#pragma unroll
  for (int axis = AXES - 1; axis >= 0; --axis) {
    const uindex q = axis > 0 ? divide(rest, p.sizes[axis]) : 0;
    at[axis] = (i64)(rest - q * (uindex)p.sizes[axis].divisor) - p.leads[axis];
    rest = q;
  }
  value sum = none();
  gather<0>(sum, p, at, p.a, p.v);
  p.out[o] = result_of(sum);
}
