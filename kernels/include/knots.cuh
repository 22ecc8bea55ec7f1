// Search for the interval between knots that contains a point.

// Returns the last i from `first` to `last - 1` with knots[i] <= v, or `first` if there is none. Knots do not decrease. `scale` is the number
// of intervals over the distance between the first knot and the last: for knots at equal distances two comparisons find the interval.
DEVICE i64 interval_of(const f64 *knots, i64 first, i64 last, f64 v, f64 scale) {
  const f64 part = (v - knots[first]) * scale, most = (f64)(last - first - 1);
  const i64 guess = first + (!(part < most) ? (i64)most : part > 0 ? (i64)part : 0);
  i64 from = first + 1, to = last;
  if (knots[guess] <= v) {
    if (guess + 1 == last || v < knots[guess + 1]) return guess;
    if (guess + 2 == last || v < knots[guess + 2]) return guess + 1;
    from = guess + 2;
  } else {
    if (guess == first) return first;
    if (guess == first + 1 || knots[guess - 1] <= v) return guess - 1;
    to = guess - 1;
  }
  // The first knot greater than v.
#pragma unroll 1
  while (from < to) {
    const i64 middle = from + (to - from) / 2;
    if (knots[middle] <= v) from = middle + 1; else to = middle;
  }
  return from - 1;
}

// Returns the interval of a spline of degree k: at the end of the domain, where knots may be equal, the last one that is not empty unless the
// spline is constant in each interval.
DEVICE i64 spline_interval_of(const f64 *knots, i64 first, i64 last, f64 v, f64 scale, int k) {
  i64 i = interval_of(knots, first, last, v, scale);
#pragma unroll 1
  while (k > 0 && i > first && knots[i] == knots[i + 1]) --i;
  return i;
}

// Returns the distance of v from `begin` modulo a period.
DEVICE f64 wrapped(f64 v, f64 begin, f64 period) {
  const f64 rest = fmod(v - begin, period);
  return begin + (rest < 0 ? rest + period : rest);
}

// Writes derivative `nu` of the B-splines of degree k that are not zero between knots[i] and knots[i + 1] to h[0] .. h[k]: the recurrence
// of C. de Boor ("On calculating with B-splines", Journal of Approximation Theory 6, 1972) up to degree k - nu, then differences.
template <int MOST> DEVICE void basis_of(const f64 *knots, i64 i, f64 v, int k, int nu, f64 *h) {
  constexpr int UNROLL = MOST <= 5 ? MOST + 1 : 1;
  h[0] = 1;
#pragma unroll UNROLL
  for (int j = 1; j <= MOST; ++j) {
    if (j > k) break;
    const bool difference = j > k - nu;
    f64 carried = 0;
#pragma unroll UNROLL
    for (int n = 1; n <= MOST; ++n) {
      if (n > j) break;
      const f64 right = knots[i + n], left = knots[i + n - j];
      const f64 w = right == left ? 0 : h[n - 1] / (right - left);
      h[n - 1] = difference ? carried - j * w : carried + w * (right - v);
      carried = difference ? j * w : w * (v - left);
    }
    h[j] = carried;
  }
}
