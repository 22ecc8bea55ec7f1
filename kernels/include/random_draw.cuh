// Random numbers: a thread computes a generator block, and from it PER elements. Element e depends on the generator's
// state and e alone, whatever the grid and the layout of the results are. Required before it: `element`, `raw`,
// `number`, `uindex`, `params`, and the functions standard(p, number, block, raw) and finish(raw, a, b, c, draws).
struct __align__(PER * sizeof(element)) several {
  element v[PER];
};

// The first element of the block p.first + t: it may belong to the previous call.
DEVICE i64 first_of(const params &p, u64 t) { return (i64)(t * PER) - (i64)p.skip; }
DEVICE u64 block_of(const params &p, u64 t) { return p.first + t; }
DEVICE draws further(const params &p, u64 t, int j) { return draws(p, block_of(p, t), OWN ? 0 : 1 + j, OWN ? 1 : PER); }

#if FLAT
// The elements of the block p.first + t with these words.
DEVICE several elements(const params &p, u64 t, const random_words &w) {
  raw x[PER];
  standard(p, block_of(p, t), w, x);
  several y;
#pragma unroll
  for (int j = 0; j < PER; ++j) {
    draws more = further(p, t, j);
    y.v[j] = finish(p, first_of(p, t) + j, x[j], p.a.value, p.b.value, p.c.value, more);
  }
  return y;
}
// Stores those of them that belong to this call.
DEVICE void store(const params &p, u64 t, const several &y) {
  const i64 first = first_of(p, t);
#pragma unroll
  for (int j = 0; j < PER; ++j)
    if (first + j >= 0 && first + j < (i64)p.elements) ((element *)p.out)[first + j] = y.v[j];
}
#endif

#if !FLAT
// Address of an element, and its parameters.
struct target {
  i64 to;
  number a, b, c;
};
DEVICE target target_of(const params &p, u64 e) {
  uindex rest = (uindex)e;
  i64 to = 0, at[3] = {0, 0, 0};
#pragma unroll 1
  for (u32 k = p.axes; k > 1; --k) {
    const uindex q = divide(rest, p.sizes[k - 1]);
    const i64 r = (i64)(rest - q * (uindex)p.sizes[k - 1].divisor);
    to += r * p.steps[k - 1];
#pragma unroll
    for (int i = 0; i < 3; ++i) at[i] += r * p.parameter_strides[i][k - 1];
    rest = q;
  }
  to += (i64)rest * p.steps[0];
#pragma unroll
  for (int i = 0; i < 3; ++i) at[i] += (i64)rest * p.parameter_strides[i][0];
  return {to, p.pa ? *(const number *)((const char *)p.pa + at[0]) : p.a.value,
          p.pb ? *(const number *)((const char *)p.pb + at[1]) : p.b.value,
          p.pc ? *(const number *)((const char *)p.pc + at[2]) : p.c.value};
}
#endif

#if !MANY
constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS) draw(const __grid_constant__ params p) {
  const u64 t = (u64)blockIdx.x * THREADS + threadIdx.x;
  const i64 first = first_of(p, t);
  if (first >= (i64)p.elements) return;
#if FLAT
  const several y = elements(p, t, block(p, block_of(p, t), 0));
  if (p.aligned && first + PER <= (i64)p.elements) {
    ((several *)p.out)[t] = y;
    return;
  }
  store(p, t, y);
#else
  raw x[PER];
  standard(p, block_of(p, t), block(p, block_of(p, t), 0), x);
#pragma unroll 1
  for (int j = 0; j < PER; ++j) {
    const i64 e = first + j;
    if (e < 0 || e >= (i64)p.elements) continue;
    const target of = target_of(p, e);
    draws more = further(p, t, j);
    raw mine = x[0];
#pragma unroll
    for (int i = 1; i < PER; ++i) mine = j == i ? x[i] : mine;
    *(element *)((char *)p.out + of.to) = finish(p, e, mine, of.a, of.b, of.c, more);
  }
#endif
}
#endif
