// The larger side if the other is negligible: next to the largest number CUDA's function would overflow.
DEVICE f32 hypotenuse(f32 a, f32 b) {
  const f32 large = fmax(fabs(a), fabs(b)), small = fmin(fabs(a), fabs(b));
  return a == a && b == b && small <= large * 0x1p-14f ? large : hypot(a, b);
}
// For float64 within one rounding, where CUDA's function is off by a unit in the last place: the squares with their
// rounding errors, and a Newton step for the root of their sum.
DEVICE f64 hypotenuse(f64 a, f64 b) {
  const f64 large = fmax(fabs(a), fabs(b)), small = fmin(fabs(a), fabs(b));
  if (isinf(large)) return large;
  if (a != a || b != b) return a + b;
  if (small <= large * 0x1p-28) return large;
  f64 scale = 1, back = 1;
  if (large > 0x1p500) scale = 0x1p-600, back = 0x1p600;
  if (large < 0x1p-400) scale = 0x1p600, back = 0x1p-600;
  const f64 x = large * scale, y = small * scale, xx = x * x, yy = y * y, sum = xx + yy;
  const f64 left = yy - (sum - xx) + (fma(x, x, -xx) + fma(y, y, -yy));
  const f64 root = sqrt(sum);
  return (root + (fma(-root, root, sum) + left) / (2 * root)) * back;
}
