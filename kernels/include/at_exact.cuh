// Exact sums of float32 numbers at given positions, in any order. A number is an integer of 24 bits times 2^(e - 149),
// 0 <= e <= 253. Each element has LIMBS 64-bit integers, of which limb j has the weight 2^(SHIFT j - 149): a number is
// added to limb e / SHIFT, shifted by e % SHIFT, and the given number of additions cannot overflow it (see
// `AtExact::of`). At the end the limbs are carried and rounded once.
//
// Required before it: at_targets.cuh, SHIFT, PARTS (2 for complex numbers) and NEGATED (the operand is subtracted).
//
// Besides the limbs an element has four flag bits for added values that limbs cannot represent. The word before all
// flags is set if any element is -0 initially: only then is an element marked as touched if anything but -0 is added to
// it and the sum is 0.
constexpr u32 SIGN = 0x80000000u, INFINITE = 0x7f800000u, NOT_A_NUMBER = 0x7fffffffu;
constexpr u32 LIMBS = 253 / SHIFT + 1;
constexpr u32 SOME_NAN = 1, SOME_PLUS = 2, SOME_MINUS = 4, TOUCHED = 8;
constexpr u32 EACH = 4;

struct term {
  u32 limb;
  i64 value;
};
DEVICE term term_of(u32 bits) {
  const u32 exponent = bits >> 23 & 255, normal = exponent != 0, e = exponent - normal;
  const i64 value = (i64)((bits & 0x7fffff) | normal << 23) << (e % SHIFT);
  return {e / SHIFT, bits & SIGN ? -value : value};
}
DEVICE bool is_number(u32 bits) { return (bits & INFINITE) != INFINITE; }
DEVICE u32 mark_of(u32 bits) { return (bits & ~SIGN) > INFINITE ? SOME_NAN : bits & SIGN ? SOME_MINUS : SOME_PLUS; }
DEVICE void mark(const params &p, u64 index, u32 what) {
  atomicOr((u32 *)p.marks + 1 + index / 8, what << (u32)(index % 8 * 4));
}
DEVICE void gather(const params &p, u64 limb, i64 value) {
  if (value != 0) atomicAdd((u64 *)p.limbs + limb, (u64)value);
}

// Initialises the limbs with the elements.
extern "C" __global__ void __launch_bounds__(256) begin(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.targets) return;
#pragma unroll
  for (u32 part = 0; part < PARTS; ++part) {
    const u32 x = ((const u32 *)target_of(p, i))[part];
    const term own = term_of(x);
#pragma unroll
    for (u32 j = 0; j < LIMBS; ++j)
      ((i64 *)p.limbs)[(j * p.targets + i) * PARTS + part] = is_number(x) && j == own.limb ? own.value : 0;
    if (x == SIGN && *(volatile u32 *)p.marks == 0) atomicOr((u32 *)p.marks, 1u);
  }
}

// A thread first adds the values of adjacent positions with the same limb, which are frequent if positions are sorted.
extern "C" __global__ void __launch_bounds__(256) add(const __grid_constant__ params p) {
  if (p.rejected && *(const u32 *)p.rejected != 0) return;
  const u64 first = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * EACH;
  const bool zeros = *(const u32 *)p.marks != 0;
  u64 keys[EACH];
  u32 given[EACH][PARTS];
#pragma unroll
  for (u32 k = 0; k < EACH; ++k) {
    // Beyond the last position -0 is added, which changes nothing.
    const u64 n = first + k < p.positions ? first + k : p.positions - 1;
    const item e = operand_of(p, n, 0);
    keys[k] = ((const cell *)p.keys)[n];
    memcpy(given[k], &e, sizeof(e));
#pragma unroll
    for (u32 part = 0; part < PARTS; ++part) given[k][part] = first + k < p.positions ? given[k][part] ^ (NEGATED ? SIGN : 0) : SIGN;
  }
#pragma unroll
  for (u32 part = 0; part < PARTS; ++part) {
    u64 limb = 0;
    i64 sum = 0;
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      const u32 bits = given[k][part];
      const u64 index = keys[k] * PARTS + part;
      if (!is_number(bits)) {
        mark(p, index, mark_of(bits));
        continue;
      }
      if (zeros && bits != SIGN && ((const u32 *)target_of(p, keys[k]))[part] == SIGN) mark(p, index, TOUCHED);
      const term next = term_of(bits);
      const u64 to = next.limb * p.targets * PARTS + index;
      if (to != limb) gather(p, limb, sum), sum = 0;
      limb = to;
      sum += next.value;
    }
    gather(p, limb, sum);
  }
}

