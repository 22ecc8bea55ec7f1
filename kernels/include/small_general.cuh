// Common part of the eigendecomposition of small general matrices, and their reduction to upper Hessenberg form. A matrix
// has a team of threads: a warp, or a whole block. Its rows are in shared memory; their pitch is odd, so that threads that
// read different rows, and threads that read different columns, read different banks. Required before it: `small.cuh`, and
// OUTSIDE, which is true if the transformation is not in shared memory, so that there is space for more matrices.
//
// All threads of a team compute the same reflectors and shifts from shared memory and take the same branches; between such a
// read and a write to what was read is a barrier.
constexpr u32 WARP = 32;
// Squares of numbers whose sum is larger lose no digits to underflow.
constexpr real SQUARES = (real)(sizeof(real) == 4 ? 1e-30f : 1e-280);
// The reciprocal of a larger number is finite.
constexpr real SMALLEST = (real)(sizeof(real) == 4 ? 1e-37f : 1e-300);

DEVICE real part_size(real x) { return fabs(x); }
DEVICE real part_size(complex<real> z) { return max(fabs(z.re), fabs(z.im)); }
DEVICE real part_sum(real x) { return fabs(x); }
DEVICE real part_sum(complex<real> z) { return fabs(z.re) + fabs(z.im); }
DEVICE real over(real x, real by) { return x / by; }
DEVICE complex<real> over(complex<real> z, real by) { return {z.re / by, z.im / by}; }
// x * y + more.
DEVICE real product_sum(real x, real y, real more) { return fma(x, y, more); }
DEVICE complex<real> product_sum(complex<real> x, complex<real> y, complex<real> more) {
  return {fma(x.re, y.re, fma(-x.im, y.im, more.re)), fma(x.re, y.im, fma(x.im, y.re, more.im))};
}
DEVICE complex<real> product_sum(real x, complex<real> y, complex<real> more) {
  return {fma(x, y.re, more.re), fma(x, y.im, more.im)};
}
DEVICE real largest_of_warp(real x) {
#pragma unroll
  for (u32 far = WARP / 2; far > 0; far /= 2) x = max(x, from_lane(x, far));
  return x;
}
DEVICE u64 bit(u32 k) { return 1ull << k; }
// Bits 0 to k.
DEVICE u64 bits_to(u32 k) { return ~0ull >> (63 - k); }
// Bit i is what the lane i of the warp passes for i < 32, and the lane i - 32 otherwise.
DEVICE u64 ballot(bool low, bool high) {
  return __ballot_sync(0xffffffff, low) | (u64)__ballot_sync(0xffffffff, high) << 32;
}

// One element, in one access.
struct __align__(sizeof(element)) cell {
  element value;
};
DEVICE element get(const element *from) { return ((const cell *)from)->value; }
DEVICE void put(element *to, element x) { ((cell *)to)->value = x; }

struct workspace {
  // The matrix `a`, the transformation `z` (null if no vectors are requested), a reflector.
  element *a, *z, *v;
  // Eigenvalues.
  complex<real> *values;
  // The matrix is D^-1 P^T A P D: column i of P has its 1 in row order[i], the elements of D are powers of two.
  u32 *order;
  int *exponents;
  u32 n, pitch, team, thread, lane;
  DEVICE element *row(u32 r) const { return a + r * pitch; }
  DEVICE element at(u32 r, u32 c) const { return get(a + r * pitch + c); }
  DEVICE void barrier() const {
    if (team == WARP) __syncwarp();
    else __syncthreads();
  }
};

// Calls `body` with each of the rows from `top` on, and of those of the transformation, from a column on, and with the distance
// of its elements.
template <bool VECTORS, class BODY> DEVICE void each_row(const workspace &w, u32 top, u32 rows, u32 column, BODY body) {
  if constexpr (OUTSIDE && VECTORS) {
    // The transformation is stored by columns. If there are enough threads, each has one row.
    for (u32 r = w.thread; r < rows; r += w.team) body(w.row(top + r) + column, 1u);
    for (u32 r = w.team - 1 - w.thread; r < w.n; r += w.team) body(w.z + r + column * w.n, w.n);
  } else {
    for (u32 r = w.thread; r < (VECTORS ? rows + w.n : rows); r += w.team)
      body((r < rows ? w.row(top + r) : w.z + (r - rows) * w.pitch) + column, 1u);
  }
}

// What reading a matrix finds.
struct extent {
  bool is_finite, is_permuted;
  // The matrix was divided by 2^exponent.
  int exponent;
  // The rows and columns from `low` to before `high` are a block of a block triangular matrix; the others of its diagonal
  // blocks have one row.
  u32 low, high;
};

