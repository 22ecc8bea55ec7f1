// The edges of bins of equal width, with NumPy's arithmetic. Required before it: `edge` (their dtype), `compared` (in which
// elements are compared with them), UNIT_LOG2 (minus the logarithm of the unit roundoff of the dtype), edge_of(f64), which
// rounds to it, and rounded(f64), which rounds a single operation in float64, with more than twice the digits, to the dtype
// of the computation.
constexpr int THREADS = 256;

#if FOUND
// Returns the float of an ordered integer (histogram_ends.cuh).
DEVICE f64 number_of(u64 word) {
  if (UNIT_LOG2 == 53) {
    const u64 sign = 0x8000000000000000ull;
    return __longlong_as_double((i64)(word & sign ? word ^ sign : ~word));
  }
  const u32 bits = (u32)word, sign = 0x80000000u;
  return (f64)__uint_as_float(bits & sign ? bits ^ sign : ~bits);
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS) edges(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
#if FOUND
  const u64 *ends = (const u64 *)p.ends;
  f64 first = number_of(~ends[0]), last = number_of(ends[1]);
  if (first == last) {
    first = rounded(first - 0.5);
    last = rounded(last + 0.5);
  }
#else
  const f64 first = p.first, last = p.last;
#endif
  const f64 bins = (f64)p.bins, length = rounded(last - first), step = rounded(length / bins);
#if FOUND
  // The numbers of a bin's index, and the bound of the error of its product with the scale: the host computes the same, and
  // explains the bound.
  if (i == 0) {
    f64 *uniform = (f64 *)p.uniform;
    const f64 size = fabs(first) > fabs(last) ? fabs(first) : fabs(last);
    const f64 off = 1.01 / (f64)(1ull << UNIT_LOG2) * bins * (5.0 + size / length);
    uniform[0] = first;
    uniform[1] = last;
    uniform[2] = length;
    uniform[3] = rounded(bins);
    uniform[4] = (f64)(compared)(bins / (f64)(compared)(last - first));
    uniform[5] = 0.5 - off - 1e-6;
  }
#endif
  if (i > p.bins) return;
  const f64 inner = rounded(rounded((f64)i * step) + first);
  ((edge *)p.out)[i] = edge_of(i < p.bins ? inner : last);
}
