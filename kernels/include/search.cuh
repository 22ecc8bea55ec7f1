// Where needles belong among sorted values: before the first value that is not before them (`value_before(value,
// needle)`). Before it stand: `value` and `needle` (the dtypes in memory), `key` (in which both are compared), key_of of
// both, value_before, `uindex`, `divider`, AXES, SORTER, STAGED (the number of samples in shared memory, or 0).
//
// The values are cut into at most STAGED segments. The last value of each is in shared memory: which segment a needle
// belongs to is found there, and a few neighbouring values of that segment are read from memory.

DEVICE key value_at(const params &p, u64 i) {
#if SORTER
  i = (u64)((const i64 *)p.sorter)[i];
#endif
  return key_of(*(const value *)((const char *)p.from + (i64)i * p.step));
}

extern "C" __global__ void __launch_bounds__(512) search(const __grid_constant__ params p) {
#if STAGED
  __shared__ alignas(16) char memory[STAGED * sizeof(key)];
  key *samples = (key *)memory;
  const u64 length = (p.values + STAGED - 1) / STAGED;
  const u32 segments = length == 0 ? 0 : (u32)((p.values + length - 1) / length);
  for (u32 s = threadIdx.x; s < segments; s += 512) {
    const u64 end = (s + 1) * length;
    samples[s] = value_at(p, (end < p.values ? end : p.values) - 1);
  }
  __syncthreads();
#endif
  const u64 step = (u64)gridDim.x * 512;
#pragma unroll 1
  for (u64 i = (u64)blockIdx.x * 512 + threadIdx.x; i < p.needles; i += step) {
    const i64 at = p.axes <= 1 ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
    const key x = key_of(*(const needle *)((const char *)p.input + at));
    u64 low = 0, high = p.values;
#if STAGED
    u32 first = 0, last = segments;
#pragma unroll 1
    while (first < last) {
      const u32 middle = (first + last) / 2;
      if (value_before(samples[middle], x)) first = middle + 1; else last = middle;
    }
    // The last value of the segment is not before the needle; where there is no segment, all values are.
    low = first < segments ? first * length : p.values;
    const u64 end = low + length - 1;
    high = end < p.values ? end : first < segments ? p.values - 1 : p.values;
#endif
#pragma unroll 1
    while (low < high) {
      const u64 middle = low + (high - low) / 2;
      if (value_before(value_at(p, middle), x)) low = middle + 1; else high = middle;
    }
    ((i64 *)p.out)[i] = (i64)low;
  }
}
