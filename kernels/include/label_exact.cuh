// Exact sums of float32 elements, or of their products with a coordinate, for many slots and in any order. A float32 is an integer of 24
// bits times 2^(e - 149), 0 <= e <= 253. Each slot has limbs of 64 bits, of which limb j has the weight 2^(shift j - 149): a number is
// added to limb e / shift, shifted by e % shift, and as many additions as there are elements cannot overflow it. Required before it:
// label_reading.cuh.

constexpr u32 SOME_NAN = 1, SOME_PLUS = 2, SOME_MINUS = 4;
constexpr u32 MOST_LIMBS = 64;

// Returns the mark of a number with the largest exponent. A product with 0 is NaN, too.
DEVICE u32 mark_of(u32 bits, i64 factor) { return bits & 0x7fffff || factor == 0 ? SOME_NAN : bits >> 31 ? SOME_MINUS : SOME_PLUS; }

// Adds m 2^(e - 149) for each lane; all lanes of a warp call it. Those of a warp with one slot are added up for each limb.
DEVICE void add_term(const params &p, i32 slot, bool one, u32 e, i64 m) {
  const u32 limb = e / p.shift, lane = threadIdx.x & 31;
  const i64 v = m * (1ll << e % p.shift);
  if (!one) {
    if (v != 0) atomicAdd((u64 *)p.sums + limb * p.count + slot, (u64)v);
    return;
  }
  u32 rest = __ballot_sync(~0u, v != 0);
#pragma unroll 1
  while (rest != 0) {
    const u32 leader = __ffs(rest) - 1, of = __shfl_sync(~0u, limb, leader);
    const bool same = v != 0 && limb == of;
    i64 sum = same ? v : 0;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == leader) atomicAdd((u64 *)p.sums + of * p.count + slot, (u64)sum);
    rest &= ~__ballot_sync(~0u, same);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) label_exact(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  const i32 slot = i < p.elements ? slot_reader(p).at(i) : -1;
  const u32 bits = slot >= 0 ? __float_as_uint(element_at(p, i)) : 0;
  const i64 factor = slot >= 0 && p.column == 2 ? coordinate_of(p, i) : 1;
  const u32 exponent = bits >> 23 & 255, normal = exponent != 0, e = exponent - normal;
  i64 m = (bits & 0x7fffff) | normal << 23;
  if (exponent == 255) {
    atomicOr(p.marks + slot, mark_of(bits, factor));
    m = 0;
  }
  m *= factor;
  const i64 sign = bits >> 31 ? -1 : 1;
  const i32 first = __shfl_sync(~0u, slot, 0);
  const bool one = __all_sync(~0u, slot == first);
  if (one && first < 0) return;
  // Coordinates are below 2^24, so that both parts of a product are.
  add_term(p, slot, one, e, sign * (m & 0xffffff));
  if (p.column == 2) add_term(p, slot, one, e + 24, sign * (m >> 24));
}

// Carries the limbs of each slot of each set of sums and rounds them.
extern "C" __global__ void __launch_bounds__(THREADS) label_exact_totals(const __grid_constant__ params p) {
  const u64 slot = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (slot >= p.count * p.sets) return;
  const u32 limbs = (u32)p.chunks, shift = p.shift;
  const u64 set = slot / p.count, *own = (const u64 *)p.sums + set * limbs * p.count + (slot - set * p.count);
  const u64 mask = (1ull << shift) - 1;
  u64 digits[MOST_LIMBS];
  i64 carry = 0;
  // Loads that do not wait for each other.
#pragma unroll 8
  for (u32 j = 0; j < limbs; ++j) digits[j] = own[j * p.count];
#pragma unroll 1
  for (u32 j = 0; j < limbs; ++j) {
    const i64 all = (i64)digits[j] + carry;
    digits[j] = (u64)all & mask;
    carry = all >> shift;
  }
  const bool negative = carry < 0;
  u64 one = 1;
  for (u32 j = 0; negative && j < limbs; ++j) {
    const u64 negated = mask - digits[j] + one;
    digits[j] = negated & mask;
    one = negated >> shift;
  }
  // From the largest digit down nothing is rounded before the last bits.
  const auto power = [](i32 e) { return __longlong_as_double((i64)(1023 + e) << 52); };
  f64 sum = (f64)(negative ? ~carry + (i64)one : carry) * power((i32)(shift * limbs) - 149);
  for (u32 j = limbs; j-- > 0;) sum += (f64)(i64)digits[j] * power((i32)(shift * j) - 149);
  if (negative) sum = -sum;
  const u32 marks = p.marks[slot];
  if (marks & SOME_PLUS) sum = __longlong_as_double(0x7ff0000000000000ll);
  if (marks & SOME_MINUS) sum = __longlong_as_double((i64)0xfff0000000000000ull);
  if (marks & SOME_NAN || (marks & (SOME_PLUS | SOME_MINUS)) == (SOME_PLUS | SOME_MINUS))
    sum = __longlong_as_double(0x7ff8000000000000ll);
  p.out[slot] = sum;
}
