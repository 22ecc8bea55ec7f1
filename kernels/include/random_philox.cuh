// Philox4x32-10: a block of 128 random bits is a keyed bijection of a 128-bit counter (J. Salmon, M. Moraes, R. Dror,
// D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011). It requires no other header: kernels of users include
// it, too.
struct random_words {
  unsigned w[4];
};
// The round keys, which are steps of Weyl sequences.
struct philox_key {
  unsigned k0, k1;
  __device__ __forceinline__ unsigned first(int round) const { return k0 + (unsigned)round * 0x9E3779B9u; }
  __device__ __forceinline__ unsigned second(int round) const { return k1 + (unsigned)round * 0xBB67AE85u; }
};
template <class Keys>
__device__ __forceinline__ random_words philox_rounds(unsigned c0, unsigned c1, unsigned c2, unsigned c3, const Keys &keys) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = (unsigned long long)c0 * 0xD2511F53u, b = (unsigned long long)c2 * 0xCD9E8D57u;
    c0 = (unsigned)(b >> 32) ^ c1 ^ keys.first(round);
    c1 = (unsigned)b;
    c2 = (unsigned)(a >> 32) ^ c3 ^ keys.second(round);
    c3 = (unsigned)a;
  }
  return random_words{{c0, c1, c2, c3}};
}
__device__ __forceinline__ random_words philox4x32_10(unsigned c0, unsigned c1, unsigned c2, unsigned c3, unsigned k0, unsigned k1) {
  return philox_rounds(c0, c1, c2, c3, philox_key{k0, k1});
}
// The generator block of this number in the stream of a key, equal to that of a host generator with this key and no
// jump.
__device__ __forceinline__ random_words random_block(unsigned long long key, unsigned long long number) {
  return philox4x32_10((unsigned)number, (unsigned)(number >> 32), 0, 0, (unsigned)key, (unsigned)(key >> 32));
}
