// Construction of a tree of boxes. Required before it: `real`, LEAF, and the parameter structs `keys_params`, `arrange_params` and
// `boxes_params`.

constexpr int CURVE_DIMS = 8;

// The position of a point along a Hilbert curve through the box of all points (J. Skilling, "Programming the Hilbert curve", 2004). Points
// outside of the box have that of the nearest one in it.
extern "C" __global__ void __launch_bounds__(256) point_keys(const __grid_constant__ keys_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  const int n = (int)p.curve_dims, bits = (int)p.bits;
  u32 x[CURVE_DIMS];
  for (int k = 0; k < n; ++k) {
    const real low = p.low[k], high = p.high[k], v = p.points[i * p.dims + k];
    const f64 cells = (f64)((1u << bits) - 1), at = high > low ? ((f64)v - (f64)low) / ((f64)high - (f64)low) * cells : 0.0;
    x[k] = at > 0 ? (u32)fmin(at, cells) : 0;
  }
  const u32 top = 1u << (bits - 1);
  for (u32 bit = top; bit > 1; bit >>= 1) {
    const u32 low = bit - 1;
    for (int k = 0; k < n; ++k) {
      const u32 swap = (x[0] ^ x[k]) & low;
      if (x[k] & bit) {
        x[0] ^= low;
      } else {
        x[0] ^= swap;
        x[k] ^= swap;
      }
    }
  }
  for (int k = 1; k < n; ++k) x[k] ^= x[k - 1];
  u32 gray = 0;
  for (u32 bit = top; bit > 1; bit >>= 1) {
    if (x[n - 1] & bit) gray ^= bit - 1;
  }
  u64 key = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    for (int k = 0; k < n; ++k) key = key << 1 | ((x[k] ^ gray) >> bit & 1);
  }
  p.keys[i] = (i64)key;
}

// Points in another order, padded with zeros.
extern "C" __global__ void __launch_bounds__(256) point_arrange(const __grid_constant__ arrange_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.count) return;
  const u64 from = p.sequence ? (u64)p.sequence[i] : i;
  for (u64 k = 0; k < p.padded; ++k)
    p.out[i * p.padded + k] = k < p.dims ? *(const real *)(p.points + (i64)from * p.steps[0] + (i64)k * p.steps[1]) : (real)0;
}

// The boxes of a level: of LEAF points each, or of four boxes of the level below.
extern "C" __global__ void __launch_bounds__(256) point_boxes(const __grid_constant__ boxes_params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
  if (i >= p.nodes * p.dims) return;
  const u64 node = i / p.dims, k = i - node * p.dims;
  const u64 each = p.leaves ? LEAF : 4, from = node * each, to = from + each < p.parts ? from + each : p.parts;
  const u64 pitch = p.leaves ? p.dims : 2 * p.dims, upper = p.leaves ? 0 : p.dims;
  real low = p.source[from * pitch + k], high = p.source[from * pitch + upper + k];
  for (u64 c = from + 1; c < to; ++c) {
    low = fmin(low, p.source[c * pitch + k]);
    high = fmax(high, p.source[c * pitch + upper + k]);
  }
  p.boxes[node * 2 * p.dims + k] = low;
  p.boxes[node * 2 * p.dims + p.dims + k] = high;
}
