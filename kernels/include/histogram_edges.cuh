// The edges of bins of equal width, with NumPy's arithmetic. Required before it: `edge` (their dtype), edge_of(f64),
// which rounds to it, and rounded(f64), which rounds a single operation in float64, with more than twice the digits, to
// the dtype of the computation.
constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS) edges(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i > p.bins) return;
  const f64 length = rounded(p.last - p.first), step = rounded(length / (f64)p.bins);
  const f64 inner = rounded(rounded((f64)i * step) + p.first);
  ((edge *)p.out)[i] = edge_of(i < p.bins ? inner : p.last);
}