// Returns the bits of a nonnegative sum, rounded to nearest even, from its digits of SHIFT bits and the carry beyond
// them.
DEVICE u32 rounded(const u32 (&digits)[LIMBS], u64 carried) {
  // The leading bits, at least 26 if any are dropped; the last of them is set if any dropped bit is 1 (sticky bit).
  u64 head = carried;
  u32 lowest = SHIFT * LIMBS;
  bool rest = false;
#pragma unroll
  for (u32 j = LIMBS; j-- > 0;) {
    if (head >> 26 == 0) {
      head = head << SHIFT | digits[j];
      lowest = SHIFT * j;
    } else {
      rest |= digits[j] != 0;
    }
  }
  head |= (u64)rest;
  // Subnormal numbers and those of the first exponent are multiples of the unit of the lowest limb: their bits are that
  // integer.
  if (head >> 24 == 0) return (u32)head;
  const u32 shift = 40 - __clzll(head);
  const u64 half = 1ull << (shift - 1), left = head & (2 * half - 1), kept = head >> shift;
  const bool up = left > half || (left == half && (kept & 1));
  const u32 bits = ((shift + lowest) << 23) + (u32)kept + up;
  return bits < INFINITE ? bits : INFINITE;
}

DEVICE u32 total(const i64 *limbs, u64 step) {
  u32 digits[LIMBS];
  constexpr i64 MASK = (1ll << SHIFT) - 1;
  i64 carry = 0;
#pragma unroll
  for (u32 j = 0; j < LIMBS; ++j) {
    // It fits: the carry comes from numbers that are not in this limb, and is smaller than they would be here.
    const i64 all = limbs[j * step] + carry;
    digits[j] = (u32)(all & MASK);
    carry = all >> SHIFT;
  }
  if (carry >= 0) return rounded(digits, (u64)carry);
  u32 one = 1;
#pragma unroll
  for (u32 j = 0; j < LIMBS; ++j) {
    const u32 negated = (u32)MASK - digits[j] + one;
    digits[j] = negated & (u32)MASK;
    one = negated >> SHIFT;
  }
  return rounded(digits, (u64)(~carry + one)) | SIGN;
}

extern "C" __global__ void __launch_bounds__(256) finish(const __grid_constant__ params p) {
  if (p.rejected && *(const u32 *)p.rejected != 0) return;
  const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.targets) return;
#pragma unroll
  for (u32 part = 0; part < PARTS; ++part) {
    u32 *target = (u32 *)target_of(p, i) + part;
    const u64 at = i * PARTS + part;
    const u32 x = *target;
    u32 marks = ((const u32 *)p.marks)[1 + at / 8] >> (u32)(at % 8 * 4) & 15;
    if (!is_number(x)) marks |= mark_of(x);
    u32 y = total((const i64 *)p.limbs + at, p.targets * PARTS);
    // -0 remains if nothing else is added to it.
    if (y == 0 && x == SIGN && !(marks & TOUCHED)) y = SIGN;
    if (marks & SOME_PLUS) y = INFINITE;
    if (marks & SOME_MINUS) y = INFINITE | SIGN;
    if ((marks & SOME_NAN) || (marks & (SOME_PLUS | SOME_MINUS)) == (SOME_PLUS | SOME_MINUS)) y = NOT_A_NUMBER;
    // A NaN of the array keeps its bits.
    if (y != x && !((x & ~SIGN) > INFINITE)) *target = y;
  }
}
