// Eigenvalues and eigenvectors of real tridiagonal matrices by implicit QL iterations (A. Dubrulle, R. S. Martin and J. H.
// Wilkinson, "The implicit QL algorithm", 1968). Required before it: `small_hermitian.cuh`.
//
// A block has up to GROUP matrices. The rotations of a matrix depend on each other, but not on the vectors: a lane of the
// first warp computes those of a matrix, until it is diagonal or they fill its memory; then all warps apply them, each to
// the 32 real rows that it has in shared memory, a row a lane: of one matrix, or of several small ones. Both steps are
// repeated.
constexpr u32 GROUP = SIDE == 8 ? 32 : 16, SWEEPS = 30, PITCH = WARP + 1, PARTS = sizeof(element) / sizeof(real);
constexpr u32 BAND = SIDE * PARTS < WARP ? SIDE * PARTS : WARP;

// A rotation of two adjacent columns. A sweep begins with one that has the index of its first column and the number of
// its rotations instead: they end with that column and go down.
struct __align__(2 * sizeof(real)) rotation {
  real sine, cosine;
};

DEVICE real length_of(real x, real y) {
  const real squares = fma(x, x, y * y);
  if (squares > SQUARES) return sqrt(squares);
  const real most = max(fabs(x), fabs(y));
  if (most < SMALLEST) return most;
  const real u = x / most, v = y / most;
  return most * sqrt(fma(u, u, v * v));
}

// An element off the diagonal that is small compared with its neighbours, or with the rounding error of the largest element.
DEVICE bool is_small(real beside, real one, real other) {
  const real size = fabs(beside);
  return !(size > EPSILON / 2 * (fabs(one) + fabs(other))) || size <= EPSILON * EPSILON;
}

// A tridiagonal matrix, with GROUP numbers from one element to the next.
struct tridiagonal {
  real *diagonal, *beside;
  // Bit i is set where the matrix is divided after row i; bits from the last row on are set.
  u64 divided;
  u32 n, sweeps;

  DEVICE void find_divisions() {
    divided = ~0ull << (n - 1);
    for (u32 i = 0; i + 1 < n; ++i)
      if (is_small(beside[i * GROUP], diagonal[i * GROUP], diagonal[(i + 1) * GROUP])) divided |= 1ull << i;
  }

  // A sweep over rows l to m, which are not divided. Stores the rotations if there is memory for them; returns their number.
  DEVICE u32 sweep(u32 l, u32 m, rotation *rotations) {
    // The shift is the eigenvalue of the first two rows that is closer to the first diagonal element.
    const real first = diagonal[l * GROUP], beside_first = beside[l * GROUP];
    const real slope = (diagonal[(l + 1) * GROUP] - first) / (2 * beside_first), root = sqrt(fma(slope, slope, (real)1));
    real above = diagonal[m * GROUP], bulge = above - first + beside_first / (slope + (slope < 0 ? -root : root));
    real sine = 1, cosine = 1, shift = 0, last = 0;
    real at = diagonal[(m - 1) * GROUP], next_to = beside[(m - 1) * GROUP];
    u32 count = 0;
#pragma unroll 1
    for (u32 i = m; i-- > l;) {
      const u32 before = i > l ? i - 1 : l;
      const real at_before = diagonal[before * GROUP], next_before = beside[before * GROUP];
      const real f = sine * next_to, b = cosine * next_to, length = length_of(f, bulge);
      beside[(i + 1) * GROUP] = length;
      if (length == 0) {
        diagonal[(i + 1) * GROUP] = above - shift;
        divided |= 1ull << (i + 1);
        return count;
      }
      sine = f / length;
      cosine = bulge / length;
      const real moved_above = above - shift, rotated = fma(at - moved_above, sine, 2 * cosine * b);
      shift = sine * rotated;
      const real value = moved_above + shift;
      diagonal[(i + 1) * GROUP] = value;
      if (i + 1 < m && is_small(length, value, last)) divided |= 1ull << (i + 1);
      last = value;
      bulge = fma(cosine, rotated, -b);
      if (rotations) rotations[++count] = {sine, cosine};
      above = at;
      at = at_before;
      next_to = next_before;
    }
    const real value = above - shift;
    diagonal[l * GROUP] = value;
    beside[l * GROUP] = bulge;
    if (is_small(bulge, value, last)) divided |= 1ull << l;
    return count;
  }

