// Sorts rows of at most MOST elements in the registers of a warp, in one launch: each element is read once and written
// once. Required before it: sort_key.cuh, key_of, raw_of (the inverse of key_of for most elements), and INDEXED
// (positions are written).
//
// A row has 1, 2, 4, ... or 32 adjacent lanes, each of which holds ITEMS consecutive elements of it; a warp has
// per_block rows. The lanes sort their elements by Batcher's network, and merge them in pairs, fours, ... by bitonic
// merges. Elements pass through shared memory, so that lanes read and write adjacent ones.
//
// A sort by the key alone is stable if the key determines the element. Where it does not (zeros of both signs, NaNs),
// and for positions, a warp sorts pairs of a key and a position.
constexpr u32 ITEMS = 8;
constexpr u32 MOST = 32 * ITEMS;
constexpr u32 WARPS = 4;

// A lane's elements in shared memory, which it reads and writes by accesses of up to 16 bytes.
template <class T> struct alignas(ITEMS * sizeof(T) < 16 ? ITEMS * sizeof(T) : 16) lane_items {
  T x[ITEMS];
};

DEVICE u32 of_lane(u32 x, u32 lanes) { return __shfl_xor_sync(~0u, x, lanes); }
DEVICE u64 of_lane(u64 x, u32 lanes) { return __shfl_xor_sync(~0u, x, lanes); }
DEVICE words of_lane(words x, u32 lanes) { return {of_lane(x.low, lanes), of_lane(x.high, lanes)}; }

// What is sorted: the key, widened to a register, or the key and the position in the row.
template <class K> struct sorted_keys;
template <class K> struct narrow_keys {
  using plain = u32;
  using ranked = u32;
  static DEVICE ranked join(K k, u32 position) { return (u32)k << 8 | position; }
  static DEVICE u32 position(ranked p) { return p & 255; }
};
template <> struct sorted_keys<u8> : narrow_keys<u8> {};
template <> struct sorted_keys<u16> : narrow_keys<u16> {};
template <> struct sorted_keys<u32> {
  using plain = u32;
  using ranked = u64;
  static DEVICE ranked join(u32 k, u32 position) { return (u64)k << 8 | position; }
  static DEVICE u32 position(ranked p) { return (u32)p & 255; }
};
template <> struct sorted_keys<u64> {
  using plain = u64;
  using ranked = words;
  static DEVICE ranked join(u64 k, u32 position) { return {position, k}; }
  static DEVICE u32 position(ranked p) { return (u32)p.low; }
};

template <class T> DEVICE void order(T &a, T &b) {
  const bool swap = less_key(b, a);
  const T low = swap ? b : a;
  b = swap ? a : b;
  a = low;
}

// Sorts the items of groups of adjacent lanes, a power of two of them.
template <class T> DEVICE void sort_lanes(T (&x)[ITEMS], u32 lanes) {
  const u32 lane = threadIdx.x & 31;
  constexpr u32 NETWORK[] = {01, 023, 045, 067, 02, 013, 046, 057, 012, 056, 04, 015, 026, 037, 024, 035, 012, 034, 056};
#pragma unroll
  for (u32 i = 0; i < 19; ++i) order(x[NETWORK[i] >> 3], x[NETWORK[i] & 7]);
#pragma unroll 1
  for (u32 size = 2; size <= lanes; size *= 2) {
    // Two sorted groups: the first step compares the items with those of the same distance from the other end, which
    // leaves the smaller ones in the lower group, each group bitonic.
    T other[ITEMS];
    bool upper = lane & size / 2;
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) other[i] = of_lane(x[ITEMS - 1 - i], size - 1);
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) x[i] = less_key(other[i], x[i]) != upper ? other[i] : x[i];
#pragma unroll 1
    for (u32 apart = size / 4; apart > 0; apart /= 2) {
      upper = lane & apart;
#pragma unroll
      for (u32 i = 0; i < ITEMS; ++i) {
        const T of = of_lane(x[i], apart);
        x[i] = less_key(of, x[i]) != upper ? of : x[i];
      }
    }
#pragma unroll
    for (u32 apart = ITEMS / 2; apart > 0; apart /= 2)
#pragma unroll
      for (u32 i = 0; i < ITEMS; ++i)
        if (!(i & apart)) order(x[i], x[i | apart]);
  }
}

// Calls `f` with the index of each element of a warp's rows and its index in shared memory, where a row has `room`
// elements. Lanes have adjacent elements.
template <class F> DEVICE void each_element(u32 rows, u32 length, u32 room, F f) {
  const u32 lane = threadIdx.x & 31, count = rows * length, whole = 32 / length, rest = 32 - whole * length;
  u32 row = lane / length, column = lane - row * length;
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i) {
    if (lane + 32 * i < count) f(lane + 32 * i, row * room + column);
    row += whole;
    column += rest;
    if (column >= length) {
      column -= length;
      ++row;
    }
  }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS) sort_short(const __grid_constant__ params p) {
  using of = sorted_keys<key>;
  __shared__ lane_items<raw> elements[WARPS][32];
  __shared__ lane_items<u8> positions[WARPS][32];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, lanes = 32 / p.per_block, room = lanes * ITEMS;
  const u64 row = ((u64)blockIdx.x * WARPS + warp) * p.per_block;
  if (row >= p.rows) return;
  const u32 length = (u32)p.length, rows = p.rows - row < p.per_block ? (u32)(p.rows - row) : p.per_block;
  const u32 first = (lane & (lanes - 1)) * ITEMS;
  raw *shared = elements[warp][0].x;
  u8 *shared_positions = positions[warp][0].x;
  raw *out = (raw *)p.out + row * p.length;
  each_element(rows, length, room, [&](u32 i, u32 at) { shared[at] = ((const raw *)p.input)[row * p.length + i]; });
  __syncwarp();
  lane_items<raw> own = elements[warp][lane];
  // After the end of a row, and instead of missing rows, elements that sort last: they are after all others or equal
  // to them.
  const u32 held = lane * p.per_block / 32 < rows ? length : 0;
#pragma unroll
  for (u32 i = 0; i < ITEMS; ++i)
    if (first + i >= held) own.x[i] = last_item();
  bool by_key = !INDEXED;
  if constexpr (!INDEXED) {
    typename of::plain x[ITEMS];
    bool determined = true;
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) {
      const key k = key_of(own.x[i]);
      x[i] = k;
      determined &= raw_of(k) == own.x[i];
    }
    by_key = __all_sync(~0u, determined);
    if (by_key) {
      sort_lanes(x, lanes);
      __syncwarp();
#pragma unroll
      for (u32 i = 0; i < ITEMS; ++i) own.x[i] = raw_of((key)x[i]);
      elements[warp][lane] = own;
      __syncwarp();
      each_element(rows, length, room, [&](u32 i, u32 at) { out[i] = shared[at]; });
    }
  }
  if (!by_key) {
    typename of::ranked x[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) x[i] = of::join(key_of(own.x[i]), first + i);
    sort_lanes(x, lanes);
    lane_items<u8> sorted;
#pragma unroll
    for (u32 i = 0; i < ITEMS; ++i) sorted.x[i] = (u8)of::position(x[i]);
    positions[warp][lane] = sorted;
    __syncwarp();
    each_element(rows, length, room, [&](u32 i, u32 at) {
      const u32 position = shared_positions[at];
      if (p.out) out[i] = shared[(at & ~(room - 1)) + position];
#if INDEXED
      if (p.positions) ((i64 *)p.positions)[row * p.length + i] = position;
#endif
    });
  }
}
