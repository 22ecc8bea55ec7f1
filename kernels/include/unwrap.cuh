// Phase unwrapping (`unwrap`) as a scan: each element is read with its predecessor in the slice, and is stored with the
// sum of the corrections up to it. Required before it: `given` (the dtype in memory), `stored`, `value` (of the sums),
// to_stored(x), plus, minus and modulo of two of `stored`, each rounded, the functions that define a discontinuity
// (distance_of, is_small, rises, as_stored and as_value), and HALVED.
struct element {
  given own, before;
  u32 first;
};
DEVICE stored number_at(const params &p, int k) {
  stored y;
  memcpy(&y, &p.numbers[k], sizeof(y));
  return y;
}
DEVICE element element_at(const params &p, const char *line, u64 i) {
  const char *here = line + (i64)i * p.step_in;
  const given own = *(const given *)here;
  // The predecessor was read by another thread, too: it comes from the L1 cache.
  return {own, i > 0 ? *(const given *)(here - p.step_in) : own, i == 0};
}
// Returns the correction that brings an element as close to its predecessor as a multiple of the period can.
DEVICE value of_element(const params &p, element e) {
  const given distance = distance_of(e.own, e.before);
  if (e.first || is_small(p, distance)) return value();
  const stored whole = as_stored(distance), low = number_at(p, 1);
  stored near = plus(modulo(minus(whole, low), number_at(p, 0)), low);
  // A difference of half the period keeps its sign.
  if (HALVED && as_value(near) == as_value(low) && rises(distance)) near = number_at(p, 2);
  return as_value(minus(near, whole));
}
DEVICE stored stored_at(const params &p, const char *line, u64 i, value sum) {
  const stored own = as_stored(*(const given *)(line + (i64)i * p.step_in));
  return i > 0 ? plus(own, to_stored(sum)) : own;
}
