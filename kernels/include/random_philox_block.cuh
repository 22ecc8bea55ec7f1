// The generator block of this number: its first two counter words count blocks, the third attempts at the same block,
// the fourth jumps.
DEVICE random_words block(const params &p, u64 number, u32 attempt) {
  return philox4x32_10((u32)number, (u32)(number >> 32), attempt, p.state[2], p.state[0], p.state[1]);
}
