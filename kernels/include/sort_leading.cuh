// Sort of one long row by the leading digits of its keys: most keys of 8 bytes and more are distinct in a few of them.
// A random sample decides how many, the passes of sort_pass.cuh sort by these, and a last kernel sorts the runs of
// elements that are equal in them. A run in which no element is less than the one before it is not touched.
//
// Runs of at most SHORT elements are sorted within a block, in place; longer ones, up to LISTED elements, are listed in
// a hash set and sorted by a block each. If a run is longer, or the set is full, stage 1 sorts the row from its input
// by all digits: its kernels return immediately otherwise. A sample that misleads costs time alone.
//
// Required before it: sort_pass.cuh with LEADING.

constexpr int SAMPLERS = 1024;
constexpr int SAMPLES = 65536 / sizeof(key);
// The expected number of other elements in the run of an element is at most CROWD: longer runs cost more than a pass.
constexpr u64 CROWD = 3;
// At least this many leading digits; pairs that agree in fewer than LEAST_BITS leading bits need not be counted.
constexpr u32 LEAST_DIGITS = 3;
constexpr u32 LEAST_BITS = 8 * LEAST_DIGITS - 4;
constexpr int SHORT = 32;
constexpr int LISTED = 2048;
constexpr u32 SLOTS = 1 << 16;
constexpr int PROBES = 32;
constexpr int REPAIRERS = 256;
constexpr int REPAIRED = 32768 / sizeof(key) / REPAIRERS;
// The elements that a repairing block reads: its own and SHORT on either side.
constexpr int REGION = REPAIRERS * REPAIRED;
constexpr int OWNED = REGION - 2 * SHORT;

DEVICE u32 common_bits(u64 a, u64 b) { return __clzll((i64)(a ^ b)); }
DEVICE u32 common_bits(words a, words b) {
  return a.high != b.high ? common_bits(a.high, b.high) : 64 + common_bits(a.low, b.low);
}
DEVICE u64 varying_bits(u64 a, u64 b) { return a ^ b; }
DEVICE words varying_bits(words a, words b) { return {a.low ^ b.low, a.high ^ b.high}; }

// A key's digits from the lowest one on that the row is sorted by.
struct prefix_of {
  u64 low_mask, high_mask; // of a key of 8 bytes, the low one
  DEVICE prefix_of(u32 lowest) {
    low_mask = lowest < 8 ? ~0ull << 8 * lowest : 0;
    high_mask = lowest < 8 ? ~0ull : ~0ull << 8 * (lowest - 8);
  }
  DEVICE u64 operator()(u64 k) const { return k & low_mask; }
  DEVICE words operator()(words k) const { return {k.low & low_mask, k.high & high_mask}; }
};

