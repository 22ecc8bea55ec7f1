// Values of a B-spline at coordinates that are an affine map of the indices of the results, or elements of an array. Required
// before it: `element`, `result`, `coordinate`, `offset`, value_of(element), result_of(f64), ORDER (of the spline, or -1 for the
// order in the parameters), SAMPLED (number of sampled axes, or 0 for the number in the parameters), ROOM, `uindex`,
// window_border.cuh and the parameter struct.
//
// Lower bound: the bytes of input, coordinates and output. A warp computes a tile of results, so that their taps are near one
// another for any map; if the map of each axis is its own, a thread shares the taps of the other axes between its results along
// the second to last axis.
enum sample_mode : u32 { BY_CONSTANT, BY_NEAREST, BY_MIRROR, BY_REFLECT, BY_WRAP, BY_GRID_WRAP, BY_GRID_CONSTANT };
enum sample_form : u32 { DIAGONAL, MATRIX, ARRAY };

constexpr int TAPS = ORDER < 0 ? 6 : ORDER + 1;
constexpr int SAMPLED_ROOM = SAMPLED ? SAMPLED : ROOM;
// Offset of a tap whose value is the constant.
constexpr offset OUTSIDE = (offset)((offset)1 << (8 * sizeof(offset) - 2));

// The taps of an axis: weights, and offsets in bytes.
struct axis_taps {
  f64 weights[TAPS];
  offset at[TAPS];
};

DEVICE u32 order_of(const params &p) { return ORDER < 0 ? p.order : ORDER; }

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

// Finds the taps of a coordinate: false if the result is the constant. `partial` becomes true if a tap has the constant.
DEVICE bool find_taps(const params &p, u32 axis, f64 c, axis_taps &taps, bool &partial) {
  const i64 n = p.lengths[axis];
  if (!settle(c, n, p.mode)) return false;
  const u32 order = order_of(p);
  const f64 floored = floor(order & 1 ? c : c + 0.5);
  const f64 t = order & 1 ? c - floored : c - floored + 0.5;
  const i64 start = (i64)floored - (i64)(order / 2);
  const offset step = (offset)p.src_steps[axis];
  if (start >= 0 && start + order < n) {
    const offset first = (offset)start * step;
#pragma unroll
    for (u32 k = 0; k < TAPS; ++k) taps.at[k] = first + (offset)k * step;
  } else {
#pragma unroll
    for (u32 k = 0; k < TAPS; ++k) {
      const i64 i = border(start + k, n, p.rule);
      taps.at[k] = i < 0 ? OUTSIDE : (offset)i * step;
      partial = partial || (i < 0 && k <= order);
    }
  }
  // The basis functions by de Boor's recurrence over the degrees (C. de Boor, "A Practical Guide to Splines", chapter X).
  taps.weights[0] = 1;
#pragma unroll
  for (u32 degree = 1; degree < TAPS; ++degree) {
    if (degree > order) break;
    f64 carried = 0;
#pragma unroll
    for (u32 k = 0; k < degree; ++k) {
      const f64 share = ORDER < 0 ? taps.weights[k] / (f64)degree : taps.weights[k] * (1.0 / (f64)degree);
      taps.weights[k] = carried + ((f64)(k + 1) - t) * share;
      carried = (t + (f64)(degree - 1 - k)) * share;
    }
    taps.weights[degree] = carried;
  }
  return true;
}

DEVICE f64 tap(const char *base, offset at) { return value_of(*(const element *)(base + at)); }

#if SAMPLED
// Sums over the axes from AXIS on.
template <int AXIS> DEVICE f64 weighted(const params &p, const axis_taps *taps, const char *base) {
  f64 sum = 0;
#pragma unroll
  for (u32 k = 0; k < TAPS; ++k) {
    if (ORDER < 0 && k > p.order) break;
    f64 value;
    if constexpr (AXIS + 1 == SAMPLED) value = tap(base, taps[AXIS].at[k]);
    else value = weighted<AXIS + 1>(p, taps, base + taps[AXIS].at[k]);
    if constexpr (ORDER == 0) return value;
    else sum = __fma_rn(value, taps[AXIS].weights[k], sum);
  }
  return sum;
}
#endif

