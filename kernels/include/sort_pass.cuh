// Stable least-significant-digit radix sort for rows longer than a block holds. One kernel counts all digits of all
// rows, one converts the counts to positions and plans the passes of each row, and each pass reads and writes every
// element once: a tile computes the number of items of its digits in the preceding tiles by decoupled look-back (A.
// Adinets, D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022).
//
// Tiles take their numbers as they start, so that a tile waits only for tiles that have started before it; the
// published sums of integers do not depend on the order of addition. A pass over a digit that is the same in a whole
// row is skipped, on the device: the plan of a row has the index of each pass, and so its input and output buffers.
//
// With PAIRED, an element of at most 4 bytes and its payload of 4 are one word between the passes: the runs of a digit, which
// begin and end anywhere in a sector of memory, are written to one array and not to two.
//
// With LEADING, there is one row, whose plan omits the low digits (sort_leading.cuh).
//
// With WANTED, elements are not sorted but partitioned: before, at, between and after WANTED elements, at_ranks; the
// part is their only digit.
//
// Required before it: sort_key.cuh, sort_rank.cuh, sort_publish.cuh, key_of, last_item, WANTED, LEADING, `count` (u32, or u64
// for rows of 2^30 elements and more), and for items with a payload CARRIED, PAIRED, `payload`, `result` (its final type)
// and GIVEN (it is read, and is not the position).
constexpr u32 SKIPPED = ~0u;
constexpr int LOOK_BACK = 4;
constexpr int AT_ONCE = 6;
// Resident blocks per multiprocessor of a pass: at least 32 warps, which leaves a thread 64 registers or 56; for items
// that take more than a register each, 24 warps with 80.
constexpr int RESIDENT = (sizeof(raw) > 4 || CARRIED ? 768 : 1152) / THREADS;

// The digit of an item.
#if WANTED
struct sorted_by {
  key wanted[WANTED];
  // The number of bounding keys that are less than its own, plus the number that are not greater; they are in ascending
  // order.
  DEVICE u32 operator()(raw x) const {
    const key of = key_of(x);
    u32 part = 0;
#pragma unroll
    for (u32 k = 0; k < WANTED; ++k) part += less_key(wanted[k], of) + !less_key(of, wanted[k]);
    return part;
  }
};
#else
struct sorted_by {
  DEVICE key operator()(raw x) const { return key_of(x); }
};
#endif

// An element, or a pair of a payload and an element, in the lower and the upper 32 bits.
#if PAIRED
typedef u64 word;
DEVICE raw element_of(word pair) { return (raw)(pair >> 32); }
DEVICE word pair_of(raw element, payload with) { return (word)element << 32 | with; }
#else
typedef raw word;
DEVICE raw element_of(word element) { return element; }
#endif
#define APART (CARRIED && !PAIRED)

DEVICE sorted_by order_of(const params &p, u64 row) {
  sorted_by order;
#if WANTED
#pragma unroll
  for (u32 k = 0; k < WANTED; ++k) order.wanted[k] = key_of(((const raw *)p.at_ranks)[row * WANTED + k]);
#endif
  return order;
}

// With LEADING, the counts, the plan and the tickets of stage 1 follow those of stage 0.
DEVICE count *counts_of(const params &p, u64 row) { return (count *)p.counts + (row + p.stage) * DIGITS * BINS; }
// For each digit the number of its pass among those of the row, or SKIPPED; then the number of passes, and the lowest
// digit that is sorted by, which is DIGITS in a stage that does not run.
constexpr u32 PLAN = DIGITS + 2;
DEVICE u32 *plan_of(const params &p, u64 row) { return (u32 *)p.plan + (row + p.stage) * PLAN; }
DEVICE u32 lowest_of(const u32 *plan) { return LEADING ? plan[DIGITS + 1] : 0; }

// Several copies of the counters, so that adjacent lanes rarely collide; 32 KB at most. With few parts a warp adds all
// lanes of one part at once.
constexpr int COPIES = WANTED ? 1 : DIGITS <= 8 ? 4 : 2;
constexpr int BATCH = 16;

