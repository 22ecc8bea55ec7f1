// Frame of every fold: elements along axes, combined sequentially in their order. Required before it: `element` (the
// dtype in memory), `item` and `result` (operand and result of the loop), `uindex`, and the functions start(p),
// begin(element), combine(result, element), offset_of.
//
// A thread has a slice: the elements of one result, or those of a running result.

// An element of the slice that begins at `base`, or of its mask.
template <class T> DEVICE T at(const params &p, const char *base, const i64 *strides, u64 i) {
  const i64 offset =
    p.folded_axes <= 1 ? (i64)i * strides[0] : offset_of((uindex)i, p.folded_axes, p.folded, strides);
  return *(const T *)(base + offset);
}

template <bool MASKED> DEVICE void reduce(const params &p, u64 t) {
  const char *in = (const char *)p.input + offset_of((uindex)t, p.line_axes, p.line, p.line_in);
  const char *mask = MASKED ? (const char *)p.mask + offset_of((uindex)t, p.line_axes, p.line, p.line_mask) : 0;
  u64 i = 0;
  result r = p.from_start ? start(p) : begin(at<element>(p, in, p.folded_in, i++));
  for (; i < p.length; ++i) {
    if (MASKED && !at<bool>(p, mask, p.folded_mask, i)) continue;
    r = combine(r, at<element>(p, in, p.folded_in, i));
  }
  *(result *)((char *)p.out + offset_of((uindex)t, p.line_axes, p.line, p.line_out)) = r;
}

DEVICE void accumulate(const params &p, u64 t) {
  const char *in = (const char *)p.input + offset_of((uindex)t, p.line_axes, p.line, p.line_in);
  char *out = (char *)p.out + offset_of((uindex)t, p.line_axes, p.line, p.line_out);
  result r = begin(*(const element *)in);
  *(result *)out = r;
  for (u64 i = 1; i < p.length; ++i) {
    r = combine(r, at<element>(p, in, p.folded_in, i));
    *(result *)(out + (i64)i * p.out_step) = r;
  }
}

// A slice has a result for each of its segments; adjacent threads have adjacent slices.
DEVICE void reduceat(const params &p, u64 t) {
  const u64 k = t / p.lines, line = t - k * p.lines;
  const char *in = (const char *)p.input + offset_of((uindex)line, p.line_axes, p.line, p.line_in);
  char *out = (char *)p.out + offset_of((uindex)line, p.line_axes, p.line, p.line_out);
  const i64 *starts = (const i64 *)p.starts;
  u64 i = (u64)starts[k];
  const u64 end = k + 1 < p.segments ? (u64)starts[k + 1] : p.length;
  result r = begin(at<element>(p, in, p.folded_in, i));
  for (++i; i < end; ++i) r = combine(r, at<element>(p, in, p.folded_in, i));
  *(result *)(out + (i64)k * p.out_step) = r;
}

extern "C" __global__ void __launch_bounds__(256) fold(const __grid_constant__ params p) {
  const u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (t < p.lines * p.segments) METHOD(p, t);
}
