// Philox round keys that the host has computed: operands that need no register and no instruction.
struct philox_given_keys {
  const params &p;
  DEVICE u32 first(int round) const { return p.keys[2 * round]; }
  DEVICE u32 second(int round) const { return p.keys[2 * round + 1]; }
};
// The generator block of this number: its first two counter words count blocks, the third attempts at the same block,
// the fourth jumps.
DEVICE random_words block(const params &p, u64 number, u32 attempt) {
  return philox_rounds((u32)number, (u32)(number >> 32), attempt, p.state[2], philox_given_keys{p});
}
