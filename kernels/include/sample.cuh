// Values of a B-spline at coordinates that are an affine map of the indices of the results, or elements of an array. Required
// before it: `element`, `result`, `coordinate`, `offset`, value_of(element), result_of(f64), ORDER (of the spline, or -1 for the
// order in the parameters), SAMPLED (number of sampled axes, or 0 for the number in the parameters), ROOM, `uindex`,
// window_border.cuh, spline_weights.cuh and the parameter struct.
//
// Lower bound: the bytes of input, coordinates and output. A warp computes a tile of results, so that their taps are near one
// another for any map. A thread computes several results along the second to last axis, which share their indices along the
// others. If the map of each axis is its own, they share the taps of the other axes too, and sums of rows that two of them read.
// Coordinates whose taps are all within the input take a path without conversions to integers.
enum sample_mode : u32 { BY_CONSTANT, BY_NEAREST, BY_MIRROR, BY_REFLECT, BY_WRAP, BY_GRID_WRAP, BY_GRID_CONSTANT };
enum sample_form : u32 { DIAGONAL, MATRIX, ARRAY };

constexpr int SAMPLED_ROOM = SAMPLED ? SAMPLED : ROOM;
// Offset of a tap whose value is the constant.
constexpr offset OUTSIDE = (offset)((offset)1 << (8 * sizeof(offset) - 2));
// Blocks of a multiprocessor, which bound the registers.
constexpr int BLOCKS = ORDER < 0 || (ORDER == 3 && SAMPLED == 3) ? 2 : ORDER == 3 || (ORDER == 1 && SAMPLED == 3) ? 3 : 4;

// The taps of an axis, of which those of `inner_taps` are equally spaced: weights, and offsets in bytes.
struct inner_taps {
  f64 weights[TAPS];
  offset first;
};
struct border_taps {
  f64 weights[TAPS];
  offset at[TAPS];
};

DEVICE u32 order_of(const params &p) { return ORDER < 0 ? p.order : ORDER; }

// Finds the taps of a coordinate; false if they are not all within the axis. `inner_first` and `inner_last` bound the numbers whose
// floor is the middle tap, from 0 to at most 2^51, so that the sum with 2^52 has the floor in its low bits.
DEVICE bool find_inner_taps(const params &p, u32 axis, f64 c, inner_taps &taps) {
  const u32 order = order_of(p);
  const f64 middle = order & 1 ? c : c + 0.5, tested = ORDER == 0 ? c : middle;
  if (!(tested >= p.inner_first[axis] && tested <= p.inner_last[axis])) return false;
  const f64 sum = __dadd_rd(middle, 0x1p52), floored = __dadd_rn(sum, -0x1p52);
  const offset start = (offset)(__double_as_longlong(sum) & (i64)((1ull << 52) - 1)) - (offset)(order / 2);
  taps.first = start * (offset)p.src_steps[axis];
  find_weights(order, order & 1 ? c - floored : c - floored + 0.5, taps.weights);
  return true;
}

// An affine coordinate of the second to last index is ((fixed + (index + before) factor) + product) + after, rounded as by the
// definition of its form: a summand that a form does not have is 0. One that does not depend on the index, as that of an array, is
// `fixed`, which begins with the offset of a matrix.
struct affine {
  f64 fixed, factor, product;
};
DEVICE f64 coordinate_at(const params &p, u32 axis, const affine &line, f64 index) {
  if (!(p.moving >> axis & 1)) return line.fixed;
  const f64 share = __dmul_rn(__dadd_rn(index, p.before[axis]), line.factor);
  return __dadd_rn(__dadd_rn(__dadd_rn(__dadd_rn(line.fixed, share), line.product), p.after[axis]), p.pad);
}
DEVICE f64 coordinate_of(const params &p, u32 axis, const char *coordinates) {
  return __dadd_rn((f64)*(const coordinate *)(coordinates + axis * p.coordinate_step), p.pad);
}

