// Adjacent results of a window along an axis, in registers. Required before it: `value`, join(value, value), WEIGHTED, MEAN and
// REACH, the number of results.
//
// `get(group, e)` is the element group * REACH + e of the window of the first result: e is constant after unrolling. Loads of several
// elements are requested before the first is used, so that other elements of a window are computed while they are on the way.
//
// Shorter windows without weights are joined element by element.
constexpr u32 SHORT = REACH + REACH / 2;

#if !WEIGHTED
// Joins the elements of a group from one on, by bisection: there are fewer operations that wait for each other.
template <u32 FROM, u32 COUNT = REACH - FROM, class G> DEVICE value joined(G get) {
  if constexpr (COUNT == 1) return get(FROM);
  else return join(joined<FROM, COUNT / 2>(get), joined<FROM + COUNT / 2, COUNT - COUNT / 2>(get));
}

// Computes results without weights of long windows. They share the elements from REACH - 1 to k, which are joined once: each result
// adds the elements before and after them. A result takes k / REACH + 3 operations, and no element is ever removed from a sum, so that an
// infinity affects its own windows only.
template <class G> DEVICE void share(value (&sum)[REACH], u32 k, G get) {
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) sum[r] = get(0, r);
#pragma unroll
  for (u32 r = REACH - 1; r > 0; --r) sum[r - 1] = join(sum[r - 1], sum[r]);
  const u32 groups = k / REACH, rest = k % REACH;
  value common = get(1, 0);
  if (groups > 1) common = join(common, joined<1>([&](u32 e) { return get(1, e); }));
#pragma unroll 1
  for (u32 g = 2; g < groups; ++g) common = join(common, joined<0>([&](u32 e) { return get(g, e); }));
  // The elements after these are loaded, too.
#pragma unroll
  for (u32 e = 0; e + 1 < REACH; ++e) {
    const value v = get(groups, e);
    if (e < rest && (e > 0 || groups > 1)) common = join(common, v);
  }
  sum[0] = join(sum[0], common);
#pragma unroll
  for (u32 r = 1; r < REACH; ++r) {
    const u32 e = rest + r - 1;
    common = join(common, get(groups + e / REACH, e % REACH));
    sum[r] = join(sum[r], common);
  }
}
#endif

#if MEAN
// Divides sums by their number of elements. A quotient by the rounded inverse is corrected by its remainder, and is then that of a
// division (P. Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990), unless a sum is not finite or so
// small that the remainder is not exact: these are divided, one after another, as the code of a division is long.
DEVICE void divide_all(value (&sum)[REACH], u32 k) {
  const value inverse = 1 / (value)k;
  bool exact = true;
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) exact = exact && fabs(sum[r]) < 0x1p1000 && (sum[r] == 0 || fabs(sum[r]) > 0x1p-900);
#pragma unroll 1
  for (u32 i = 0; i < (exact ? 0 : REACH); ++i) {
    const value last = sum[0] / (value)k;
#pragma unroll
    for (u32 r = 0; r + 1 < REACH; ++r) sum[r] = sum[r + 1];
    sum[REACH - 1] = last;
  }
  if (!exact) return;
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) {
    const value q = sum[r] * inverse;
    sum[r] = sum[r] == 0 ? sum[r] : __fma_rn(__fma_rn(-q, (value)k, sum[r]), inverse, q);
  }
}
#endif

#if WEIGHTED
// Adds the products with a list of weights. With SKIPS elements whose weight is 0 are not used: an infinity there does not matter.
template <bool SKIPS, class G> DEVICE void add_products(value (&sum)[REACH], const f64 *weights, u32 k, G get) {
  value window[REACH];
#pragma unroll
  for (u32 e = 0; e + 1 < REACH; ++e) window[e] = get(0, e);
  u32 j = 0;
  auto add = [&](u32 u) {
    window[(u + REACH - 1) % REACH] = get(u == 0 ? j / REACH : j / REACH + 1, (u + REACH - 1) % REACH);
    const f64 w = weights[j + u];
    if (SKIPS && w == 0) return;
#pragma unroll
    for (u32 r = 0; r < REACH; ++r) sum[r] = __fma_rn(window[(u + r) % REACH], w, sum[r]);
  };
#pragma unroll 1
  for (; j + REACH <= k; j += REACH) {
#pragma unroll
    for (u32 u = 0; u < REACH; ++u) add(u);
  }
  const u32 rest = k - j;
  constexpr u32 HALF = REACH / 2;
  if (REACH == 8 && rest >= HALF) {
#pragma unroll
    for (u32 u = 0; u < HALF; ++u) add(u);
#pragma unroll
    for (u32 u = HALF; u + 1 < REACH; ++u) {
      if (u >= rest) break;
      add(u);
    }
    return;
  }
#pragma unroll
  for (u32 u = 0; u + 1 < (REACH == 8 ? HALF : REACH); ++u) {
    if (u >= rest) break;
    add(u);
  }
}

template <class G> DEVICE void compute(value (&sum)[REACH], const f64 *weights, u32 k, G get) {
#pragma unroll
  for (u32 r = 0; r < REACH; ++r) sum[r] = value{};
  add_products<false>(sum, weights, k, get);
}
#else
template <class G> DEVICE void compute(value (&sum)[REACH], const f64 *, u32 k, G get) {
  if (k >= SHORT) {
    share(sum, k, get);
  } else {
    value window[REACH];
#pragma unroll
    for (u32 e = 0; e < REACH; ++e) sum[e] = window[e] = get(0, e);
    auto add = [&](u32 j, u32 u) {
      window[u] = get(j / REACH + 1, u);
#pragma unroll
      for (u32 r = 0; r < REACH; ++r) sum[r] = join(sum[r], window[(u + 1 + r) % REACH]);
    };
    constexpr u32 HALF = REACH / 2;
    if (k > HALF) {
#pragma unroll
      for (u32 u = 0; u < HALF; ++u) add(1, u);
#pragma unroll
      for (u32 u = HALF; u < SHORT - 2; ++u) {
        if (u + 1 >= k) break;
        add(u / REACH * REACH + 1, u % REACH);
      }
    } else {
#pragma unroll
      for (u32 u = 0; u + 1 < HALF; ++u) {
        if (u + 1 >= k) break;
        add(1, u);
      }
    }
  }
#if MEAN
  divide_all(sum, k);
#endif
}
#endif