extern "C" __global__ void __launch_bounds__(THREADS) sort_count(const __grid_constant__ params p) {
  __shared__ u32 bins[DIGITS * BINS * COPIES];
  const u32 t = threadIdx.x, copy = t % COPIES, lowest = lowest_of(plan_of(p, 0));
  if (lowest >= DIGITS) return;
  for (u32 i = t; i < DIGITS * BINS * COPIES; i += THREADS) bins[i] = 0;
  __syncthreads();
  const u64 row = blockIdx.x / p.chunks, begin = (blockIdx.x % p.chunks) * p.chunk;
  const u64 end = begin + p.chunk < p.length ? begin + p.chunk : p.length;
  const raw *in = (const raw *)p.input + row * p.length;
  const sorted_by order = order_of(p, row);
  const auto add = [&](raw x) {
    const auto of = order(x);
#pragma unroll
    for (u32 d = 0; d < DIGITS; ++d)
      if (d >= lowest) atomicAdd(&bins[(d * BINS + digit_of(of, d)) * COPIES + copy], 1);
  };
  // Whole batches have no test for each element: a count is limited by its instructions.
  u64 i = begin + t;
#pragma unroll 1
  for (; i + (BATCH - 1) * THREADS < end; i += THREADS * BATCH) {
    raw x[BATCH];
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) x[k] = in[i + k * THREADS];
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) add(x[k]);
  }
  raw x[BATCH];
#pragma unroll
  for (u32 k = 0; k < BATCH; ++k) x[k] = i + k * THREADS < end ? in[i + k * THREADS] : raw{};
#pragma unroll
  for (u32 k = 0; k < BATCH; ++k)
    if (i + k * THREADS < end) add(x[k]);
  __syncthreads();
  for (u32 b = t; b < DIGITS * BINS; b += THREADS) {
    u32 sum = 0;
#pragma unroll
    for (u32 k = 0; k < COPIES; ++k) sum += bins[b * COPIES + k];
    if (sum) atomicAdd(counts_of(p, row) + b, (count)sum);
  }
}

// One block for each row, one thread for each bin: counts become the start positions of digits.
extern "C" __global__ void __launch_bounds__(BINS) sort_plan(const __grid_constant__ params p) {
  __shared__ count sums[DIGITS][BINS / 32];
  const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5;
  count *counts = counts_of(p, blockIdx.x);
  u32 *plan = plan_of(p, blockIdx.x), passes = 0;
  const u32 lowest = lowest_of(plan);
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
    const bool alike = __syncthreads_or(own == (count)p.length) || d < lowest;
    count start = up_to - own;
    for (u32 w = 0; w < warp; ++w) start += sums[d][w];
    counts[d * BINS + t] = start;
    if (t == 0) plan[d] = alike ? SKIPPED : passes;
    passes += !alike;
  }
  if (t == 0) plan[DIGITS] = passes;
}

// The buffer that pass `active` of `passes` writes: the last pass writes buffer 0, unless the first reads it.
DEVICE u32 target_of(bool in_place, u32 active, u32 passes) { return in_place ? ~active & 1 : (passes - 1 - active) & 1; }

#if PAIRED
// The buffer of pairs that pass `active` writes, if it is not the last: positions are as long as pairs, so that those of the
// result are one of the two buffers.
DEVICE u64 pairs_of(const params &p, u32 active, u32 passes) {
  return target_of(false, active, passes) ? p.payloads[1] : GIVEN ? p.keys[1] : p.payloads[0];
}
#endif

// True if the last of the passes writes the elements to buffer 1, since buffer 0 is the input or the last but one writes it.
DEVICE bool ends_in_other(const params &p, u32 passes) { return p.in_place && (PAIRED ? passes == 1 : passes % 2 == 1); }