// Maps a coordinate into an axis of n elements, or one period of its continuation; false if the result is the constant. The
// arithmetic is that of the modes' definitions, without contraction, so that ties of order 0 fall as in SciPy.
DEVICE bool settle(f64 &c, i64 n, u32 mode) {
  const f64 last = (f64)(n - 1);
  if (c >= 0 && c <= last) return true;
  if (c != c || mode == BY_CONSTANT) return false;
  if (mode == BY_NEAREST) {
    // Each tap is mapped on its own: all are the first or the last coefficient from 4 elements on.
    c = fmin(fmax(c, -4.0), last + 4);
    return true;
  }
  if (isinf(c)) return false;
  if (mode == BY_GRID_CONSTANT) return fabs(c) < 0x1p53;
  if (n == 1) {
    c = 0;
    return true;
  }
  const f64 period = mode == BY_MIRROR ? 2 * last : mode == BY_REFLECT ? 2 * (last + 1) : mode == BY_WRAP ? last : last + 1;
  if (c < 0) {
    if (mode == BY_MIRROR) {
      c = __dadd_rn(__dmul_rn(period, trunc(-c / period)), c);
      c = c <= -last ? c + period : -c;
    } else if (mode == BY_REFLECT) {
      if (c < -period) c = __dadd_rn(__dmul_rn(period, trunc(-c / period)), c);
      // A coordinate just below 0 stays above -1.
      c = c < -last - 1 ? c + period : (c > -1e-15 ? 1e-15 : -c) - 1;
    } else {
      const f64 turns = mode == BY_WRAP ? -c / period : (-1 - c) / period;
      c = __dadd_rn(c, __dmul_rn(period, trunc(turns) + 1));
    }
  } else {
    c = __dadd_rn(c, -__dmul_rn(period, trunc(c / period)));
    if (c >= last + 1) {
      if (mode == BY_MIRROR) c = period - c;
      if (mode == BY_REFLECT) c = period - c - 1;
    }
  }
  return fabs(c) < 0x1p53;
}

// Finds the taps of a settled coordinate anywhere; true if one has the constant.
DEVICE bool find_border_taps(const params &p, u32 axis, f64 c, border_taps &taps) {
  const i64 n = p.lengths[axis];
  const u32 order = order_of(p);
  const f64 floored = floor(order & 1 ? c : c + 0.5);
  const i64 start = (i64)floored - (i64)(order / 2);
  const offset step = (offset)p.src_steps[axis];
  bool partial = false;
#pragma unroll 1
  for (u32 k = 0; k <= order; ++k) {
    const i64 i = border(start + k, n, p.rule);
    taps.at[k] = i < 0 ? OUTSIDE : (offset)i * step;
    partial = partial || i < 0;
  }
  f64 weights[TAPS];
  find_weights(order, order & 1 ? c - floored : c - floored + 0.5, weights);
#pragma unroll
  for (u32 k = 0; k < TAPS; ++k) {
    if (k <= order) taps.weights[k] = weights[k];
  }
  return partial;
}

DEVICE f64 tap(const char *base) { return value_of(*(const element *)base); }

#if SAMPLED
// Returns the weighted sum over the axes from AXIS on. DENSE: elements along the last axis are adjacent.
template <int AXIS, bool DENSE> DEVICE f64 weighted(const params &p, const inner_taps *taps, const char *base) {
  f64 sum = 0;
  const i64 step = DENSE && AXIS + 1 == SAMPLED ? (i64)sizeof(element) : p.src_steps[AXIS];
#pragma unroll
  for (u32 k = 0; k < TAPS; ++k) {
    if (ORDER < 0 && k > p.order) break;
    f64 value;
    if constexpr (AXIS + 1 == SAMPLED) value = tap(base + k * step);
    else value = weighted<AXIS + 1, DENSE>(p, taps, base + k * step);
    if constexpr (ORDER == 0) return value;
    else sum = __fma_rn(value, taps[AXIS].weights[k], sum);
  }
  return sum;
}

