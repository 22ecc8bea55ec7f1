// The minimum and the maximum of many floats, as integers of the same order; a NaN is the maximum. Required before it:
// `element`, `number` (the widened type), value_of(element), `word` (as many bits as a number), `uindex`, FLAT
// (contiguous, aligned elements), and block_ends.cuh.
constexpr int THREADS = 256;
constexpr u64 V = 16 / sizeof(element);
struct alignas(16) pack {
  element e[V];
};

DEVICE word key_of(f32 x) {
  const u32 bits = __float_as_uint(x), sign = 0x80000000u;
  return bits & sign ? ~bits : bits | sign;
}
DEVICE word key_of(f64 x) {
  const u64 bits = (u64)__double_as_longlong(x), sign = 0x8000000000000000ull;
  return bits & sign ? ~bits : bits | sign;
}

struct extremes {
  number least, most;
  bool nan;
  DEVICE void see(element e) {
    const number x = value_of(e);
    least = x < least ? x : least;
    most = x > most ? x : most;
    nan |= x != x;
  }
};

extern "C" __global__ void __launch_bounds__(THREADS) ends(const __grid_constant__ params p) {
  const u32 t = threadIdx.x;
  const number infinity = (number)__int_as_float(0x7f800000);
  extremes of = {infinity, -infinity, false};
  const u64 step = (u64)gridDim.x * THREADS, first = (u64)blockIdx.x * THREADS + t;
#if FLAT
  const pack *from = (const pack *)p.input;
  const u64 whole = p.elements / V;
  u64 i = first;
#pragma unroll 1
  for (; i + step < whole; i += 2 * step) {
    const pack x = from[i], y = from[i + step];
#pragma unroll
    for (int v = 0; v < V; ++v) {
      of.see(x.e[v]);
      of.see(y.e[v]);
    }
  }
  if (i < whole) {
    const pack x = from[i];
#pragma unroll
    for (int v = 0; v < V; ++v) of.see(x.e[v]);
  }
  if (first < p.elements - whole * V) of.see(((const element *)p.input)[whole * V + first]);
#else
#pragma unroll 1
  for (u64 i = first; i < p.elements; i += step) {
    const i64 at = p.axes <= 1 ? (i64)i * p.strides[0] : offset_of((uindex)i, p.axes, p.sizes, p.strides);
    of.see(*(const element *)((const char *)p.input + at));
  }
#endif
  word least = key_of(of.least), most = of.nan ? ~(word)0 : key_of(of.most);
  block_ends<THREADS / 32>(least, most);
  if (t > 0) return;
  atomicMax((u64 *)p.out, (u64)(word)~least);
  atomicMax((u64 *)p.out + 1, (u64)most);
}