  // Sweeps until the matrix is diagonal, or `room` rotations and beginnings of sweeps are stored; returns their number.
  DEVICE u32 iterate(rotation *rotations, u32 room) {
    u32 count = 0;
#pragma unroll 1
    while (~divided != 0) {
      const u32 l = __ffsll(~divided) - 1, m = l + __ffsll(divided >> l) - 1;
      if (rotations && count + 1 + m - l > room) break;
      if (++sweeps > SWEEPS * n) {
        divided = ~0ull;
        break;
      }
      const u32 own = sweep(l, m, rotations ? rotations + count : nullptr);
      if (rotations) rotations[count] = {(real)m, (real)own};
      count += 1 + own;
    }
    return count;
  }
};

// Applies rotations to columns of 32 rows, of which a lane has one.
DEVICE void rotate(real *own, const rotation *rotations, u32 count, rotation *staged) {
  const u32 lane = threadIdx.x % WARP;
  u32 i = 0, left = 0;
  real moved = own[0];
  rotation next = {};
  if (lane < count) next = rotations[lane];
#pragma unroll 1
  for (u32 start = 0; start < count; start += WARP) {
    __syncwarp();
    staged[lane] = next;
    __syncwarp();
    if (start + WARP + lane < count) next = rotations[start + WARP + lane];
    const u32 end = min(WARP, count - start);
#pragma unroll 1
    for (u32 t = 0; t < end;) {
      if (left == 0) {
        const rotation sweep = staged[t++];
        own[i * PITCH] = moved;
        i = (u32)sweep.sine;
        left = (u32)sweep.cosine;
        moved = own[i * PITCH];
      }
      const u32 stop = min(end, t + left);
      left -= stop - t;
#pragma unroll 4
      for (; t < stop; ++t) {
        const rotation by = staged[t];
        --i;
        const real x = own[i * PITCH];
        own[(i + 1) * PITCH] = fma(x, by.sine, moved * by.cosine);
        moved = fma(x, by.cosine, -(moved * by.sine));
      }
    }
  }
  own[i * PITCH] = moved;
}

// Applies a lane's own rotations to its row.
DEVICE void rotate_own(real *own, const rotation *rotations, u32 count) {
  u32 i = 0, left = 0;
  real moved = own[0];
#pragma unroll 1
  for (u32 t = 0; t < count; ++t) {
    const rotation by = rotations[t];
    if (left == 0) {
      own[i * PITCH] = moved;
      i = (u32)by.sine;
      left = (u32)by.cosine;
      moved = own[i * PITCH];
    } else {
      --i;
      --left;
      const real x = own[i * PITCH];
      own[(i + 1) * PITCH] = fma(x, by.sine, moved * by.cosine);
      moved = fma(x, by.cosine, -(moved * by.sine));
    }
  }
  own[i * PITCH] = moved;
}

// Copies up to 32 real rows from `first` on of a matrix to columns in shared memory.
DEVICE void load_rows(real *tile, const real *matrix, u32 first, u32 rows, u32 n) {
  for (u32 c = threadIdx.x % WARP; c < n; c += WARP)
#pragma unroll 4
    for (u32 q = 0; q < rows; ++q) {
      const u32 r = first + q;
      tile[c * PITCH + q] = matrix[(r / PARTS * n + c) * PARTS + r % PARTS];
    }
  __syncwarp();
}
// Copies them back; column c becomes column order[c * GROUP] if there is an order.
DEVICE void store_rows(const real *tile, real *matrix, u32 first, u32 rows, u32 n, const u32 *order) {
  __syncwarp();
  for (u32 c = threadIdx.x % WARP; c < n; c += WARP) {
    const u32 to = order ? order[c * GROUP] : c;
#pragma unroll 4
    for (u32 q = 0; q < rows; ++q) {
      const u32 r = first + q;
      matrix[(r / PARTS * n + to) * PARTS + r % PARTS] = tile[c * PITCH + q];
    }
  }
  __syncwarp();
}

