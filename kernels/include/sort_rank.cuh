// Stable ranking of the items of a block by one digit. Required before it: THREADS (256 or more), ITEMS and DIGIT_BITS,
// the width of a digit; the thread of lane l of warp w has the items w * 32 * ITEMS + 32 * i + l.
constexpr int WARPS = THREADS / 32;
constexpr int TILE = THREADS * ITEMS;
constexpr int BINS = 256;

// The lanes of a warp that have the same bit as one's own, where TEST tests it in `b`. In assembly, since the compiler
// would test it twice, by shifting it down, and would invert the lanes by logic instructions, whose units are the
// bottleneck of a sort: a product with `ones`, all bits set, uses another unit.
#define LANES_OF_BIT(TEST)                            \
  asm volatile("{\n"                                  \
               "  .reg .pred mine;\n"                 \
               "  .reg .b32 b;\n"                     \
               "  and.b32 b, %1, %2;\n"               \
               "  " TEST "\n"                         \
               "  vote.sync.ballot.b32 %0, mine, -1;\n" \
               "  @!mine mad.lo.u32 %0, %0, %3, %3;\n" \
               "}"                                    \
               : "=r"(same)                           \
               : "r"(digit), "r"(bit), "r"(ones))

// The lanes with the same digit: each bit narrows the set, two bits in one step. The device moves bits to predicates at
// once if they are tested against 0, and may run out of its seven predicates: the last two are tested one by one.
DEVICE u32 lanes_alike(u32 digit, u32 ones) {
  u32 alike = ~0u, one = 0;
#pragma unroll
  for (u32 bit = 1; bit < 1u << DIGIT_BITS; bit *= 2) {
    u32 same;
    if (bit < 64) LANES_OF_BIT("setp.ne.u32 mine, b, 0;");
    else LANES_OF_BIT("setp.eq.u32 mine, b, %2;");
    if (bit & 0x55 && bit < 1u << (DIGIT_BITS - 1)) one = same;
    else if (bit & 0x55) alike &= same;
    else asm("lop3.b32 %0, %0, %1, %2, 0x80;" : "+r"(alike) : "r"(one), "r"(same));
  }
  return alike;
}
#undef LANES_OF_BIT

// The digits of a thread's items, four to a register: digit d of the keys that `key_of_item` returns.
constexpr int QUADS = (ITEMS + 3) / 4;
template <class F> DEVICE void gather_digits(u32 (&digits)[QUADS], u32 d, F key_of_item) {
  const u32 byte = d & 3, both = byte | (byte + 4) << 4;
#pragma unroll
  for (u32 q = 0; q < QUADS; ++q) {
    u32 part[4] = {};
#pragma unroll
    for (u32 i = 0; i < 4; ++i)
      if (4 * q + i < ITEMS) part[i] = part_of(key_of_item(4 * q + i), d);
    digits[q] = __byte_perm(__byte_perm(part[0], part[1], both), __byte_perm(part[2], part[3], both), 0x5410);
    // Keeps the packed register, which the compiler would take apart.
    asm volatile("" : "+r"(digits[q]));
  }
}
DEVICE u32 digit_at(const u32 (&digits)[QUADS], u32 i) { return __byte_perm(digits[i / 4], 0, 0x4440 | i % 4); }
// The counter of an item: that of its warp and digit. It does not use digit_at, as rank_items does: the compiler would
// keep the value until then.
DEVICE u32 *counter_of(u32 (*counters)[BINS], const u32 (&digits)[QUADS], u32 i, u32 warp) {
  const u32 word = digits[i / 4], four = i % 4 ? word >> (i % 4 * 8 - 2) : word << 2;
  return (u32 *)((char *)counters + ((four & 4 * (BINS - 1)) | warp * (4 * BINS)));
}

// Leaves in `counters` the start of the items of each warp and digit. Thread b < BINS computes the start of digit b in
// the tile, and its count, with which it calls `counted` immediately: before the items are ranked, so that other blocks
// need not wait for that.
template <class F>
DEVICE void count_items(const u32 (&digits)[QUADS], u32 (*counters)[BINS], u32 *sums, u32 &start, u32 &total, F counted) {
  const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5;
#pragma unroll
  for (u32 b = 0; b < BINS; b += 32) counters[warp][b + lane] = 0;
  __syncwarp();
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) atomicAdd(counter_of(counters, digits, i, warp), 1);
  __syncthreads();
  u32 own[WARPS];
  total = 0;
  if (t < BINS) {
#pragma unroll
    for (u32 w = 0; w < WARPS; ++w) total += own[w] = counters[w][t];
    counted(total);
  }
  u32 up_to = total;
#pragma unroll
  for (u32 o = 1; o < 32; o *= 2) {
    const u32 other = __shfl_up_sync(~0u, up_to, o);
    if (lane >= o) up_to += other;
  }
  if (lane == 31 && warp < BINS / 32) sums[warp] = up_to;
  __syncthreads();
  start = up_to - total;
#pragma unroll
  for (u32 w = 0; w < BINS / 32; ++w) start += w < warp ? sums[w] : 0;
  if (t < BINS) {
    u32 at = start;
#pragma unroll
    for (u32 w = 0; w < WARPS; ++w) {
      counters[w][t] = at;
      at += own[w];
    }
  }
  __syncthreads();
}

// Calls `placed` with the number of each item and its position, from the counters that count_items left. The caller
// synchronises the threads before the counters are used again.
template <class F> DEVICE void rank_items(const u32 (&digits)[QUADS], u32 (*counters)[BINS], F placed) {
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, below = (1u << lane) - 1;
  const u32 ones = __ballot_sync(~0u, true); // opaque to the compiler
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) {
    const u32 digit = digit_at(digits, i), alike = lanes_alike(digit, ones), within = __popc(alike & below);
    u32 *counter = &counters[warp][digit];
    const u32 before = *counter;
    __syncwarp();
    if (within == 0) *counter = before + __popc(alike);
    __syncwarp();
    placed(i, before + within);
  }
}
