// Selection of the elements at given ranks of a row without sorting it (radix select): in each pass the elements whose
// key has the prefix of a target are counted by their next bits. Required before it: sort_key.cuh, key_of, raw_of (the
// inverse of a key: for zeros it returns 0) and BITS (of a key, 64 at most).
//
// TARGETS ranks at a time; those whose keys have the same prefix so far share their counts as a group. A block counts
// in shared memory, in several copies if there is a single group, and adds its counts to those of all blocks.
//
// For a long row the elements between elements of a sorted sample are first listed, in one pass, and the following
// passes read that list (R. W. Floyd, R. L. Rivest, "Expected Time Bounds for Selection", 1975). The sample only
// decides the length of the list: if a target rank turns out to be elsewhere, or the list is full, the passes read the
// row.
constexpr int TARGETS = 4;
constexpr int WIDTH = BITS < 11 ? BITS : 11;
constexpr u32 BINS = 1u << WIDTH;
constexpr int THREADS = 512;
constexpr int BATCH = 8;

struct selection {
  u64 prefix[TARGETS]; // prefixes of the groups
  u64 rank[TARGETS]; // ranks of the targets, within their groups
  u32 group[TARGETS];
  u32 groups, listed; // the number of groups; true if the passes read the list
  u64 n; // number of elements that the passes read
};

// Counts for a pair of sample elements: of the elements before the lower one, equal to it, between both, and equal to
// the upper one alone.
struct bracket {
  u64 below, at_low, between, at_high;
};
// Result of listing: the brackets, and the number of listed elements, including those for which there was no room.
struct findings {
  bracket of[TARGETS];
  u64 listed;
};

DEVICE key low_of(const params &p, u32 b) { return p.lows[b] > 0 ? key_of(((const raw *)p.sample)[p.lows[b] - 1]) : (key)0; }
DEVICE key high_of(const params &p, u32 b) {
  return p.highs[b] < p.samples ? key_of(((const raw *)p.sample)[p.highs[b]]) : (key)~(key)0;
}

// Samples a row: one element from each of as many parts, at a pseudorandom position in the part.
extern "C" __global__ void __launch_bounds__(THREADS) rank_sample(const __grid_constant__ sample_params p) {
  const u32 s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= p.samples) return;
  const u64 begin = s * p.n / p.samples, size = (s + 1) * p.n / p.samples - begin;
  u32 mixed = (s + 1) * 0x9e3779b9u;
  mixed = (mixed ^ mixed >> 15) * 0x85ebca6bu;
  ((raw *)p.sample)[s] = ((const raw *)p.input)[begin + (size * (mixed ^ mixed >> 13) >> 32)];
}

// Number of elements that a warp buffers before it writes them to the list.
constexpr int STAGED = 128;

DEVICE void write_listed(const params &p, const key *staged, u32 &filled, u32 lane) {
  __syncwarp();
  u64 at = 0;
  if (lane == 0) at = atomicAdd(&((findings *)p.findings)->listed, (u64)filled);
  at = __shfl_sync(~0u, at, 0);
  for (u32 i = lane; i < filled; i += 32)
    if (at + i < p.room) ((key *)p.list)[at + i] = staged[i];
  __syncwarp();
  filled = 0;
}

// Counters of a thread for the brackets, which are in ascending order and do not overlap. An unused bracket contains
// only NaN.
struct narrowing {
  key low[TARGETS], span[TARGETS];
  u32 below[TARGETS], at_low[TARGETS], between[TARGETS], at_high[TARGETS], filled;
};

