// Exact sums of float32 numbers at given positions, in any order: every element has limbs.
//
// Required before it: at_limbs.cuh. The first bit of the flags of the call is set if any element is -0 initially: only
// then is an element marked as touched.
constexpr u32 ANY_ZERO = 1;

// Sets bits of the word of used limbs, once for a block. All threads call it.
DEVICE void publish_used(const params &p, u32 used) {
  __shared__ u32 of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  if (used & ~*(volatile u32 *)&of_block) atomicOr(&of_block, used);
  __syncthreads();
  u32 *word = (u32 *)p.marks + 1;
  if (threadIdx.x == 0 && (of_block & ~*(volatile u32 *)word)) atomicOr(word, of_block);
}

// Initialises the limbs with the elements.
extern "C" __global__ void __launch_bounds__(256) begin(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  u32 used = 0;
  if (i < p.targets) {
#pragma unroll
    for (u32 part = 0; part < PARTS; ++part) {
      const u32 x = ((const u32 *)target_of(p, i))[part];
      term own = term_of(x);
      if (!is_number(x)) own.value = 0;
      used |= own.value != 0 ? 1u << own.limb : 0;
#pragma unroll
      for (u32 j = 0; j < LIMBS; ++j) ((i64 *)p.limbs)[(j * p.targets + i) * PARTS + part] = j == own.limb ? own.value : 0;
      if (x == SIGN && !(*(volatile u32 *)p.marks & ANY_ZERO)) atomicOr((u32 *)p.marks, ANY_ZERO);
    }
  }
  publish_used(p, used);
}

extern "C" __global__ void __launch_bounds__(256) add(const __grid_constant__ params p) {
  if (is_rejected_before(p)) return;
  const u64 first = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * EACH;
  const bool zeros = *(const u32 *)p.marks & ANY_ZERO;
  u64 to[EACH];
  updates all;
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    const u64 n = first + k < p.positions ? first + k : p.positions - 1;
    const bool exists = position_of(p, n, to[k]) && first + k < p.positions;
    read_update(p, n, exists, all.given[k]);
  }
  const auto was_zero = [&](u32 k, u32 part) { return zeros && ((const u32 *)target_of(p, to[k]))[part] == SIGN; };
  publish_used(p, accumulate(p, p.targets, to, all, was_zero));
}

extern "C" __global__ void __launch_bounds__(256) finish(const __grid_constant__ params p) {
  if (is_rejected(p)) return;
  const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.targets) return;
  const u32 used = ((const u32 *)p.marks)[1];
#pragma unroll
  for (u32 part = 0; part < PARTS; ++part) finish_part(p, i, part, p.targets, i * PARTS + part, used);
}
