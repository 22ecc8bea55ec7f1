// Floats changed in place to the larger or the smaller one, in any order: by signed integers that are in the order of the floats, -0
// before +0. Before it stand `element` and `item`, the same float, `word` (an unsigned integer as wide), `slot` (a signed one of
// 32 bits or 64), INFINITE (the bits of infinity), GREATEST (whether the larger one is taken) and NAN_WINS (or else it gives way).
constexpr word MAGNITUDE = (word)((word)~(word)0 >> 1);
constexpr slot MOST = (slot)(~0ull >> (65 - 8 * sizeof(slot))), LEAST = (slot)~MOST;
constexpr slot NEUTRAL = GREATEST ? LEAST : MOST;
// All NaNs are one, which is taken before all numbers or after them. No number is at either end: infinities are next to them at most.
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
// Of what stands for a NaN all bits but the sign at the least are ones: that is one.
DEVICE word bits_of(slot k) {
  return k < 0 ? (word)((word)~k | (word)~MAGNITUDE) : (word)k;
}

// An element only ever goes one way: what is read of it before may be old, and then the exchange fails and tells what it is now. Of
// equal ones the element's own stays, so that no order of steps can be told from another.
DEVICE void change(element *place, slot k) {
  word held = *(volatile word *)place;
  while (GREATEST ? k > slot_of(held) : k < slot_of(held)) {
    const word seen = atomicCAS((word *)place, held, bits_of(k));
    if (seen == held) break;
    held = seen;
  }
}
