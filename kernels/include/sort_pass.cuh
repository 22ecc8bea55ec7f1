// Rows longer than a block holds: a stable radix sort from the lowest byte of the key to the highest. One kernel counts
// all digits of all rows, one turns the counts into places and plans the passes of each row, and each pass reads and
// writes every element once: a tile learns how many items of its digits stand in the tiles before it from what these
// publish (A. Adinets, D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022).
//
// Tiles take their numbers as they start, so that one waits only for tiles that have started before it; what is
// handed on are sums of integers, the same whoever adds them. A pass over a digit that is the same in a whole row is
// left out, on the device: the plan of a row says which pass is the how-manieth, and so where it reads and writes.
//
// Before it stand sort_key.cuh, sort_rank.cuh, sort_publish.cuh, key_of, `count` (u32, or u64 for rows of 2^30 and more), and for items
// that carry something CARRIED, `payload`, `result` (what it is in the end) and GIVEN: whether it is read, or the position.
constexpr u32 SKIPPED = ~0u;
constexpr int LOOK_BACK = 4;
constexpr int AT_ONCE = 8;
// Blocks of a pass that share a multiprocessor: 32 warps and more, which leaves a thread 64 registers or 56.
constexpr int RESIDENT = 1152 / THREADS;

DEVICE count *counts_of(const params &p, u64 row) { return (count *)p.counts + row * DIGITS * BINS; }
// For each digit the number of its pass among those of the row, or SKIPPED; then how many there are.
DEVICE u32 *plan_of(const params &p, u64 row) { return (u32 *)p.plan + row * (DIGITS + 1); }

// Copies of the counters side by side, so that neighbouring lanes seldom meet; 32 KB at most.
constexpr int COPIES = DIGITS <= 4 ? 8 : 32 / DIGITS;
constexpr int BATCH = 8;

extern "C" __global__ void __launch_bounds__(THREADS) sort_count(const __grid_constant__ params p) {
  __shared__ u32 bins[DIGITS * BINS * COPIES];
  const u32 t = threadIdx.x, copy = t % COPIES;
  for (u32 i = t; i < DIGITS * BINS * COPIES; i += THREADS) bins[i] = 0;
  __syncthreads();
  const u64 row = blockIdx.x / p.chunks, begin = (blockIdx.x % p.chunks) * p.chunk;
  const u64 end = begin + p.chunk < p.length ? begin + p.chunk : p.length;
  const raw *in = (const raw *)p.input + row * p.length;
#pragma unroll 1
  for (u64 i = begin + t; i < end; i += THREADS * BATCH) {
    raw x[BATCH];
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) x[k] = i + k * THREADS < end ? in[i + k * THREADS] : raw{};
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) {
      if (i + k * THREADS >= end) continue;
      const key of = key_of(x[k]);
#pragma unroll
      for (u32 d = 0; d < DIGITS; ++d) atomicAdd(&bins[(d * BINS + digit_of(of, d)) * COPIES + copy], 1);
    }
  }
  __syncthreads();
  for (u32 b = t; b < DIGITS * BINS; b += THREADS) {
    u32 sum = 0;
#pragma unroll
    for (u32 k = 0; k < COPIES; ++k) sum += bins[b * COPIES + k];
    if (sum) atomicAdd(counts_of(p, row) + b, (count)sum);
  }
}

