// Householder reflectors of small matrices, and their products. Required before it: `small.cuh`.

DEVICE real largest_of(real x) { return fabs(x); }
DEVICE real largest_of(complex<real> z) { return fabs(z.re) >= fabs(z.im) || z.re != z.re ? fabs(z.re) : fabs(z.im); }
// The larger one, or a NaN.
DEVICE real larger(real a, real b) { return b > a || b != b ? b : a; }

// Replaces the first `count` of `width` columns by the reflectors and the triangular factor, in the layout of LAPACK's
// geqrf: reflectors below the diagonal, without their leading 1, the triangle above. `order` is a permutation of the
// columns. A power of two scales the column so that no square overflows or underflows.
DEVICE void reflect(const columns &a, const u32 *order, u32 rows, u32 width, u32 count, element *scales) {
  const u32 t = threadIdx.x, lane = t % TEAM, teams = blockDim.x / TEAM;
#pragma unroll 1
  for (u32 k = 0; k < count; ++k) {
    __syncthreads();
    element *own = a[order[k]];
    if (t < 32) {
      real largest = 0;
      for (u32 r = k + 1 + t; r < rows; r += 32) largest = larger(largest, largest_of(own[r]));
#pragma unroll
      for (u32 far = 16; far > 0; far /= 2) largest = larger(largest, from_lane(largest, far));
      const element head = own[k];
      element scale = number(0);
      if (largest != 0 || head != number(real_part(head))) {
        const int down = -ilogb(larger(largest, largest_of(head)));
        real squares = 0;
        for (u32 r = k + 1 + t; r < rows; r += 32) squares += square_of(shifted(own[r], down));
        const element near = shifted(head, down);
        const real length = sqrt(square_of(near) + sum_of<32>(squares)), end = real_part(near) < 0 ? length : -length;
        const element ahead = near - number(end);
        scale = -ahead / number(end);
        for (u32 r = k + 1 + t; r < rows; r += 32) own[r] = shifted(own[r], down) / ahead;
        __syncwarp();
        if (t == 0) own[k] = number(ldexp(end, -down));
      }
      if (t == 0) scales[k] = scale;
    }
    __syncthreads();
    const element scale = conjugate(scales[k]);
    for (u32 base = k + 1; base < width; base += teams) {
      const u32 j = base + t / TEAM;
      element *other = a[order[j < width ? j : k]];
      element part = number(0);
      if (j < width) {
        if (lane == 0) part = other[k];
        for (u32 r = k + 1 + lane; r < rows; r += TEAM) part = along(own[r], other[r], part);
      }
      part = scale * sum_of<TEAM>(part);
      if (j < width) {
        if (lane == 0) other[k] = other[k] - part;
        for (u32 r = k + 1 + lane; r < rows; r += TEAM) other[r] = other[r] - part * own[r];
      }
    }
  }
  __syncthreads();
}

// Writes the first `width` columns of the product of `count` reflectors to `out`, contiguous; `sign` says which of them
// are negated.
template <class Sign>
DEVICE void product(const columns &a, const u32 *order, const element *scales, u32 rows, u32 count, u32 width, Sign sign, element *out) {
  const u32 lane = threadIdx.x % TEAM, teams = blockDim.x / TEAM;
#pragma unroll 1
  for (u32 base = 0; base < width; base += teams) {
    const u32 j = base + threadIdx.x / TEAM;
    element x[EACH];
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) x[e] = number(lane + e * TEAM == j ? sign(j) : (real)0);
#pragma unroll 1
    for (u32 k = count; k-- > 0;) {
      const element *own = a[order[k]];
      element part = number(0);
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        const u32 r = lane + e * TEAM;
        if (r >= k && r < rows) part = r == k ? part + x[e] : along(own[r], x[e], part);
      }
      part = scales[k] * sum_of<TEAM>(part);
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        const u32 r = lane + e * TEAM;
        if (r >= k && r < rows) x[e] = x[e] - (r == k ? part : part * own[r]);
      }
    }
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      if (j < width && lane + e * TEAM < rows) out[j * rows + lane + e * TEAM] = x[e];
    }
  }
}