// Divides the elements by 2^exponent.
DEVICE void copy_in(const workspace &w, const element *given, bool permuted, int exponent) {
  for (u32 e = w.thread; e < w.n * w.n; e += w.team) {
    const u32 r = e / w.n, c = e % w.n;
    const element x = given[permuted ? w.order[r] * w.n + w.order[c] : e];
    put(w.row(r) + c, exponent == 0 ? x : shifted(x, -exponent));
  }
  w.barrier();
}

// Reads a matrix. Rows that have no element beside the diagonal one become the last ones, in columns and rows; then
// columns become the first ones: their diagonal elements are eigenvalues, without rounding errors.
DEVICE extent read(const workspace &w, const element *given) {
  const u32 n = w.n;
  copy_in(w, given, false, 0);
  u64 in_row[2] = {}, in_column[2] = {};
  real largest = 0;
  bool odd = false;
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    const u32 i = w.lane + half * WARP;
    if (i >= n) continue;
    for (u32 j = 0; j < n; ++j) {
      const element x = w.at(i, j), y = w.at(j, i);
      odd |= !is_finite(x);
      const real size = part_size(x);
      largest = max(largest, size);
      if (j != i && size != 0) in_row[half] |= bit(j);
      if (j != i && part_size(y) != 0) in_column[half] |= bit(j);
    }
  }
  extent found = {!__any_sync(0xffffffff, odd), false, 0, 0, n};
  if (!found.is_finite) return found;
  largest = largest_of_warp(largest);
  // Squares of numbers near 1 neither overflow nor underflow; a factor near 1 is not needed.
  const int exponent = largest > 0 ? ilogb(largest) + 1 : 0;
  if (exponent < -16 || exponent > 16) found.exponent = exponent;
  u64 rest = bits_to(n - 1);
  const u32 low = w.lane, high = w.lane + WARP;
  // The new positions of the lane's own indices.
  u32 position[2] = {low, high};
#pragma unroll 1
  while (rest != 0) {
    const u64 last = ballot((rest & bit(low)) && !(in_row[0] & rest), (rest & bit(high)) && !(in_row[1] & rest));
    const u64 first = ballot((rest & bit(low)) && !(in_column[0] & rest), (rest & bit(high)) && !(in_column[1] & rest));
    const u64 moved = last != 0 ? last : first;
    if (moved == 0) break;
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 i = w.lane + half * WARP;
      if (!(moved & bit(i))) continue;
      const u32 before = __popcll(moved & (bit(i) - 1)), count = __popcll(moved);
      position[half] = last != 0 ? found.high - count + before : found.low + before;
    }
    if (last != 0) found.high -= __popcll(moved);
    else found.low += __popcll(moved);
    rest &= ~moved;
  }
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    const u32 i = w.lane + half * WARP;
    if (rest & bit(i)) position[half] = found.low + __popcll(rest & (bit(i) - 1));
    if (i < n && w.thread < WARP) w.order[position[half]] = i;
  }
  found.is_permuted = __any_sync(0xffffffff, (low < n && position[0] != low) || (high < n && position[1] != high));
  for (u32 i = w.thread; i < n; i += w.team) w.exponents[i] = 0;
  w.barrier();
  if (found.is_permuted || found.exponent != 0) copy_in(w, given, found.is_permuted, found.exponent);
  return found;
}

// Squares of float32 do not underflow in double.
DEVICE f64 square_in_double(real x) { return (f64)x * (f64)x; }
DEVICE f64 square_in_double(complex<real> z) { return square_in_double(z.re) + square_in_double(z.im); }
DEVICE f64 sum_in_double(f64 x) {
#pragma unroll
  for (u32 far = WARP / 2; far > 0; far /= 2) x += __shfl_xor_sync(0xffffffff, x, far);
  return x;
}

// Scales rows and columns by powers of two until their norms are similar (B. N. Parlett and C. Reinsch, "Balancing a matrix
// for calculation of eigenvalues and eigenvectors", 1969). The norms are Euclidean and include the diagonal: other
// scales may make the eigenvectors inaccurate (R. James, J. Langou and B. R. Lowery, "On matrix balancing and eigenvector
// computation", 2014).
DEVICE void balance(const workspace &w, const extent &of) {
  constexpr int LIMIT = sizeof(real) == 4 ? 50 : 400;
  constexpr u32 ROUNDS = 16;
  bool is_changing = of.low + 1 < of.high;
#pragma unroll 1
  for (u32 round = 0; round < ROUNDS && is_changing; ++round) {
    is_changing = false;
    // The rows that are to be scaled, if no other one is before them.
    bool off[2] = {};
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 i = w.lane + half * WARP;
      if (i < of.low || i >= of.high) continue;
      f64 column = 0, row = 0;
      for (u32 j = of.low; j < of.high; ++j) {
        column += square_in_double(w.at(j, i));
        row += square_in_double(w.at(i, j));
      }
      off[half] = !(row < 9 * column && column < 9 * row);
    }
    if (ballot(off[0], off[1]) == 0) return;
#pragma unroll 1
    for (u32 i = of.low; i < of.high; ++i) {
      f64 column = 0, row = 0;
      for (u32 j = of.low + w.lane; j < of.high; j += WARP) {
        column += square_in_double(w.at(j, i));
        row += square_in_double(w.at(i, j));
      }
      column = sum_in_double(column);
      row = sum_in_double(row);
      if (column == 0 || row == 0) continue;
      column = sqrt(column);
      row = sqrt(row);
      const int by = (ilogb(row) - ilogb(column)) / 2, exponent = w.exponents[i] + by;
      if (by == 0 || exponent < -LIMIT || exponent > LIMIT) continue;
      if (!(ldexp(column, by) + ldexp(row, -by) < 0.95 * (column + row))) continue;
      is_changing = true;
      w.barrier();
      for (u32 j = w.thread; j < w.n; j += w.team) {
        if (j == i) continue;
        element *in_row = w.row(i) + j, *in_column = w.row(j) + i;
        put(in_row, shifted(get(in_row), -by));
        put(in_column, shifted(get(in_column), by));
      }
      if (w.thread == 0) w.exponents[i] = exponent;
      w.barrier();
    }
  }
}