// The items of a thread from `first` on, those of a warp contiguous; the last tile of a row is padded with `rest`.
template <class T> DEVICE void read_items(T (&item)[ITEMS], const T *from, u32 first, u32 valid, T rest) {
  if (valid == TILE) {
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) item[i] = from[first + 32 * i];
  } else {
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) item[i] = first + 32 * i < valid ? from[first + 32 * i] : rest;
  }
}
// Writes a part of items `from` to `from` + AT_ONCE of a thread to their positions.
template <class T, class U, class F>
DEVICE void write_items(T *out, const U (&item)[AT_ONCE], const count (&to)[AT_ONCE], u32 from, u32 valid, F part_of_item) {
  if (valid == TILE) {
#pragma unroll
    for (u32 k = 0; k < AT_ONCE && from + k < ITEMS; ++k) out[to[k]] = (T)part_of_item(item[k]);
  } else {
#pragma unroll
    for (u32 k = 0; k < AT_ONCE && from + k < ITEMS; ++k) {
      if ((from + k) * THREADS + threadIdx.x < valid) out[to[k]] = (T)part_of_item(item[k]);
    }
  }
}

extern __shared__ __align__(16) unsigned char memory[];

// Moves the items of a tile; all threads of a block call it.
DEVICE void move_tile(const params &p, u32 number) {
  // Items are written to their positions while others are still counted.
  __shared__ u32 counters[WARPS][BINS];
  __shared__ count offsets[BINS];
  __shared__ u32 sums[BINS / 32];
  word *elements = (word *)memory;
#if APART
  payload *payloads = (payload *)(elements + TILE);
#endif
  const u32 t = threadIdx.x, tile = number % p.tiles;
  const u64 row = number / p.tiles, begin = (u64)tile * TILE;
  const u32 *plan = plan_of(p, row), active = plan[p.digit], passes = plan[DIGITS];
  if (active == SKIPPED) return;
  const bool final = active + 1 == passes;
  const u32 valid = p.length - begin < TILE ? (u32)(p.length - begin) : TILE;

  const u32 first = (t >> 5) * 32 * ITEMS + (t & 31);
  const sorted_by order = order_of(p, row);
  word item[ITEMS];
  u32 digits[QUADS], start, total;
#if PAIRED
  if (active > 0) {
    read_items(item, (const word *)pairs_of(p, active - 1, passes) + row * p.length + begin, first, valid, pair_of(last_item(), 0));
  } else {
    const raw *in = (const raw *)p.input + row * p.length + begin;
    raw element[ITEMS];
    read_items(element, in, first, valid, last_item());
#if GIVEN
    payload with[ITEMS];
    read_items(with, (const payload *)p.given + row * p.length + begin, first, valid, payload{});
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) item[i] = pair_of(element[i], with[i]);
#else
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) item[i] = pair_of(element[i], (payload)(begin + first + 32 * i));
#endif
  }
#else
  const u64 source = active == 0 ? p.input : p.keys[target_of(p.in_place, active - 1, passes)];
  read_items(item, (const raw *)source + row * p.length + begin, first, valid, last_item());
#endif
#if APART
  // Between passes the payload of a row is stored at the start of the row's part of either buffer.
  payload carried[ITEMS];
  if (active > 0) {
    const result *from = (const result *)p.payloads[target_of(false, active - 1, passes)] + row * p.length;
    read_items(carried, (const payload *)from + begin, first, valid, payload{});
  } else {
#if GIVEN
    read_items(carried, (const payload *)p.given + row * p.length + begin, first, valid, payload{});
#else
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) carried[i] = (payload)(begin + first + 32 * i);
#endif
  }
#endif
#if WANTED
  gather_digits(digits, 0, [&](u32 i) { return first + 32 * i < valid ? order(element_of(item[i])) : 255; });
#else
  gather_digits(digits, p.digit, [&](u32 i) { return order(element_of(item[i])); });
