// Schur form and eigenvectors of small complex upper Hessenberg matrices, by QR iterations with one shift (R. S. Martin and
// J. H. Wilkinson, "The modified LR algorithm for complex Hessenberg matrices", 1968; G. H. Golub and C. F. Van Loan,
// "Matrix Computations", section 7.5). Required before it: `small_general.cuh`.

// The unitary transformation ((x, y), (-conj(y), conj(x))), which maps a vector to `leading` times the first unit vector.
struct rotation {
  element x, y;
  real leading;
};
DEVICE rotation rotation_of(element x, element y) {
  real unscale = 1, square = square_of(x) + square_of(y);
  if (!(square > SQUARES)) {
    unscale = max(part_size(x), part_size(y));
    if (!(unscale > SMALLEST)) return {number(1), number(0), 0};
    x = times(x, 1 / unscale);
    y = times(y, 1 / unscale);
    square = square_of(x) + square_of(y);
  }
  const real norm = sqrt(square), by = 1 / norm;
  return {times(conjugate(x), by), times(conjugate(y), by), norm * unscale};
}
DEVICE complex<real> root_of(complex<real> z) {
  const real size = size_of(z), part = sqrt((size + fabs(z.re)) / 2);
  if (part == 0) return {0, 0};
  const real other = z.im / (2 * part);
  if (z.re >= 0) return {part, other};
  return {fabs(other), z.im < 0 ? -part : part};
}

// Iterates until all eigenvalues are found; returns 0, or the number of those that are not.
template <bool VECTORS> DEVICE u32 iterate(const workspace &w, real norm, u64 &) {
  const u32 n = w.n, pitch = w.pitch, limit = 30 * max(n, 10u);
  // Bit k is set if the element of row k on the subdiagonal is taken as zero.
  u64 divided = 1;
  u32 sweeps = 0, since = 0;
#pragma unroll 1
  for (u32 left = n; left > 0;) {
    const u32 m = left - 1;
    bool small[2] = {};
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 k = w.lane + half * WARP;
      if (k == 0 || k > m) continue;
      const real size = part_sum(w.at(k - 1, k - 1)) + part_sum(w.at(k, k)), beside = part_sum(w.at(k, k - 1));
      small[half] = beside <= EPSILON * (size > 0 ? size : norm) || beside <= SQUARES;
    }
    divided |= ballot(small[0], small[1]);
    const u32 l = 63 - __clzll(divided & bits_to(m));
    if (l == m) {
      if (w.thread == 0) w.values[m] = w.at(m, m);
      left -= 1;
      since = 0;
      continue;
    }
    if (++sweeps > limit) return left;
    ++since;
    element shift = w.at(m, m);
    if (since % 10 == 0) {
      // Other shifts if the iteration makes no progress, as LAPACK has.
      const bool is_first = since % 20 == 10;
      const real size = (real)0.75 * part_sum(is_first ? w.at(l + 1, l) : w.at(m, m - 1));
      shift = (is_first ? w.at(l, l) : shift) + number(size);
    } else {
      // The eigenvalue of the last two rows that is closer to the last diagonal element.
      const element b = w.at(m - 1, m), c = w.at(m, m - 1), half = times(w.at(m - 1, m - 1) - shift, (real)0.5);
      const real size = max(part_sum(half), max(part_sum(b), part_sum(c))), by = size > SMALLEST ? 1 / size : 0;
      const element slope = times(half, by), product = times(b, by) * times(c, by);
      element root = root_of(product_sum(slope, slope, product));
      if (slope.re * root.re + slope.im * root.im < 0) root = -root;
      const element sum = slope + root;
      if (part_sum(sum) > SMALLEST) shift = shift - times(product / sum, size);
    }
    // A sweep may begin where the product of two adjacent subdiagonal elements is negligible.
    bool may[2] = {};
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 k = w.lane + half * WARP;
      if (k < l || k >= m) continue;
      may[half] = k == l;
      if (k == l) continue;
      const real off = part_sum(w.at(k, k) - shift), next = part_sum(w.at(k + 1, k)), sum = off + next;
      const real around = part_sum(w.at(k, k)) + part_sum(w.at(k + 1, k + 1));
      may[half] = part_sum(w.at(k, k - 1)) * (next / sum) <= EPSILON * (off / sum) * around;
    }
    const u32 start = 63 - __clzll(ballot(may[0], may[1]));
    element x = w.at(start, start) - shift, y = w.at(start + 1, start);
    w.barrier();
