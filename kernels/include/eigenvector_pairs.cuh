// Complex eigenvectors of real matrices, from their real form: of a conjugate pair, whose eigenvalue of positive imaginary
// part is the first, one column has the real parts and the next one the imaginary parts. Required before it: `real`.
extern "C" __global__ void __launch_bounds__(256) eigenvector_pairs(const __grid_constant__ params p) {
  const u64 e = (u64)blockIdx.x * 256 + threadIdx.x;
  if (e >= p.count) return;
  const u64 row = e / p.n, c = e % p.n;
  const real beside = ((const complex<real> *)p.values)[row / p.n * p.n + c].im;
  const real *v = (const real *)p.vectors + e;
  complex<real> x = {v[0], 0};
  if (beside > 0) x.im = v[1];
  if (beside < 0) x = {v[-1], -v[0]};
  ((complex<real> *)p.out)[e] = x;
}
