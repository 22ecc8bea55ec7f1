// Multidimensional histogram (`histogramdd`): the number of points in each cell of a grid. Required before it:
// `element`, value_of (an element as float64), AXES, FLAT (the coordinates along each axis are contiguous and aligned),
// IN_16_BITS and histogram_counters16.cuh. Edges are float64, in which the comparisons are exact.
constexpr int THREADS = 1024;
// Points of a thread in a round, or 16 for one byte: fewer than HALF in total, including those after the last vector.
constexpr int ROUND = 24;
constexpr int STAGED_EDGES = 1024;
// Points of a vector, vectors of a round, and those that are in flight at a time.
constexpr int V = FLAT ? 16 / sizeof(element) : 1;
constexpr int UNITS = ROUND / V, M = V == 1 ? 4 : V < 8 && AXES <= 2 ? 2 : 1;
#if IN_16_BITS
typedef u32 number;
#else
typedef u64 number;
#endif

struct alignas(V * sizeof(element)) pack {
  element e[V];
};
DEVICE pack read(const params &p, int d, u64 i) {
  return *(const pack *)((const char *)p.columns[d] + (i64)i * (FLAT ? 16 : p.strides[d]));
}
DEVICE f64 coordinate(const params &p, int d, u64 i) {
  return value_of(*(const element *)((const char *)p.columns[d] + (i64)i * p.strides[d]));
}

// Constants of an axis for a thread. If all bins have equal width, a product decides the bin of most coordinates: those
// whose bin coordinate, the distance to the first edge times a scale, is no farther from the middle of a bin than
// `sure`.
struct axis {
  f64 scale;
  f32 first, quick_scale, sure;
  i32 bins;
  bool even;
};
DEVICE axis axis_of(const f64 *edges, i32 bins, bool even, f64 unit) {
  const f64 first = edges[0], last = edges[bins], length = last - first, scale = (f64)bins / length;
  const f64 largest = fabs(first) > fabs(last) ? fabs(first) : fabs(last);
  // Upper bound, in bins, of the product's error at an edge. The edge is off by three units of the length and one of
  // the larger end, the coordinate and the first edge by two more units of that end after rounding to float32, and the
  // distance, the scale and the product by a unit each; the rest covers errors of more than one unit. No step is then
  // subnormal or overflows.
  const f64 off = unit * bins * (7.0 + 4.0 * largest / length);
  const bool quick = even && off < 0.25 && length > 1e-30 && largest < 1e30;
  return {scale, (f32)first, (f32)scale, quick ? (f32)(0.499999 - off) : -1.0f, bins, even};
}

// Returns true if the bin of a coordinate is clear, which it never is for NaN and for coordinates outside. The
// coordinate minus half a unit is rounded to an integer by adding a number so large that its last bit is 1.
DEVICE bool is_clear(const axis &a, f32 x, u32 &bin) {
  const f32 middle = (x - a.first) * a.quick_scale - 0.5f, moved = middle + 8388608.0f;
  bin = f32_to_bits(moved) - f32_to_bits(8388608.0f);
  return fabsf(middle - (moved - 8388608.0f)) <= a.sure && bin < (u32)a.bins;
}

