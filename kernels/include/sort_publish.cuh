// Tile states of decoupled look-back, in global memory: the tile's own count and, once known, the inclusive prefix. Two
// bits of the word say which; readers need nothing else from the tile, so no fence is needed either. Required before
// it: `count`.
constexpr u64 FLAGS = 8 * sizeof(count) - 2;
constexpr count OWN = (count)1 << FLAGS;
constexpr count UP_TO = (count)2 << FLAGS;
DEVICE u32 published(const u32 *at) {
  u32 v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  return v;
}
DEVICE u64 published(const u64 *at) {
  u64 v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
  return v;
}
DEVICE void publish(u32 *at, u32 v) { asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory"); }
DEVICE void publish(u64 *at, u64 v) { asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(v) : "memory"); }
