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
// the points.
extern "C" __global__ void __launch_bounds__(256) series_values(const __grid_constant__ values_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.results) return;
  const u64 column = p.paired ? i : i / p.points;
  const element x = ((const element *)p.input)[p.paired ? i : i - column * p.points];
  const element *coefficients = (const element *)p.coefficients + column;
  element before = real(0.0), last = p.count > 1 ? coefficients[(p.count - 1) * p.columns] : before;
#pragma unroll 1
  for (u64 k = p.count > 1 ? p.count - 1 : 1; k-- > 0;) {
    element y = coefficients[k * p.columns];
    if (k + 2 < p.count) y = minus(y, times(before, real(down(p.basis, k + 1))));
    y = plus(y, times(times(last, shifted(p.basis, k, x)), real(up(p.basis, k))));
    before = last;
    last = y;
  }
  ((element *)p.out)[i] = last;
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