// A block to a row, a thread to a bin: counts become the places at which digits start.
extern "C" __global__ void __launch_bounds__(BINS) sort_plan(const __grid_constant__ params p) {
  __shared__ count sums[DIGITS][BINS / 32];
  const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5;
  count *counts = counts_of(p, blockIdx.x);
  u32 *plan = plan_of(p, blockIdx.x), passes = 0;
#pragma unroll 1
  for (u32 d = 0; d < DIGITS; ++d) {
    const count own = counts[d * BINS + t];
    count up_to = own;
#pragma unroll
    for (u32 o = 1; o < 32; o *= 2) {
      const count other = __shfl_up_sync(~0u, up_to, o);
      if (lane >= o) up_to += other;
    }
    if (lane == 31) sums[d][warp] = up_to;
    const bool alike = __syncthreads_or(own == (count)p.length);
    count start = up_to - own;
    for (u32 w = 0; w < warp; ++w) start += sums[d][w];
    counts[d * BINS + t] = start;
    if (t == 0) plan[d] = alike ? SKIPPED : passes;
    passes += !alike;
  }
  if (t == 0) plan[DIGITS] = passes;
}

// Which of the two buffers pass `active` of `passes` writes: the last one ends in buffer 0, unless the first reads that.
DEVICE u32 target_of(bool in_place, u32 active, u32 passes) { return in_place ? ~active & 1 : (passes - 1 - active) & 1; }

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) sort_pass(const __grid_constant__ params p) {
  // Items go to their positions while others are still counted.
  __shared__ u32 counters[WARPS][BINS];
  __shared__ union {
    raw elements[TILE];
#if CARRIED
    payload payloads[TILE];
#endif
  } s;
  __shared__ count offsets[BINS];
  __shared__ u32 sums[BINS / 32], ticket;
  const u32 t = threadIdx.x;
  if (t == 0) ticket = atomicAdd((u32 *)p.tickets + p.digit, 1);
  __syncthreads();
  const u32 number = ticket, tile = number % p.tiles;
  const u64 row = number / p.tiles, begin = (u64)tile * TILE;
  const u32 *plan = plan_of(p, row), active = plan[p.digit], passes = plan[DIGITS];
  if (active == SKIPPED) return;
  const bool final = active + 1 == passes;
  const u32 valid = p.length - begin < TILE ? (u32)(p.length - begin) : TILE;

  const u64 source = active == 0 ? p.input : p.keys[target_of(p.in_place, active - 1, passes)];
  const raw *in = (const raw *)source + row * p.length + begin;
  const u32 first = (t >> 5) * 32 * ITEMS + (t & 31);
  raw item[ITEMS];
  u32 digits[QUADS], start, total;
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) item[i] = first + 32 * i < valid ? in[first + 32 * i] : raw{};
  gather_digits(digits, [&](u32 i) {
    const u32 digit = digit_of(key_of(item[i]), p.digit);
    return first + 32 * i < valid ? digit : 255;
  });
  count *state = (count *)p.states[active & 1] + (u64)number * BINS + t;
  count_items(digits, counters, sums, start, total, [=](u32 own) { publish(state, (tile == 0 ? UP_TO : OWN) | own); });
  // The next pass of this row publishes in the other place.
  if (t < BINS) ((count *)p.states[~active & 1])[(u64)number * BINS + t] = 0;
#if CARRIED
  u32 places[(ITEMS + 1) / 2] = {}; // two to a register
#endif
  place_items(digits, counters, [&](u32 i, u32 at) {
    s.elements[at] = item[i];
#if CARRIED
    places[i / 2] |= at << (i % 2 * 16);
    if (i % 2 == 1) asm volatile("" : "+r"(places[i / 2]));
#endif
  });
  if (t < BINS) {
    count before = 0;
    if (tile > 0) {
      // Some at a time, so that the ways to memory go on together. The first tile of a row knows what is before it.
      const count *other = state;
      for (bool known = false; !known;) {
        count seen[LOOK_BACK];
        const u32 left = (u32)((state - other) / BINS);
#pragma unroll
        for (u32 k = 0; k < LOOK_BACK; ++k) seen[k] = left + k < tile ? published(other - (k + 1) * BINS) : UP_TO;
#pragma unroll
        for (u32 k = 0; k < LOOK_BACK; ++k) {
          if (known) continue;
          while (seen[k] < OWN) seen[k] = published(other - (k + 1) * BINS);
          before += seen[k] & (OWN - 1);
          known = seen[k] >= UP_TO;
        }
        other -= LOOK_BACK * BINS;
      }
      publish(state, UP_TO | (before + total));
    }
    offsets[t] = counts_of(p, row)[p.digit * BINS + t] + before - start;
  }
  __syncthreads();

  raw *out = (raw *)p.keys[target_of(p.in_place, active, passes)] + row * p.length;
  const bool keys = !final || p.want_keys;
  // One address for all items, not a sum for each.
  asm volatile("" : "+l"(out));
  __builtin_assume(__isGlobal(out));
  count to[ITEMS];
  // What fills the tile up has a place too: the reads depend on no condition, and some go on together before the writes.