// The same sum with taps anywhere.
template <int AXIS> DEVICE f64 weighted_at(const params &p, const border_taps *taps, const char *base) {
  f64 sum = 0;
  const u32 order = order_of(p);
#pragma unroll 1
  for (u32 k = 0; k <= order; ++k) {
    f64 value;
    if constexpr (AXIS + 1 == SAMPLED) value = tap(base + taps[AXIS].at[k]);
    else value = weighted_at<AXIS + 1>(p, taps, base + taps[AXIS].at[k]);
    if constexpr (ORDER == 0) return value;
    else sum = __fma_rn(value, taps[AXIS].weights[k], sum);
  }
  return sum;
}
#endif

#if SAMPLED > 1
// Sums of rows that results of a thread share: none if these are as many as the taps of a result, or too many for registers.
constexpr int SHARED_ROWS = SAMPLED == 2 && ORDER > 0 ? TAPS : SAMPLED == 3 && ORDER == 1 ? TAPS * TAPS : 0;

// Brings the sums of the rows of a result up to date; `moved`: the rows are those of the last result but for the first.
template <bool DENSE> DEVICE void sum_rows(const params &p, const inner_taps *taps, const char *base, bool moved, f64 *sums) {
  const i64 step = p.src_steps[SAMPLED - 2], outer_step = p.src_steps[0];
#pragma unroll
  for (int o = 0; o < SHARED_ROWS; o += TAPS) {
    const char *row = base + (o / TAPS) * outer_step;
    if (moved) {
#pragma unroll
      for (int k = 0; k + 1 < TAPS; ++k) sums[o + k] = sums[o + k + 1];
    } else {
#pragma unroll
      for (int k = 0; k + 1 < TAPS; ++k) sums[o + k] = weighted<SAMPLED - 1, DENSE>(p, taps, row + k * step);
    }
    sums[o + TAPS - 1] = weighted<SAMPLED - 1, DENSE>(p, taps, row + (TAPS - 1) * step);
  }
}
#endif

// Sums over any number of axes, with taps that have the constant.
DEVICE f64 weighted_any(const params &p, const border_taps *taps, const char *base) {
  const u32 count = order_of(p) + 1, axes = SAMPLED ? SAMPLED : p.sampled;
  u32 at[SAMPLED_ROOM];
  for (u32 d = 0; d < axes; ++d) at[d] = 0;
  f64 sum = 0;
#pragma unroll 1
  while (true) {
    f64 weight = 1;
    i64 total = 0;
    bool outside = false;
#pragma unroll 1
    for (u32 d = 0; d < axes; ++d) {
      const offset o = taps[d].at[at[d]];
      weight *= taps[d].weights[at[d]];
      outside = outside || o == OUTSIDE;
      total += o;
    }
    sum = __fma_rn(outside ? p.cval : tap(base + total), weight, sum);
    u32 d = axes;
    while (d > 0 && ++at[d - 1] == count) at[--d] = 0;
    if (d == 0) return sum;
  }
}

// Returns the value at coordinates anywhere.
DEVICE f64 border_value(const params &p, f64 *c, const char *src) {
  const u32 axes = SAMPLED ? SAMPLED : p.sampled;
#pragma unroll 1
  for (u32 d = 0; d < axes; ++d) {
    if (!settle(c[d], p.lengths[d], p.mode)) return p.cval;
  }
  border_taps taps[SAMPLED_ROOM];
  bool partial = false;
#pragma unroll 1
  for (u32 d = 0; d < axes; ++d) partial = find_border_taps(p, d, c[d], taps[d]) || partial;
#if SAMPLED
  if (!partial) return weighted_at<0>(p, taps, src);
#endif
  return weighted_any(p, taps, src);
}

#if SAMPLED
// Finds the taps of the axes whose bits are `wanted`, and sets the bits of those with all taps within the axis.
DEVICE void find_all(const params &p, const f64 *c, u32 wanted, inner_taps *taps, u32 &inner) {
  inner &= ~wanted;
#pragma unroll
  for (u32 d = 0; d < SAMPLED; ++d) {
    if ((wanted >> d & 1) && find_inner_taps(p, d, c[d], taps[d])) inner |= 1u << d;
  }
}

