// Random words one after the other: of the block `number`, from one attempt on and every `step`th.
struct draws {
  const params &p;
  u64 number;
  u32 attempt, step, left;
  random_words kept;

  DEVICE draws(const params &p, u64 number, u32 attempt, u32 step)
      : p(p), number(number), attempt(attempt), step(step), left(0), kept{} {}
  DEVICE u32 word() {
    if (left == 0) {
      kept = block(p, number, attempt);
      attempt += step;
      left = 4;
    }
    const u32 first = kept.w[0];
    kept.w[0] = kept.w[1], kept.w[1] = kept.w[2], kept.w[2] = kept.w[3];
    --left;
    return first;
  }
  DEVICE u64 two() {
    const u64 low = word();
    return low | (u64)word() << 32;
  }
  // In the open interval (0, 1), in steps of 2^-52.
  DEVICE f64 open();
  DEVICE f64 exponential();
  DEVICE f64 normal();
};

DEVICE f64 open_unit(u64 w) { return ((f64)(w >> 12) + 0.5) * 0x1p-52; }

// -log of (w + 1/2) / 2^32, as precise as f32 can be at both ends: near 0 of the result what is missing to 1 is exact. The
// smallest words get 32 bits more, so that the tail ends at 65 log 2. The polynomial: of degree 7 for
// (log(1 + f) - f + f^2 / 2) / f^3, at the points of Chebyshev between sqrt(1/2) and sqrt(2), off by 2e-8 of the logarithm.
DEVICE f32 minus_log(u32 w, draws &more) {
  f32 part = 0.5f, k = -32.0f;
  if (w < 0x10000u) part = ((f32)more.word() + 0.5f) * 0x1p-32f;
  const f32 x = (f32)w + part;
  const i32 bits = (i32)f32_to_bits(x), scale = (bits - 0x3f3504f3) >> 23;
  f32 f = bits_to_f32((u32)(bits - (scale << 23))) - 1.0f;
  k += (f32)scale;
  if (w >= 0xb504f334u) f = -((f32)~w + 0.5f) * 0x1p-32f, k = 0.0f;
  f32 q = -0.07903643697500229f;
  q = fmaf(q, f, 0.1262373924255371f);
  q = fmaf(q, f, -0.12998490035533905f);
  q = fmaf(q, f, 0.14214356243610382f);
  q = fmaf(q, f, -0.16641247272491455f);
  q = fmaf(q, f, 0.2000104784965515f);
  q = fmaf(q, f, -0.25000306963920593f);
  q = fmaf(q, f, 0.3333333134651184f);
  const f32 square = f * f;
  return -fmaf(k, 0.693147182464599609375f, fmaf(square, fmaf(q, f, -0.5f), f));
}
// The same in f64 of 64 bits, the smallest words with 64 bits more: the tail ends at 129 log 2. log(1 + f) is
// 2 artanh(f / (2 + f)), by its series.
DEVICE f64 minus_log(u64 w, draws &more) {
  f64 part = 0.5, k = -64.0;
  if (w < 0x1000000ull) part = ((f64)more.two() + 0.5) * 0x1p-64;
  const f64 x = (f64)w + part;
  const i64 bits = __double_as_longlong(x), scale = (bits - 0x3fe6a09e667f3bcdll) >> 52;
  f64 f = __longlong_as_double(bits - (scale << 52)) - 1.0;
  k += (f64)scale;
  if (w >= 0xb504f333f9de6485ull) f = -((f64)~w + 0.5) * 0x1p-64, k = 0.0;
  const f64 s = f / (2.0 + f), z = s * s;
  f64 q = 2.0 / 23;
  q = fma(q, z, 2.0 / 21);
  q = fma(q, z, 2.0 / 19);
  q = fma(q, z, 2.0 / 17);
  q = fma(q, z, 2.0 / 15);
  q = fma(q, z, 2.0 / 13);
  q = fma(q, z, 2.0 / 11);
  q = fma(q, z, 2.0 / 9);
  q = fma(q, z, 2.0 / 7);
  q = fma(q, z, 2.0 / 5);
  q = fma(q, z, 2.0 / 3);
  // f - s f is 2 s: what is rounded in s weighs less by f.
  const f64 rest = fma(s, z * q, -s * f);
  return -fma(k, 0.693147180559945286226764, fma(k, 2.319046813846299558417771e-17, f + rest));
}
// Sine and cosine of 2 pi (w + 1/2) / 2^32: a quarter of the circle by its number, the rest by series.
DEVICE void turn(u32 w, f32 &sine, f32 &cosine) {
  const u32 quarter = (w + 0x20000000u) >> 30;
  const f32 y = ((f32)(i32)(w - (quarter << 30)) + 0.5f) * (6.28318548202514648f * 0x1p-32f), z = y * y;
  f32 s = fmaf(z, 2.7557319e-6f, -1.9841270e-4f);
  s = fmaf(z, s, 8.3333333e-3f);
  s = fmaf(z, s, -1.6666667e-1f);
  s = fmaf(y * z, s, y);
  f32 c = fmaf(z, -2.7557319e-7f, 2.4801587e-5f);
  c = fmaf(z, c, -1.3888889e-3f);
  c = fmaf(z, c, 4.1666667e-2f);
  c = fmaf(z, c, -0.5f);
  c = fmaf(z, c, 1.0f);
  const f32 a = quarter & 1 ? c : s, b = quarter & 1 ? s : c;
  sine = quarter & 2 ? -a : a;
  cosine = (quarter + 1) & 2 ? -b : b;
}
DEVICE void turn(u64 w, f64 &sine, f64 &cosine) { sincospi((f64)(i64)w * 0x1p-63, &sine, &cosine); }
// Two independent normal numbers (G. Box, M. Muller, "A note on the generation of random normal deviates", 1958). None is
// beyond sqrt(130 log 2) = 9.49 in f32, sqrt(258 log 2) = 13.37 in f64.
template <class T, class W> DEVICE void two_normals(W radius, W angle, draws &more, T &first, T &second) {
  const T r = sqrt((T)2 * minus_log(radius, more));
  T sine, cosine;
  turn(angle, sine, cosine);
  first = r * cosine;
  second = r * sine;
}

