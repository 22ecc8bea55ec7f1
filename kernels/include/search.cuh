// Binary search: insertion points of needles in sorted values, before the first value that is not before them
// (`value_before(value, needle)`). Required before it: `value` and `needle` (the dtypes in memory), `key` (in which
// both are compared), key_of of both, value_before, `uindex`, SORTER, STAGED (capacity for samples in shared memory, or
// 0), CELLS (the maximum number of cells), LADDER, MEMBER, NUMBERS.
//
// The values are divided into at most STAGED segments, and the last value of each is a sample in shared memory. The
// range from the last finite sample down to the first is divided into cells of equal width. A product computes the cell
// of a number, monotonically: samples of other cells are on one side of it, and those of its own, usually few, are
// searched. NaN, for which the product is NaN and the cell the first, comes last.
//
// In a segment a few adjacent values are read from memory one by one; or, with LADDER, from copies of every 8th value,
// every 32nd, and so on: four of a level at a time, which select the four of the next, and at last eight values.
//
// MEMBER tests only if a needle is equal to a value, which NaN is not. Integers whose range is at most NUMBERS have a
// bit each in a table, which needs one read: for those of at most 16 bits always, so that their values need no order;
// for others the device decides, which knows the first and the last.
constexpr int THREADS = 512;
// Needles of a thread at a time: limited by the registers for their values.
constexpr int BATCH = !STAGED || sizeof(key) > 8 ? 1 : sizeof(key) == 8 ? 2 : 4;

DEVICE key value_at(const params &p, u64 i) {
#if SORTER
  i = (u64)((const i64 *)p.sorter)[i];
#endif
  return key_of(*(const value *)((const char *)p.from + (i64)i * p.step));
}

// The last of the values before `end`, or of all.
DEVICE key last_before(const params &p, u64 end) { return value_at(p, (end < p.values ? end : p.values) - 1); }

#if NUMBERS
// The integer of the first bit of the table.
DEVICE u64 first_number(const params &p) { return sizeof(key) <= 2 ? (u64)-32768 : (u64)value_at(p, 0); }
DEVICE bool in_table(const params &p) {
  if (sizeof(key) <= 2) return true;
  return p.table && (u64)value_at(p, p.values - 1) - first_number(p) < NUMBERS;
}
#endif

// The needle with this index.
DEVICE key needle_at(const params &p, u64 n) {
  const i64 offset = p.axes <= 1 ? (i64)n * p.strides[0] : offset_of((uindex)n, p.axes, p.sizes, p.strides);
  return key_of(*(const needle *)((const char *)p.input + offset));
}

// The table, if there is one. Otherwise the levels of the ladder from the longest steps to the values themselves; the
// segments of a level are contiguous.
extern "C" __global__ void __launch_bounds__(THREADS) ladder(const __grid_constant__ params p) {
  const u64 step = (u64)gridDim.x * THREADS;
#if NUMBERS
  if (in_table(p)) {
    const u64 first = first_number(p);
#pragma unroll 1
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < p.values; i += step) {
      const u32 bit = (u32)((u64)value_at(p, i) - first);
      atomicOr(p.table + bit / 32, 1u << bit % 32);
    }
    return;
  }
#endif
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < p.entries; i += step) {
    u64 at = i, rung = 4 * (u64)p.segments, stride = p.length / 4;
    u32 level = p.levels;
    for (; level > 0 && at >= rung; --level) {
      at -= rung;
      rung *= 4;
      stride /= 4;
    }
    ((key *)p.ladder)[i] = last_before(p, (at + 1) * (level > 0 ? stride : 1));
  }
}

template <int N> struct alignas(4 * sizeof(key) < 16 ? 4 * sizeof(key) : 16) keys { key of[N]; };

#if STAGED
// A word of padding follows every 32 words: concurrent reads, a power of two apart, access different banks.
constexpr u32 PAD = 128 / sizeof(key);
DEVICE constexpr u32 padded(u32 sample) { return sample + sample / PAD; }

// The distance of a number from the last one, or nothing beyond it: monotonic, not larger for a larger number.
template <class T> DEVICE f32 distance(T x, T last) {
  typedef typename unsigned_of<T>::type U;
  return x < last ? (f32)(U)((U)last - (U)x) : 0.0f;
}
DEVICE f32 distance(f32 x, f32 last) { return last - x; }
DEVICE f32 distance(f64 x, f64 last) { return (f32)(last - x); }
template <class T> DEVICE bool is_finite(T x) { return isfinite((f32)x); }
#if COMPLEX
template <class T> DEVICE f32 distance(complex<T> x, complex<T> last) { return is_nan(x) ? 0.0f : distance(x.re, last.re); }
#endif

struct cells {
  key last;
  f32 scale;
  u32 most;
  // NaN and negative numbers are converted to 0.
  DEVICE u32 of(key x) const {
    const u32 cell = __float2uint_rz(distance(x, last) * scale);
    return cell < most ? cell : most;
  }
};
#endif

