// Operand of a reduction in memory.
constexpr int THREADS = 256;

// Addresses of the first element of an output and of its mask.
struct origin {
  const char *at;
#if MASKED
  const char *mask;
#endif
};
DEVICE origin origin_of(const params &p, uindex o) {
  origin base;
  base.at = (const char *)p.input + offset_of(o, p.kept_axes, p.kept, p.kept_in);
#if MASKED
  base.mask = (const char *)p.mask + offset_of(o, p.kept_axes, p.kept, p.kept_mask);
#endif
  return base;
}
DEVICE element first_of(const params &p, uindex o) { return *(const element *)origin_of(p, o).at; }

// Bit k of the mask is set if the k-th of the V adjacent elements of a load takes part.
#if MASKED
DEVICE u32 kept_at(const params &p, const origin &base, uindex r, i64 step) {
  const char *at = base.mask + (p.reduced_axes <= 1 ? (i64)r * p.reduced_mask[0] : offset_of(r, p.reduced_axes, p.reduced_sizes, p.reduced_mask));
  u32 keep = 0;
#pragma unroll
  for (u32 k = 0; k < V; ++k) keep |= (u32)(at[k * step] != 0) << k;
  return keep;
}
#endif

// V adjacent elements by one load.
DEVICE void load(element (&x)[V], const char *at) {
  if constexpr (V == 1) {
    x[0] = *(const element *)at;
  } else {
    const word w = *(const word *)at;
    memcpy(x, &w, sizeof(w));
  }
}

// U loads in a row, `step` apart; those from the `loads`-th on repeat the first one. One test for all loads, so that
// they are issued together.
template <u32 U>
DEVICE void read_row(const params &p, const origin &base, uindex r, uindex step, u32 loads, element (&e)[U][V], u32 (&kept)[U]) {
  i64 at[U];
  if (p.reduced_axes <= 1) {
    const i64 first = (i64)r * p.reduced_in[0], apart = (i64)step * p.reduced_in[0];
#pragma unroll
    for (u32 u = 0; u < U; ++u) at[u] = first + (u < loads ? u * apart : 0);
  } else {
#pragma unroll
    for (u32 u = 0; u < U; ++u) at[u] = offset_of(r + (u < loads ? u * step : 0), p.reduced_axes, p.reduced_sizes, p.reduced_in);
  }
#pragma unroll
  for (u32 u = 0; u < U; ++u) load(e[u], base.at + at[u]);
#if MASKED
  const i64 apart = p.reduced_mask[p.reduced_axes > 1 ? p.reduced_axes - 1 : 0];
#pragma unroll
  for (u32 u = 0; u < U; ++u) kept[u] = kept_at(p, base, r + (u < loads ? u * step : 0), apart);
#endif
}

// U rows of V adjacent columns, `step` apart.
DEVICE const char *row_at(const params &p, const origin &base, uindex r) {
  return base.at + (p.reduced_axes <= 1 ? (i64)r * p.reduced_in[0] : offset_of(r, p.reduced_axes, p.reduced_sizes, p.reduced_in));
}
template <u32 U>
DEVICE void read_columns(const params &p, const origin &base, uindex r, uindex step, element (&e)[U][V], u32 (&kept)[U]) {
#pragma unroll
  for (u32 u = 0; u < U; ++u) load(e[u], row_at(p, base, r + u * step));
#if MASKED
  const i64 apart = p.kept_mask[p.kept_axes > 1 ? p.kept_axes - 1 : 0];
#pragma unroll
  for (u32 u = 0; u < U; ++u) kept[u] = kept_at(p, base, r + u * step, apart);
#endif
}

// Loads short rows from row `first` on to shared memory by vector loads, AHEAD of them at a time: `total` elements in
// rows of `n`, each followed by one unused element if n is even.
DEVICE void stage(const params &p, element *staged, u64 first, u32 total, u32 n) {
  constexpr u32 AHEAD = 4, STEP = THREADS * V;
  const char *base = (const char *)p.input + first * n * sizeof(element);
#pragma unroll 1
  for (u32 i = threadIdx.x * V; i < total; i += AHEAD * STEP) {
    element e[AHEAD][V];
#pragma unroll
    for (u32 u = 0; u < AHEAD; ++u) {
      const u32 at = i + u * STEP;
      if (at >= total) break;
      if (at + V <= total) {
        load(e[u], base + (u64)at * sizeof(element));
      } else {
#pragma unroll
        for (u32 k = 0; k < V; ++k) {
          e[u][k] = {};
          if (at + k < total) e[u][k] = ((const element *)base)[at + k];
        }
      }
    }
#pragma unroll
    for (u32 u = 0; u < AHEAD; ++u) {
      const u32 at = i + u * STEP;
      if (at >= total) break;
      if (n % 2 == 1) {
        word w;
        memcpy(&w, e[u], sizeof(w));
        *(word *)(staged + at) = w;
      } else {
        u32 row = (u32)divide((uindex)at, p.reduced_sizes[0]), column = at - row * n;
#pragma unroll
        for (u32 k = 0; k < V; ++k) {
          staged[at + k + row] = e[u][k];
          if (++column == n) column = 0, ++row;
        }
      }
    }
  }
}