DEVICE f64 draws::open() { return open_unit(two()); }
DEVICE f64 draws::exponential() {
  const u64 w = two();
  return minus_log(w, *this);
}
DEVICE f64 draws::normal() {
  const u64 radius = two(), angle = two();
  f64 first, second;
  two_normals(radius, angle, *this, first, second);
  return first;
}

// What a block holds for each of its elements, before parameters.
DEVICE void words(const params &p, u64 number, u32 (&x)[4]) {
  const random_words w = block(p, number, 0);
#pragma unroll
  for (int j = 0; j < 4; ++j) x[j] = w.w[j];
}
DEVICE void words(const params &p, u64 number, u64 (&x)[2]) {
  const random_words w = block(p, number, 0);
  x[0] = w.w[0] | (u64)w.w[1] << 32;
  x[1] = w.w[2] | (u64)w.w[3] << 32;
}
DEVICE void exponentials(const params &p, u64 number, f32 (&x)[4]) {
  u32 w[4];
  words(p, number, w);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    draws more(p, number, 1 + j, 4);
    x[j] = minus_log(w[j], more);
  }
}
DEVICE void exponentials(const params &p, u64 number, f64 (&x)[2]) {
  u64 w[2];
  words(p, number, w);
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    draws more(p, number, 1 + j, 2);
    x[j] = minus_log(w[j], more);
  }
}
DEVICE void normals(const params &p, u64 number, f32 (&x)[4]) {
  u32 w[4];
  words(p, number, w);
#pragma unroll
  for (int j = 0; j < 4; j += 2) {
    draws more(p, number, 1 + j, 4);
    two_normals(w[j], w[j + 1], more, x[j], x[j + 1]);
  }
}
DEVICE void normals(const params &p, u64 number, f64 (&x)[2]) {
  u64 w[2];
  words(p, number, w);
  draws more(p, number, 1, 2);
  two_normals(w[0], w[1], more, x[0], x[1]);
}
DEVICE void nothing(const params &, u64, u32 (&x)[1]) { x[0] = 0; }
