// The element `index` of a call as an elementwise expression: a uniform number with the result of the kernel `draw`;
// `start` is the index of the call's first element in the generator's sequence.
DEVICE random_words random_words_of(u64 key, u64 number, u64 stream) {
  return philox4x32_10((u32)number, (u32)(number >> 32), 0, (u32)stream, (u32)key, (u32)(key >> 32));
}
DEVICE f32 random_single(u64 key, u64 start, u64 stream, u64 index) {
  const u64 e = start + index;
  const random_words w = random_words_of(key, e >> 2, stream);
  const u32 lower = e & 1 ? w.w[1] : w.w[0], upper = e & 1 ? w.w[3] : w.w[2];
  return unit<f32>(e & 2 ? upper : lower);
}
DEVICE f64 random_double(u64 key, u64 start, u64 stream, u64 index) {
  const u64 e = start + index;
  const random_words w = random_words_of(key, e >> 1, stream);
  return unit<f64>(e & 1 ? w.w[2] | (u64)w.w[3] << 32 : w.w[0] | (u64)w.w[1] << 32);
}