// Returns the bin along an axis, or a negative number. Every bin includes its lower edge and not its upper one, except
// for the last. It is decided by comparison with the edges.
DEVICE i32 bin_along(const f64 *edges, const axis &a, f64 x) {
  if (!(x >= edges[0] && x <= edges[a.bins])) return -1;
  i32 low = 0;
  if (a.even) {
    low = (i32)((x - edges[0]) * a.scale);
    low = low < 0 ? 0 : low >= a.bins ? a.bins - 1 : low;
#pragma unroll 1
    while (low > 0 && x < edges[low]) --low;
#pragma unroll 1
    while (low < a.bins - 1 && x >= edges[low + 1]) ++low;
    return low;
  }
  i32 high = a.bins;
#pragma unroll 1
  while (high - low > 1) {
    const i32 middle = (low + high) / 2;
    if (x < edges[middle]) high = middle; else low = middle;
  }
  return low;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) points(const __grid_constant__ params p) {
  __shared__ f64 staged[STAGED_EDGES];
  i32 all = 0;
#pragma unroll
  for (int d = 0; d < AXES; ++d) all += (i32)p.bins[d] + 1;
  const bool inside = all <= STAGED_EDGES;
  i32 from = 0;
#pragma unroll
  for (int d = 0; inside && d < AXES; ++d) {
    for (i32 i = threadIdx.x; i <= p.bins[d]; i += THREADS) staged[from + i] = ((const f64 *)p.edges[d])[i];
    from += (i32)p.bins[d] + 1;
  }
#if IN_16_BITS
  clear_halves(p.cells * p.copies);
#endif
  __syncthreads();
  axis axes[AXES];
#pragma unroll
  for (int d = 0; d < AXES; ++d) axes[d] = axis_of((const f64 *)p.edges[d], (i32)p.bins[d], p.even >> d & 1, p.units[d]);
  const u32 copy = threadIdx.x % p.copies;
  const auto count_in = [&](number cell) {
#if IN_16_BITS
    add_half(cell * p.copies + copy);
#else
    atomicAdd((u64 *)p.out + cell, 1ull);
#endif
  };
  const auto count = [&](u64 i) {
    number cell = 0;
    i32 at = 0;
    bool there = true;
#pragma unroll
    for (int d = 0; d < AXES; ++d) {
      const f64 x = coordinate(p, d, i);
      // The test is repeated, since a pointer to either memory would be generic.
      const i32 bin = inside ? bin_along(staged + at, axes[d], x) : bin_along((const f64 *)p.edges[d], axes[d], x);
      there = there && bin >= 0;
      cell = cell * axes[d].bins + bin;
      at += axes[d].bins + 1;
    }
    if (there) count_in(cell);
  };
  const u64 step = (u64)gridDim.x * THREADS, first = (u64)blockIdx.x * THREADS + threadIdx.x, whole = p.elements / V;
  // Vectors are loaded while those before them are counted.
  pack next[M][AXES];
  const auto read_next = [&](u64 i) {
#pragma unroll
    for (int k = 0; k < M; ++k) {
#pragma unroll
      for (int d = 0; d < AXES; ++d) {
        if (i + k * step < whole) next[k][d] = read(p, d, i + k * step);
      }
    }
  };
  read_next(first);
#pragma unroll 1
  for (u64 round = 0; round < whole; round += UNITS * step) {
#pragma unroll 1
    for (u64 i = round + first; i < round + UNITS * step && i < whole; i += M * step) {
      pack x[M][AXES];
#pragma unroll
      for (int k = 0; k < M; ++k) {
#pragma unroll
        for (int d = 0; d < AXES; ++d) x[k][d] = next[k][d];
      }
      read_next(i + M * step);
      u32 unclear = 0;
#pragma unroll
      for (int k = 0; k < M; ++k) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          const bool there = i + k * step < whole;
          number cell = 0;
          bool clear = there;
#pragma unroll
          for (int d = 0; d < AXES; ++d) {
            u32 bin;
            clear = is_clear(axes[d], (f32)value_of(x[k][d].e[v]), bin) && clear;
            cell = cell * (u32)axes[d].bins + bin;
          }
          if (clear) count_in(cell);
          unclear |= (u32)(there && !clear) << (k * V + v);
        }
      }
#pragma unroll 1
      for (; unclear != 0; unclear &= unclear - 1) {
        const u32 at = __ffs(unclear) - 1;
        count((i + at / V * step) * V + at % V);
      }
    }
#if IN_16_BITS
    __syncthreads();
    bring_halves<false>((u64 *)p.out, p.cells * p.copies, p.copies);
    __syncthreads();
#endif
  }
  if (first < p.elements - whole * V) count(whole * V + first);
#if IN_16_BITS
  __syncthreads();
  leave_halves(p.parts, (u64 *)p.out, p.cells * p.copies, p.copies);
#endif
}
