// Eigenvalues and eigenvectors of small Hermitian matrices by Jacobi rotations, for all disjoint pairs of columns at a
// time. The off-diagonal part is small enough when no rotation of a whole sweep was needed. The largest element must be
// near 1. Required before it: `small.cuh`.
constexpr u32 SWEEPS = 30;

extern "C" __global__ void __launch_bounds__(256) small_hermitian(const __grid_constant__ params p) {
  __shared__ turn turns[SIDE / 2];
  __shared__ real changes[SIDE / 2], values[SIDE];
  __shared__ u32 order[SIDE];
  const u32 n = p.n, even = n + n % 2, pairs = even / 2, t = threadIdx.x, lane = t % TEAM, team = t / TEAM;
  const u32 bits = pairs == 1 ? 0 : 32 - __clz(pairs - 1);
  const columns a{(element *)memory}, v{a[n]};
  element *given = (element *)p.a + blockIdx.x * (u64)(n * n);
  bool odd = false;
  for (u32 e = t; e < n * n; e += blockDim.x) {
    const u32 r = e % n, c = e / n;
    const bool is_read = p.upper ? r <= c : r >= c;
    element x = is_read ? given[e] : conjugate(given[r * n + c]);
    if (r == c) x = number(real_part(x));
    odd |= !is_finite(x);
    a[c][r] = x;
  }
  if (p.count != 0) bring_unit(v, n);
  const bool finite = !__syncthreads_or(odd);
  bool moving = finite;
#pragma unroll 1
  for (u32 sweep = 0; sweep < SWEEPS && moving; ++sweep) {
    moving = false;
#pragma unroll 1
    for (u32 round = 0; round < even - 1; ++round) {
      bool rotated = false;
      if (t < pairs) {
        u32 i, j;
        pair_of(even, round, t, i, j);
        rotated = j < n && size_of(a[j][i]) > EPSILON / 2;
        changes[t] = 0;
        turns[t] = rotated ? turn_for(real_part(a[i][i]), real_part(a[j][j]), a[j][i], changes[t]) : turn{0, 0, number(1)};
      }
      if (!__syncthreads_or(rotated)) continue;
      moving = true;
      // A thread has the rows of one pair and the columns of several; for an odd number of columns one pair has only
      // one.
      const u32 k = t & ((1 << bits) - 1);
      u32 i, j;
      pair_of(even, round, k, i, j);
      const bool has_j = j < n;
      const turn rows = turns[min(k, pairs - 1)].for_rows();
      for (u32 l = t >> bits; k < pairs && l < pairs; l += blockDim.x >> bits) {
        u32 x, y;
        pair_of(even, round, l, x, y);
        if (k == l) {
          if (rows.sine == 0) continue;
          a[i][i] = number(real_part(a[i][i]) - changes[k]);
          a[j][j] = number(real_part(a[j][j]) + changes[k]);
          a[i][j] = a[j][i] = number(0);
          continue;
        }
        if (rows.sine == 0 && turns[l].sine == 0) continue;
        const bool has_y = y < n;
        element ix = a[x][i], jx = has_j ? a[x][j] : number(0);
        element iy = has_y ? a[y][i] : number(0), jy = has_j && has_y ? a[y][j] : number(0);
        turns[l].apply(ix, iy);
        turns[l].apply(jx, jy);
        rows.apply(ix, jx);
        rows.apply(iy, jy);
        a[x][i] = ix;
        if (has_j) a[x][j] = jx;
        if (has_y) a[y][i] = iy;
        if (has_j && has_y) a[y][j] = jy;
      }
      if (p.count != 0 && team < pairs) {
        u32 one, two;
        pair_of(even, round, team, one, two);
        if (two < n && turns[team].sine != 0) turns[team].apply_to(v[one] + lane, v[two] + lane);
      }
      __syncthreads();
    }
  }
  if (t == 0) ((i32 *)p.info)[blockIdx.x] = moving || !finite;
  if (t < n) values[t] = real_part(a[t][t]);
  __syncthreads();
  if (t < n) {
    const u32 rank = rank_of<true>(values, n, t);
    order[rank] = t;
    ((real *)p.values)[blockIdx.x * (u64)n + rank] = values[t];
  }
  __syncthreads();
  for (u32 e = t; p.count != 0 && e < n * n; e += blockDim.x) given[e] = v[order[e / n]][e % n];
}
