// Random numbers: a thread makes one block of the generator, and of it PER elements. Element e follows from the generator's
// state and e alone, whatever the grid is and however the results lie. Before it stand `element`, `raw`, `number`, `uindex`,
// `params`, and the functions standard(p, block, raw) and finish(raw, a, b, c, draws).
constexpr int THREADS = 256;

struct __align__(PER * sizeof(element)) several {
  element v[PER];
};

extern "C" __global__ void __launch_bounds__(THREADS) draw(const __grid_constant__ params p) {
  const u64 t = (u64)blockIdx.x * THREADS + threadIdx.x;
  // The first block may begin with elements of the call before.
  const i64 first = (i64)(t * PER) - (i64)p.skip;
  if (first >= (i64)p.elements) return;
  const u64 own = p.first + t;
  raw x[PER];
  standard(p, own, x);
#if FLAT
  several y;
#pragma unroll
  for (int j = 0; j < PER; ++j) {
    draws more(p, own, OWN ? 0 : 1 + j, OWN ? 1 : PER);
    y.v[j] = finish(p, first + j, x[j], p.a.value, p.b.value, p.c.value, more);
  }
  element *to = (element *)p.out + first;
  if (p.aligned && first >= 0 && first + PER <= (i64)p.elements) {
    *(several *)to = y;
    return;
  }
#pragma unroll
  for (int j = 0; j < PER; ++j)
    if (first + j >= 0 && first + j < (i64)p.elements) to[j] = y.v[j];
#else
#pragma unroll 1
  for (int j = 0; j < PER; ++j) {
    const i64 e = first + j;
    if (e < 0 || e >= (i64)p.elements) continue;
    uindex rest = (uindex)e;
    i64 to = 0, at[3] = {0, 0, 0};
#pragma unroll 1
    for (u32 k = p.axes; k > 1; --k) {
      const uindex q = divide(rest, p.sizes[k - 1]);
      const i64 r = (i64)(rest - q * (uindex)p.sizes[k - 1].divisor);
      to += r * p.steps[k - 1];
#pragma unroll
      for (int i = 0; i < 3; ++i) at[i] += r * p.places[i][k - 1];
      rest = q;
    }
    to += (i64)rest * p.steps[0];
#pragma unroll
    for (int i = 0; i < 3; ++i) at[i] += (i64)rest * p.places[i][0];
    const number a = p.pa ? *(const number *)((const char *)p.pa + at[0]) : p.a.value;
    const number b = p.pb ? *(const number *)((const char *)p.pb + at[1]) : p.b.value;
    const number c = p.pc ? *(const number *)((const char *)p.pc + at[2]) : p.c.value;
    draws more(p, own, OWN ? 0 : 1 + j, OWN ? 1 : PER);
    raw mine = x[0];
#pragma unroll
    for (int i = 1; i < PER; ++i) mine = j == i ? x[i] : mine;
    *(element *)((char *)p.out + to) = finish(p, e, mine, a, b, c, more);
  }
#endif
}
