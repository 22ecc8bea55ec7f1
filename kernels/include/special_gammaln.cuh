// The logarithm of the magnitude of the gamma function. Left of -2 it has two zeros between two poles, near which
// CUDA's function suffers from cancellation. There it is log(pi / |sin(pi x)|) - log gamma(1 - x) (DLMF 5.5.3) with
// terms of twice float64's digits.

// sin(pi r) for r from 0 to 1/2; from 1/4 on by the cosine of the distance to 1/2.
DEVICE twofold sine_of_half_turns(f64 r) {
  const bool far = r > 0.25;
  const twofold t = twofold{3.141592653589793, 1.2246467991473532e-16} * (far ? 0.5 - r : r), square = t * t;
  // The series 1 - s / (1 * 2) (1 - s / (3 * 4) (1 - ...)), or for the sine 1 - s / (2 * 3) (1 - s / (4 * 5) (1 -
  // ...)).
  const f64 first = far ? 3 : 4;
  f64 rest = 0;
#pragma unroll 1
  for (f64 k = first + 16; k >= first; k -= 2) rest = square.high / (k * (k + 1)) * (1 - rest);
  const twofold part = far ? twofold{0.5, 0} : twofold{0.16666666666666666, 9.25185853854297e-18};
  const twofold y = -(square * part * exact_sum(1, -rest)) + 1.0;
  return far ? y : y * t;
}
// For x < -2.
DEVICE f64 gammaln_left(f64 x) {
  const f64 r = fabs(x - rint(x));
  if (r == 0) return special_infinity();
  twofold w = exact_sum(1, -x), product = {1, 0};
#pragma unroll 1
  for (; w.high < 10; w = w + 1.0) product = product * w;
  // The constant is log(pi / 2) / 2; Stirling's formula for w and the factors of the recurrence.
  const twofold constant = {0.22579135264472744, -6.462258487877585e-18};
  const twofold y = log_of(product / sine_of_half_turns(r)) + (w + -(log_of(w) * (w + -0.5))) + constant;
  return y.high + (y.low - stirling_rest(w.high));
}
DEVICE f64 gammaln(f64 x) { return isinf(x) ? x : x < -2 ? gammaln_left(x) : lgamma(x); }
DEVICE f32 gammaln(f32 x) { return isinf(x) ? x : x < -2 ? (f32)gammaln_left((f64)x) : lgamma(x); }
