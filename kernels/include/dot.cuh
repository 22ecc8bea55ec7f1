// Sums of the products of four bytes, as inline PTX: NVRTC 12.0 to 12.2 declare CUDA's functions for them without
// defining them, and NVRTC 13.4 rejects those functions with its fast compile options.
DEVICE i32 dot4(i32 a, i32 b, i32 sum) {
  i32 r;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
DEVICE u32 dot4(u32 a, u32 b, u32 sum) {
  u32 r;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
