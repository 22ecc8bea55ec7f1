// Singular value decomposition of matrices that exceed the shared memory of a block, with at least as many rows as
// columns: one-sided Jacobi rotations of the conjugate transpose of the triangular factor of the matrix, whose columns
// are sorted by norm. They converge in fewer sweeps than those of the matrix itself, also for a graded or nearly
// singular one (Z. Drmac and K. Veselic, "New fast and accurate Jacobi SVD algorithm", 2008).
//
// With `A P = Q R` and `R^H V = U S`, the left vectors are `Q V` and the right ones `P U`: V is the product of the
// rotations, U has the columns of `R^H V`, normalised. One panel of columns is in registers, a team for each column, and
// meets the panels after it, which are in shared memory one after the other. The largest element must be near 1.
// Required before it: `small.cuh` and `panels.cuh`.
constexpr u32 THREADS = sizeof(element) == 16 ? 256 : 512, TEAMS = THREADS / TEAM, SWEEPS = 60;

// Copies the columns of each matrix in descending order of their norms; writes the column that each was.
extern "C" __global__ void __launch_bounds__(THREADS) panel_arrange(const __grid_constant__ params p) {
  __shared__ real lengths[SIDE];
  __shared__ u32 ranks[SIDE];
  const u32 m = p.m, n = p.n, t = threadIdx.x, lane = t % TEAM, team = t / TEAM;
  const element *a = (const element *)p.a + blockIdx.x * (u64)(m * n);
  element *out = (element *)p.factors + blockIdx.x * (u64)(m * n);
  u32 *order = (u32 *)p.order + blockIdx.x * (u64)n;
  for (u32 base = 0; base < n; base += TEAMS) {
    const u32 j = base + team;
    real squares = 0;
    for (u32 r = lane; j < n && r < m; r += TEAM) squares += square_of(a[j * m + r]);
    squares = sum_of<TEAM>(squares);
    if (j < n && lane == 0) lengths[j] = squares;
  }
  __syncthreads();
  if (t < n) {
    ranks[t] = rank_of<false>(lengths, n, t);
    order[ranks[t]] = t;
  }
  __syncthreads();
  for (u32 e = t; e < m * n; e += THREADS) out[ranks[e / m] * m + e % m] = a[e];
}

// Computes the rotation that makes two columns orthogonal. False if they are: if their product is no more than rounding
// of their norms, or of the square of the largest singular value. Squares are compared. All lanes of a warp must call it.
DEVICE bool rotation_of(const element (&x)[EACH], const element (&y)[EACH], real relative, turn &by) {
  constexpr real least = EPSILON * EPSILON / 4 * (EPSILON * EPSILON / 4);
  real first = 0, second = 0, change;
  element beside = number(0);
#pragma unroll
  for (u32 e = 0; e < EACH; ++e) {
    first = real_part(along(x[e], x[e], number(first)));
    second = real_part(along(y[e], y[e], number(second)));
    beside = along(x[e], y[e], beside);
  }
  first = sum_of<TEAM>(first);
  second = sum_of<TEAM>(second);
  beside = sum_of<TEAM>(beside);
  const real square = square_of(beside);
  if (!(square > least && square > relative * first * second)) return false;
  by = turn_for(first, second, beside, change);
  return true;
}