// Writes the results of a thread whose taps are all within the axes, and returns the bits of the others.
DEVICE u32 inner_values(
    const params &p, affine *lines, f64 index, u32 count, const char *src, char *dst, const char *coordinates) {
  constexpr u32 ALL = (1u << SAMPLED) - 1;
  inner_taps taps[SAMPLED];
  f64 c[SAMPLED];
  u32 inner = 0, others = 0;
#if SAMPLED > 1
  if (SHARED_ROWS && p.shared) {
    f64 sums[SHARED_ROWS ? SHARED_ROWS : 1];
    offset previous = OUTSIDE;
    constexpr u32 OTHERS = ALL & ~(1u << (SAMPLED - 2));
#pragma unroll
    for (u32 d = 0; d < SAMPLED; ++d) c[d] = lines[d].fixed;
    find_all(p, c, OTHERS, taps, inner);
    if (inner != OTHERS) return (1u << count) - 1;
    const char *base = src + taps[SAMPLED - 1].first;
    if (SAMPLED == 3) base += taps[0].first;
#pragma unroll 1
    for (u32 r = 0; r < count; ++r) {
      inner_taps &own = taps[SAMPLED - 2];
      const f64 share = __dmul_rn(__dadd_rn(index, p.before[SAMPLED - 2]), p.scales[SAMPLED - 2]);
      if (find_inner_taps(p, SAMPLED - 2, __dadd_rn(__dadd_rn(share, p.after[SAMPLED - 2]), p.pad), own)) {
        if (own.first != previous) {
          const bool moved = own.first == previous + (offset)p.src_steps[SAMPLED - 2];
          if (p.dense) sum_rows<true>(p, taps, base + own.first, moved, sums);
          else sum_rows<false>(p, taps, base + own.first, moved, sums);
          previous = own.first;
        }
        f64 value = 0;
#pragma unroll
        for (int o = 0; o < SHARED_ROWS; o += TAPS) {
          f64 sum = 0;
#pragma unroll
          for (int k = 0; k < TAPS; ++k) sum = __fma_rn(sums[o + k], own.weights[k], sum);
          value = SAMPLED == 2 ? sum : __fma_rn(sum, taps[0].weights[o / TAPS], value);
        }
        *(result *)dst = result_of(value);
      } else {
        others |= 1u << r;
      }
      index = __dadd_rn(index, p.pitch);
      dst += p.dst_pitch;
    }
    return others;
  }
#endif
  u32 wanted = ALL;
#pragma unroll 1
  for (u32 r = 0; r < count; ++r) {
    coordinates += p.coordinates_pitch;
#pragma unroll
    for (u32 d = 0; d < SAMPLED; ++d) {
      c[d] = coordinate_at(p, d, lines[d], index);
      // Those of the next result arrive while the values of this one are read.
      if (p.form == ARRAY && r + 1 < count) lines[d].fixed = coordinate_of(p, d, coordinates);
    }
    find_all(p, c, wanted, taps, inner);
    if (inner == ALL) {
      offset total = taps[0].first;
#pragma unroll
      for (u32 d = 1; d < SAMPLED; ++d) total += taps[d].first;
      const char *base = src + total;
      *(result *)dst = result_of(p.dense ? weighted<0, true>(p, taps, base) : weighted<0, false>(p, taps, base));
    } else {
      others |= 1u << r;
    }
    wanted = p.form == ARRAY ? ALL : (u32)p.moving;
    index = __dadd_rn(index, p.pitch);
    src += p.src_pitch;
    dst += p.dst_pitch;
  }
  return others;
}
#endif

