// The elements that stand at given ranks of a row when it is sorted, without sorting it: in each pass the elements whose key
// begins as that of a wanted one are counted by their next bits. Before it stand sort_key.cuh, key_of, raw_of (back from a
// key: of the zeros it gives 0) and BITS (of a key, 64 at most).
//
// TARGETS ranks at a time; those whose keys have begun alike so far share their counts, a group. A block counts in shared
// memory, a group alone in several copies side by side, and adds what it has to the counts of all.
constexpr int TARGETS = 4;
constexpr int WIDTH = BITS < 11 ? BITS : 11;
constexpr u32 BINS = 1u << WIDTH;
constexpr int THREADS = 512;
constexpr int BATCH = 8;

struct selection {
  u64 prefix[TARGETS]; // of the groups
  u64 rank[TARGETS];   // of the targets, within their groups
  u32 group[TARGETS];
  u32 groups, unused;
};

// The last pass has the bits that are left.
DEVICE u32 width_of(u32 pass) { return BITS - pass * WIDTH < WIDTH ? BITS - pass * WIDTH : WIDTH; }

extern "C" __global__ void __launch_bounds__(THREADS) rank_count(const __grid_constant__ params p) {
  __shared__ u32 bins[TARGETS * BINS];
  const selection *state = (const selection *)p.state;
  const u32 t = threadIdx.x, groups = p.pass ? state->groups : 1, copies = TARGETS / groups, copy = t % copies;
  for (u32 i = t; i < TARGETS * BINS; i += THREADS) bins[i] = 0;
  u64 prefix[TARGETS];
#pragma unroll
  for (u32 g = 0; g < TARGETS; ++g) prefix[g] = p.pass && g < groups ? state->prefix[g] : 0;
  __syncthreads();
  const u32 width = width_of(p.pass), shift = BITS - p.pass * WIDTH - width, mask = (1u << width) - 1;
  const raw *in = (const raw *)p.input;
  const u64 step = (u64)gridDim.x * THREADS * BATCH;
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * THREADS * BATCH + t; i < p.n; i += step) {
    raw x[BATCH];
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) x[k] = i + k * THREADS < p.n ? in[i + k * THREADS] : raw{};
    // A thread adds equal neighbours at once: where many elements are equal, the blocks' counters would be fought for.
    u32 last = 0, run = 0;
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k) {
      if (i + k * THREADS >= p.n) continue;
      const u64 of = (u64)key_of(x[k]), begun = of >> shift;
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

// One block, a warp to a target: which bin holds its rank, and which groups there are then.
extern "C" __global__ void __launch_bounds__(32 * TARGETS) rank_plan(const __grid_constant__ params p) {
  __shared__ u64 prefixes[TARGETS], ranks[TARGETS];
  selection *state = (selection *)p.state;
  u64 *counts = (u64 *)p.counts;
  const u32 t = threadIdx.x, lane = t & 31, target = t >> 5, share = BINS / 32;
  if (target < p.targets) {
    const u32 group = p.pass ? state->group[target] : 0;
    const u64 rank = p.pass ? state->rank[target] : p.ranks[target];
    const u64 *of = counts + group * BINS;
    u64 own = 0;
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
