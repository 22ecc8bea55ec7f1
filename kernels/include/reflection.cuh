// Householder reflections of real columns, and sums over the lanes of a warp.

// Columns with no larger sum of squares are zero: the largest element of the matrix is near 1, and squares of their elements would lose
// digits to underflow, so that the reflector would not be orthogonal.
constexpr f64 TINY = 1e-280;

// The reflection I - scale v v^T that maps a column to a multiple of the first unit vector: v is 1, and then the elements after the first
// one times `inverse`.
struct reflection {
  f64 leading, scale, inverse;
};

// The reflection of a column with this first element and this sum of squares of the others.
DEVICE reflection reflection_of(f64 first, f64 tail) {
  const f64 norm = sqrt(fma(first, first, tail)), leading = first < 0 ? norm : -norm;
  const bool is_unit = !(tail > TINY);
  return {is_unit ? first : leading, is_unit ? 0 : (leading - first) / leading, is_unit ? 0 : 1 / (first - leading)};
}

DEVICE f64 sum_of_warp(f64 x) {
#pragma unroll
  for (u32 lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(~0u, x, lanes);
  return x;
}

// Adds the first COUNT numbers over lanes that differ in the bits up to LANES, and keeps those of a lane.
template <u32 COUNT, u32 LANES, u32 N> DEVICE void add_lanes(f64 (&x)[N]) {
  if constexpr (LANES > 0 && COUNT > 1) {
    const bool upper = threadIdx.x & LANES;
#pragma unroll
    for (u32 i = 0; i < COUNT / 2; ++i) {
      const f64 sent = upper ? x[i] : x[i + COUNT / 2], kept = upper ? x[i + COUNT / 2] : x[i];
      x[i] = kept + __shfl_xor_sync(~0u, sent, LANES);
    }
    add_lanes<COUNT / 2, LANES / 2>(x);
  } else if constexpr (LANES > 0) {
    x[0] += __shfl_xor_sync(~0u, x[0], LANES);
    add_lanes<1, LANES / 2>(x);
  }
}

// Adds N numbers over the lanes of a warp: lane l returns the sum of number l / (32 / N).
template <u32 N> DEVICE f64 sums_of_warp(f64 (&x)[N]) {
  add_lanes<N, 16>(x);
  return x[0];
}
