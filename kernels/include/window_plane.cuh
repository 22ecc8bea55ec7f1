// Addresses of blocks of the last two axes. Required before it: `uindex`, KZ (elements of a window along the axis before them) and the parameter
// struct.

// Moves addresses to the row of a block, but for the coordinates along the last two axes and along the one before if windows have several
// elements there, and returns its coordinate along that.
DEVICE i64 to_plane(const params &p, u32 column, const char *&src, char *&dst) {
  i64 z = 0;
  uindex rest = column;
#pragma unroll 1
  for (u32 d = p.axes - 2; d-- > 0;) {
    const uindex q = d > 0 ? divide(rest, p.sizes[d]) : 0;
    const i64 c = (i64)(rest - q * (uindex)p.sizes[d].divisor);
    rest = q;
    dst += c * p.dst_steps[d];
    if (KZ > 1 && d == p.axes - 3) z = c;
    else src += c * p.src_steps[d];
  }
  return z;
}