// Processes the elements that a block reads at a time, all of them (WHOLE) or the valid ones. BRACKETS: an upper bound
// of their number.
template <int BRACKETS, bool WHOLE>
DEVICE void narrow_tile(const params &p, narrowing &s, key *staged, const raw *in, u32 valid) {
  const u32 t = threadIdx.x, lane = t & 31;
  raw x[BATCH];
#pragma unroll
  for (u32 k = 0; k < BATCH; ++k) x[k] = WHOLE || k * THREADS + t < valid ? in[k * THREADS + t] : raw{};
  // Few elements are in a bracket: they are recorded, and processed afterwards.
  u32 hits = 0;
#pragma unroll
  for (u32 k = 0; k < BATCH; ++k) {
    const key of = key_of(x[k]);
    bool inside = false;
#pragma unroll
    for (u32 b = 0; b < BRACKETS; ++b) {
      s.below[b] += (WHOLE || k * THREADS + t < valid) & (of < s.low[b]);
      inside |= (key)(of - s.low[b]) <= s.span[b];
    }
    if (inside & (WHOLE || k * THREADS + t < valid)) hits |= 1u << k;
  }
#pragma unroll 1
  while (__any_sync(~0u, hits != 0)) {
    bool kept = false;
    key of = 0;
    if (hits != 0) {
      of = key_of(in[(__ffs(hits) - 1) * THREADS + t]);
      hits &= hits - 1;
#pragma unroll
      for (u32 b = 0; b < BRACKETS; ++b) {
        const key along = (key)(of - s.low[b]);
        if (b >= p.brackets || along > s.span[b]) continue;
        s.at_low[b] += along == 0;
        s.at_high[b] += along == s.span[b] && along != 0;
        kept = along != 0 && along != s.span[b];
        s.between[b] += kept;
      }
    }
    const u32 set = __ballot_sync(~0u, kept);
    if (kept) staged[s.filled + __popc(set & ((1u << lane) - 1))] = of;
    s.filled += __popc(set);
    if (s.filled > STAGED - 32) write_listed(p, staged, s.filled, lane);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 3) rank_narrow(const __grid_constant__ params p) {
  __shared__ key staged[THREADS / 32][STAGED];
  __shared__ bracket sums[TARGETS];
  const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5;
  if (t < TARGETS) sums[t] = {};
  narrowing s = {};
#pragma unroll
  for (u32 b = 0; b < TARGETS; ++b) {
    s.low[b] = b < p.brackets ? low_of(p, b) : (key)~(key)0;
    s.span[b] = b < p.brackets ? (key)(high_of(p, b) - s.low[b]) : (key)0;
  }
  __syncthreads();
  constexpr u64 TILE = THREADS * BATCH;
  const u64 step = gridDim.x * TILE;
  u64 begin = blockIdx.x * TILE;
  const raw *in = (const raw *)p.input;
  if (p.brackets <= 2) {
#pragma unroll 1
    for (; begin + TILE <= p.n; begin += step) narrow_tile<2, true>(p, s, staged[warp], in + begin, TILE);
  } else {
#pragma unroll 1
    for (; begin + TILE <= p.n; begin += step) narrow_tile<TARGETS, true>(p, s, staged[warp], in + begin, TILE);
  }
  if (begin < p.n) narrow_tile<TARGETS, false>(p, s, staged[warp], in + begin, (u32)(p.n - begin));
  if (s.filled > 0) write_listed(p, staged[warp], s.filled, lane);
#pragma unroll
  for (u32 b = 0; b < TARGETS; ++b) {
    const u32 of_warp[4] = {warp_sum(s.below[b]), warp_sum(s.at_low[b]), warp_sum(s.between[b]), warp_sum(s.at_high[b])};
#pragma unroll
    for (u32 k = 0; k < 4; ++k)
      if (lane == 0) atomicAdd((u64 *)&sums[b] + k, (u64)of_warp[k]);
  }
  __syncthreads();
  if (t < 4 * p.brackets) atomicAdd((u64 *)((findings *)p.findings)->of + t, ((u64 *)sums)[t]);
}

// One thread decides what the passes read, and for which ranks. Both ends of a bracket are added to the list, so that a
// rank at either finds its key there.
extern "C" __global__ void __launch_bounds__(32) rank_settle(const __grid_constant__ params p) {
  selection *state = (selection *)p.state;
  const findings *found = (const findings *)p.findings;
  bool listed = found->listed <= p.room;
  u64 start = 0;
  u32 target = 0;
  for (u32 b = 0; b < p.brackets; ++b) {
    const bracket of = found->of[b];
    for (; target < p.targets && p.bracket_of[target] == b; ++target) {
      u64 left = p.ranks[target] - of.below;
      listed = listed && p.ranks[target] >= of.below && left < of.at_low + of.between + of.at_high;
      left = left < of.at_low ? 0 : left - of.at_low + 1;
      state->rank[target] = start + (left > of.between ? of.between + 1 : left);
    }
    start += of.between + 2;
  }
  for (u32 i = 0; i < p.targets && !listed; ++i) state->rank[i] = p.ranks[i];
  for (u32 b = 0; b < p.brackets && listed; ++b) {
    ((key *)p.list)[found->listed + 2 * b] = low_of(p, b);
    ((key *)p.list)[found->listed + 2 * b + 1] = high_of(p, b);
  }
  state->n = listed ? found->listed + 2 * p.brackets : p.n;
  state->listed = listed;
}

// The last pass has the remaining bits.
DEVICE u32 width_of(u32 pass) { return BITS - pass * WIDTH < WIDTH ? BITS - pass * WIDTH : WIDTH; }

extern "C" __global__ void __launch_bounds__(THREADS) rank_count(const __grid_constant__ params p) {
  __shared__ u32 bins[TARGETS * BINS];
  const selection *state = (const selection *)p.state;
  const bool listed = p.brackets && state->listed;
  const u64 n = p.brackets ? state->n : p.n;
  const u32 t = threadIdx.x, groups = p.pass ? state->groups : 1, copies = TARGETS / groups, copy = t % copies;
  for (u32 i = t; i < TARGETS * BINS; i += THREADS) bins[i] = 0;
  u64 prefix[TARGETS];
#pragma unroll
  for (u32 g = 0; g < TARGETS; ++g) prefix[g] = p.pass && g < groups ? state->prefix[g] : 0;
  __syncthreads();
  const u32 width = width_of(p.pass), shift = BITS - p.pass * WIDTH - width, mask = (1u << width) - 1;
  const raw *in = (const raw *)(listed ? p.list : p.input);
  const u64 step = (u64)gridDim.x * THREADS * BATCH;
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * THREADS * BATCH + t; i < n; i += step) {
    raw x[BATCH];
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) x[k] = i + k * THREADS < n ? in[i + k * THREADS] : raw{};
    // A thread adds equal adjacent elements at once: with many equal elements the blocks' counters would be contended.
    u32 last = 0, run = 0;
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) {
      if (i + k * THREADS >= n) continue;
      const u64 of = listed ? (u64)(key)x[k] : (u64)key_of(x[k]), begun = of >> shift;
      u32 group = TARGETS;
      if (p.pass == 0) {
        group = 0;
      } else {
#pragma unroll
        for (u32 g = 0; g < TARGETS; ++g)
          if (g < groups && begun >> width == prefix[g]) group = g;
      }
      if (group == TARGETS) continue;
      const u32 at = (group * BINS + ((u32)begun & mask)) * copies + copy;
      if (at != last) {
        if (run) atomicAdd(&bins[last], run);
        last = at;
        run = 0;
      }
      ++run;
    }
    if (run) atomicAdd(&bins[last], run);
  }
  __syncthreads();
  for (u32 b = t; b < groups * BINS; b += THREADS) {
    u32 sum = 0;
    for (u32 k = 0; k < copies; ++k) sum += bins[b * copies + k];
    if (sum) atomicAdd((u64 *)p.counts + b, (u64)sum);
  }
}