extern "C" __global__ void __launch_bounds__(256, BLOCKS) sample(const __grid_constant__ params p) {
  const u64 warp = (u64)blockIdx.x * 8 + threadIdx.x / 32;
  if (warp >= p.warps) return;
  const u32 lane = threadIdx.x % 32, axes = SAMPLED ? SAMPLED : p.sampled, last = p.axes - 1, tall = p.axes - 2;
  const u32 pitch_log2 = 5 - p.tile_log2;
  // The indices of the first result, of which the last two are those in the warp's tile.
  uindex q = divide((uindex)warp, p.sizes[last]);
  const i64 column = ((i64)((uindex)warp - q * (uindex)p.sizes[last].divisor) << p.tile_log2) + (lane & ((1u << p.tile_log2) - 1));
  uindex rest = tall > 0 ? divide(q, p.sizes[tall]) : 0;
  const i64 row = (i64)(q - rest * (uindex)p.sizes[tall].divisor) * (p.reach << pitch_log2) + (lane >> p.tile_log2);
  if (column >= p.across || row >= p.height) return;
  const char *src = p.src + column * p.batch_steps[last] + row * p.batch_steps[tall];
  char *dst = p.dst + column * p.dst_steps[last] + row * p.dst_steps[tall];
  const char *coordinates = p.coordinates + column * p.coordinate_steps[last] + row * p.coordinate_steps[tall];
  i64 outer[ROOM];
#pragma unroll 1
  for (u32 d = tall; d-- > 0;) {
    q = d > 0 ? divide(rest, p.sizes[d]) : 0;
    const i64 i = (i64)(rest - q * (uindex)p.sizes[d].divisor);
    rest = q;
    outer[d] = i;
    src += i * p.batch_steps[d];
    dst += i * p.dst_steps[d];
    coordinates += i * p.coordinate_steps[d];
  }
  const u64 rows_left = ((u64)(p.height - row) + (1u << pitch_log2) - 1) >> pitch_log2;
  const u32 count = rows_left < p.reach ? (u32)rows_left : p.reach;
  // Coordinates of an array begin with those of the first result.
  affine lines[SAMPLED_ROOM];
#pragma unroll(SAMPLED ? SAMPLED : 1)
  for (u32 d = 0; d < axes; ++d) {
    affine line = {0, 0, 0};
    if (p.form == MATRIX) {
      // The offset of a row is before its entries, and the first summand, as in SciPy.
      const f64 *entries = p.matrix + (u64)d * (p.axes + 1) + 1;
      line.fixed = entries[-1];
#pragma unroll 1
      for (u32 k = 0; k < tall; ++k) line.fixed = __dadd_rn(line.fixed, __dmul_rn((f64)outer[k], entries[k]));
      line.factor = entries[tall];
      line.product = __dmul_rn((f64)column, entries[last]);
    } else if (p.form == ARRAY) {
      line.fixed = coordinate_of(p, d, coordinates);
    } else {
      const u32 axis = (u32)p.axis_of[d];
      line.factor = p.scales[d];
      if (axis != tall) {
        const f64 index = (f64)(axis == last ? column : outer[axis]);
        line.fixed = __dadd_rn(__dadd_rn(__dmul_rn(__dadd_rn(index, p.before[d]), line.factor), p.after[d]), p.pad);
      }
    }
    lines[d] = line;
  }
  const f64 first_index = (f64)row;
#if SAMPLED
  u32 others = inner_values(p, lines, first_index, count, src, dst, coordinates);
#else
  u32 others = (1u << count) - 1;
#endif
  // Results with taps beyond an axis.
#pragma unroll 1
  while (others != 0) {
    const u32 r = __ffs(others) - 1;
    others &= others - 1;
    const f64 index = __dadd_rn(first_index, (f64)(r << pitch_log2));
    f64 c[SAMPLED_ROOM];
#pragma unroll(SAMPLED ? SAMPLED : 1)
    for (u32 d = 0; d < axes; ++d)
      c[d] = p.form == ARRAY ? coordinate_of(p, d, coordinates + r * p.coordinates_pitch) : coordinate_at(p, d, lines[d], index);
    *(result *)(dst + r * p.dst_pitch) = result_of(border_value(p, c, src + r * p.src_pitch));
  }
}
