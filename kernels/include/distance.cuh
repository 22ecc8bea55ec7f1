// Distance transforms, axis after axis: along each line the smallest sum of a distance and of the value so far. Required before it:
// `value` (i32, i64 or f64), FAR (value of an element without background), `position` (unsigned type of positions) and the
// parameter struct.
//
// The position of the smallest sum does not fall along a line, as the distances are convex or their maximum with a value is taken: that
// of an element in the middle bounds those of the others (A. Aggarwal et al., "Geometric applications of a matrix-searching algorithm",
// Algorithmica 2, 1987), so that each of the log2(n) levels reads a line once. The lower envelope of P. F. Felzenszwalb and
// D. P. Huttenlocher ("Distance Transforms of Sampled Functions", Theory of Computing 8, 2012) is the same, found in sequence.

constexpr u32 THREADS = 256;
// Ranges from which a warp searches together.
constexpr u32 WIDE_RANGE = 48;

DEVICE value cost(const params &p, i64 x, i64 k, value v) {
  const value d = (value)(x < k ? k - x : x - k) * p.step.value;
  if (p.metric == 0) return d * d + v;
  if (p.metric == 1) return d + v;
  return d > v ? d : v;
}

// Returns true for an element of the background.
DEVICE bool is_background(const params &p, const char *from) {
  u64 bits;
  if (p.image_bytes == 1) bits = *(const u8 *)from;
  else if (p.image_bytes == 2) bits = *(const u16 *)from;
  else if (p.image_bytes == 4) bits = *(const u32 *)from;
  else bits = *(const u64 *)from | (p.image_bytes == 16 ? ((const u64 *)from)[1] & p.image_mask : 0);
  return (bits & p.image_mask) == 0;
}

// 0 for the background, FAR for other elements, each of which is its own nearest element so far.
extern "C" __global__ void __launch_bounds__(THREADS) distance_begin(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= p.elements) return;
  p.out[i] = is_background(p, p.image + offset_of((position)i, p.axes, p.sizes, p.image_steps)) ? 0 : FAR;
  if (p.out_nearest) p.out_nearest[i] = (position)i;
}

// Distances along the last axis: lines of bits, and a word for each 32 words of them that has a bit for those that are not 0.
extern "C" __global__ void __launch_bounds__(THREADS) distance_first(const __grid_constant__ params p) {
  extern __shared__ __align__(16) u32 shared_words[];
  const u32 team = 1u << p.team_log2, t = threadIdx.x & (team - 1), row = threadIdx.x >> p.team_log2;
  const u64 l = (u64)blockIdx.x * (THREADS >> p.team_log2) + row;
  const bool there = l < p.lines;
  const u32 n = (u32)p.n, count = (n + 31) / 32, groups = (count + 31) / 32;
  u32 *words = shared_words + row * (count + groups), *masks = words + count;
  if (there) {
    const char *line = p.image;
    u64 rest = l;
#pragma unroll 1
    for (u32 d = p.axes - 1; d-- > 0;) {
      const u64 q = d > 0 ? divide((position)rest, p.sizes[d]) : 0;
      line += (i64)(rest - q * (u64)p.sizes[d].divisor) * p.image_steps[d];
      rest = q;
    }
    const i64 step = p.image_steps[p.axes - 1];
#pragma unroll 4
    for (u32 x = t; x < 32 * count; x += team) {
      const u32 word = __ballot_sync(~0u, x < n && is_background(p, line + x * step));
      if (x % 32 == 0) words[x / 32] = word;
    }
  }
  __syncthreads();
  if (there) {
    for (u32 w = t; w < 32 * groups; w += team) {
      const u32 mask = __ballot_sync(~0u, w < count && words[w] != 0);
      if (w % 32 == 0) masks[w / 32] = mask;
    }
  }
  __syncthreads();
  if (!there) return;
#pragma unroll 1
  for (u32 x = t; x < n; x += team) {
    const u32 w = x / 32, b = x % 32;
    i64 before = -1, after = -1;
    u32 bits = words[w] & (~0u >> (31 - b));
    if (bits) {
      before = x - b + 31 - __clz(bits);
    } else {
      u32 g = w / 32, mask = masks[g] & ((1u << w % 32) - 1);
      while (mask == 0 && g > 0) mask = masks[--g];
      if (mask) {
        const u32 at = 32 * g + 31 - __clz(mask);
        before = 32 * at + 31 - __clz(words[at]);
      }
    }
    bits = words[w] & (~0u << b);
    if (bits) {
      after = x - b + __ffs(bits) - 1;
    } else {
      u32 g = w / 32, mask = masks[g] & (~1u << w % 32);
      while (mask == 0 && g + 1 < groups) mask = masks[++g];
      if (mask) {
        const u32 at = 32 * g + __ffs(mask) - 1;
        after = 32 * at + __ffs(words[at]) - 1;
      }
    }
    const i64 k = after < 0 || (before >= 0 && x - before <= after - x) ? before : after;
    const u64 first = l * (u64)n;
    p.out[first + x] = k < 0 ? FAR : cost(p, x, k, 0);
    if (p.out_nearest) p.out_nearest[first + x] = (position)(first + (k < 0 ? x : k));
  }
}

// Returns the largest distance, in elements, at which a sum may be smaller than a value, or more.
DEVICE i64 reach_of(const params &p, value v) {
  if (!(v < FAR)) return p.n;
  const f64 most = (p.metric == 0 ? sqrt((f64)v) : (f64)v) / (f64)p.step.value;
  return most < (f64)p.n ? (i64)most + 1 : p.n;
}

