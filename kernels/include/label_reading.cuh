// Elements of an input and their slots. Required before it: `element` (u8, i32, i64, u64, f32 or f64), `uindex`, ROOM and the parameter
// struct.

constexpr u32 THREADS = 256;

// Slots of elements: the distances of their labels from the first of a list of consecutive numbers, or numbers in memory.
struct slot_reader {
  const i32 *from;
  u32 first, count;
  DEVICE slot_reader(const params &p) : from(p.slots), first(0), count((u32)p.count) {
    if (p.labels && *p.scattered == 0) from = p.labels, first = (u32)p.list[0];
  }
  DEVICE i32 at(u64 i) const {
    const u32 slot = (u32)from[i] - first;
    return slot < count ? (i32)slot : -1;
  }
};

DEVICE element element_at(const params &p, u64 i) {
  return *(const element *)(p.values + offset_of((uindex)i, p.axes, p.sizes, p.steps));
}

// Returns the coordinate of an element along an axis.
DEVICE i64 coordinate_of(const params &p, u64 i) {
  const uindex line = divide((uindex)i, p.inner);
  return (i64)(line - divide(line, p.along) * (uindex)p.along.divisor);
}

// Returns the number that is summed for an element: itself, the square of its difference from the mean of its slot, or its product with
// a coordinate.
DEVICE f64 number_at(const params &p, u64 i, i64 slot) {
  const f64 x = (f64)element_at(p, i);
  if (p.column == 0) return x;
  if (p.column == 1) {
    const f64 d = x - p.means[slot];
    return d * d;
  }
  return x * (f64)coordinate_of(p, i);
}
