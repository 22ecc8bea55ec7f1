// Exact sums of float32 elements, or of their products with a coordinate, for slots whose digits fit into shared memory. The number
// m 2^(e - 149), m of 24 bits, is added to three digits of DIGIT bits from digit e / DIGIT on, and a block has so few elements that 32 bits
// hold the sum of their digits. The digits of all blocks are added up in the limbs of label_exact.cuh, which have as many bits. Required
// before it: label_exact.cuh.

constexpr u32 DIGIT = 12, DIGIT_THREADS = 1024;
// Elements of a thread that are loaded at once.
constexpr u32 DIGITS_AHEAD = 4;

extern __shared__ __align__(16) i32 shared_digits[];

// Adds +-m 2^(e - 149), m below 2^24, for each lane; all lanes of a warp call it. `base` is the digit 0 of the lane's slot. Numbers of a warp
// with one slot are added up for each first digit.
DEVICE void add_digits(const params &p, i32 *base, bool one, bool negative, u32 e, u32 m) {
  const u32 first = e / DIGIT, shift = e - first * DIGIT, pitch = (u32)p.count << p.copies_log2;
  i32 parts[3] = {(i32)(m << shift & ((1u << DIGIT) - 1)), (i32)(m >> (DIGIT - shift) & ((1u << DIGIT) - 1)), (i32)(m >> (2 * DIGIT - shift))};
#pragma unroll
  for (u32 k = 0; k < 3; ++k) parts[k] = negative ? -parts[k] : parts[k];
  i32 *at = base + first * pitch;
  if (!one) {
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
      if (parts[k] != 0) atomicAdd(at + k * pitch, parts[k]);
    }
    return;
  }
  const u32 lane = threadIdx.x & 31;
  u32 rest = __ballot_sync(~0u, m != 0);
#pragma unroll 1
  while (rest != 0) {
    const u32 leader = __ffs(rest) - 1, of = __shfl_sync(~0u, first, leader);
    const bool same = m != 0 && first == of;
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
      const i32 sum = (i32)warp_sum(same ? (u32)parts[k] : 0);
      if (lane == leader && sum != 0) atomicAdd(at + k * pitch, sum);
    }
    rest &= ~__ballot_sync(~0u, same);
  }
}

extern "C" __global__ void __launch_bounds__(DIGIT_THREADS) label_exact_blocks(const __grid_constant__ params p) {
  const u32 count = (u32)p.count, copies = 1u << p.copies_log2, words = (u32)p.chunks * count;
  for (u32 w = threadIdx.x; w < words * copies; w += DIGIT_THREADS) shared_digits[w] = 0;
  __syncthreads();
  const u64 start = (u64)blockIdx.x * p.chunk, end = start + p.chunk < p.elements ? start + p.chunk : p.elements;
  i32 *own = shared_digits + (threadIdx.x & (copies - 1));
#pragma unroll 1
  for (u64 base = start; base < end; base += DIGIT_THREADS * DIGITS_AHEAD) {
    i32 slot[DIGITS_AHEAD];
    u32 bits[DIGITS_AHEAD];
#pragma unroll
    for (u32 k = 0; k < DIGITS_AHEAD; ++k) {
      const u64 i = base + k * DIGIT_THREADS + threadIdx.x;
      slot[k] = i < end ? p.slots[i] : -1;
      bits[k] = i < end ? __float_as_uint(element_at(p, i)) : 0;
    }
#pragma unroll
    for (u32 k = 0; k < DIGITS_AHEAD; ++k) {
      const i32 first = __shfl_sync(~0u, slot[k], 0);
      const bool one = __all_sync(~0u, slot[k] == first), there = slot[k] >= 0;
      if (one && first < 0) continue;
      const u32 exponent = bits[k] >> 23 & 255, normal = exponent != 0, e = exponent == 255 ? 0 : exponent - normal;
      const i64 factor = p.column == 2 ? coordinate_of(p, base + k * DIGIT_THREADS + threadIdx.x) : 1;
      u64 m = there ? (bits[k] & 0x7fffff) | normal << 23 : 0;
      if (there && exponent == 255) {
        atomicOr(p.marks + slot[k], mark_of(bits[k], factor));
        m = 0;
      }
      i32 *digits = own + ((there ? slot[k] : 0) << p.copies_log2);
      m *= (u64)factor;
      add_digits(p, digits, one, bits[k] >> 31, e, (u32)m & 0xffffff);
      // Coordinates are below 2^24, so that both parts of a product are.
      if (p.column == 2) add_digits(p, digits, one, bits[k] >> 31, e + 24, (u32)(m >> 24));
    }
  }
  __syncthreads();
  for (u32 w = threadIdx.x; w < words; w += DIGIT_THREADS) {
    i32 sum = 0;
    for (u32 c = 0; c < copies; ++c) sum += shared_digits[(w << p.copies_log2) + c];
    if (sum != 0) atomicAdd((u64 *)p.sums + w, (u64)(i64)sum);
  }
}
