// Eigenvalues and eigenvectors of small Hermitian matrices, each by one warp: reflectors reduce the matrix to a real
// tridiagonal one, and implicit QL iterations diagonalise that (A. Dubrulle, R. S. Martin and J. H. Wilkinson, "The
// implicit QL algorithm", 1968). A power of two first scales the largest element to at most 1, so that no square
// overflows, and the eigenvalues back. Results of a matrix with infinity or NaN are NaN. Required before it: `small.cuh`.
//
// A lane has the rows and columns lane, lane + 32, ... of the matrix, and as many elements of the tridiagonal matrix. The
// pitch of the columns is odd, so that lanes that read different columns read different banks.
constexpr u32 LANES = 32, ROWS = SIDE / LANES, SWEEPS = 30;
// Columns with no larger element are zeros: the reciprocal of a larger one is finite.
constexpr real SMALLEST = (real)(sizeof(real) == 4 ? 1e-37f : 1e-300);
// Squares of numbers whose sum is larger lose no digits to underflow.
constexpr real SQUARES = (real)(sizeof(real) == 4 ? 1e-30f : 1e-280);

DEVICE real part_size(real x) { return fabs(x); }
DEVICE real part_size(complex<real> z) { return max(fabs(z.re), fabs(z.im)); }
DEVICE real imaginary(real) { return 0; }
DEVICE real imaginary(complex<real> z) { return z.im; }
DEVICE real quotient(real x, real y) { return x / y; }
DEVICE complex<real> quotient(complex<real> x, complex<real> y) {
  const real size = square_of(y);
  return {fma(x.re, y.re, x.im * y.im) / size, fma(x.im, y.re, -(x.re * y.im)) / size};
}
template <class T> DEVICE T with_imaginary(real x, real y) {
  if constexpr (sizeof(T) == sizeof(real)) return x;
  else return {x, y};
}
DEVICE real largest_of(real x) {
#pragma unroll
  for (u32 far = LANES / 2; far > 0; far /= 2) x = max(x, from_lane(x, far));
  return x;
}
DEVICE real length_of(real x, real y) {
  const real squares = fma(x, x, y * y);
  if (squares > SQUARES) return sqrt(squares);
  const real most = max(fabs(x), fabs(y));
  if (most < SMALLEST) return most;
  const real u = x / most, v = y / most;
  return most * sqrt(fma(u, u, v * v));
}

// Real numbers that are distributed over the lanes of a warp.
struct spread {
  real own[ROWS];
  DEVICE real get(u32 i) const {
    real x = own[0];
#pragma unroll
    for (u32 k = 1; k < ROWS; ++k) x = i / LANES == k ? own[k] : x;
    return __shfl_sync(0xffffffff, x, i % LANES);
  }
  DEVICE void set(u32 i, real x) {
#pragma unroll
    for (u32 k = 0; k < ROWS; ++k) own[k] = threadIdx.x + k * LANES == i ? x : own[k];
  }
};

// Column `k` below the diagonal becomes the vector v of the reflector I - scale v v^H that annihilates it but for its
// first element, which is returned; v begins with 1.
DEVICE real reflect(element *column, u32 k, u32 n, element &scale) {
  const u32 lane = threadIdx.x;
  real most = 0;
  for (u32 r = k + 1 + lane; r < n; r += LANES) most = max(most, part_size(column[r]));
  most = largest_of(most);
  scale = number(0);
  real first_real = 0;
  if (most > SMALLEST) {
    const real by = 1 / most;
    real tail = 0;
    for (u32 r = k + 2 + lane; r < n; r += LANES) tail += square_of(times(column[r], by));
    tail = sum_of<LANES>(tail);
    const element first = times(column[k + 1], by);
    first_real = real_part(first) * most;
    if (tail > 0 || imaginary(first) != 0) {
      const real norm = sqrt(square_of(first) + tail), leading = real_part(first) < 0 ? norm : -norm;
      const element divisor = first - number(leading);
      first_real = leading * most;
      scale = with_imaginary<element>((leading - real_part(first)) / leading, -imaginary(first) / leading);
      for (u32 r = k + 2 + lane; r < n; r += LANES) column[r] = quotient(times(column[r], by), divisor);
    }
  }
  __syncwarp();
  if (lane == 0) column[k + 1] = number(1);
  __syncwarp();
  return first_real;
}

