// Sequence of random words: of the block `number`, from one attempt on and every `step`th.
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
  // A whole block, in addition to the words that are left of another one.
  DEVICE random_words fresh() {
    const random_words all = block(p, number, attempt);
    attempt += step;
    return all;
  }
  DEVICE u64 two() {
    const u64 low = word();
    return low | (u64)word() << 32;
  }
  // A number in the open interval (0, 1), in steps of 2^-52.
  DEVICE f64 open();
  DEVICE f64 exponential();
  DEVICE f64 normal();
};

DEVICE u64 joined(u32 low, u32 high) { return low | (u64)high << 32; }
// Built as the fraction of a number from 1 on: a 64-bit conversion takes several times as long.
DEVICE f64 open_unit(u64 w) {
  return __longlong_as_double((long long)(w >> 12 | 0x3ff0000000000000ull)) - (1 - 0x1p-53);
}

#if NARROW
// -log of (1 + f) 2^scale. The polynomial of degree 7 interpolates (log(1 + f) - f + f^2 / 2) / f^3 at the Chebyshev
// nodes between sqrt(1/2) and sqrt(2); its relative error is 2e-8.
DEVICE f32 minus_log_of(f32 f, f32 scale) {
  f32 q = -0.07903643697500229f;
  q = fmaf(q, f, 0.1262373924255371f);
  q = fmaf(q, f, -0.12998490035533905f);
  q = fmaf(q, f, 0.14214356243610382f);
  q = fmaf(q, f, -0.16641247272491455f);
  q = fmaf(q, f, 0.2000104784965515f);
  q = fmaf(q, f, -0.25000306963920593f);
  q = fmaf(q, f, 0.3333333134651184f);
  const f32 square = f * f;
  return -fmaf(scale, 0.693147182464599609375f, fmaf(square, fmaf(q, f, -0.5f), f));
}
// Returns the difference from 1 of a float that is scaled between sqrt(1/2) and sqrt(2), and its power of 2 in `scale`.
DEVICE f32 beyond_one(f32 x, f32 &scale) {
  const i32 bits = (i32)f32_to_bits(x), powers = (bits - 0x3f3504f3) >> 23;
  scale += (f32)powers;
  return bits_to_f32((u32)(bits - (powers << 23))) - 1.0f;
}
// -log of (w + 1/2) / 2^32 outside the table: for results near 0 the difference from 1 is exact. The smallest words get
// 32 more bits, so that the tail ends at 65 log 2.
DEVICE f32 minus_log_far(u32 w, draws &more) {
  if (w >= 0x80000000u) return minus_log_of(-((f32)~w + 0.5f) * 0x1p-32f, 0.0f);
  f32 part = 0.5f, scale = -32.0f;
  if (w < 0x10000u) part = ((f32)more.word() + 0.5f) * 0x1p-32f;
  const f32 f = beyond_one((f32)w + part, scale);
  return minus_log_of(f, scale);
}
// The magnitude of a normal number from the 31 low bits of a word, outside the table: near the centre it is
// proportional to the distance, and in the tail, whose words get 32 more bits, a polynomial for the difference from
// sqrt(-2 log p). It ends at p = 2^-65, which is 9.155 standard deviations.
DEVICE f32 normal_far(u32 w, draws &more) {
  const u32 distance = w & 0x7fffffffu;
  if (distance >= 0x40000000u) return ((f32)(0x7fffffffu - distance) + 0.5f) * (2.50662827463f * 0x1p-32f);
  f32 scale = -32.0f;
  const f32 f = beyond_one((f32)distance + ((f32)more.word() + 0.5f) * 0x1p-32f, scale);
  const f32 s = sqrt(2.0f * minus_log_of(f, scale)), x = s - 7.0f;
  f32 q = 2.8135467e-9f;
  q = fmaf(q, x, -2.0451207e-8f);
  q = fmaf(q, x, 1.1509673e-7f);
  q = fmaf(q, x, -9.334014e-7f);
  q = fmaf(q, x, 7.7493885e-6f);
  q = fmaf(q, x, -6.2932005e-5f);
  q = fmaf(q, x, 5.2117042e-4f);
  q = fmaf(q, x, -4.4533996e-3f);
  q = fmaf(q, x, 0.04018479f);
  q = fmaf(q, x, -0.41599671f);
  return s + q;
}

