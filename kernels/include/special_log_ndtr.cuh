// The logarithm of the distribution function of the standard normal distribution: by the scaled complement of the error
// function far on the left, and by the upper tail on the right.
DEVICE f64 special_log_ndtr(f64 x) {
  if (x < -1) return isinf(x) ? x : log(0.5 * erfcx(-x * 0.7071067811865476)) - 0.5 * x * x;
  return log1p(-0.5 * erfc(x * 0.7071067811865476));
}
