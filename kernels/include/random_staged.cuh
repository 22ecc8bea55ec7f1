// Rows of the table. With STAGED shared memory holds each row eight times, one for each lane of eight that read together: so each
// reads banks of its own, wherever its row is.
#if STAGED
extern __shared__ __align__(16) unsigned char staged[];
constexpr u32 COPIES = 8;

DEVICE void stage() {
#pragma unroll 1
  for (u32 k = threadIdx.x; k < ENTRIES * COPIES; k += blockDim.x) ((row *)staged)[k] = rows[k / COPIES];
  __syncthreads();
}
DEVICE row entry(u32 k) { return ((const row *)staged)[k * COPIES + threadIdx.x % COPIES]; }
// The row `at` / 2^shift - `first` of the first or the second half; `at` has zeros behind.
DEVICE row row_of(u32 at, int shift, u32 first, u32 half) {
  const u32 own = threadIdx.x % COPIES * (u32)sizeof(row) - first * (COPIES * (u32)sizeof(row));
  return *(const row *)(staged + (i32)((at >> (shift - 7)) + (half * (ENTRIES / 2 * COPIES * (u32)sizeof(row)) + own)));
}
#else
DEVICE row entry(u32 k) { return rows[k]; }
DEVICE row row_of(u32 at, int shift, u32 first, u32 half) { return rows[(at >> shift) - first + half * (ENTRIES / 2)]; }
#endif
