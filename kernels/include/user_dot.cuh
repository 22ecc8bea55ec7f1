// CUDA's dot product functions, which NVRTC 12.0 to 12.2 declare and do not define.
#if __CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ < 3
#define CUPRUM_OF(name, instruction, T, type, A, B)                                                                    \
  __device__ inline T name(A a, B b, T sum) {                                                                          \
    T r;                                                                                                               \
    asm(instruction "." type "." type " %0, %1, %2, %3;" : "=r"(r) : "r"(*(T *)&a), "r"(*(T *)&b), "r"(sum));          \
    return r;                                                                                                          \
  }
CUPRUM_OF(__dp4a, "dp4a", int, "s32", int, int)
CUPRUM_OF(__dp4a, "dp4a", unsigned int, "u32", unsigned int, unsigned int)
CUPRUM_OF(__dp4a, "dp4a", int, "s32", char4, char4)
CUPRUM_OF(__dp4a, "dp4a", unsigned int, "u32", uchar4, uchar4)
CUPRUM_OF(__dp2a_lo, "dp2a.lo", int, "s32", int, int)
CUPRUM_OF(__dp2a_lo, "dp2a.lo", unsigned int, "u32", unsigned int, unsigned int)
CUPRUM_OF(__dp2a_lo, "dp2a.lo", int, "s32", short2, char4)
CUPRUM_OF(__dp2a_lo, "dp2a.lo", unsigned int, "u32", ushort2, uchar4)
CUPRUM_OF(__dp2a_hi, "dp2a.hi", int, "s32", int, int)
CUPRUM_OF(__dp2a_hi, "dp2a.hi", unsigned int, "u32", unsigned int, unsigned int)
CUPRUM_OF(__dp2a_hi, "dp2a.hi", int, "s32", short2, char4)
CUPRUM_OF(__dp2a_hi, "dp2a.hi", unsigned int, "u32", ushort2, uchar4)
#undef CUPRUM_OF
#endif
