// Keys with the position that they come from, as they are sorted. Required before it: `key`, WIDE (64-bit keys).
//
// Keys of 32 bits are the upper half of one number. Positions of equal keys may be in any order: their elements are equal.
#if WIDE
struct item {
  u64 order;
  u32 from;
};
DEVICE bool operator<(const item &a, const item &b) { return a.order < b.order; }
DEVICE bool before(const item &a, const item &b) { return a.order <= b.order; }
DEVICE item item_of(key k, u32 from) { return {k, from}; }
DEVICE u32 from_of(const item &a) { return a.from; }
DEVICE key order_of(const item &a) { return a.order; }
#else
typedef u64 item;
DEVICE bool before(item a, item b) { return a <= b; }
DEVICE item item_of(key k, u32 from) { return (u64)k << 32 | from; }
DEVICE u32 from_of(item a) { return (u32)a; }
DEVICE key order_of(item a) { return (key)(a >> 32); }
#endif