// A real tridiagonal matrix similar to `a`, whose columns become those of the reflectors.
DEVICE void reduce(element *a, u32 n, u32 pitch, element *image, element *scales, spread &beside) {
  const u32 lane = threadIdx.x;
#pragma unroll 1
  for (u32 k = 0; k + 1 < n; ++k) {
    element *v = a + k * pitch, scale;
    beside.set(k, reflect(v, k, n, scale));
    if (lane == 0) scales[k] = scale;
    if (real_part(scale) == 0 && imaginary(scale) == 0) continue;
    element product[ROWS], sum = number(0);
#pragma unroll
    for (u32 j = 0; j < ROWS; ++j) {
      const u32 r = lane + j * LANES;
      element x = number(0);
      if (r > k && r < n) {
        const element *own = a + r * pitch;
        for (u32 c = k + 1; c < n; ++c) x = along(own[c], v[c], x);
        x = x * scale;
        sum = along(x, v[r], sum);
      }
      product[j] = x;
    }
    const element half = times(scale * sum_of<LANES>(sum), (real)-0.5);
#pragma unroll
    for (u32 j = 0; j < ROWS; ++j) {
      const u32 r = lane + j * LANES;
      if (r > k && r < n) image[r] = product[j] = product[j] + half * v[r];
    }
    __syncwarp();
#pragma unroll
    for (u32 j = 0; j < ROWS; ++j) {
      const u32 r = lane + j * LANES;
      if (r <= k || r >= n) continue;
      element *own = a + r * pitch;
      const element by_image = times(product[j], (real)-1), by_v = times(v[r], (real)-1);
      for (u32 c = k + 1; c < n; ++c) own[c] = along(by_image, v[c], along(by_v, image[c], own[c]));
      own[r] = number(real_part(own[r]));
    }
    __syncwarp();
  }
}

// The product of the reflectors, in their place.
DEVICE void accumulate(element *a, u32 n, u32 pitch, const element *scales) {
  const u32 lane = threadIdx.x;
  __syncwarp();
  if (lane == 0) a[(n - 1) * pitch + n - 1] = number(1);
  __syncwarp();
#pragma unroll 1
  for (u32 k = n - 1; k-- > 0;) {
    element *v = a + k * pitch;
    const element scale = scales[k];
    const bool is_unit = real_part(scale) == 0 && imaginary(scale) == 0;
    for (u32 c = lane; c < n; c += LANES) {
      if (c <= k) continue;
      element *own = a + c * pitch;
      own[k] = number(0);
      if (is_unit) continue;
      element x = number(0);
      for (u32 r = k + 1; r < n; ++r) x = along(v[r], own[r], x);
      x = times(x * scale, (real)-1);
      for (u32 r = k + 1; r < n; ++r) own[r] = along(conjugate(v[r]), x, own[r]);
    }
    __syncwarp();
    for (u32 r = k + lane; r < n; r += LANES) v[r] = number(r == k);
    __syncwarp();
  }
}

// The first position from `l` on after which the tridiagonal matrix is divided: by an element that is small compared with its
// neighbours, or with the rounding error of the largest element.
DEVICE u32 division(const spread &diagonal, const spread &beside, u32 l, u32 n) {
  u32 found = n - 1;
#pragma unroll
  for (u32 j = ROWS; j-- > 0;) {
    const u32 lane = threadIdx.x, i = lane + j * LANES, next_lane = (lane + 1) % LANES;
    real next = __shfl_sync(0xffffffff, diagonal.own[j], next_lane);
    if (j + 1 < ROWS) {
      const real beyond = __shfl_sync(0xffffffff, diagonal.own[min(j + 1, ROWS - 1)], next_lane);
      next = lane == LANES - 1 ? beyond : next;
    }
    const real size = fabs(beside.own[j]);
    const bool is_small = size <= EPSILON / 2 * (fabs(diagonal.own[j]) + fabs(next)) ||
      size <= EPSILON * EPSILON;
    const u32 some = __ballot_sync(0xffffffff, i >= l && i + 1 < n && is_small);
    if (some != 0) found = j * LANES + __ffs(some) - 1;
  }
  return found;
}

