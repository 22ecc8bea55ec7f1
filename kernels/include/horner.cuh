// Polynomial evaluation by Horner's method, from the highest coefficient down. Required before it: `given` (the dtype
// of the points in memory), `element` (of the coefficients and the results), begin(given), which is zero times the
// point, as_element(given), which casts it, times and plus of two elements, each rounded, and `uindex`.
//
// A thread has four points, a block apart, and reads each coefficient once for all of them.

extern "C" __global__ void __launch_bounds__(256) horner(const __grid_constant__ params p) {
  const u64 first = (u64)blockIdx.x * 1024 + threadIdx.x;
  const element *coefficients = (const element *)p.coefficients;
  element x[4], y[4];
  i64 to[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const u64 i = first + 256 * k;
    // Beyond the last point the last one is evaluated again.
    uindex rest = (uindex)(i < p.results ? i : p.results - 1);
    i64 from = 0;
    to[k] = 0;
#pragma unroll 1
    for (u32 d = p.axes; d > 1; --d) {
      const uindex q = divide(rest, p.sizes[d - 1]);
      const i64 r = (i64)(rest - q * (uindex)p.sizes[d - 1].divisor);
      from += r * p.in_strides[d - 1];
      to[k] += r * p.out_strides[d - 1];
      rest = q;
    }
    from += (i64)rest * p.in_strides[0];
    to[k] += (i64)rest * p.out_strides[0];
    const given argument = *(const given *)((const char *)p.input + from);
    x[k] = as_element(argument);
    y[k] = plus(begin(argument), coefficients[0]);
  }
#pragma unroll 1
  for (u64 c = 1; c < p.count; ++c) {
    const element coefficient = coefficients[c];
#pragma unroll
    for (int k = 0; k < 4; ++k) y[k] = plus(times(y[k], x[k]), coefficient);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + 256 * k < p.results) *(element *)((char *)p.out + to[k]) = y[k];
}
