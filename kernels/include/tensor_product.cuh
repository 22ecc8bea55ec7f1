// Functions of several variables that are sums of products of functions of one: piecewise linear or constant on a rectilinear grid,
// piecewise polynomials in powers, and B-splines. Required before it: `uindex`, knots.cuh, RANK (axes for which there is room), WEIGHTS
// (largest sum of the numbers of weights), DEGREES (highest degree of B-splines) and the parameter struct.
//
// A result is the sum over a small box of nodes of their values times a weight for each axis. Lower bound: the coordinates read, the results written,
// and for random points one sector of 32 bytes for each row of the box.

constexpr u32 THREADS = 256;
enum { LINEAR, NEAREST, POWERS, SPLINE };

// Linear interpolation of few variables in registers: the reads of the corners of a cell are independent.
template <int AXES> DEVICE f64 linear_at(const params &p, const f64 *all, const f64 *x, const f64 *values, bool &inside, bool &number) {
  f64 parts[AXES];
  i64 steps[AXES];
#pragma unroll
  for (int d = 0; d < AXES; ++d) {
    const f64 *knots = all + p.begins[d], v = x[d];
    const i64 last = p.lasts[d];
    const f64 begin = knots[0], end = knots[last];
    number = number && v == v;
    inside = inside && begin <= v && v <= end;
    // An axis of one node has no cell.
    steps[d] = last > 0 ? p.steps[d] : 0;
    parts[d] = 0;
    if (last > 0) {
      const i64 i = interval_of(knots, 0, last, v, (f64)last / (end - begin));
      parts[d] = (v - knots[i]) / (knots[i + 1] - knots[i]);
      values += i * steps[d];
    }
  }
  f64 sum = 0;
#pragma unroll
  for (int corner = 0; corner < 1 << AXES; ++corner) {
    f64 weight = 1;
    i64 at = 0;
#pragma unroll
    for (int d = 0; d < AXES; ++d) {
      const bool upper = corner >> (AXES - 1 - d) & 1;
      weight *= upper ? parts[d] : 1 - parts[d];
      if (upper) at += steps[d];
    }
    sum = __fma_rn(weight, values[at], sum);
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS) tensor_product(const __grid_constant__ params p) {
  extern __shared__ __align__(16) f64 shared_knots[];
  const f64 *all = p.knots;
  if (p.shared) {
    for (u64 j = threadIdx.x; j < p.count; j += THREADS) shared_knots[j] = p.knots[j];
    __syncthreads();
    all = shared_knots;
  }
  const u64 stride = (u64)gridDim.x * THREADS;
#pragma unroll 1
  for (u64 r = (u64)blockIdx.x * THREADS + threadIdx.x; r < p.results; r += stride) {
    u64 point = r, t = 0;
    if (p.trailing.divisor > 1) {
      point = divide((uindex)r, p.trailing);
      t = r - point * p.trailing.divisor;
    }
    const f64 *x = p.x + point * p.rank, *c = p.values + t;
    bool inside = true, number = true;
    if (p.kind == LINEAR && p.rank <= 3) {
      f64 y = p.rank == 1   ? linear_at<1>(p, all, x, c, inside, number)
              : p.rank == 2 ? linear_at<2>(p, all, x, c, inside, number)
                            : linear_at<3>(p, all, x, c, inside, number);
      if (!number) y = __longlong_as_double(0x7ff8000000000000ll);
      else if (!inside && !p.extrapolate) y = p.fill[p.pairs ? t & 1 : 0];
      p.out[r] = y;
      continue;
    }
    f64 w[WEIGHTS];
    u32 starts[RANK], counts[RANK], weights = 0;
    // Intervals, and the weights of each axis one after the other.
#pragma unroll 1
    for (u32 d = 0; d < p.rank; ++d) {
      const f64 *knots = all + p.begins[d], v = x[d];
      const i64 first = p.firsts[d], last = p.lasts[d];
      const f64 begin = knots[first], end = knots[last];
      number = number && v == v;
      inside = inside && begin <= v && v <= end;
      starts[d] = weights;
      if (first == last) {
        counts[d] = 1;
        w[weights++] = 1;
        continue;
      }
      const f64 scale = (f64)(last - first) / (end - begin);
      const int k = (int)p.degrees[d], nu = (int)p.derivatives[d];
      const i64 i = p.kind == SPLINE ? spline_interval_of(knots, first, last, v, scale, k) : interval_of(knots, first, last, v, scale);
      if (p.kind == SPLINE) {
        basis_of<DEGREES>(knots, i, v, k, nu, w + weights);
#pragma unroll 1
        for (int a = 0; nu > k && a <= k; ++a) w[weights + a] = 0;
        c += (i - k) * p.steps[d];
        counts[d] = k + 1;
      } else if (p.kind == POWERS) {
        const f64 s = v - knots[i];
        f64 power = 1;
#pragma unroll 1
        for (int e = 0; e <= k; ++e) {
          f64 factor = e < nu ? 0 : power;
#pragma unroll 1
          for (int n = 0; n < nu && e >= nu; ++n) factor *= e - n;
          w[weights + k - e] = factor;
          if (e >= nu) power *= s;
        }
        c += i * p.steps[d];
        counts[d] = k + 1;
      } else {
        const f64 part = (v - knots[i]) / (knots[i + 1] - knots[i]);
        if (p.kind == NEAREST) {
          c += (part <= 0.5 ? i : i + 1) * p.steps[d];
          w[weights] = 1;
          counts[d] = 1;
        } else {
          c += i * p.steps[d];
          w[weights] = 1 - part;
          w[weights + 1] = part;
          counts[d] = 2;
        }
      }
      weights += counts[d];
    }
    f64 sum = 0;
    if (!number) {
      sum = __longlong_as_double(0x7ff8000000000000ll);
    } else if (!inside && !p.extrapolate) {
      sum = p.fill[p.pairs ? t & 1 : 0];
    } else {
      const i64 *steps = p.kind == POWERS ? p.power_steps : p.steps;
      f64 products[RANK];
      i64 offsets[RANK];
      u32 at[RANK], last = p.rank - 1;
#pragma unroll 1
      for (u32 d = 0; d < p.rank; ++d) at[d] = 0;
      products[0] = 1;
      offsets[0] = 0;
      u32 changed = 0;
#pragma unroll 1
      while (true) {
#pragma unroll 1
        for (u32 d = changed; d < last; ++d) {
          products[d + 1] = products[d] * w[starts[d] + at[d]];
          offsets[d + 1] = offsets[d] + at[d] * steps[d];
        }
        const f64 *row = c + offsets[last];
        f64 part = 0;
#pragma unroll 4
        for (u32 a = 0; a < counts[last]; ++a) part = __fma_rn(w[starts[last] + a], row[a * steps[last]], part);
        sum = __fma_rn(products[last], part, sum);
        changed = last;
        while (changed > 0 && ++at[changed - 1] == counts[changed - 1]) at[--changed] = 0;
        if (changed == 0) break;
        --changed;
      }
    }
    p.out[r] = sum;
  }
}
