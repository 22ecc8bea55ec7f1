// Matrices in global memory, in column-major order, of which a block has a panel of columns in shared memory at a time.
// Required before it: `small.cuh`, with SIDE an upper bound of the rows.

// Loads columns to shared memory, with zeros below them.
DEVICE void load_panel(const columns &to, const element *from, u32 pitch, u32 rows, u32 count) {
  for (u32 e = threadIdx.x; e < SIDE * count; e += blockDim.x) {
    const u32 j = e / SIDE, r = e % SIDE;
    to[j][r] = r < rows ? from[j * pitch + r] : number(0);
  }
}
DEVICE void store_panel(element *to, const columns &from, u32 pitch, u32 rows, u32 count) {
  for (u32 e = threadIdx.x; e < SIDE * count; e += blockDim.x) {
    const u32 j = e / SIDE, r = e % SIDE;
    if (r < rows) to[j * pitch + r] = from[j][r];
  }
}
// Loads the rows of a column that belong to a lane, and zeros below them.
DEVICE void load_column(element (&x)[EACH], const element *from, u32 rows) {
  const u32 lane = threadIdx.x % TEAM;
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) x[e] = lane + e * TEAM < rows ? from[lane + e * TEAM] : number(0);
}
DEVICE void store_column(element *to, const element (&x)[EACH], u32 rows) {
  const u32 lane = threadIdx.x % TEAM;
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) {
    if (lane + e * TEAM < rows) to[lane + e * TEAM] = x[e];
  }
}
