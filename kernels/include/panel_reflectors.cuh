// Householder QR of matrices that exceed the shared memory of a block: a panel of columns is triangularised in shared
// memory, then its reflectors are applied to the columns after it, which teams hold in registers. The layouts are those
// of LAPACK's geqrf and orgqr. Required before it: `small.cuh`, `reflectors.cuh` and `panels.cuh`.
constexpr u32 PANEL = 16;

// Applies the reflectors of a panel, whose first row is the first one of the column, to a column: the first reflector
// first, and conjugated, or the last one first. All lanes of a warp must call it.
template <bool FORWARD> DEVICE void apply_panel(element (&x)[EACH], const columns &panel, const element *scales, u32 rows, u32 width) {
  const u32 lane = threadIdx.x % TEAM;
#pragma unroll 1
  for (u32 step = 0; step < width; ++step) {
    const u32 k = FORWARD ? step : width - 1 - step;
    const element *own = panel[k] + lane, scale = FORWARD ? conjugate(scales[k]) : scales[k];
    element part = number(0), y[EACH];
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) {
      const u32 r = lane + e * TEAM;
      y[e] = r > k && r < rows ? own[e * TEAM] : number(r == k);
      part = along(y[e], x[e], part);
    }
    part = scale * sum_of<TEAM>(part);
#pragma unroll
    for (u32 e = 0; e < EACH; ++e) x[e] = x[e] - part * y[e];
  }
}

extern "C" __global__ void __launch_bounds__(512) panel_reflect(const __grid_constant__ params p) {
  __shared__ u32 order[PANEL];
  __shared__ element scales[PANEL];
  const u32 m = p.m, n = p.n, count = p.count, teams = blockDim.x / TEAM, team = threadIdx.x / TEAM;
  const columns panel{(element *)memory};
  element *a = (element *)p.a + blockIdx.x * (u64)(m * n), *values = (element *)p.values + blockIdx.x * (u64)count;
  if (threadIdx.x < PANEL) order[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) ((i32 *)p.info)[blockIdx.x] = 0;
#pragma unroll 1
  for (u32 base = 0; base < count; base += PANEL) {
    const u32 width = min(PANEL, count - base), rows = m - base;
    element *own = a + base * m + base;
    load_panel(panel, own, m, rows, width);
    __syncthreads();
    reflect(panel, order, rows, width, width, scales);
    store_panel(own, panel, m, rows, width);
    if (threadIdx.x < width) values[base + threadIdx.x] = scales[threadIdx.x];
#pragma unroll 1
    for (u32 first = base + width; first < n; first += teams) {
      const u32 j = first + team;
      element x[EACH];
      load_column(x, a + j * m + base, j < n ? rows : 0);
      apply_panel<true>(x, panel, scales, rows, width);
      store_column(a + j * m + base, x, j < n ? rows : 0);
    }
    __syncthreads();
  }
}

// Multiplies `width` columns of `out` by the product of `count` reflectors. With UNIT, they are columns of the unit
// matrix, and `out` is the array of the reflectors: a panel is loaded before its columns are overwritten, and unit
// vectors before it are not changed by its reflectors. With SIGNED, a column is negated where the diagonal element of
// the triangular factor is negative.
template <bool UNIT, bool SIGNED> DEVICE void multiply(element *out, const element *a, const element *values, u32 m, u32 count, u32 width) {
  __shared__ element scales[PANEL];
  const u32 teams = blockDim.x / TEAM, team = threadIdx.x / TEAM, lane = threadIdx.x % TEAM, last = (count - 1) / PANEL * PANEL;
  const columns panel{(element *)memory};
#pragma unroll 1
  for (u32 base = last + PANEL; base != 0;) {
    base -= PANEL;
    const u32 own = min(PANEL, count - base), rows = m - base;
    load_panel(panel, a + base * m + base, m, rows, own);
    if (threadIdx.x < own) scales[threadIdx.x] = values[base + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (u32 first = UNIT ? base : 0; first < width; first += teams) {
      const u32 j = first + team;
      element *column = out + j * m, x[EACH];
      if (UNIT && (base == last || j < base + PANEL)) {
        const u32 k = j - base;
        const real one = SIGNED && k < own && real_part(panel[k][k]) < 0 ? -1 : 1;
#pragma unroll
        for (u32 e = 0; e < EACH; ++e) x[e] = number(lane + e * TEAM == k ? one : (real)0);
        for (u32 r = lane; j < width && r < base; r += TEAM) column[r] = number(0);
      } else {
        load_column(x, column + base, j < width ? rows : 0);
      }
      __syncwarp();
      apply_panel<false>(x, panel, scales, rows, own);
      store_column(column + base, x, j < width ? rows : 0);
    }
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(512) panel_product(const __grid_constant__ params p) {
  element *a = (element *)p.a + blockIdx.x * (u64)(p.m * p.n);
  multiply<true, false>(a, a, (const element *)p.values + blockIdx.x * (u64)p.count, p.m, p.count, p.n);
  if (threadIdx.x == 0) ((i32 *)p.info)[blockIdx.x] = 0;
}

extern "C" __global__ void __launch_bounds__(512) panel_product_signed(const __grid_constant__ params p) {
  element *a = (element *)p.a + blockIdx.x * (u64)(p.m * p.n);
  multiply<true, true>(a, a, (const element *)p.values + blockIdx.x * (u64)p.count, p.m, p.count, p.n);
  if (threadIdx.x == 0) ((i32 *)p.info)[blockIdx.x] = 0;
}

// Multiplies the columns of `u` by the product of the reflectors in `a`.
extern "C" __global__ void __launch_bounds__(512) panel_multiply(const __grid_constant__ params p) {
  const u64 block = blockIdx.x;
  multiply<false, false>((element *)p.u + block * (p.m * p.n), (const element *)p.a + block * (p.m * p.count),
                         (const element *)p.values + block * p.count, p.m, p.count, p.n);
  if (threadIdx.x == 0) ((i32 *)p.info)[blockIdx.x] = 0;
}