// Sums over any number of axes, with taps that have the constant.
DEVICE f64 weighted_any(const params &p, const axis_taps *taps, const char *base) {
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
    sum = __fma_rn(outside ? p.cval : value_of(*(const element *)(base + total)), weight, sum);
    u32 d = axes;
    while (d > 0 && ++at[d - 1] == count) at[--d] = 0;
    if (d == 0) return sum;
  }
}

extern "C" __global__ void __launch_bounds__(256) sample(const __grid_constant__ params p) {
  const u64 warp = (u64)blockIdx.x * 8 + threadIdx.x / 32;
  if (warp >= p.warps) return;
  const u32 lane = threadIdx.x % 32, axes = SAMPLED ? SAMPLED : p.sampled;
  // The indices of the first result, of which the last two are those in the warp's tile.
  i64 at[ROOM];
  uindex rest = (uindex)warp;
  const char *src = p.src;
  char *dst = p.dst;
  const char *coordinates = p.coordinates;
#pragma unroll 1
  for (u32 d = p.axes; d-- > 0;) {
    const uindex q = d > 0 ? divide(rest, p.sizes[d]) : 0;
    i64 i = (i64)(rest - q * (uindex)p.sizes[d].divisor);
    rest = q;
    if (d == p.axes - 1) i = (i << p.tile_log2) + (lane & ((1u << p.tile_log2) - 1));
    if (d == p.axes - 2) i = i * ((32 >> p.tile_log2) * p.reach) + (lane >> p.tile_log2);
    at[d] = i;
    src += i * p.batch_steps[d];
    dst += i * p.dst_steps[d];
    coordinates += i * p.coordinate_steps[d];
  }
  if (at[p.axes - 1] >= p.across) return;
  const u32 tall = p.axes - 2;
  const i64 pitch = 32 >> p.tile_log2;
  axis_taps taps[SAMPLED_ROOM];
  bool known = true, partial = false;
#pragma unroll 1
  for (u32 r = 0; r < p.reach && at[tall] < p.height; ++r) {
    bool own = true, own_partial = false;
#pragma unroll(SAMPLED ? SAMPLED : 1)
    for (u32 d = 0; d < axes; ++d) {
      const bool shared = p.shared && d + 2 != axes;
      if (shared && r > 0) continue;
      f64 c;
      if (p.form == DIAGONAL) {
        c = __dadd_rn(__dmul_rn(__dadd_rn((f64)at[p.axis_of[d]], p.before[d]), p.scales[d]), p.after[d]);
      } else if (p.form == MATRIX) {
        c = 0;
        const f64 *row = p.matrix + (u64)d * p.axes;
#pragma unroll 1
        for (u32 k = 0; k < p.axes; ++k) c = __dadd_rn(c, __dmul_rn((f64)at[k], row[k]));
        c = __dadd_rn(c, p.after[d]);
      } else {
        c = (f64)*(const coordinate *)(coordinates + d * p.coordinate_step);
      }
      c = __dadd_rn(c, (f64)p.pad);
      bool constant = false;
      const bool found = find_taps(p, d, c, taps[d], constant);
      if (shared) {
        known = known && found;
        partial = partial || constant;
      } else {
        own = own && found;
        own_partial = own_partial || constant;
      }
    }
    f64 value = p.cval;
    if (known && own) {
#if SAMPLED
      if (partial || own_partial) {
        // A copy is indexed by variables, so that the taps themselves stay in registers.
        axis_taps copy[SAMPLED];
#pragma unroll
        for (u32 d = 0; d < SAMPLED; ++d) copy[d] = taps[d];
        value = weighted_any(p, copy, src);
      } else {
        value = weighted<0>(p, taps, src);
      }
#else
      value = weighted_any(p, taps, src);
#endif
    }
    *(result *)dst = result_of(value);
    at[tall] += pitch;
    src += pitch * p.batch_steps[tall];
    dst += pitch * p.dst_steps[tall];
    coordinates += pitch * p.coordinate_steps[tall];
  }
}