// Evaluates the cubic for a nonzero distance from 2^19 on and less than 2^31, by its exponent and leading four fraction
// bits (the table row) and the remaining bits. Conversion rounds a distance toward zero, so that it is in its own row.
// `end` is 0 or 1. For a shorter distance the high bit of `beyond` is set.
DEVICE f32 cubic(f32 distance, u32 end, u32 &beyond) {
  const f32 size = fabsf(distance);
  const u32 begin = f32_to_bits(fmaxf(size, 0x1p19f)) & 0x7ff80000u;
  const row c = row_of(begin, 19, 16 * (127 + 19), end);
  const f32 t = size - bits_to_f32(begin);
  beyond |= f32_to_bits(t);
  return fmaf(fmaf(fmaf(c.v[3], t, c.v[2]), t, c.v[1]), t, c.v[0]);
}
// A number from a word: by the table if it covers it.
template <class Distribution> DEVICE f32 one(u32 w, draws &more) {
  u32 beyond = 0;
  const f32 x = Distribution::near(w, beyond);
  return (i32)beyond < 0 ? Distribution::far(w, more) : x;
}
// Four numbers from four words by the table. Returns true if it covers all of them.
template <class Distribution> DEVICE bool four_near(const random_words &w, f32 (&x)[4]) {
  u32 beyond = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j) x[j] = Distribution::near(w.w[j], beyond);
  return (i32)beyond >= 0;
}
// Four numbers from four words.
template <class Distribution> DEVICE void four(const params &p, u64 number, const random_words &w, f32 (&x)[4]) {
  if (four_near<Distribution>(w, x)) return;
  // This path is rare: the numbers are computed one after the other, so that the code exists once.
  u32 left[4] = {w.w[0], w.w[1], w.w[2], w.w[3]};
#pragma unroll 1
  for (int j = 0; j < 4; ++j) {
    draws more(p, number, 1 + j, 4);
    const f32 y = one<Distribution>(left[0], more);
    left[0] = left[1], left[1] = left[2], left[2] = left[3];
    x[0] = x[1], x[1] = x[2], x[2] = x[3], x[3] = y;
  }
}
// The low bits as the signed odd number 2 w + 1 are the distance from the tail or, if negative, from the centre; the
// high bit is the sign.
struct normal_distribution {
  static DEVICE f32 near(u32 w, u32 &beyond) {
    const u32 odd = 2 * w + 1;
    const f32 z = cubic(__int2float_rz((i32)odd), odd >> 31, beyond);
    return bits_to_f32(f32_to_bits(z) | (w & 0x80000000u));
  }
  static DEVICE f32 far(u32 w, draws &more) {
    return bits_to_f32(f32_to_bits(normal_far(w, more)) | (w & 0x80000000u));
  }
};
// The distance from 0 or 1.
struct exponential_distribution {
  static DEVICE f32 near(u32 w, u32 &beyond) { return cubic(__int2float_rz((i32)w ^ (i32)w >> 31), w >> 31, beyond); }
  static DEVICE f32 far(u32 w, draws &more) { return minus_log_far(w, more); }
};
#endif

#if WIDE
// Numbers whose low halves are not 0: operands in constant memory, where as immediates each would be two instructions.
__constant__ f64 halves_less = 0x1p84 + 0x1p52, turned_less = 0x1p84 + 0x1p56 + 0x1p52, count_less = 0x1p52 + 1024;
__constant__ f64 log_series[6] = {1.0 / 7, -1.0 / 6, 1.0 / 5, -1.0 / 4, 1.0 / 3, -0.5}, log_two = 0.693147180559945286226764;
__constant__ f64 sine_series[3] = {-1.0 / 5040, 1.0 / 120, -1.0 / 6}, cosine_series[3] = {-1.0 / 720, 1.0 / 24, -0.5};
__constant__ f64 circle = 6.28318530717958623 * 0x1p-64;
// A 64-bit number from its halves, each in the last digits of a double, minus the offsets: one rounding, and its error
// `rest`, as the differences are exact (T. Dekker, "A floating-point technique for extending the available precision",
// 1971). 64-bit conversions take as long as eight additions.
DEVICE f64 nearest_to(u32 high, u32 low, f64 less, f64 &rest) {
  const f64 upper = __hiloint2double(0x45300000, (int)high) - less;
  const f64 lower = __hiloint2double(0x43300000, (int)low), sum = upper + lower;
  rest = lower - (sum - upper);
  return sum;
}
// log of (x + rest) / 2^less, where rest is less than the last digit of x. A table has the reciprocal of a point near
// the mantissa, scaled between sqrt(1/2) and sqrt(2), and its logarithm; the product differs from 1 by less than
// 2^-7.9, and its logarithm is a series. The point at 1 is 1, so that results near 0 lose no accuracy.
DEVICE f64 log_of(f64 x, f64 rest, f64 less) {
  const i32 high = __double2hiint(x) - 0x3fe6a09e, powers = high >> 20;
  const row at = entry((u32)high, 13, 0);
  const f64 inverse = __hiloint2double(__double2hiint(at.v[0]) - (powers << 20), __double2loint(at.v[0]));
  const f64 scale = __hiloint2double(0x43300000, powers + 1024) - count_less - less;
  const f64 r = fma(rest, inverse, fma(x, inverse, -1.0));
  f64 q = log_series[0];
#pragma unroll
  for (int k = 1; k < 6; ++k) q = fma(q, r, log_series[k]);
  return fma(scale, log_two, at.v[1]) + fma(r * r, q, r);
}
// log of a positive normal number.
DEVICE f64 log_by_table(f64 x) { return log_of(x, 0.0, 0.0); }
// -log of (w + 1/2) / 2^64.
DEVICE f64 minus_log_near(u64 w) {
  f64 rest;
  const f64 x = nearest_to((u32)(w >> 32), (u32)w, halves_less, rest);
  return -log_of(x, rest + 0.5, 64.0);
}
// The smallest words have 64 more bits: the tail ends at 129 log 2.
DEVICE bool is_tail(u64 w) { return w < 0x1000000ull; }
DEVICE f64 minus_log(u64 w, draws &more) {
  if (!is_tail(w)) return minus_log_near(w);
  return -log_of((f64)w + ((f64)more.two() + 0.5) * 0x1p-64, 0.0, 64.0);
}
// Sine and cosine of 2 pi w / 2^64: those of the nearest of 128 angles, rotated by the rest, for which they are series.
DEVICE void turn(u64 w, f64 &sine, f64 &cosine) {
  const u32 upper = (u32)(w >> 32) + 0x1000000u;
  f64 rest;
  const f64 d = nearest_to(upper & 0x1ffffffu, (u32)w, turned_less, rest) * circle, z = d * d;
  const row at = entry(upper, 25, 128);
  const f64 s = fma(d * z, fma(fma(sine_series[0], z, sine_series[1]), z, sine_series[2]), d);
  const f64 c = z * fma(fma(cosine_series[0], z, cosine_series[1]), z, cosine_series[2]);
  sine = at.v[0] + fma(at.v[1], s, at.v[0] * c);
  cosine = at.v[1] + fma(-at.v[0], s, at.v[1] * c);
}
// Two independent normal numbers from half the square of their distance (G. Box, M. Muller, "A note on the generation
// of random normal deviates", 1958). None exceeds sqrt(258 log 2) = 13.37.
DEVICE void around(f64 half_square, u64 angle, f64 &first, f64 &second) {
  const f64 r = sqrt(2.0 * half_square);
  f64 sine, cosine;
  turn(angle, sine, cosine);
  first = r * cosine;
  second = r * sine;
}
DEVICE void two_normals(u64 radius, u64 angle, draws &more, f64 &first, f64 &second) {
  around(minus_log(radius, more), angle, first, second);
}