// Makes a tridiagonal matrix diagonal, and applies the rotations to the columns of `vectors` if there are any; false if
// that takes too many iterations.
DEVICE bool diagonalize(spread &diagonal, spread &beside, u32 n, element *vectors, u32 pitch) {
  const u32 lane = threadIdx.x;
  u32 sweeps = 0;
#pragma unroll 1
  for (u32 l = 0; l < n; ++l) {
#pragma unroll 1
    while (true) {
      const u32 m = division(diagonal, beside, l, n);
      if (m == l) break;
      if (++sweeps > SWEEPS * n) return false;
      // The shift is the eigenvalue of the first two rows that is closer to the first diagonal element.
      const real first = diagonal.get(l), beside_first = beside.get(l);
      const real slope = (diagonal.get(l + 1) - first) / (2 * beside_first), root = sqrt(fma(slope, slope, (real)1));
      real above = diagonal.get(m), bulge = above - first + beside_first / (slope + (slope < 0 ? -root : root));
      real sine = 1, cosine = 1, shift = 0, at = diagonal.get(m - 1), next_to = beside.get(m - 1);
      element moved[ROWS];
#pragma unroll
      for (u32 j = 0; j < ROWS; ++j)
        if (vectors && lane + j * LANES < n) moved[j] = vectors[m * pitch + lane + j * LANES];
      u32 i = m;
      bool is_split = false;
#pragma unroll 1
      while (i-- > l) {
        const u32 before = i > l ? i - 1 : l;
        const real at_before = diagonal.get(before), next_before = beside.get(before);
        const real f = sine * next_to, b = cosine * next_to, length = length_of(f, bulge);
        beside.set(i + 1, length);
        is_split = length == 0;
        if (is_split) {
          diagonal.set(i + 1, above - shift);
          break;
        }
        sine = f / length;
        cosine = bulge / length;
        const real moved_above = above - shift, rotated = fma(at - moved_above, sine, 2 * cosine * b);
        shift = sine * rotated;
        diagonal.set(i + 1, moved_above + shift);
        bulge = fma(cosine, rotated, -b);
#pragma unroll
        for (u32 j = 0; j < ROWS; ++j) {
          if (!vectors || lane + j * LANES >= n) continue;
          element *own = vectors + i * pitch + lane + j * LANES;
          const element x = own[0], y = moved[j];
          own[pitch] = fused(x, sine, times(y, cosine));
          moved[j] = fused(x, cosine, times(y, -sine));
        }
        above = at;
        at = at_before;
        next_to = next_before;
      }
      const u32 last = is_split ? i + 1 : l;
#pragma unroll
      for (u32 j = 0; j < ROWS; ++j)
        if (vectors && lane + j * LANES < n) vectors[last * pitch + lane + j * LANES] = moved[j];
      if (!is_split) {
        diagonal.set(l, above - shift);
        beside.set(l, bulge);
      }
      beside.set(m, 0);
    }
  }
  return true;
}

extern "C" __global__ void __launch_bounds__(LANES) small_hermitian(const __grid_constant__ params p) {
  __shared__ element image[SIDE], scales[SIDE];
  __shared__ real values[SIDE];
  __shared__ u32 order[SIDE];
  const u32 n = p.n, pitch = n | 1, lane = threadIdx.x;
  const bool has_vectors = p.vectors != 0;
  const u64 matrix = blockIdx.x;
  const real no_number = (real)__int_as_float(0x7fc00000);
  element *a = (element *)memory;
  const element *given = (const element *)p.a + matrix * (n * n);
  bool odd = false;
  real largest = 0;
  for (u32 e = lane; e < n * n; e += LANES) {
    const u32 r = e / n, c = e % n;
    const bool is_read = p.upper ? r <= c : r >= c;
    if (!is_read) continue;
    element x = given[e];
    odd |= !is_finite(x);
    if (r == c) x = number(real_part(x));
    largest = max(largest, part_size(x));
    a[c * pitch + r] = x;
    a[r * pitch + c] = conjugate(x);
  }
  const bool finite = !__any_sync(0xffffffff, odd);
  largest = largest_of(largest);
  const int exponent = finite && largest > 0 ? ilogb(largest) + 1 : 0;
  __syncwarp();
  spread diagonal = {}, beside = {};
  bool is_done = finite;
  if (finite) {
    for (u32 e = lane; e < n * n; e += LANES) {
      element *own = a + e / n * pitch + e % n;
      *own = shifted(*own, -exponent);
    }
    __syncwarp();
    reduce(a, n, pitch, image, scales, beside);
  }
#pragma unroll
  for (u32 j = 0; j < ROWS; ++j)
    if (lane + j * LANES < n) diagonal.own[j] = real_part(a[(lane + j * LANES) * (pitch + 1)]);
  if (finite) {
    if (has_vectors) accumulate(a, n, pitch, scales);
    is_done = diagonalize(diagonal, beside, n, has_vectors ? a : nullptr, pitch);
  }
  if (lane == 0) ((i32 *)p.info)[matrix] = finite && !is_done;
#pragma unroll
  for (u32 j = 0; j < ROWS; ++j)
    if (lane + j * LANES < n) values[lane + j * LANES] = finite ? diagonal.own[j] : no_number;
  __syncwarp();
  for (u32 r = lane; r < n; r += LANES) {
    const u32 rank = rank_of<true>(values, n, r);
    order[rank] = r;
    ((real *)p.values)[matrix * n + rank] = shifted(values[r], exponent);
  }
  if (!has_vectors) return;
  __syncwarp();
  element *out = (element *)p.columns + matrix * (n * n);
  for (u32 e = lane; e < n * n; e += LANES) out[e] = finite ? a[order[e % n] * pitch + e / n] : number(no_number);
}
