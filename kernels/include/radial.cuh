// Radial basis functions: their matrices, and sums of them at points; the nearest of several points. Required before it: the parameter struct.
//
// A thread has a point, and a block reads the centres in tiles through shared memory: of the matrix of all pairs no element is stored.
// Bound: one logarithm, exponential or root for each pair.

constexpr u32 THREADS = 128;
// Numbers of a tile of centres.
constexpr u32 TILE = 1024;
// Results of a thread.
constexpr u32 EACH = 4;
enum { LINEAR, THIN_PLATE, CUBIC, QUINTIC, MULTIQUADRIC, INVERSE_MULTIQUADRIC, INVERSE_QUADRATIC, GAUSSIAN, DISTANCE, SQUARE };

// The radial function of a squared distance.
DEVICE f64 radial(u32 kind, f64 square) {
  if (kind == THIN_PLATE) return square == 0 ? 0 : 0.5 * square * log(square);
  if (kind == GAUSSIAN) return exp(-square);
  if (kind == INVERSE_QUADRATIC) return 1 / (square + 1);
  if (kind == SQUARE) return square;
  const f64 root = sqrt(kind == MULTIQUADRIC || kind == INVERSE_MULTIQUADRIC ? square + 1 : square);
  if (kind == CUBIC) return square * root;
  if (kind == QUINTIC) return -square * square * root;
  if (kind == INVERSE_MULTIQUADRIC) return 1 / root;
  return kind == DISTANCE ? root : -root;
}

DEVICE f64 square_distance(const f64 *x, const f64 *y, u32 axes, f64 scale) {
  f64 sum = 0;
#pragma unroll 2
  for (u32 d = 0; d < axes; ++d) {
    const f64 difference = (x[d] - y[d]) * scale;
    sum = __fma_rn(difference, difference, sum);
  }
  return sum;
}

// Element (i, j) of the matrix of all pairs: of point i of `x` and centre j.
extern "C" __global__ void __launch_bounds__(THREADS) radial_matrix(const __grid_constant__ params p) {
  const u64 r = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (r >= p.points * p.centres) return;
  const u64 i = r / p.centres, j = r - i * p.centres;
  p.out[r] = radial(p.kind, square_distance(p.x + i * p.axes, p.y + j * p.axes, p.axes, p.scale));
}

// Sums over the centres of the radial function times coefficients, for EACH columns from EACH * blockIdx.y on.
template <int AXES> DEVICE void sum_radial(const params &p, f64 *shared) {
  const u32 axes = AXES > 0 ? AXES : p.axes;
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x, column = (u64)blockIdx.y * EACH;
  const u32 columns = (u32)(p.columns - column < EACH ? p.columns - column : EACH);
  const f64 *x = p.x + (i < p.points ? i : p.points - 1) * axes;
  f64 own[AXES > 0 ? AXES : 1], sums[EACH] = {};
#pragma unroll
  for (int d = 0; d < AXES; ++d) own[d] = x[d];
  const u32 tile = TILE / (axes + EACH) > 0 ? TILE / (axes + EACH) : 1;
  const bool fits = axes + EACH <= TILE;
  f64 *coefficients = shared + (fits ? tile * axes : 0);
#pragma unroll 1
  for (u64 begin = 0; begin < p.centres; begin += tile) {
    const u32 count = (u32)(p.centres - begin < tile ? p.centres - begin : tile);
    __syncthreads();
    for (u32 e = threadIdx.x; fits && e < count * axes; e += THREADS) shared[e] = p.y[begin * axes + e];
    for (u32 e = threadIdx.x; e < count * EACH; e += THREADS)
      coefficients[e] = e % EACH < columns ? p.coefficients[(begin + e / EACH) * p.columns + column + e % EACH] : 0;
    __syncthreads();
#pragma unroll 1
    for (u32 j = 0; j < count; ++j) {
      const f64 *centre = fits ? shared + j * axes : p.y + (begin + j) * axes;
      const f64 value = radial(p.kind, square_distance(AXES > 0 ? own : x, centre, axes, p.scale));
#pragma unroll
      for (u32 e = 0; e < EACH; ++e) sums[e] = __fma_rn(value, coefficients[j * EACH + e], sums[e]);
    }
  }
  if (i < p.points)
    for (u32 e = 0; e < columns; ++e) p.out[i * p.columns + column + e] = sums[e];
}

extern "C" __global__ void __launch_bounds__(THREADS) radial_sum(const __grid_constant__ params p) {
  __shared__ f64 shared[TILE + EACH];
  if (p.axes == 1) return sum_radial<1>(p, shared);
  if (p.axes == 2) return sum_radial<2>(p, shared);
  if (p.axes == 3) return sum_radial<3>(p, shared);
  sum_radial<0>(p, shared);
}

// The number of the centre nearest to each point: the first one of several. Points that are not numbers have none: -1.
extern "C" __global__ void __launch_bounds__(THREADS) nearest_centre(const __grid_constant__ params p) {
  __shared__ f64 shared[TILE];
  const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  const u32 axes = p.axes, tile = TILE / axes;
  const f64 *x = p.x + (i < p.points ? i : p.points - 1) * axes;
  const f64 first = x[0], second = axes > 1 ? x[1] : 0, third = axes > 2 ? x[2] : 0;
  f64 least = __longlong_as_double(0x7ff0000000000000ll);
  i64 best = -1;
#pragma unroll 1
  for (u64 begin = 0; begin < p.centres; begin += tile > 0 ? tile : 1) {
    const u64 rest = p.centres - begin;
    const u32 count = tile == 0 ? 1 : rest < tile ? (u32)rest : tile;
    __syncthreads();
    if (tile > 0)
      for (u32 e = threadIdx.x; e < count * axes; e += THREADS) shared[e] = p.y[begin * axes + e];
    __syncthreads();
#pragma unroll 1
    for (u32 j = 0; j < count; ++j) {
      const f64 *centre = tile > 0 ? shared + j * axes : p.y + begin * axes;
      f64 difference = first - centre[0], square = difference * difference;
      if (axes > 1) difference = second - centre[1], square = __fma_rn(difference, difference, square);
      if (axes > 2) difference = third - centre[2], square = __fma_rn(difference, difference, square);
#pragma unroll 1
      for (u32 d = 3; d < axes; ++d) difference = x[d] - centre[d], square = __fma_rn(difference, difference, square);
      if (square < least || (best < 0 && square == least)) least = square, best = (i64)(begin + j);
    }
  }
  if (i < p.points) p.nearest[i] = best;
}