#endif
DEVICE f64 draws::open() { return open_unit(two()); }
#if WIDE
DEVICE f64 draws::exponential() {
  const u64 w = two();
  return minus_log(w, *this);
}
DEVICE f64 draws::normal() {
  const random_words w = fresh();
  f64 first, second;
  two_normals(joined(w.w[0], w.w[1]), joined(w.w[2], w.w[3]), *this, first, second);
  return first;
}
#endif

// The standard values of a block for each of its elements, before the parameters are applied.
DEVICE void words(const params &, u64, const random_words &w, u32 (&x)[4]) {
#pragma unroll
  for (int j = 0; j < 4; ++j) x[j] = w.w[j];
}
// Numbers of 16 bits, the lower half of a word first.
DEVICE void words(const params &, u64, const random_words &w, u32 (&x)[8]) {
#pragma unroll
  for (int j = 0; j < 8; ++j) x[j] = j & 1 ? w.w[j / 2] >> 16 : w.w[j / 2] & 0xffff;
}
DEVICE void words(const params &, u64, const random_words &w, u64 (&x)[2]) {
  x[0] = joined(w.w[0], w.w[1]), x[1] = joined(w.w[2], w.w[3]);
}
#if NARROW
DEVICE void exponentials(const params &p, u64 number, const random_words &w, f32 (&x)[4]) {
  four<exponential_distribution>(p, number, w, x);
}
#endif
#if WIDE
DEVICE void exponentials(const params &p, u64 number, const random_words &block, f64 (&x)[2]) {
  u64 w[2];
  words(p, number, block, w);
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    draws more(p, number, 1 + j, 2);
    x[j] = minus_log(w[j], more);
  }
}
#endif
#if NARROW
DEVICE void normals(const params &p, u64 number, const random_words &w, f32 (&x)[4]) {
  four<normal_distribution>(p, number, w, x);
}
#endif
#if WIDE
DEVICE void normals(const params &p, u64 number, const random_words &block, f64 (&x)[2]) {
  u64 w[2];
  words(p, number, block, w);
  draws more(p, number, 1, 2);
  two_normals(w[0], w[1], more, x[0], x[1]);
}
// The same if the radius is not in the tail. Returns true if that is the case.
DEVICE bool normals_near(const random_words &w, f64 (&x)[2]) {
  const u64 radius = joined(w.w[0], w.w[1]);
  around(minus_log_near(radius), joined(w.w[2], w.w[3]), x[0], x[1]);
  return !is_tail(radius);
}
#endif
DEVICE void nothing(const params &, u64, const random_words &, u32 (&x)[1]) { x[0] = 0; }