DEVICE real largest_element(const workspace &w) {
  real largest = 0;
  for (u32 c = w.lane; c < w.n; c += WARP)
    for (u32 r = 0; r < w.n; ++r) largest = max(largest, part_size(w.at(r, c)));
  return largest_of_warp(largest);
}

// Reduction to upper Hessenberg form by Hermitian reflectors I - scale v v^H, which also multiply `z`. Elements below the
// subdiagonal become zeros.
template <bool VECTORS> DEVICE void reduce(const workspace &w, const extent &of) {
  const u32 n = w.n;
  if constexpr (VECTORS) {
    for (u32 r = w.thread; r < n; r += w.team)
      for (u32 c = 0; c < n; ++c) put(OUTSIDE ? w.z + c * n + r : w.z + r * w.pitch + c, number(r == c));
  }
#pragma unroll 1
  for (u32 k = of.low; k + 2 < of.high; ++k) {
    const u32 top = k + 1;
    element first = w.at(top, k), own[2];
    real tail = 0, largest = part_size(first);
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 r = w.lane + half * WARP;
      own[half] = r > top && r < of.high ? w.at(r, k) : number(0);
      largest = max(largest, part_size(own[half]));
      tail += square_of(own[half]);
    }
    tail = sum_of<WARP>(tail);
    real unscale = 1;
    if (!(square_of(first) + tail > SQUARES)) {
      unscale = largest_of_warp(largest);
      const real by = unscale > SMALLEST ? 1 / unscale : 0;
      first = times(first, by);
      tail = 0;
#pragma unroll
      for (u32 half = 0; half < 2; ++half) tail += square_of(own[half] = times(own[half], by));
      tail = sum_of<WARP>(tail);
    }
    const bool is_unit = tail == 0;
    // The square of the first element alone may underflow.
    real size = part_size(first);
    element phase = number(1);
    if (size > SMALLEST) {
      phase = over(first, size);
      const real length = size_of(phase);
      phase = over(phase, length);
      size *= length;
    }
    const real norm = sqrt(square_of(first) + tail), scale = is_unit ? 0 : 1 + size / norm;
    const element inverse = times(conjugate(phase), is_unit ? 0 : 1 / (size + norm));
    w.barrier();
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 r = w.lane + half * WARP;
      if (w.thread >= WARP || r < top || r >= of.high) continue;
      put(w.v + r, r == top ? number(1) : own[half] * inverse);
      if (r > top) put(w.row(r) + k, number(0));
      else if (!is_unit) put(w.row(r) + k, times(phase, -norm * unscale));
    }
    w.barrier();
    if (is_unit) continue;
    for (u32 c = top + w.thread; c < n; c += w.team) {
      element x = number(0), *column = w.a + c;
#pragma unroll 4
      for (u32 r = top; r < of.high; ++r) x = along(get(w.v + r), get(column + r * w.pitch), x);
      x = times(x, -scale);
#pragma unroll 4
      for (u32 r = top; r < of.high; ++r) put(column + r * w.pitch, product_sum(get(w.v + r), x, get(column + r * w.pitch)));
    }
    w.barrier();
    each_row<VECTORS>(w, 0, of.high, top, [&](element *row, u32 step) {
      element x = number(0);
#pragma unroll 4
      for (u32 c = 0; c < of.high - top; ++c) x = product_sum(get(row + c * step), get(w.v + top + c), x);
      x = times(x, -scale);
#pragma unroll 4
      for (u32 c = 0; c < of.high - top; ++c) put(row + c * step, along(get(w.v + top + c), x, get(row + c * step)));
    });
    w.barrier();
  }
  w.barrier();
}