#pragma unroll
  for (u32 from = 0; from < ITEMS; from += AT_ONCE) {
#pragma unroll
    for (u32 i = from; i < from + AT_ONCE && i < ITEMS; ++i) {
      const u32 at = i * THREADS + t;
      item[i] = s.elements[at];
      to[i] = offsets[digit_of(key_of(item[i]), p.digit)] + at;
    }
    __syncwarp();
    if (!keys) continue;
#pragma unroll
    for (u32 i = from; i < from + AT_ONCE && i < ITEMS; ++i) {
      if (i * THREADS + t < valid) out[to[i]] = item[i];
    }
  }
#if CARRIED
  // Between passes the payload of a row lies at the start of the row's part of either buffer.
  payload carried[ITEMS];
  const u64 lane_base = begin + first;
  if (active > 0) {
    const payload *from = (const payload *)((result *)p.payloads[target_of(false, active - 1, passes)] + row * p.length);
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) carried[i] = first + 32 * i < valid ? from[lane_base + 32 * i] : payload{};
  } else {
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i)
#if GIVEN
      carried[i] = first + 32 * i < valid ? ((const payload *)p.given)[row * p.length + lane_base + 32 * i] : payload{};
#else
      carried[i] = (payload)(lane_base + 32 * i);
#endif
  }
  __syncthreads();
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) s.payloads[places[i / 2] >> (i % 2 * 16) & 0xffff] = carried[i];
  __syncthreads();
  result *results = (result *)p.payloads[target_of(false, active, passes)] + row * p.length;
  asm volatile("" : "+l"(results));
  __builtin_assume(__isGlobal(results));
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) carried[i] = s.payloads[i * THREADS + t];
  __syncwarp();
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) {
    if (i * THREADS + t >= valid) continue;
    if (final) results[to[i]] = (result)carried[i];
    else ((payload *)results)[to[i]] = carried[i];
  }
#endif
}

// What the passes leave to be done: rows without any are copied, and a row sorted in place in an odd number of passes
// is brought back.
extern "C" __global__ void __launch_bounds__(THREADS) sort_finish(const __grid_constant__ params p) {
  const u64 row = blockIdx.x / p.chunks, begin = (blockIdx.x % p.chunks) * p.chunk;
  const u64 end = begin + p.chunk < p.length ? begin + p.chunk : p.length;
  const u32 passes = plan_of(p, row)[DIGITS];
  const bool back = p.in_place && passes % 2 == 1, copied = passes == 0 && !p.in_place && p.want_keys;
  const u64 base = row * p.length;
  if (back || copied) {
    const raw *from = (const raw *)(back ? p.keys[1] : p.input) + base;
#pragma unroll 1
    for (u64 i = begin + threadIdx.x; i < end; i += THREADS) ((raw *)p.keys[0])[base + i] = from[i];
  }
#if CARRIED
  if (passes == 0) {
#pragma unroll 1
    for (u64 i = begin + threadIdx.x; i < end; i += THREADS)
#if GIVEN
      ((result *)p.payloads[0])[base + i] = (result)((const payload *)p.given)[base + i];
#else
      ((result *)p.payloads[0])[base + i] = (result)i;
#endif
  }
#endif
}
