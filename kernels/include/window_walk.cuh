// Walk over results whose windows have any number of axes. Required before it: `uindex`, ROOM (axes that tables have room for),
// window_border.cuh and the parameter struct.

// Position of a thread's first result.
struct walk_position {
  i64 at[ROOM];
  i64 src, dst;
  // True if all windows are within the input.
  bool inside;
};

// Finds the position of result i; along the axis `tall`, counted from 0, a thread has `reach` results.
DEVICE void walk(const params &p, uindex i, u32 tall, u32 reach, walk_position &w) {
  w.src = w.dst = 0;
  w.inside = true;
#pragma unroll 1
  for (u32 d = p.axes; d-- > 0;) {
    const uindex q = d > 0 ? divide(i, p.sizes[d]) : 0;
    i64 c = (i64)(i - q * (uindex)p.sizes[d].divisor);
    i = q;
    i64 last = c;
    if (d == tall) c *= reach, last = c + reach - 1;
    w.at[d] = c;
    w.src += c * p.src_steps[d];
    w.dst += c * p.dst_steps[d];
    w.inside = w.inside && c + p.first[d] >= 0 && last + p.last[d] < p.lengths[d];
  }
}

// Returns the offset in the input of the element of a window at these relative coordinates, skipping one axis, or -1 if it is beyond a
// constant border. Offsets count from the first element, and are negative where strides are: they are returned apart.
DEVICE bool reached(const params &p, const walk_position &w, const i64 *relative, u32 skipped, i64 &offset) {
  offset = 0;
#pragma unroll 1
  for (u32 d = 0; d < p.axes; ++d) {
    if (d == skipped) continue;
    const i64 i = border(w.at[d] + relative[d], p.lengths[d], (u32)p.rules[d]);
    if (i < 0) return false;
    offset += i * p.src_steps[d];
  }
  return true;
}
