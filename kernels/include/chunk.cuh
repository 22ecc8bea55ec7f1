// Chunks of sixteen bytes of a result: elements that are adjacent in an operand are loaded together wherever they
// begin, and no byte next to them is read. Required before it: `item`, an integer of an element's size, and ITEM, that
// size.
constexpr u32 V = 16 / ITEM;

union chunk {
  uint4 all;
  item each[V];
};

// One element. The address of a complex one may be a multiple of half of its size.
DEVICE item element_at(const char *from) {
#if ITEM == 16
  const u64 low = ((const u64 *)from)[0], high = ((const u64 *)from)[1];
  return make_uint4((u32)low, (u32)(low >> 32), (u32)high, (u32)(high >> 32));
#elif ITEM == 8
  if (((u64)from & 7) == 0) return *(const u64 *)from;
  return (u64)((const u32 *)from)[1] << 32 | ((const u32 *)from)[0];
#else
  return *(const item *)from;
#endif
}

// Loads the elements of a chunk, which are contiguous.
DEVICE uint4 chunk_at(const char *from) {
  const u32 beyond = (u32)(u64)from & 15;
  if (beyond == 0) return *(const uint4 *)from;
  if ((beyond & 7) == 0) {
    const u64 low = ((const u64 *)from)[0], high = ((const u64 *)from)[1];
    return make_uint4((u32)low, (u32)(low >> 32), (u32)high, (u32)(high >> 32));
  }
#if ITEM < 4
  const u32 skipped = beyond & 3;
  if (skipped != 0) {
    // From the words at both ends only the chunk's own elements are loaded.
    const char *word = from - skipped;
    u32 first = 0, last = 0;
#pragma unroll
    for (u32 b = 0; b < 4; b += ITEM) {
      const u32 one = *(const item *)(b >= skipped ? word + b : word + 16 + b);
      if (b >= skipped) first |= one << (8 * b); else last |= one << (8 * b);
    }
    const u32 second = ((const u32 *)word)[1], third = ((const u32 *)word)[2], fourth = ((const u32 *)word)[3];
    const u32 down = 8 * skipped, up = 32 - down;
    return make_uint4(first >> down | second << up, second >> down | third << up, third >> down | fourth << up,
                      fourth >> down | last << up);
  }
#endif
  const u32 *words = (const u32 *)from;
  return make_uint4(words[0], words[1], words[2], words[3]);
}

// Writes the first `count` elements of a chunk, which begins at a multiple of its size.
DEVICE void write_chunk(item *to, const chunk &c, u32 count) {
  if (count == V) {
    *(uint4 *)to = c.all;
    return;
  }
#pragma unroll
  for (u32 v = 0; v < V; ++v) {
    if (v < count) to[v] = c.each[v];
  }
}