extern "C" __global__ void __launch_bounds__(THREADS) panel_singular(const __grid_constant__ params p) {
  __shared__ real lengths[SIDE];
  __shared__ u32 order[SIDE];
  const u32 m = p.m, n = p.n, count = p.count, t = threadIdx.x, lane = t % TEAM, team = t / TEAM;
  const bool vectors = count != 0;
  const u32 panels = (n + TEAMS - 1) / TEAMS, most = (n + panels - 1) / panels, even = most + most % 2;
  const columns w{(element *)memory}, v{w[TEAMS]};
  const element *factors = (const element *)p.factors + blockIdx.x * (u64)(m * n);
  element *a = (element *)p.a + blockIdx.x * (u64)(m * n), *rotations = (element *)p.rotations + blockIdx.x * (u64)(n * n);
  for (u32 e = t; e < n * n; e += THREADS) {
    const u32 j = e / n, r = e % n;
    a[e] = r < j ? number(0) : conjugate(factors[r * m + j]);
    if (vectors) rotations[e] = number(r == j);
  }
  __syncthreads();
  const real relative = EPSILON * EPSILON * n;
  bool moving = true;
#pragma unroll 1
  for (u32 sweep = 0; sweep < SWEEPS && moving; ++sweep) {
    bool moved = false;
#pragma unroll 1
    for (u32 begin = 0; begin < n; begin += most) {
      // The pairs of the panel.
      const u32 width = min(most, n - begin);
      load_panel(w, a + begin * n, n, n, width);
      if (vectors) load_panel(v, rotations + begin * n, n, n, width);
      __syncthreads();
      element x[EACH], y[EACH], z[EACH];
      turn by;
#pragma unroll 1
      for (u32 round = 0; round < even - 1; ++round) {
        u32 i, j;
        pair_of(even, round, team, i, j);
        const bool has = team < even / 2 && j < width;
        load_column(x, w[has ? i : 0], has ? SIDE : 0);
        load_column(y, w[has ? j : 0], has ? SIDE : 0);
        if (rotation_of(x, y, relative, by)) {
#pragma unroll
          for (u32 e = 0; e < EACH; ++e) by.apply(x[e], y[e]);
          store_column(w[i], x, SIDE);
          store_column(w[j], y, SIDE);
          if (vectors) by.apply_to(v[i] + lane, v[j] + lane);
          moved = true;
        }
        __syncthreads();
      }
      // The pairs of its columns, in registers, with those of the panels after it.
      const bool own = team < width;
      load_column(x, w[own ? team : 0], own ? SIDE : 0);
      if (vectors) load_column(z, v[own ? team : 0], own ? SIDE : 0);
      __syncthreads();
#pragma unroll 1
      for (u32 next = begin + most; next < n; next += most) {
        const u32 others = min(most, n - next);
        load_panel(w, a + next * n, n, n, others);
        if (vectors) load_panel(v, rotations + next * n, n, n, others);
        __syncthreads();
        u32 j = team;
#pragma unroll 1
        for (u32 round = 0; round < most; ++round) {
          const bool has = own && j < others;
          load_column(y, w[has ? j : 0], has ? SIDE : 0);
          if (rotation_of(x, y, relative, by)) {
#pragma unroll
            for (u32 e = 0; e < EACH; ++e) by.apply(x[e], y[e]);
            store_column(w[j], y, SIDE);
            if (vectors) {
              load_column(y, v[j], SIDE);
#pragma unroll
              for (u32 e = 0; e < EACH; ++e) by.apply(z[e], y[e]);
              store_column(v[j], y, SIDE);
            }
            moved = true;
          }
          if (++j >= most) j = 0;
          __syncthreads();
        }
        store_panel(a + next * n, w, n, n, others);
        if (vectors) store_panel(rotations + next * n, v, n, n, others);
        __syncthreads();
      }
      store_column(a + (begin + team) * n, x, own ? n : 0);
      if (vectors) store_column(rotations + (begin + team) * n, z, own ? n : 0);
      __syncthreads();
    }
    moving = __syncthreads_or(moved);
  }
  if (t == 0) ((i32 *)p.info)[blockIdx.x] = moving;
  for (u32 base = 0; base < n; base += TEAMS) {
    const u32 j = base + team;
    real squares = 0;
    for (u32 r = lane; j < n && r < n; r += TEAM) squares += square_of(a[j * n + r]);
    squares = sum_of<TEAM>(squares);
    if (j < n && lane == 0) lengths[j] = sqrt(squares);
  }
  __syncthreads();
  if (t < n) {
    const u32 rank = rank_of<false>(lengths, n, t);
    order[rank] = t;
    ((real *)p.values)[blockIdx.x * (u64)n + rank] = lengths[t];
  }
  if (!vectors) return;
  __syncthreads();
  const u32 *columns_of = (const u32 *)p.order + blockIdx.x * (u64)n;
  element *left = (element *)p.u + blockIdx.x * (u64)(m * count), *right = (element *)p.v + blockIdx.x * (u64)(n * n);
  for (u32 e = t; e < n * n; e += THREADS) right[e / n * n + columns_of[e % n]] = conjugate(a[order[e / n] * n + e % n]);
  for (u32 e = t; e < m * count; e += THREADS) {
    const u32 j = e / m, r = e % m;
    left[e] = j < n && r < n ? rotations[order[j] * n + r] : number(r == j);
  }
}