// Finds the positions of the smallest sums of a line for `team` threads, which are whole warps.
template <class A> DEVICE void search_line(const params &p, const value *line, A *found, bool there, u32 t, u32 team) {
  const i64 n = p.n;
  const u32 lane = t & 31, warps = team / 32;
#pragma unroll 1
  for (i64 s = p.half; s > 0; s /= 2) {
    const i64 points = there && n >= s ? (n - s) / (2 * s) + 1 : 0;
#pragma unroll 1
    for (i64 base = 0; base < points; base += team) {
      // Few points are spread over the warps.
      const i64 j = points < team ? (i64)lane * warps + t / 32 : base + t;
      i64 x = s - 1 + 2 * s * j, low = 0, high = -1;
      if (j < points) {
        low = x - s >= 0 ? (i64)found[x - s] : 0;
        high = x + s < n ? (i64)found[x + s] : n - 1;
        // The sum with the element's own value bounds the distance.
        const i64 reach = reach_of(p, line[x]);
        if (low < x - reach) low = x - reach < high ? x - reach : high;
        if (high > x + reach) high = x + reach > low ? x + reach : low;
      }
      u32 wide = __ballot_sync(~0u, high - low >= WIDE_RANGE);
#pragma unroll 1
      for (; wide != 0; wide &= wide - 1) {
        const u32 owner = __ffs(wide) - 1;
        const i64 at = __shfl_sync(~0u, x, owner), from = __shfl_sync(~0u, low, owner), to = __shfl_sync(~0u, high, owner);
        // Lanes after the end repeat the last element.
        i64 best = from + lane <= to ? from + lane : to;
        value least = cost(p, at, best, line[best]);
#pragma unroll 4
        for (i64 k = from + lane + 32; k <= to; k += 32) {
          const value v = cost(p, at, k, line[k]);
          if (v < least) least = v, best = k;
        }
#pragma unroll
        for (u32 step = 16; step > 0; step /= 2) {
          const value v = __shfl_xor_sync(~0u, least, step);
          const i64 k = __shfl_xor_sync(~0u, best, step);
          if (v < least || (v == least && k < best)) least = v, best = k;
        }
        if (lane == owner) {
          found[x] = (A)best;
          high = low - 1;
        }
      }
      if (low <= high) {
        i64 best = low;
        value least = cost(p, x, low, line[low]);
#pragma unroll 1
        for (i64 k = low + 1; k <= high; ++k) {
          const value v = cost(p, x, k, line[k]);
          if (v < least) least = v, best = k;
        }
        found[x] = (A)best;
      }
    }
    __syncthreads();
  }
}

// Writes the smallest sums of a line, and the nearest elements.
template <class A> DEVICE void write_line(const params &p, u64 first, const A *found, u32 t, u32 team) {
#pragma unroll 1
  for (i64 x = t; x < p.n; x += team) {
    const i64 k = (i64)found[x];
    const value v = cost(p, x, k, p.input[first + k]);
    p.out[first + x] = v < FAR ? v : FAR;
    if (p.out_nearest) p.out_nearest[first + x] = p.nearest[first + k];
  }
}

// Lines are contiguous. Positions are kept in shared memory, or, of long lines, in memory.
extern "C" __global__ void __launch_bounds__(THREADS) distance_lines(const __grid_constant__ params p) {
  extern __shared__ __align__(16) u16 shared_found[];
  const u32 team = 1u << p.team_log2, t = threadIdx.x & (team - 1), row = threadIdx.x >> p.team_log2;
  const u64 l = (u64)blockIdx.x * (THREADS >> p.team_log2) + row;
  bool there = l < p.lines;
  if (p.strips) {
    // Lines of strips that are not marked have their results.
    const u64 outer = l / p.inner, chunks = (p.inner + 31) / 32;
    there = there && p.strips[outer * chunks + (l - outer * p.inner) / 32] != 0;
    if (!__syncthreads_or(there)) return;
  }
  const u64 first = there ? l * (u64)p.n : 0;
  if (p.found) {
    search_line(p, p.input + first, p.found + first, there, t, team);
    if (there) write_line(p, first, p.found + first, t, team);
  } else {
    u16 *found = shared_found + (u64)row * (u64)p.n;
    search_line(p, p.input + first, found, there, t, team);
    if (there) write_line(p, first, found, t, team);
  }
}

// Writes distances and the coordinates of the nearest elements, in C order.
extern "C" __global__ void __launch_bounds__(THREADS) distance_finish(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= p.elements) return;
  const value v = p.input[i];
  const bool far = !(v < FAR);
  u64 own = i, nearest = p.nearest ? (far ? i : (u64)p.nearest[i]) : 0;
  f64 square = 0;
  // Coordinates are found where they are results, and of elements without background for their distance.
#pragma unroll 1
  for (u32 d = far || p.coordinates ? p.axes : 0; d-- > 0;) {
    const u64 n = p.sizes[d].divisor, q = d > 0 ? divide((position)own, p.sizes[d]) : 0, r = d > 0 ? divide((position)nearest, p.sizes[d]) : 0;
    const i64 at = (i64)(own - q * n), to = (i64)(nearest - r * n);
    own = q, nearest = r;
    // Without a background the nearest element is before the first one along the first axis, the first one, or the element itself.
    const i64 none = p.without == 0 ? (d == 0 ? -1 : 0) : p.without == 1 ? 0 : at;
    const f64 apart = (f64)(at - none) * p.sampling[d];
    square += apart * apart;
    if (p.coordinates) p.coordinates[d * p.elements + i] = (i32)(far ? none : to);
  }
  if (p.metric == 0) {
    if (p.distances) p.distances[i] = sqrt(!far ? (f64)v : p.without == 0 ? square : 1.79769313486231570815e308);
  } else if (p.distances) {
    ((i32 *)p.distances)[i] = far ? -1 : (i32)v;
  }
}
