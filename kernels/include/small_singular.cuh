// Singular value decomposition of small matrices with at least as many rows as columns, by one-sided Jacobi rotations
// that make the columns orthogonal (M. R. Hestenes, "Inversion of matrices by biorthogonalization and related results",
// 1958). The norms of the columns are the singular values; the accumulated rotations are the right singular vectors;
// the left ones are computed from the reflectors that triangularise the columns, the longest first: orthogonal to the
// last digit, also for a singular value of 0, and as many as requested. The right ones are rows. The largest element
// must be near 1. Required before it: `small.cuh` and `reflectors.cuh`.
constexpr u32 SWEEPS = 60;

extern "C" __global__ void __launch_bounds__(256) small_singular(const __grid_constant__ params p) {
  __shared__ real lengths[SIDE];
  __shared__ u32 order[SIDE];
  __shared__ element scales[SIDE];
  const u32 m = p.m, n = p.n, left = p.count, even = n + n % 2, t = threadIdx.x, lane = t % TEAM, team = t / TEAM;
  const columns w{(element *)memory}, v{w[n]};
  bring(w, (const element *)p.a + blockIdx.x * (u64)(m * n), m, n);
  if (left != 0) bring_unit(v, n);
  __syncthreads();
  // Two columns are orthogonal if their product is no more than rounding of their norms, or of the square of the
  // largest singular value. Squares are compared.
  const real relative = EPSILON * EPSILON * m, least = EPSILON * EPSILON / 4 * (EPSILON * EPSILON / 4);
  bool moving = true;
#pragma unroll 1
  for (u32 sweep = 0; sweep < SWEEPS && moving; ++sweep) {
    bool moved = false;
#pragma unroll 1
    for (u32 round = 0; round < even - 1; ++round) {
      u32 i, j;
      pair_of(even, round, team, i, j);
      const bool has = team < even / 2 && j < n;
      element *one = w[has ? i : 0] + lane, *two = w[has ? j : 0] + lane, x[EACH], y[EACH];
      real first = 0, second = 0;
      element beside = number(0);
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) {
        x[e] = has ? one[e * TEAM] : number(0);
        y[e] = has ? two[e * TEAM] : number(0);
        first = real_part(along(x[e], x[e], number(first)));
        second = real_part(along(y[e], y[e], number(second)));
        beside = along(x[e], y[e], beside);
      }
      first = sum_of<TEAM>(first);
      second = sum_of<TEAM>(second);
      beside = sum_of<TEAM>(beside);
      const real square = square_of(beside);
      if (has && square > least && square > relative * first * second) {
        real change;
        const turn by = turn_for(first, second, beside, change);
#pragma unroll
        for (u32 e = 0; e < EACH; ++e) {
          by.apply(x[e], y[e]);
          one[e * TEAM] = x[e];
          two[e * TEAM] = y[e];
        }
        if (left != 0) by.apply_to(v[i] + lane, v[j] + lane);
        moved = true;
      }
      __syncthreads();
    }
    moving = __syncthreads_or(moved);
  }
  if (t == 0) ((i32 *)p.info)[blockIdx.x] = moving;
  for (u32 base = 0; base < n; base += blockDim.x / TEAM) {
    const u32 j = base + team;
    real squares = 0;
    for (u32 r = lane; j < n && r < m; r += TEAM) squares += square_of(w[j][r]);
    squares = sum_of<TEAM>(squares);
    if (j < n && lane == 0) lengths[j] = sqrt(squares);
  }
  __syncthreads();
  if (t < n) {
    const u32 rank = rank_of<false>(lengths, n, t);
    order[rank] = t;
    ((real *)p.values)[blockIdx.x * (u64)n + rank] = lengths[t];
  }
  if (left == 0) return;
  __syncthreads();
  element *right = (element *)p.v + blockIdx.x * (u64)(n * n);
  for (u32 e = t; e < n * n; e += blockDim.x) right[e] = conjugate(v[order[e % n]][e / n]);
  reflect(w, order, m, n, n, scales);
  const auto sign = [&](u32 j) -> real { return j < n && real_part(w[order[j]][j]) < 0 ? -1 : 1; };
  product(w, order, scales, m, n, left, sign, (element *)p.u + blockIdx.x * (u64)(m * left));
}
