// Reduces the minimum and the maximum of a block's words to its first thread, for WARPS full warps. Synchronises the
// block once.
template <u32 WARPS, typename W> DEVICE void block_ends(W &least, W &most) {
  __shared__ W leasts[WARPS], mosts[WARPS];
  const u32 t = threadIdx.x;
#pragma unroll
  for (u32 half = 16; half > 0; half /= 2) {
    const W other_least = __shfl_xor_sync(~0u, least, half), other_most = __shfl_xor_sync(~0u, most, half);
    least = other_least < least ? other_least : least;
    most = other_most > most ? other_most : most;
  }
  if (t % 32 == 0) {
    leasts[t / 32] = least;
    mosts[t / 32] = most;
  }
  __syncthreads();
  if (t > 0) return;
  for (u32 w = 1; w < WARPS; ++w) {
    least = leasts[w] < least ? leasts[w] : least;
    most = mosts[w] > most ? mosts[w] : most;
  }
}
