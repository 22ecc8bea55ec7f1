// Floats updated in place by maximum or minimum, in any order, through signed integers in the order of the floats, -0
// before +0.
//
// Required before it: `element` and `item`, the same float; `word`, an unsigned integer of its width; `slot`, a signed
// one of 32 or 64 bits; INFINITE (the bits of infinity); GREATEST (maximum, not minimum) and NAN_WINS (a NaN
// propagates; otherwise it loses).
constexpr word MAGNITUDE = (word)((word)~(word)0 >> 1);
constexpr slot MOST = (slot)(~0ull >> (65 - 8 * sizeof(slot))), LEAST = (slot)~MOST;
constexpr slot NEUTRAL = GREATEST ? LEAST : MOST;
// All NaNs are one key, before or after all numbers. No number has the first or the last key: those next to them are
// the infinities.
constexpr slot NOT_A_NUMBER = GREATEST == NAN_WINS ? MOST : LEAST;

DEVICE slot slot_of(word bits) {
  const word magnitude = bits & MAGNITUDE;
  if (magnitude > INFINITE) return NOT_A_NUMBER;
  return bits == magnitude ? (slot)magnitude : (slot)~(slot)magnitude;
}
DEVICE slot slot_of(item e) {
  word bits;
  memcpy(&bits, &e, sizeof(bits));
  return slot_of(bits);
}
// The key of NaN has all bits but the sign set, in its low bits: that is a NaN.
DEVICE word bits_of(slot k) {
  return k < 0 ? (word)((word)~k | (word)~MAGNITUDE) : (word)k;
}

// An element only changes in one direction: a value read before may be stale, and then the exchange fails and returns
// the current one. Among equal values the element's own remains, so that the result does not depend on the order of
// updates.
DEVICE void change(element *target, slot k) {
  word held = *(volatile word *)target;
  while (GREATEST ? k > slot_of(held) : k < slot_of(held)) {
    const word seen = atomicCAS((word *)target, held, bits_of(k));
    if (seen == held) break;
    held = seen;
  }
}
