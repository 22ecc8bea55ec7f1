// Rows of the table. With STAGED shared memory has eight copies of each row, one for each lane of eight that read
// together: each reads banks of its own, whichever row it needs.
#if STAGED
extern __shared__ __align__(16) unsigned char staged[];
constexpr u32 COPIES = 8;

DEVICE void stage() {
#pragma unroll 1
  for (u32 k = threadIdx.x; k < ENTRIES * COPIES; k += blockDim.x) ((row *)staged)[k] = rows[k / COPIES];
  __syncthreads();
}
// The row whose number is the 7 bits of `at` from `shift` on, after `first` others.
DEVICE row entry(u32 at, int shift, u32 first) {
  constexpr u32 all = COPIES * (u32)sizeof(row);
  return *(const row *)(staged + (((at >> (shift - 7)) & 127 * all) | threadIdx.x % COPIES * (u32)sizeof(row)) + first * all);
}
// The row `at` / 2^shift - `first` of the first or the second half; the low bits of `at` are zeros.
DEVICE row row_of(u32 at, int shift, u32 first, u32 half) {
  constexpr u32 all = COPIES * (u32)sizeof(row);
  const u32 own = threadIdx.x % COPIES * (u32)sizeof(row) - first * all;
  // A multiplication, which runs on a less busy unit, where the compiler would use a shift and a mask.
  u32 base;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(base) : "r"(half), "n"(ENTRIES / 2 * all), "r"(own));
  return *(const row *)(staged + (i32)((at >> (shift - 7)) + base));
}
#else
DEVICE row entry(u32 at, int shift, u32 first) { return rows[(at >> shift & 127) + first]; }
DEVICE row row_of(u32 at, int shift, u32 first, u32 half) { return rows[(at >> shift) - first + half * (ENTRIES / 2)]; }
#endif
