// The element `index` of a call, as an elementwise expression with the results of the kernel `draw`; `start` is the
// index of the call's first element in the generator's sequence.
#if NARROW
template <class Distribution> DEVICE f32 element(u64 key, u64 start, u64 stream, u64 index) {
  const params p = {{(u32)key, (u32)(key >> 32), (u32)stream}};
  const u64 e = start + index, number = e >> 2;
  const random_words w = block(p, number, 0);
  const u32 lower = e & 1 ? w.w[1] : w.w[0], upper = e & 1 ? w.w[3] : w.w[2], word = e & 2 ? upper : lower;
  draws more(p, number, 1 + (u32)(e & 3), 4);
  return one<Distribution>(word, more);
}
#else
DEVICE f64 element(u64 key, u64 start, u64 stream, u64 index) {
  const params p = {{(u32)key, (u32)(key >> 32), (u32)stream}};
  const u64 e = start + index, number = e >> 1;
  f64 x[2];
  DISTRIBUTION(p, number, block(p, number, 0), x);
  return e & 1 ? x[1] : x[0];
}
#endif
