// Minima and maxima of slots, their positions, and histograms. Required before it: label_reading.cuh, `value` (the same as `element`),
// `key`, key_of(value) and value_from(key), whose order is that of the numbers, NaN last.
//
// Tables begin with the largest key for minima and 0 for maxima. Most elements change nothing: they read the tables, which other blocks
// only improve, so that the results do not depend on the order of the blocks. An old element costs an atomic operation more.

// The key of an element; zeros have no sign.
DEVICE key key_at(const params &p, u64 i) { return key_of((element)(element_at(p, i) + (element)0)); }

// An element of a table that other blocks change by atomic operations.
template <class T> DEVICE T current(const T *at) { return *(const volatile T *)at; }

// The extremes of a slot, which are read together.
struct __align__(2 * sizeof(key)) extremes {
  key least, most;
  DEVICE void update(key low, key high) {
    key least_yet, most_yet;
    if constexpr (sizeof(key) == 4) {
      const u64 both = current((const u64 *)this);
      least_yet = (key)both, most_yet = (key)(both >> 32);
    } else {
      least_yet = current(&least), most_yet = current(&most);
    }
    if (low < least_yet) atomicMin(&least, low);
    if (high > most_yet) atomicMax(&most, high);
  }
};

extern "C" __global__ void __launch_bounds__(THREADS) label_extremes(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  const i32 slot = i < p.elements ? slot_reader(p).at(i) : -1;
  key low = slot >= 0 ? key_at(p, i) : ~(key)0, high = slot >= 0 ? low : 0;
  // A warp with one slot has one update.
  const i32 first = __shfl_sync(~0u, slot, 0);
  const bool one = __all_sync(~0u, slot == first);
  if (one && first >= 0) {
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
      const key other_low = __shfl_xor_sync(~0u, low, step), other_high = __shfl_xor_sync(~0u, high, step);
      low = other_low < low ? other_low : low;
      high = other_high > high ? other_high : high;
    }
  }
  if (slot < 0 || (one && (threadIdx.x & 31) != 0)) return;
  ((extremes *)p.extremes)[slot].update(low, high);
}

// Elements of a thread that are loaded at once.
constexpr u32 EXTREMES_AHEAD = 4;

// The same for slots whose tables fit into shared memory: a block has a chunk of elements.
extern "C" __global__ void __launch_bounds__(THREADS) label_extremes_blocks(const __grid_constant__ params p) {
  extern __shared__ __align__(16) extremes shared_extremes[];
  const u32 count = (u32)p.count;
  const slot_reader slots(p);
  for (u32 s = threadIdx.x; s < count; s += THREADS) shared_extremes[s] = {~(key)0, 0};
  __syncthreads();
  const u64 start = (u64)blockIdx.x * p.chunk, end = start + p.chunk < p.elements ? start + p.chunk : p.elements;
#pragma unroll 1
  for (u64 base = start + threadIdx.x; base < end; base += THREADS * EXTREMES_AHEAD) {
    i32 slot[EXTREMES_AHEAD];
    key own[EXTREMES_AHEAD];
#pragma unroll
    for (u32 k = 0; k < EXTREMES_AHEAD; ++k) {
      const u64 i = base + k * THREADS;
      slot[k] = i < end ? slots.at(i) : -1;
      own[k] = i < end ? key_at(p, i) : 0;
    }
#pragma unroll
    for (u32 k = 0; k < EXTREMES_AHEAD; ++k) {
      if (slot[k] >= 0) shared_extremes[slot[k]].update(own[k], own[k]);
    }
  }
  __syncthreads();
  for (u32 s = threadIdx.x; s < count; s += THREADS) {
    const extremes own = shared_extremes[s];
    if (own.least > own.most) continue;
    extremes *to = (extremes *)p.extremes + s;
    atomicMin(&to->least, own.least);
    atomicMax(&to->most, own.most);
  }
}

// The first position of the minimum of each slot, or the last one of the maximum, from the elements in the opposite order.
extern "C" __global__ void __launch_bounds__(THREADS) label_positions(const __grid_constant__ params p) {
  const u64 k = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (k >= p.elements) return;
  const u64 i = p.column == 0 ? k : p.elements - 1 - k;
  const i32 slot = slot_reader(p).at(i);
  if (slot < 0) return;
  const extremes &of = ((const extremes *)p.extremes)[slot];
  if (key_at(p, i) != (p.column == 0 ? of.least : of.most)) return;
  u64 *at = p.positions + slot;
  if (p.column == 0) {
    if (i < current(at)) atomicMin(at, i);
  } else if (i > current(at)) {
    atomicMax(at, i);
  }
}

// Writes the numbers of keys; 0 for slots without elements, whose minimum is above the maximum.
extern "C" __global__ void __launch_bounds__(THREADS) label_values(const __grid_constant__ params p) {
  const u64 slot = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (slot >= p.count) return;
  const key low = ((const extremes *)p.extremes)[slot].least, high = ((const extremes *)p.extremes)[slot].most;
  ((element *)p.low_values)[slot] = low > high ? (element)0 : value_from(low);
  ((element *)p.high_values)[slot] = low > high ? (element)0 : value_from(high);
  if (p.positions && low > high) p.positions[slot] = 0;
}

// The number of the bin of each element among those of all slots, or -1, as an integer of 32 or 64 bits. Bins include their lower edge, the last one both.
extern "C" __global__ void __launch_bounds__(THREADS) label_bins(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= p.elements) return;
  const i32 slot = slot_reader(p).at(i);
  i64 bin = -1;
  if (slot >= 0) {
    const f64 x = (f64)element_at(p, i);
    const i64 last = (i64)p.bins - 1;
    if (x >= p.edges[0] && x <= p.edges[last + 1]) {
      i64 k = (i64)((x - p.edges[0]) * p.scale);
      k = k < 0 ? 0 : k > last ? last : k;
#pragma unroll 1
      while (k > 0 && x < p.edges[k]) --k;
#pragma unroll 1
      while (k < last && x >= p.edges[k + 1]) ++k;
      bin = slot * (i64)p.bins + k;
    }
  }
  if (p.column == 0) ((i32 *)p.bin_numbers)[i] = (i32)bin;
  else ((i64 *)p.bin_numbers)[i] = bin;
}
