// Preparation of the input of Fourier transforms and post-processing of their output: elements in another dtype or
// order, padded, scaled, and the forms of cosine and sine transforms. Required before it: `uindex`, `params`, FORM,
// `part` (the type of a real number), `value` (two of them), load(pointer), and store(pointer, value).
//
// Along one axis (`axis`) a result is computed from one or two elements of the slice, by its coordinate `k`; along the
// others it has the coordinates of its elements. The forms are those of `SpectralForm`, in its order.

constexpr int THREADS = 256, EACH = 4;

// A slice of the operand along the transformed axis, with the weights of its elements.
struct line {
  const char *at;
  const params &p;
  // Element j of the transform's input: 0 beyond the operand's last one, the first and the last one weighted, in
  // reverse or with every second sign negated if requested.
  DEVICE value operator()(i64 j) const {
    if (p.backwards) j = p.n - 1 - j;
    if (j >= p.given) return value{0, 0};
    value x = load(at + j * p.step);
    // In a slice of one element both ends are the same element.
    const part w = (j == 0 ? (part)p.first_in : (part)1) * (j == p.n - 1 ? (part)p.last_in : (part)1);
    x.re *= w;
    x.im *= w;
    return x;
  }
};

// exp(-i pi t / n), with the argument between two turns.
DEVICE value phase(i64 t, i64 n) {
  part s, c;
  TURN((part)((f64)t / (f64)n), &s, &c);
  return value{c, -s};
}
DEVICE value times(value a, value b) { return value{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

// Element k of the transform of real numbers of which only a half is stored.
DEVICE value whole(const line &x, i64 k, i64 n) {
  if (2 * k <= n) return load(x.at + k * x.p.step);
  const value v = load(x.at + (n - k) * x.p.step);
  return value{v.re, -v.im};
}

DEVICE value made(const line &x, i64 k) {
  const params &p = x.p;
  const i64 n = p.n;
#if FORM == 0 // copy
  value v = x(k);
  if (p.conjugate) v.im = -v.im;
  return v;
#elif FORM == 1 // cosine fold
  // The elements at even indices, then those at odd ones in reverse.
  const bool odd = 2 * k >= n;
  value v = x(odd ? 2 * (n - 1 - k) + 1 : 2 * k);
  return p.alternate && odd ? value{-v.re, 0} : v;
#elif FORM == 2 // cosine turn
  const i64 j = p.reversed ? n - 1 - k : k;
  const value v = times(phase(j, 2 * n), whole(x, j, n));
  return value{2 * v.re, 0};
#elif FORM == 3 // inverse turn
  const part a = x(k).re, b = k == 0 ? 0 : x(n - k).re;
  const value t = phase(k, 2 * n);
  return times(value{t.re, -t.im}, value{a, -b});
#elif FORM == 4 // inverse unfold
  const value v = load(x.at + (k % 2 == 0 ? k / 2 : n - 1 - k / 2) * p.step);
  return p.alternate && k % 2 != 0 ? value{-v.re, 0} : v;
#elif FORM == 5 // even around
  return x(k < n ? k : 2 * (n - 1) - k);
#elif FORM == 6 // odd around
  if (k == 0 || k == n + 1) return value{0, 0};
  const value v = x(k <= n ? k - 1 : 2 * n + 1 - k);
  return k <= n ? v : value{-v.re, 0};
#elif FORM == 7 // real part
  return load(x.at + k * p.step);
#elif FORM == 8 // imaginary part
  return value{-load(x.at + (k + 1) * p.step).im, 0};
#elif FORM == 9 // fourth fold
  return times(phase(8 * k + 1, 8 * n), value{x(2 * k).re, x(n - 1 - 2 * k).re});
#elif FORM == 10 // fourth unfold
  const bool odd = k % 2 != 0;
  const i64 j = odd ? (n - 1 - k) / 2 : k / 2;
  const value v = times(phase(8 * j + 1, 8 * n), load(x.at + j * p.step));
  const part y = odd ? -2 * v.im : 2 * v.re;
  return value{p.alternate && odd ? -y : y, 0};
#elif FORM == 11 // fourth pad
  if (k >= n) return value{0, 0};
  return times(phase(k, 2 * n), x(k));
#elif FORM == 12 // fourth cut
  const value v = times(phase(2 * k + 1, 4 * n), load(x.at + k * p.step));
  return value{p.alternate && k % 2 != 0 ? -2 * v.re : 2 * v.re, 0};
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS) spectral(const __grid_constant__ params p) {
  const u64 first = (u64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
  value y[EACH];
  i64 to[EACH];
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const u64 i = first + e * THREADS;
    if (i >= p.elements) break;
    uindex rest = (uindex)i;
    i64 from = 0, k = 0;
    bool outside = false;
    to[e] = 0;
#pragma unroll 1
    for (u32 d = p.axes; d > 0; --d) {
      const uindex q = d > 1 ? divide(rest, p.sizes[d - 1]) : 0;
      const i64 r = (i64)(rest - q * (uindex)p.sizes[d - 1].divisor);
      rest = q;
      to[e] += r * p.out_steps[d - 1];
      from += r * p.in_steps[d - 1];
      outside |= r >= p.limits[d - 1];
      if (d - 1 == p.axis) k = r;
    }
    if (outside) {
      y[e] = value{0, 0};
      continue;
    }
    const line x = {(const char *)p.input + from, p};
    y[e] = made(x, k);
    y[e].re *= (part)p.scale;
    y[e].im *= (part)p.scale;
    const part w = (k == 0 ? (part)p.first_out : (part)1) * (k == p.last ? (part)p.last_out : (part)1);
    y[e].re *= w;
    y[e].im *= w;
  }
#pragma unroll
  for (int e = 0; e < EACH; ++e)
    if (first + e * THREADS < p.elements) store((char *)p.out + to[e], y[e]);
}
