// Series in a basis of orthogonal polynomials: values by Clenshaw's recurrence, and the values of every basis polynomial.
// Required before it: `element`, the dtype of coefficients, points and results; real(f64), which casts to it; times,
// plus and minus of two elements, each rounded.
//
// The basis has B(k + 1) = up(k) (x - shift(k)) B(k) - down(k) B(k - 1); the numbers follow `Basis` of the library.

DEVICE f64 up(u32 basis, u64 k) {
  const f64 n = (f64)k;
  switch (basis) {
  case 1: return k ? 2.0 : 1.0;
  case 2: return (2.0 * n + 1.0) / (n + 1.0);
  case 3: return -1.0 / (n + 1.0);
  case 4: return 2.0;
  default: return 1.0;
  }
}

DEVICE f64 down(u32 basis, u64 k) {
  const f64 n = (f64)k;
  switch (basis) {
  case 1: return 1.0;
  case 2: return n / (n + 1.0);
  case 3: return n / (n + 1.0);
  case 4: return 2.0 * n;
  case 5: return n;
  default: return 0.0;
  }
}

// Only the polynomials of Laguerre have a shift.
DEVICE element shifted(u32 basis, u64 k, element x) { return basis == 3 ? minus(x, real(2.0 * (f64)k + 1.0)) : x; }

// A thread sums one series at one point. Neighbours have the same column of coefficients unless these are paired with
// the points. The threads of a block compute the numbers of the recurrence once for all, at most 256 at a time.
extern "C" __global__ void __launch_bounds__(256) series_values(const __grid_constant__ values_params p) {
  __shared__ f64 ups[256], downs[256];
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  const bool within = i < p.results;
  const u64 at = within ? i : p.results - 1;
  const u64 column = p.paired ? at : p.columns == 1 ? 0 : at / p.points;
  const element x = ((const element *)p.input)[p.paired ? at : at - column * p.points];
  const element *coefficients = (const element *)p.coefficients + column;
  element before = real(0.0), last = p.count > 1 ? coefficients[(p.count - 1) * p.columns] : before;
  for (u64 end = p.count > 1 ? p.count - 1 : 1; end > 0;) {
    const u64 begin = end > 256 ? end - 256 : 0;
    if (begin + threadIdx.x < end) {
      ups[threadIdx.x] = up(p.basis, begin + threadIdx.x);
      downs[threadIdx.x] = down(p.basis, begin + threadIdx.x + 1);
    }
    __syncthreads();
#pragma unroll 1
    for (u64 k = end; k-- > begin;) {
      element y = coefficients[k * p.columns];
      if (k + 2 < p.count) y = minus(y, times(before, real(downs[k - begin])));
      y = plus(y, times(times(last, shifted(p.basis, k, x)), real(ups[k - begin])));
      before = last;
      last = y;
    }
    __syncthreads();
    end = begin;
  }
  if (within) ((element *)p.out)[i] = last;
}

// A thread writes the values of all basis polynomials at one point, a row of points apart.
extern "C" __global__ void __launch_bounds__(256) series_vandermonde(const __grid_constant__ vandermonde_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.points) return;
  const element x = ((const element *)p.input)[i];
  element *out = (element *)p.out + i;
  element before = real(0.0), last = plus(times(x, before), real(1.0));
  *out = last;
#pragma unroll 1
  for (u64 k = 0; k < p.degree; ++k) {
    element y = shifted(p.basis, k, x);
    if (k) y = times(y, last);
    y = times(y, real(up(p.basis, k)));
    if (k) y = minus(y, times(before, real(down(p.basis, k))));
    out[(k + 1) * p.points] = y;
    before = last;
    last = y;
  }
}
