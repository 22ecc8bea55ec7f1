// Exact sums of float32 numbers, in any order. A number is an integer of 24 bits times 2^(e - 149), 0 <= e <= 253. Each
// element has LIMBS 64-bit integers, of which limb j has the weight 2^(SHIFT j - 149): a number is added to limb
// e / SHIFT, shifted by e % SHIFT, and the given number of additions cannot overflow it (see `AtExact::of`). At the end
// the limbs are carried and rounded once.
//
// Required before it: at_targets.cuh, at_positions.cuh, SHIFT, PARTS (2 for complex numbers) and NEGATED (the operand
// is subtracted).
//
// Besides the limbs an element has four flag bits for added values that limbs cannot represent. If an element is -0
// initially, it is marked as touched if anything but -0 is added to it and the sum is 0.
//
// The marks are a word of flags of the call, a word with a bit for each limb that is not 0 in every element, and the
// flag bits of the elements.
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
  atomicOr((u32 *)p.marks + 2 + index / 8, what << (u32)(index % 8 * 4));
}
DEVICE u32 marks_of(const params &p, u64 index) {
  return ((const u32 *)p.marks)[2 + index / 8] >> (u32)(index % 8 * 4) & 15;
}
// Adds to a limb, and sets the bit of the limb in `used`.
DEVICE void gather(const params &p, u64 stride, u64 index, const term &sum, u32 &used) {
  if (sum.value == 0) return;
  atomicAdd((u64 *)p.limbs + sum.limb * stride + index, (u64)sum.value);
  used |= 1u << sum.limb;
}

// The updates of a thread: the bits of the operands, which are changed to -0 where there is no update.
struct updates {
  u32 given[EACH][PARTS];
};
DEVICE void read_update(const params &p, u64 n, bool exists, u32 (&given)[PARTS]) {
  const item e = operand_of(p, n, 0);
  memcpy(given, &e, sizeof(e));
#pragma unroll
  for (u32 part = 0; part < PARTS; ++part) given[part] = exists ? given[part] ^ (NEGATED ? SIGN : 0) : SIGN;
}
// Adds updates to elements of which there are `elements`: first those of adjacent updates with the same limb, which are
// frequent if positions are sorted. was_zero(k, part) returns true if the element of the k-th update is -0.
template <class WasZero>
DEVICE u32 accumulate(const params &p, u64 elements, const u64 (&to)[EACH], const updates &all, WasZero was_zero) {
  u32 used = 0;
#pragma unroll
  for (u32 part = 0; part < PARTS; ++part) {
    u64 index = 0;
    term sum = {0, 0};
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      const u32 bits = all.given[k][part];
      const u64 next_index = to[k] * PARTS + part;
      if (!is_number(bits)) {
        mark(p, next_index, mark_of(bits));
        continue;
      }
      if (bits != SIGN && was_zero(k, part)) mark(p, next_index, TOUCHED);
      const term next = term_of(bits);
      if (next_index != index || next.limb != sum.limb) {
        gather(p, elements * PARTS, index, sum, used);
        index = next_index, sum = {next.limb, 0};
      }
      sum.value += next.value;
    }
    gather(p, elements * PARTS, index, sum, used);
  }
  return used;
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

// Returns the bits of a sum. Limbs without a bit in `used` are 0.
DEVICE u32 total(const i64 *limbs, u64 step, u32 used) {
  u32 digits[LIMBS];
  constexpr i64 MASK = (1ll << SHIFT) - 1;
  i64 carry = 0;
#pragma unroll
  for (u32 j = 0; j < LIMBS; ++j) {
    // It fits: the carry comes from numbers that are not in this limb, and is smaller than they would be here.
    const i64 all = (used >> j & 1 ? limbs[j * step] : 0) + carry;
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

// Stores the sum of an element's part whose limbs have the given index.
DEVICE void finish_part(const params &p, u64 i, u32 part, u64 elements, u64 index, u32 used) {
  u32 *target = (u32 *)target_of(p, i) + part;
  const u32 x = *target;
  u32 marks = marks_of(p, index);
  if (!is_number(x)) marks |= mark_of(x);
  u32 y = total((const i64 *)p.limbs + index, elements * PARTS, used);
  // -0 remains if nothing else is added to it.
  if (y == 0 && x == SIGN && !(marks & TOUCHED)) y = SIGN;
  if (marks & SOME_PLUS) y = INFINITE;
  if (marks & SOME_MINUS) y = INFINITE | SIGN;
  if ((marks & SOME_NAN) || (marks & (SOME_PLUS | SOME_MINUS)) == (SOME_PLUS | SOME_MINUS)) y = NOT_A_NUMBER;
  // A NaN of the array keeps its bits.
  if (y != x && !((x & ~SIGN) > INFINITE)) *target = y;
}
