// The position of element t of a triangle that is numbered row by row: its first row has `first` elements, each
// following row one more, up to `width`, which all further rows have. Rows are counted from that first one.
DEVICE i64 before_row(i64 row, i64 first) { return row * first + row * (row - 1) / 2; }
DEVICE i64 triangle_row(i64 t, i64 first, i64 width) {
  const i64 growing = width - first, within = before_row(growing, first);
  if (t >= within) return growing + (t - within) / width;
  // The root of a quadratic, off by at most one if a double has too few digits.
  const f64 b = (f64)first - 0.5;
  i64 row = (i64)(sqrt(b * b + 2.0 * (f64)t) - b);
  while (before_row(row, first) > t) --row;
  while (before_row(row + 1, first) <= t) ++row;
  return row;
}
DEVICE i64 triangle_column(i64 t, i64 first, i64 width) {
  const i64 row = triangle_row(t, first, width), growing = width - first;
  return row < growing ? t - before_row(row, first) : (t - before_row(growing, first)) % width;
}
