// The positions that the items of a block have when they are sorted by one digit, those of equal digit in their order.
// Before it stand THREADS (256 or more) and ITEMS; a thread of lane l of warp w has the items w * 32 * ITEMS + 32 * i + l.
constexpr int WARPS = THREADS / 32;
constexpr int TILE = THREADS * ITEMS;
constexpr int BINS = 256;

// The lanes whose digit is the same: each bit halves those that are left. In assembly, as the compiler would test every bit
// twice, by shifting it down. Below, an empty `asm` keeps it from taking apart what is one register as it stands.
DEVICE u32 lanes_alike(u32 digit) {
  u32 alike = ~0u;
#pragma unroll
  for (u32 bit = 1; bit < BINS; bit *= 2) {
    u32 same;
    asm volatile("{\n"
                 "  .reg .pred mine;\n"
                 "  .reg .b32 b;\n"
                 "  and.b32 b, %1, %2;\n"
                 "  setp.ne.u32 mine, b, 0;\n"
                 "  vote.sync.ballot.b32 %0, mine, -1;\n"
                 "  @!mine not.b32 %0, %0;\n"
                 "}"
                 : "=r"(same)
                 : "r"(digit), "r"(bit));
    alike &= same;
  }
  return alike;
}

// The digits of a thread's items, four to a register.
constexpr int QUADS = (ITEMS + 3) / 4;
template <class F> DEVICE void gather_digits(u32 (&digits)[QUADS], F digit_of_item) {
#pragma unroll
  for (u32 i = 0; i < QUADS; ++i) digits[i] = 0;
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) digits[i / 4] |= digit_of_item(i) << (i % 4 * 8);
#pragma unroll
  for (u32 i = 0; i < QUADS; ++i) asm volatile("" : "+r"(digits[i]));
}
DEVICE u32 digit_at(const u32 (&digits)[QUADS], u32 i) { return digits[i / 4] >> (i % 4 * 8) & 255; }

// Leaves in `counters` where the items of each warp and digit start. Thread b < BINS learns where digit b starts in the
// tile, and how many there are, which it tells `counted` as soon as it knows: before the items are ranked, so that other
// blocks need not wait for that.
template <class F>
DEVICE void count_items(const u32 (&digits)[QUADS], u32 (*counters)[BINS], u32 *sums, u32 &start, u32 &total, F counted) {
  const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5;
#pragma unroll
  for (u32 b = 0; b < BINS; b += 32) counters[warp][b + lane] = 0;
  __syncwarp();
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) atomicAdd(&counters[warp][digit_at(digits, i)], 1);
  __syncthreads();
  total = 0;
  if (t < BINS) {
#pragma unroll
    for (u32 w = 0; w < WARPS; ++w) total += counters[w][t];
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
      const u32 c = counters[w][t];
      counters[w][t] = at;
      at += c;
    }
  }
  __syncthreads();
}

// Tells `placed` the number of each item and its position, from the counters that count_items left. The caller holds
// the threads together before the counters are used again.
template <class F> DEVICE void place_items(const u32 (&digits)[QUADS], u32 (*counters)[BINS], F placed) {
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, below = (1u << lane) - 1;
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) {
    const u32 digit = digit_at(digits, i), alike = lanes_alike(digit), within = __popc(alike & below);
    u32 *counter = &counters[warp][digit];
    const u32 before = *counter;
    __syncwarp();
    if (within == 0) *counter = before + __popc(alike);
    __syncwarp();
    placed(i, before + within);
  }
}