#endif
  // Stage 1 continues with the states that the last pass of stage 0 has set to zero.
  const u32 of_state = (active + (LEADING && p.stage ? *(plan - PLAN + DIGITS) : 0)) & 1;
  count *state = (count *)p.states[of_state] + (u64)number * BINS + t;
  count_items(digits, counters, sums, start, total, [=](u32 own) { publish(state, (tile == 0 ? UP_TO : OWN) | own); });
  // The next pass of this row publishes to the other states.
  if (t < BINS) ((count *)p.states[of_state ^ 1])[(u64)number * BINS + t] = 0;
  rank_items(digits, counters, [&](u32 i, u32 at) {
    elements[at] = item[i];
#if APART
    payloads[at] = carried[i];
#endif
  });
  if (t < BINS) {
    count before = 0;
    if (tile > 0) {
      // Several loads at a time, so that their latencies overlap. The first tile of a row knows its prefix.
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
    // The elements may have changed since they were counted: wherever they are written, it is within their row.
    const count own = total - (t == BINS - 1 ? TILE - valid : 0), most = (count)p.length - own;
    const count base = counts_of(p, row)[p.digit * BINS + t] + before;
    offsets[t] = (base < most ? base : most) - start;
  }
  __syncthreads();

#if PAIRED
  raw *out = (raw *)p.keys[ends_in_other(p, passes)] + row * p.length;
  word *pairs = (word *)pairs_of(p, active, passes) + row * p.length;
  asm volatile("" : "+l"(pairs));
  __builtin_assume(__isGlobal(pairs));
#else
  raw *out = (raw *)p.keys[target_of(p.in_place, active, passes)] + row * p.length;
#endif
  const bool keys = PAIRED ? final && p.want_keys : !final || p.want_keys || lowest_of(plan) > 0;
  // One address for all items, instead of an addition for each.
  asm volatile("" : "+l"(out));
  __builtin_assume(__isGlobal(out));
#if CARRIED
  result *results = (result *)p.payloads[PAIRED ? 0 : target_of(false, active, passes)] + row * p.length;
  asm volatile("" : "+l"(results));
  __builtin_assume(__isGlobal(results));
#endif
  const auto whole = [](auto x) { return x; };
  // The padding has a position too: the reads depend on no condition, and several are issued before the writes.
#pragma unroll
  for (u32 from = 0; from < ITEMS; from += AT_ONCE) {
    word moved[AT_ONCE];
    count to[AT_ONCE];
#pragma unroll
    for (u32 k = 0; k < AT_ONCE && from + k < ITEMS; ++k) {
      const u32 at = (from + k) * THREADS + t;
      moved[k] = elements[at];
      to[k] = offsets[digit_of(order(element_of(moved[k])), p.digit)] + at;
    }
    __syncwarp();
#if PAIRED
    if (!final) {
      write_items(pairs, moved, to, from, valid, whole);
      continue;
    }
#endif
    if (keys) write_items(out, moved, to, from, valid, [](word x) { return element_of(x); });
#if PAIRED
    write_items(results, moved, to, from, valid, [](word x) { return (payload)x; });
#endif
#if APART
    payload with[AT_ONCE];
#pragma unroll
    for (u32 k = 0; k < AT_ONCE && from + k < ITEMS; ++k) with[k] = payloads[(from + k) * THREADS + t];
    if (final) write_items(results, with, to, from, valid, whole);
    else write_items((payload *)results, with, to, from, valid, whole);
#endif
  }
}

DEVICE u32 take_ticket(const params &p) { return atomicAdd((u32 *)p.tickets + p.stage * DIGITS + p.digit, 1); }

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) sort_pass(const __grid_constant__ params p) {
  __shared__ u32 ticket;
  if (LEADING && plan_of(p, 0)[p.digit] == SKIPPED) return;
  if (threadIdx.x == 0) ticket = take_ticket(p);
  __syncthreads();
  move_tile(p, ticket);
}

// Completes the passes: rows without any pass are copied, and a row that was sorted in place in an odd number of passes
// is copied back.
extern "C" __global__ void __launch_bounds__(THREADS) sort_finish(const __grid_constant__ params p) {
  const u64 row = blockIdx.x / p.chunks, begin = (blockIdx.x % p.chunks) * p.chunk;
  const u64 end = begin + p.chunk < p.length ? begin + p.chunk : p.length;
  const u32 *plan = plan_of(p, row), passes = plan[DIGITS], lowest = lowest_of(plan);
  if (lowest >= DIGITS) return;
  const bool back = ends_in_other(p, passes);
  const bool copied = passes == 0 && !p.in_place && (p.want_keys || lowest > 0);
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