// One block, with a warp for each target: finds the bin that holds its rank, and the new groups.
extern "C" __global__ void __launch_bounds__(32 * TARGETS) rank_plan(const __grid_constant__ params p) {
  __shared__ u64 prefixes[TARGETS], ranks[TARGETS];
  selection *state = (selection *)p.state;
  u64 *counts = (u64 *)p.counts;
  const u32 t = threadIdx.x, lane = t & 31, target = t >> 5, share = BINS / 32;
  if (target < p.targets) {
    const u32 group = p.pass ? state->group[target] : 0;
    const u64 rank = p.pass || p.brackets ? state->rank[target] : p.ranks[target];
    const u64 *of = counts + group * BINS;
    // No bin holds the rank if elements have changed since they were counted.
    if (lane == 0) prefixes[target] = ranks[target] = 0;
    __syncwarp();
    u64 own = 0;
    // Many at a time, since each is a memory access.
#pragma unroll 16
    for (u32 k = 0; k < share; ++k) own += of[lane * share + k];
    u64 up_to = own;
#pragma unroll
    for (u32 o = 1; o < 32; o *= 2) {
      const u64 other = __shfl_up_sync(~0u, up_to, o);
      if (lane >= o) up_to += other;
    }
    if (rank < up_to && rank >= up_to - own) {
      u64 left = rank - (up_to - own);
      u32 bin = lane * share;
      while (left >= of[bin]) left -= of[bin++];
      prefixes[target] = (p.pass ? state->prefix[group] << width_of(p.pass) : 0) | bin;
      ranks[target] = left;
    }
  }
  __syncthreads();
  for (u32 b = t; b < TARGETS * BINS; b += 32 * TARGETS) counts[b] = 0;
  if (t > 0) return;
  u32 groups = 0;
  for (u32 i = 0; i < p.targets; ++i) {
    u32 g = 0;
    while (g < groups && state->prefix[g] != prefixes[i]) ++g;
    if (g == groups) state->prefix[groups++] = prefixes[i];
    state->group[i] = g;
    state->rank[i] = ranks[i];
    if ((p.pass + 1) * WIDTH >= BITS) ((raw *)p.out)[i] = raw_of((key)prefixes[i]);
  }
  state->groups = groups;
}