// One block: sorts a random sample, and chooses the lowest digit from which on its keys differ, if they do.
extern "C" __global__ void __launch_bounds__(SAMPLERS) sort_sample(const __grid_constant__ params p) {
  __shared__ u32 alike[8 * sizeof(key)];
  __shared__ u32 varying;
  key *sample = (key *)memory;
  const u32 t = threadIdx.x;
  const u64 n = p.length;
  for (u32 i = t; i < SAMPLES; i += SAMPLERS) {
    // Positions are independent of each other, so that a sorted row's neighbours are sampled as often as any two.
    u64 mixed = (i + 1) * 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
    sample[i] = key_of(((const raw *)p.input)[__umul64hi(mixed ^ mixed >> 32, n)]);
  }
  if (t < 8 * sizeof(key)) alike[t] = 0;
  if (t == 0) varying = 0;
#pragma unroll 1
  for (u32 run = 2; run <= SAMPLES; run *= 2) {
#pragma unroll 1
    for (u32 step = run / 2; step > 0; step /= 2) {
      __syncthreads();
#pragma unroll
      for (u32 i = t; i < SAMPLES / 2; i += SAMPLERS) {
        const u32 a = 2 * i - (i & (step - 1)), b = a + step;
        const key x = sample[a], y = sample[b];
        if (a & run ? less_key(x, y) : less_key(y, x)) {
          sample[a] = y;
          sample[b] = x;
        }
      }
    }
  }
  __syncthreads();
  // Pairs of different keys, by the number of their common leading bits: neighbours, and keys at some larger distances,
  // since equal keys may separate those that differ.
  u32 differs = 0;
  for (u32 i = t; i + 1 < SAMPLES; i += SAMPLERS) {
    const key x = sample[i], bits = varying_bits(x, sample[i + 1]);
    for (u32 d = 0; d < DIGITS; ++d) differs |= (digit_of(bits, d) != 0) << d;
    for (u32 step = 1; i + step < SAMPLES; step *= step == 1 ? 2 : 4) {
      const key y = sample[i + step];
      if (same_key(x, y)) continue;
      const u32 bits = common_bits(x, y);
      if (bits < LEAST_BITS) break;
      atomicAdd(&alike[bits], 1);
    }
  }
#pragma unroll
  for (u32 o = 16; o > 0; o /= 2) differs |= __shfl_xor_sync(~0u, differs, o);
  if (t % 32 == 0) atomicOr(&varying, differs);
  __syncthreads();
  if (t > 0) return;
  // Each of SAMPLES^2 / 2 pairs represents n^2 / SAMPLES^2 pairs of the row. The pairs that agree in all but the last
  // four bits of the digits are more, and so a better estimate, unless these four bits are constant.
  const u64 limit = CROWD * SAMPLES * SAMPLES;
  u32 pairs = 0, close = 0, lowest = 0;
  for (u32 of = DIGITS - 1, bit = 8 * DIGITS; of >= LEAST_DIGITS; --of) {
    while (bit > 8 * of) pairs += alike[--bit];
    close = pairs;
    for (u32 b = 8 * of; b > 8 * of - 4; --b) close += alike[b - 1];
    if (n * pairs > limit || n * close > 8 * limit) break;
    lowest = DIGITS - of;
  }
  // The passes that are saved: one at least, and one more where the last pass would not write the keys.
  u32 saved = 0;
  for (u32 d = 0; d < lowest; ++d) saved += varying >> d & 1;
  u32 *plan = plan_of(p, 0);
  plan[DIGITS + 1] = saved > !p.want_keys ? lowest : 0;
  plan[PLAN + DIGITS + 1] = DIGITS;
}

// Requests stage 1.
DEVICE volatile u32 &lowest_of_stage_1(const params &p) { return ((volatile u32 *)plan_of(p, 0))[PLAN + DIGITS + 1]; }

// Adds the run of the element `at` to the set of listed runs, which has one more than the start of each.
DEVICE void list_run(const params &p, prefix_of prefix, u64 at) {
  if (lowest_of_stage_1(p) == 0) return;
  const raw *in = (const raw *)p.keys[0];
  const key own = prefix(key_of(in[at]));
  u64 low = at > LISTED ? at - LISTED : 0, start = at, end = at + 1;
  // One element more than a run may have from its start on: a longer run is found to be so wherever `at` is.
  u64 high = at + LISTED + 1 < p.length ? at + LISTED + 1 : p.length;
  while (low < start) {
    const u64 middle = (low + start) / 2;
    if (same_key(prefix(key_of(in[middle])), own)) start = middle;
    else low = middle + 1;
  }
  while (end < high) {
    const u64 middle = (end + high) / 2;
    if (same_key(prefix(key_of(in[middle])), own)) end = middle + 1;
    else high = middle;
  }
  if (end - start <= LISTED) {
    u32 slot = (u32)start * 0x9e3779b1u >> 16;
    for (u32 k = 0; k < PROBES; ++k) {
      const count seen = atomicCAS((count *)p.listed + slot, (count)0, (count)(start + 1));
      if (seen == 0 || seen == start + 1) return;
      slot = (slot + 1) % SLOTS;
    }
  }
  lowest_of_stage_1(p) = 0;
}

