// Elements computed from their coordinates: each is a function of a linear form of its coordinates and, for some forms,
// of the element of an operand. Required before it: `element`, `uindex`, `params` and the function made(p, form,
// index).
constexpr int THREADS = 256, EACH = 4;

extern "C" __global__ void __launch_bounds__(THREADS) generate(const __grid_constant__ params p) {
  const u64 first = (u64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
  element y[EACH];
  i64 to[EACH];
#pragma unroll
  for (int j = 0; j < EACH; ++j) {
    const u64 e = first + j * THREADS;
    if (e >= p.elements) break;
    uindex rest = (uindex)e;
    i64 form = p.first, from = 0;
    to[j] = 0;
#pragma unroll 1
    for (u32 k = p.axes; k > 1; --k) {
      const uindex q = divide(rest, p.sizes[k - 1]);
      const i64 r = (i64)(rest - q * (uindex)p.sizes[k - 1].divisor);
      to[j] += r * p.steps[k - 1];
      from += r * p.input_steps[k - 1];
      form += r * p.weights[k - 1];
      rest = q;
    }
    to[j] += (i64)rest * p.steps[0];
    from += (i64)rest * p.input_steps[0];
    form += (i64)rest * p.weights[0];
    y[j] = made(p, form, (const char *)p.input + from);
  }
#pragma unroll
  for (int j = 0; j < EACH; ++j)
    if (first + j * THREADS < p.elements) *(element *)((char *)p.out + to[j]) = y[j];
}