extern "C" __global__ void __launch_bounds__(8 * WARP) small_hermitian_iterate(const __grid_constant__ params p) {
  __shared__ u32 counts[GROUP], order[SIDE * GROUP];
  __shared__ int exponents[GROUP];
  __shared__ bool is_last;
  const u32 n = p.n, lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
  const u64 start = (u64)blockIdx.x * p.group;
  const u32 matrices = (u32)min((u64)p.group, (u64)p.batch - start), room = n * n / 2;
  const u32 chunks = (n * PARTS + WARP - 1) / WARP;
  real *diagonal = (real *)memory, *beside = diagonal + n * GROUP;
  rotation *staged = (rotation *)(beside + n * GROUP) + warp * WARP;
  real *tile = (real *)((rotation *)(beside + n * GROUP) + warps * WARP) + warp * (n * PITCH);
  for (u32 e = threadIdx.x; e < matrices * n; e += blockDim.x) {
    const u32 g = e / n, i = e % n;
    diagonal[i * GROUP + g] = ((const real *)p.values)[start * n + e];
    const real next_to = ((const real *)p.beside)[start * n + e];
    beside[i * GROUP + g] = next_to;
    if (i == n - 1) exponents[g] = (int)next_to;
  }
  __syncthreads();
  rotation *rotations = (rotation *)p.rotations + start * room;
  tridiagonal own = {diagonal + lane, beside + lane, ~0ull, n, 0};
  const bool has_matrix = warp == 0 && lane < matrices;
  if (has_matrix) own.find_divisions();
#pragma unroll 1
  while (true) {
    if (warp == 0) {
      if (has_matrix) counts[lane] = own.iterate(p.vectors ? rotations + lane * room : nullptr, room);
      const bool some = __any_sync(0xffffffff, has_matrix && ~own.divided != 0);
      if (lane == 0) is_last = !some;
    }
    __syncthreads();
    const bool last = is_last;
    if (last) {
      for (u32 e = threadIdx.x; e < matrices * n; e += blockDim.x) {
        const u32 g = e / n, i = e % n;
        const real value = diagonal[i * GROUP + g];
        u32 rank = 0;
        for (u32 k = 0; k < n; ++k) {
          const real other = diagonal[k * GROUP + g];
          rank += other < value || (!(value < other) && k < i);
        }
        order[i * GROUP + g] = rank;
        ((real *)p.values)[start * n + g * n + rank] = shifted(value, exponents[g]);
      }
      if (has_matrix) ((i32 *)p.info)[start + lane] = own.sweeps > SWEEPS * n;
      __syncthreads();
    }
    if (BAND < WARP && p.vectors) {
      const u32 r = lane % BAND;
      real *row = tile + lane;
      for (u32 g = warp * (WARP / BAND) + lane / BAND; g < matrices; g += warps * (WARP / BAND)) {
        if (r >= n * PARTS) continue;
        real *matrix = (real *)p.columns + (start + g) * (n * n * PARTS) + r / PARTS * n * PARTS + r % PARTS;
        for (u32 c = 0; c < n; ++c) row[c * PITCH] = matrix[c * PARTS];
        rotate_own(row, rotations + g * room, counts[g]);
        for (u32 c = 0; c < n; ++c) matrix[(last ? order[c * GROUP + g] : c) * PARTS] = row[c * PITCH];
      }
    }
    if (BAND == WARP && p.vectors)
      for (u32 task = warp; task < matrices * chunks; task += warps) {
        const u32 g = task / chunks, first = task % chunks * WARP, rows = min(WARP, n * PARTS - first);
        if (counts[g] == 0 && !last) continue;
        real *matrix = (real *)p.columns + (start + g) * (n * n * PARTS);
        load_rows(tile, matrix, first, rows, n);
        if (counts[g] > 0) rotate(tile + lane, rotations + g * room, counts[g], staged);
        store_rows(tile, matrix, first, rows, n, last ? order + g : nullptr);
      }
    if (last) return;
    __syncthreads();
  }
}