// Sorts the short runs that start in a block's own elements. No other block moves their elements; those of other runs,
// which other blocks may be moving, have the same prefix wherever they are, and only this is used of them.
extern "C" __global__ void __launch_bounds__(REPAIRERS) sort_repair(const __grid_constant__ params p) {
  __shared__ raw element[REGION];
  // A bit for each element that is the first of its run, or outside of the row or the region.
  __shared__ u32 heads[REGION / 32];
#if CARRIED
  // The last byte of the index in the region that an element had, which is less than SHORT away.
  __shared__ u8 origin[REGION];
#endif
  const u32 t = threadIdx.x, lowest = lowest_of(plan_of(p, 0));
  if (lowest == 0) return;
  const prefix_of prefix(lowest);
  const i64 begin = (i64)blockIdx.x * OWNED - SHORT, left = (i64)p.length - begin;
  const u32 from = begin < 0 ? SHORT : 0, to = left < REGION ? (u32)left : REGION;
  raw *out = (raw *)p.keys[0] + begin;
  raw item[REPAIRED];
#pragma unroll
  for (u32 k = 0; k < REPAIRED; ++k) {
    const u32 i = k * REPAIRERS + t;
    item[k] = i >= from && i < to ? out[i] : raw{};
  }
#pragma unroll
  for (u32 k = 0; k < REPAIRED; ++k) {
    element[k * REPAIRERS + t] = item[k];
#if CARRIED
    origin[k * REPAIRERS + t] = (u8)t;
#endif
  }
  __syncthreads();
  const auto is_less = [](raw a, raw b) { return less_key(key_of(a), key_of(b)); };
  const auto is_alike = [=](raw a, raw b) { return same_key(prefix(key_of(a)), prefix(key_of(b))); };
  const auto is_head = [](u32 i) { return heads[i / 32] >> i % 32 & 1; };
  // Elements that are greater than the next one of their run.
  u32 descents = 0;
#pragma unroll
  for (u32 k = 0; k < REPAIRED; ++k) {
    const u32 i = k * REPAIRERS + t;
    const u32 bits = __ballot_sync(~0u, i <= from || i >= to || !is_alike(element[i - 1], item[k]));
    if (t % 32 == 0) heads[i / 32] = bits;
    if (i < SHORT || i + 1 >= to) continue;
    const raw x = item[k], next = element[i + 1];
    descents |= (is_alike(x, next) && is_less(next, x)) << k;
  }
  // The thread of the first of them sorts the run.
  u32 mine = 0;
#pragma unroll 1
  for (; descents; descents &= descents - 1) {
    const u32 i = (__ffs(descents) - 1) * REPAIRERS + t;
    const raw x = element[i];
    u32 start = i, end = i + 2;
    while (start > from && i - start < SHORT && is_alike(element[start - 1], x)) {
      if (is_less(element[start], element[start - 1])) break;
      --start;
    }
    const bool alike_before = start > from && is_alike(element[start - 1], x);
    if (alike_before && i - start < SHORT) continue; // it has a greater element before this one
    while (end < to && end - start <= SHORT && is_alike(element[end], x)) ++end;
    // At an end of the region that is none of the row, the run is not known to end.
    const bool starts = !alike_before && (start > from || begin < 0), ends = end < to || left <= REGION;
    if (starts && ends && end - start <= SHORT) {
      if (start >= SHORT && start < SHORT + OWNED) mine |= descents & -descents;
    } else if (i < SHORT + OWNED) {
      list_run(p, prefix, (u64)(begin + i));
    }
  }
  __syncthreads();
#pragma unroll 1
  for (; mine; mine &= mine - 1) {
    // The elements up to i are in order: each following one is inserted. Elements of other runs, which other threads may be
    // moving, are not read.
    const u32 i = (__ffs(mine) - 1) * REPAIRERS + t;
    u32 end = i + 1, first = i;
    for (; end < REGION && !is_head(end); ++end) {
      const raw moved = element[end];
      u32 at = end;
#if CARRIED
      const u8 moved_from = origin[end];
#endif
      for (; !is_head(at) && is_less(moved, element[at - 1]); --at) {
        element[at] = element[at - 1];
#if CARRIED
        origin[at] = origin[at - 1];
#endif
      }
      element[at] = moved;
#if CARRIED
      origin[at] = moved_from;
#endif
      first = at < first ? at : first;
    }
    for (u32 j = first; j < end; ++j) out[j] = element[j];
  }
#if CARRIED
  result *results = (result *)p.payloads[0] + begin, with[REPAIRED];
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < REPAIRED; ++k) {
    const u32 i = k * REPAIRERS + t;
    const i32 distance = (i8)(origin[i] - t);
    if (distance != 0) with[k] = results[(i32)i + distance];
  }
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < REPAIRED; ++k) {
    const u32 i = k * REPAIRERS + t;
    if (origin[i] != (u8)t) results[i] = with[k];
  }