extern "C" __global__ void __launch_bounds__(THREADS, !STAGED ? 1 : LADDER ? 2 : 3) search(const __grid_constant__ params p) {
  const u64 step = (u64)gridDim.x * THREADS * BATCH;
#if NUMBERS
  if (in_table(p)) {
    const u64 first = first_number(p);
#pragma unroll 1
    for (u64 i = (u64)blockIdx.x * THREADS * BATCH + threadIdx.x; i < p.needles; i += step) {
      u64 bit[BATCH];
      u32 word[BATCH];
#pragma unroll
      for (int k = 0; k < BATCH; ++k) bit[k] = (u64)needle_at(p, i + k * THREADS < p.needles ? i + k * THREADS : i) - first;
#pragma unroll
      for (int k = 0; k < BATCH; ++k) word[k] = bit[k] < NUMBERS ? p.table[bit[k] / 32] : 0;
#pragma unroll
      for (int k = 0; k < BATCH; ++k)
        if (i + k * THREADS < p.needles)
          ((bool *)p.out)[i + k * THREADS] = (word[k] >> (u32)bit[k] % 32 & 1) != p.invert;
    }
    return;
  }
#endif
#if !COMPLEX
  if (p.rising && p.values > 0 && (f64)value_at(p, p.values - 1) < (f64)value_at(p, 0)) return;
#endif
#if STAGED
  __shared__ alignas(16) char memory[padded(STAGED + 1) * sizeof(key)];
  // The end of each cell among the samples, from the last one downwards.
  __shared__ u16 bounds[CELLS + 1];
  __shared__ u32 finite[2];
  key *samples = (key *)memory;
  const u32 t = threadIdx.x;
  if (t < 2) finite[t] = t == 0 ? p.segments : 0;
  __syncthreads();
  for (u32 i = t; i < p.segments; i += THREADS) {
    const key x = samples[padded(i)] = last_before(p, (i + 1) * p.length);
    if (!is_finite(x)) continue;
    atomicMin(finite, i);
    atomicMax(finite + 1, i);
  }
  // This entry is compared, but does not affect the result.
  if (t == 0) samples[padded(p.segments)] = key();
  __syncthreads();
  const key last = finite[0] < p.segments ? samples[padded(finite[1])] : key();
  const f32 length = finite[0] < p.segments ? distance(samples[padded(finite[0])], last) : 0.0f;
  const cells cells = {last, (f32)p.cells / length, p.cells - 1};
  for (u32 c = t; c <= p.cells; c += THREADS) {
    u32 low = 0, high = p.segments;
#pragma unroll 1
    while (low < high) {
      const u32 middle = (low + high) / 2;
      if (cells.of(samples[padded(middle)]) >= c) low = middle + 1; else high = middle;
    }
    bounds[c] = (u16)low;
  }
  __syncthreads();
#endif
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * THREADS * BATCH + threadIdx.x; i < p.needles; i += step) {
    key x[BATCH];
    u64 at[BATCH];
#if MEMBER
    bool found[BATCH] = {};
#endif
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      // Lanes beyond the last needle search the first one, and write nothing.
      x[k] = needle_at(p, i + k * THREADS < p.needles ? i + k * THREADS : i);
    }
#if STAGED
    u32 sample[BATCH], end[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      const u32 cell = cells.of(x[k]);
      sample[k] = bounds[cell + 1];
      end[k] = bounds[cell];
    }
    bool more = true;
#pragma unroll 1
    while (more) {
      more = false;
#pragma unroll
      for (int k = 0; k < BATCH; ++k) {
        const u32 middle = (sample[k] + end[k]) / 2;
        const bool before = value_before(samples[padded(middle)], x[k]);
        if (sample[k] < end[k]) {
          if (before) sample[k] = middle + 1; else end[k] = middle;
        }
        more |= sample[k] < end[k];
      }
    }
#endif
#if LADDER
#pragma unroll
    for (int k = 0; k < BATCH; ++k) at[k] = sample[k] < p.segments ? sample[k] : p.segments - 1;
    const key *rungs = (const key *)p.ladder;
    u64 rung = 4 * (u64)p.segments;
#pragma unroll 1
    for (u32 level = 0; level < p.levels; ++level) {
      keys<4> four[BATCH];
#pragma unroll
      for (int k = 0; k < BATCH; ++k) four[k] = ((const keys<4> *)rungs)[at[k]];
#pragma unroll
      for (int k = 0; k < BATCH; ++k) {
        at[k] *= 4;
#pragma unroll
        for (int v = 0; v < 3; ++v) at[k] += value_before(four[k].of[v], x[k]);
      }
      rungs += rung;
      rung *= 4;
    }
    keys<8> eight[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; ++k) eight[k] = ((const keys<8> *)rungs)[at[k]];
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
#if MEMBER
#pragma unroll
      for (int v = 0; v < 8; ++v) found[k] |= eight[k].of[v] == x[k];
#endif
      at[k] *= 8;
#pragma unroll
      for (int v = 0; v < 8; ++v) at[k] += value_before(eight[k].of[v], x[k]);
      // The last segment is padded with the last value.
      at[k] = at[k] < p.values ? at[k] : p.values;
    }
#else
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      u64 low = 0, high = p.values;
#if STAGED
      low = sample[k];
      high = low;
      if (p.length > 1) {
        // The last value of the segment is not before the needle, if there is one.
        low = low * p.length < p.values ? low * p.length : p.values;
        high = low + p.length < p.values ? low + p.length : p.values;
        high -= high > low;
      }
#endif
#pragma unroll 1
      while (low < high) {
        const u64 middle = low + (high - low) / 2;
        if (value_before(value_at(p, middle), x[k])) low = middle + 1; else high = middle;
      }
      at[k] = low;
#if MEMBER
      found[k] = low < p.values && value_at(p, low) == x[k];
#endif
    }
#endif
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      if (i + k * THREADS >= p.needles) continue;
#if MEMBER
      ((bool *)p.out)[i + k * THREADS] = found[k] != p.invert;
#else
      ((i64 *)p.out)[i + k * THREADS] = (i64)at[k];
#endif
    }
  }
}