#pragma unroll 1
    for (u32 k = start; k < m; ++k) {
      if (k > start) {
        x = w.at(k, k - 1);
        y = w.at(k + 1, k - 1);
      }
      const rotation by = rotation_of(x, y);
      const element minus_x = -by.x, minus_y = -by.y;
      const u32 end = VECTORS ? n : m + 1;
      for (u32 c = k + w.thread; c < end; c += w.team) {
        element *column = w.row(k) + c;
        const element upper = get(column), lower = get(column + pitch);
        put(column, product_sum(by.x, upper, by.y * lower));
        put(column + pitch, along(by.x, lower, along(minus_y, upper, number(0))));
      }
      w.barrier();
      const u32 top = VECTORS ? 0 : l, rows = min(k + 2, m) + 1 - top;
      each_row<VECTORS>(w, top, rows, k, [&](element *row, u32 step) {
        const element one = get(row), other = get(row + step);
        put(row, along(by.x, one, along(by.y, other, number(0))));
        put(row + step, product_sum(by.x, other, minus_y * one));
      });
      if (w.thread == 0 && k > start) {
        put(w.row(k) + k - 1, number(by.leading));
        put(w.row(k + 1) + k - 1, number(0));
      } else if (w.thread == 0 && start > l) {
        put(w.row(k) + k - 1, by.x * w.at(k, k - 1));
      }
      w.barrier();
    }
  }
  return 0;
}

// Eigenvectors of the triangular matrix by back substitution. A thread has one of them, whose components are in row k, up to
// the diagonal.
DEVICE void substitute(const workspace &w, real norm, u64) {
  constexpr real LARGE = sizeof(real) == 4 ? (real)0x1p30 : (real)0x1p200;
  const u32 n = w.n;
#pragma unroll 1
  for (u32 base = w.thread - w.lane; base < n; base += w.team) {
    const u32 k = base + w.lane, end = min(base + WARP, n);
    const element value = k < n ? w.values[k] : number(0);
    const real least = max(EPSILON * part_sum(value), max(EPSILON * EPSILON * norm, SQUARES));
    element *own = w.row(k);
    real factor = 1;
#pragma unroll 1
    for (u32 count = end - 1; count > 0; --count) {
      const u32 j = count - 1;
      if (k >= n || j >= k) continue;
      const element *row = w.row(j);
      element sum = times(get(row + k), factor);
#pragma unroll 2
      for (u32 i = j + 1; i < k; ++i) sum = product_sum(get(row + i), get(own + i), sum);
      element off = get(row + j) - value;
      if (part_sum(off) < least) off = number(least);
      const element x = -sum / off;
      put(own + j, x);
      const real size = part_sum(x);
      if (size > LARGE) {
        const real by = 1 / size;
        factor *= by;
        for (u32 i = j; i < k; ++i) put(own + i, times(get(own + i), by));
      }
    }
    if (k < n) put(w.v + k, number(factor));
  }
  w.barrier();
  // Nothing reads the triangular matrix any more.
  for (u32 k = w.thread; k < n; k += w.team) put(w.row(k) + k, get(w.v + k));
  w.barrier();
}

// The eigenvectors of the matrix that was reduced replace `z`, in columns.
DEVICE void multiply(const workspace &w, u64) {
#pragma unroll 1
  for (u32 r = w.thread; r < w.n; r += w.team) {
    element *z = OUTSIDE ? w.z + r : w.z + r * w.pitch;
    const u32 step = OUTSIDE ? w.n : 1;
    const int exponent = w.exponents[r];
#pragma unroll 1
    for (u32 count = w.n; count > 0; --count) {
      const u32 k = count - 1;
      const element *x = w.row(k);
      element sum = number(0);
#pragma unroll 4
      for (u32 i = 0; i <= k; ++i) sum = product_sum(get(z + i * step), get(x + i), sum);
      put(z + k * step, exponent == 0 ? sum : shifted(sum, exponent));
    }
  }
  w.barrier();
}

// Divides the columns by their norms. Their largest component becomes real.
DEVICE void normalise(const workspace &w, u64) {
  for (u32 k = w.thread; k < w.n; k += w.team) {
    element *column = w.z + k, leading = number(1);
    real largest = 0, squares = 0, most = -1;
    u32 position = 0;
    for (u32 r = 0; r < w.n; ++r) largest = max(largest, part_size(get(column + r * w.pitch)));
    const real by = largest > SMALLEST ? 1 / largest : 1;
    for (u32 r = 0; r < w.n; ++r) {
      const element x = times(get(column + r * w.pitch), by);
      const real square = square_of(x);
      squares += square;
      if (square > most) {
        most = square;
        leading = x;
        position = r;
      }
    }
    const element phase = times(conjugate(leading), 1 / size_of(leading));
    const real norm = by / sqrt(squares);
    for (u32 r = 0; r < w.n; ++r) {
      element x = phase * times(get(column + r * w.pitch), norm);
      if (r == position) x.im = 0;
      put(column + r * w.pitch, x);
    }
  }
  w.barrier();
}