#endif
}

// Sorts the listed runs by counting, for each element, those that precede it.
extern "C" __global__ void __launch_bounds__(REPAIRERS) sort_listed(const __grid_constant__ params p) {
  constexpr int EACH = LISTED / REPAIRERS;
  __shared__ raw element[LISTED];
  __shared__ count starts[REPAIRERS];
  const u32 t = threadIdx.x, lowest = lowest_of(plan_of(p, 0));
  if (lowest == 0 || lowest_of_stage_1(p) == 0) return;
  const prefix_of prefix(lowest);
  const count found = ((const count *)p.listed)[blockIdx.x * REPAIRERS + t];
  if (!__syncthreads_or(found != 0)) return;
  starts[t] = found;
  __syncthreads();
#pragma unroll 1
  for (u32 s = 0; s < REPAIRERS; ++s) {
    if (starts[s] == 0) continue;
    const u64 start = starts[s] - 1;
    raw *out = (raw *)p.keys[0] + start;
    const key own = prefix(key_of(out[0]));
    raw item[EACH];
#if CARRIED
    result *results = (result *)p.payloads[0] + start, with[EACH];
#endif
    u32 length = 0, rank[EACH];
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      const u32 i = k * REPAIRERS + t;
      const bool inside = start + i < p.length;
      item[k] = inside ? out[i] : raw{};
      length += __syncthreads_count(inside && same_key(prefix(key_of(item[k])), own));
      element[i] = item[k];
      rank[k] = 0;
    }
    __syncthreads();
#if CARRIED
#pragma unroll
    for (u32 k = 0; k < EACH; ++k)
      if (k * REPAIRERS + t < length) with[k] = results[k * REPAIRERS + t];
#endif
#pragma unroll 1
    for (u32 j = 0; j < length; ++j) {
      const key other = key_of(element[j]);
#pragma unroll
      for (u32 k = 0; k < EACH; ++k) {
        if (k * REPAIRERS >= length) continue;
        const key of = key_of(item[k]);
        rank[k] += less_key(other, of) || (same_key(other, of) && j < k * REPAIRERS + t);
      }
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < EACH; ++k) {
      if (k * REPAIRERS + t >= length) continue;
      out[rank[k]] = item[k];
#if CARRIED
      results[rank[k]] = with[k];
#endif
    }
  }
}

// A pass of stage 1, in as many blocks as run at a time.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) sort_again(const __grid_constant__ params p) {
  __shared__ u32 ticket;
  if (plan_of(p, 0)[p.digit] == SKIPPED) return;
#pragma unroll 1
  for (;;) {
    if (threadIdx.x == 0) ticket = take_ticket(p);
    __syncthreads();
    const u32 number = ticket;
    if (number >= p.tiles) return;
    move_tile(p, number);
    __syncthreads();
  }
}
