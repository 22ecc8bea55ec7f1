// Schur form and eigenvectors of small real upper Hessenberg matrices: QR iterations with two shifts at once (J. G. F.
// Francis, "The QR transformation", 1961 and 1962; G. H. Golub and C. F. Van Loan, "Matrix Computations", section 7.5), so
// that complex eigenvalues are exact conjugate pairs. Required before it: `small_general.cuh`.

// Reflector I - scale (1, y, z) (1, y, z)^T, which maps a vector to `leading` times the first unit vector.
struct reflector {
  real y, z, scale, leading;
};
DEVICE reflector reflector_of(real x, real y, real z) {
  if (y == 0 && z == 0) return {0, 0, 0, x};
  real unscale = 1, square = fma(x, x, fma(y, y, z * z));
  if (!(square > SQUARES)) {
    unscale = max(fabs(x), max(fabs(y), fabs(z)));
    if (!(unscale > SMALLEST)) return {0, 0, 0, x};
    const real by = 1 / unscale;
    x *= by;
    y *= by;
    z *= by;
    square = fma(x, x, fma(y, y, z * z));
  }
  const real norm = sqrt(square), leading = x < 0 ? norm : -norm, by = 1 / (x - leading);
  return {y * by, z * by, (leading - x) / leading, leading * unscale};
}

// An orthogonal transformation of the rows, and of the columns, k to k + 2, or k and k + 1 if `last` is k + 1.
template <bool VECTORS> DEVICE void transform_rows(const workspace &w, const reflector &by, u32 k, u32 last) {
  const u32 end = VECTORS ? w.n : last + 1, pitch = w.pitch;
  const bool has_third = k + 2 <= last;
  for (u32 c = k + w.thread; c < end; c += w.team) {
    real *column = w.row(k) + c;
    real x = column[0], y = column[pitch], z = has_third ? column[2 * pitch] : 0;
    const real sum = fma(z, by.z, fma(y, by.y, x)) * -by.scale;
    column[0] = x + sum;
    column[pitch] = fma(sum, by.y, y);
    if (has_third) column[2 * pitch] = fma(sum, by.z, z);
  }
}
template <bool VECTORS> DEVICE void transform_columns(const workspace &w, const reflector &by, u32 k, u32 first, u32 last) {
  const u32 top = VECTORS ? 0 : first, rows = min(k + 3, last) + 1 - top;
  const bool has_third = k + 2 <= last;
  each_row<VECTORS>(w, top, rows, k, [&](real *row, u32 step) {
    real x = row[0], y = row[step], z = has_third ? row[2 * step] : 0;
    const real sum = fma(z, by.z, fma(y, by.y, x)) * -by.scale;
    row[0] = x + sum;
    row[step] = fma(sum, by.y, y);
    if (has_third) row[2 * step] = fma(sum, by.z, z);
  });
}

// Eigenvalues of the two rows `k` and k + 1, which become triangular if those are real; returns whether they are complex.
template <bool VECTORS> DEVICE bool split(const workspace &w, u32 k) {
  const real a = w.at(k, k), b = w.at(k, k + 1), c = w.at(k + 1, k), d = w.at(k + 1, k + 1), half = (a - d) / 2;
  const real large = max(fabs(b), fabs(c)), small = copysign(min(fabs(b), fabs(c)), (b < 0) == (c < 0) ? (real)1 : (real)-1);
  // The discriminant is scale * part.
  const real scale = max(fabs(half), large), part = fma(half / scale, half, large / scale * small);
  const real root = sqrt(scale) * sqrt(fabs(part));
  if (part < 0) {
    if (w.thread == 0) {
      w.values[k] = {d + half, root};
      w.values[k + 1] = {d + half, -root};
    }
    return true;
  }
  const real far = half + (half < 0 ? -root : root);
  // Without a distance b is 0: the two rows are exchanged.
  const real one = d + far, other = far == 0 ? d : d - large / far * small;
  if (w.thread == 0) {
    w.values[k] = {one, 0};
    w.values[k + 1] = {other, 0};
  }
  if constexpr (VECTORS) {
    const real most = max(fabs(far), fabs(c)), x = far / most, y = c / most, length = sqrt(fma(x, x, y * y));
    const real cosine = x / length, sine = y / length;
    const u32 pitch = w.pitch;
    w.barrier();
    for (u32 column = k + w.thread; column < w.n; column += w.team) {
      real *own = w.row(k) + column;
      const real upper = own[0], lower = own[pitch];
      own[0] = fma(cosine, upper, sine * lower);
      own[pitch] = fma(cosine, lower, -(sine * upper));
    }
    w.barrier();
    each_row<true>(w, 0, k + 2, k, [&](real *row, u32 step) {
      const real left = row[0], right = row[step];
      row[0] = fma(cosine, left, sine * right);
      row[step] = fma(cosine, right, -(sine * left));
    });
    w.barrier();
    if (w.thread == 0) {
      w.row(k)[k] = one;
      w.row(k + 1)[k + 1] = other;
      w.row(k + 1)[k] = 0;
    }
  }
  return false;
}

// The first column of the product of the matrix minus each of the shifts middle +- i beside, up to a factor, of the rows
// from k on.
struct first_column {
  real x, y, z;
};
DEVICE first_column first_column_of(const workspace &w, u32 k, real middle, real beside) {
  const real h00 = w.at(k, k), h01 = w.at(k, k + 1), h10 = w.at(k + 1, k), h11 = w.at(k + 1, k + 1), h21 = w.at(k + 2, k + 1);
  const real off = h00 - middle, size = fabs(off) + fabs(beside) + fabs(h10), by = h10 / size;
  first_column of = {fma(by, h01, fma(off / size, off, beside / size * beside)), by * (off + (h11 - middle)), by * h21};
  const real sum = fabs(of.x) + fabs(of.y) + fabs(of.z);
  if (sum > SMALLEST) of = {of.x / sum, of.y / sum, of.z / sum};
  return of;
}

// Iterates until all eigenvalues are found; returns 0, or the number of those that are not. Bit k of `pairs` is set if the
// eigenvalues k and k + 1 are complex.
template <bool VECTORS> DEVICE u32 iterate(const workspace &w, real norm, u64 &pairs) {
  const u32 n = w.n, limit = 30 * max(n, 10u);
  // Bit k is set if the element of row k on the subdiagonal is taken as zero.
  u64 divided = 1;
  u32 sweeps = 0, since = 0;
  pairs = 0;
#pragma unroll 1
  for (u32 left = n; left > 0;) {
    const u32 m = left - 1;
    bool small[2] = {};
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 k = w.lane + half * WARP;
      if (k == 0 || k > m) continue;
      const real size = fabs(w.at(k - 1, k - 1)) + fabs(w.at(k, k)), beside = fabs(w.at(k, k - 1));
      small[half] = beside <= EPSILON * (size > 0 ? size : norm) || beside <= SQUARES;
    }
    divided |= ballot(small[0], small[1]);
    const u32 l = 63 - __clzll(divided & bits_to(m));
    if (l == m) {
      if (w.thread == 0) w.values[m] = {w.at(m, m), 0};
      left -= 1;
      since = 0;
      continue;
    }
    if (l + 1 == m) {
      if (split<VECTORS>(w, l)) pairs |= bit(l);
      else divided |= bit(m);
      left -= 2;
      since = 0;
      continue;
    }
    if (++sweeps > limit) return left;
    ++since;
    real a = w.at(m - 1, m - 1), b = w.at(m - 1, m), c = w.at(m, m - 1), d = w.at(m, m);
    if (since % 10 == 0) {
      // Other shifts if the iteration makes no progress, as LAPACK has.
      const bool is_first = since % 20 == 10;
      const real size = is_first ? fabs(w.at(l + 1, l)) + fabs(w.at(l + 2, l + 1)) : fabs(c) + fabs(w.at(m - 1, m - 2));
      a = fma((real)0.75, size, is_first ? w.at(l, l) : d);
      b = (real)-0.4375 * size;
      c = size;
      d = a;
    }
    // The shifts are the eigenvalues of these two rows, or twice the real one that is closer to d.
    const real size = fabs(a) + fabs(b) + fabs(c) + fabs(d), by = 1 / max(size, SMALLEST);
    const real slope = (a - d) / 2 * by, discriminant = fma(slope, slope, b * by * (c * by)), root = sqrt(fabs(discriminant));
    const real center = d + (a - d) / 2, real_shift = center + (slope < 0 ? root : -root) * size;
    const real middle = discriminant < 0 ? center : real_shift, beside = discriminant < 0 ? root * size : 0;
    // A sweep may begin where the product of two adjacent subdiagonal elements is negligible.
    bool may[2] = {};
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 k = w.lane + half * WARP;
      if (k < l || k + 2 > m) continue;
      may[half] = k == l;
      if (k == l) continue;
      const first_column of = first_column_of(w, k, middle, beside);
      const real around = fabs(w.at(k - 1, k - 1)) + fabs(w.at(k, k)) + fabs(w.at(k + 1, k + 1));
      may[half] = fabs(w.at(k, k - 1)) * (fabs(of.y) + fabs(of.z)) <= EPSILON * fabs(of.x) * around;
    }
    const u32 start = 63 - __clzll(ballot(may[0], may[1]));
    const first_column of = first_column_of(w, start, middle, beside);
    real x = of.x, y = of.y, z = of.z;
    w.barrier();
#pragma unroll 1
    for (u32 k = start; k < m; ++k) {
      const bool has_third = k + 2 <= m;
      if (k > start) {
        x = w.at(k, k - 1);
        y = w.at(k + 1, k - 1);
        z = has_third ? w.at(k + 2, k - 1) : 0;
      }
      const reflector by = reflector_of(x, y, z);
      transform_rows<VECTORS>(w, by, k, m);
      w.barrier();
      transform_columns<VECTORS>(w, by, k, l, m);
      if (w.thread == 0 && k > start) {
        w.row(k)[k - 1] = by.leading;
        w.row(k + 1)[k - 1] = 0;
        if (has_third) w.row(k + 2)[k - 1] = 0;
      } else if (w.thread == 0 && start > l) {
        w.row(k)[k - 1] *= 1 - by.scale;
      }
      w.barrier();
    }
  }
  return 0;
}

// Whether the eigenvalue `k` is the second one of a pair.
DEVICE bool is_second(u64 pairs, u32 k) { return k > 0 && (pairs & bit(k - 1)); }

// The components k and k + 1 of the eigenvector of a pair.
DEVICE void pair_components(const workspace &w, u32 k, complex<real> &x, complex<real> &y) {
  const real half = (w.at(k, k) - w.at(k + 1, k + 1)) / 2, b = w.at(k, k + 1), c = w.at(k + 1, k), beside = w.values[k].im;
  x = {1, 0};
  y = {1, 0};
  if (fabs(b) >= fabs(c)) y = {-half / b, beside / b};
  else x = {half / c, beside / c};
}

// A pivot that is not smaller than `least`.
DEVICE complex<real> pivot(complex<real> z, real least) { return part_sum(z) < least ? complex<real>{least, 0} : z; }

// Eigenvectors of the quasi-triangular matrix by back substitution. A thread has one of them, or a pair. The vector k has its
// components before k in row k, left of the diagonal; a pair has its real parts in row k, its imaginary parts in row k + 1.
// The factor of the components from k on is v[k].
DEVICE void substitute(const workspace &w, real norm, u64 pairs) {
  constexpr real LARGE = sizeof(real) == 4 ? (real)0x1p30 : (real)0x1p200;
  const u32 n = w.n;
#pragma unroll 1
  for (u32 base = w.thread - w.lane; base < n; base += w.team) {
    const u32 k = base + w.lane, end = min(base + WARP, n);
    const bool is_own = k < n && !is_second(pairs, k), is_pair = is_own && (pairs & bit(k));
    const complex<real> value = is_own ? w.values[k] : complex<real>{0, 0};
    const real least = max(EPSILON * part_sum(value), max(EPSILON * EPSILON * norm, SQUARES));
    complex<real> unit = {1, 0}, unit_next = {0, 0};
    if (is_pair) pair_components(w, k, unit, unit_next);
    real factor = 1, *re = w.row(k), *im = w.row(k + 1);
#pragma unroll 1
    for (u32 count = end - 1; count > 0;) {
      const u32 j = count - 1;
      const bool is_block = is_second(pairs, j);
      const u32 above = is_block ? j - 1 : j;
      count = above;
      if (!is_own || j >= k) continue;
      const real *row = w.row(j), *upper = w.row(above);
      complex<real> sum = product_sum(row[k], unit, {0, 0}), sum_above = product_sum(upper[k], unit, {0, 0});
      if (is_pair) {
        sum = product_sum(row[k + 1], unit_next, sum);
        sum_above = product_sum(upper[k + 1], unit_next, sum_above);
      }
#pragma unroll 2
      for (u32 i = j + 1; i < k; ++i) {
        const complex<real> x = {re[i], is_pair ? im[i] : 0};
        sum = product_sum(row[i], x, sum);
        if (is_block) sum_above = product_sum(upper[i], x, sum_above);
      }
      const complex<real> last = {row[j] - value.re, -value.im};
      complex<real> x, y = {0, 0};
      if (!is_block) {
        x = -sum / pivot(last, least);
      } else {
        // Elimination with the larger of the two pivots.
        const complex<real> first = {upper[j - 1] - value.re, -value.im}, b = {upper[j], 0}, c = {row[j - 1], 0};
        const bool is_swapped = part_sum(c) > part_sum(first);
        const complex<real> leading = pivot(is_swapped ? c : first, least), ratio = (is_swapped ? first : c) / leading;
        const complex<real> right = is_swapped ? last : b, corner = is_swapped ? b : last;
        const complex<real> one = -(is_swapped ? sum : sum_above), other = -(is_swapped ? sum_above : sum);
        x = product_sum(-ratio, one, other) / pivot(product_sum(-ratio, right, corner), least);
        y = product_sum(-right, x, one) / leading;
        re[j - 1] = y.re;
        if (is_pair) im[j - 1] = y.im;
      }
      re[j] = x.re;
      if (is_pair) im[j] = x.im;
      const real size = max(part_sum(x), part_sum(y));
      if (size > LARGE) {
        const real by = 1 / size;
        factor *= by;
        unit = times(unit, by);
        unit_next = times(unit_next, by);
        for (u32 i = above; i < k; ++i) {
          re[i] *= by;
          if (is_pair) im[i] *= by;
        }
      }
    }
    if (is_own) w.v[k] = factor;
  }
  w.barrier();
  // Nothing reads the triangular matrix any more.
  for (u32 k = w.thread; k < n; k += w.team) {
    if (is_second(pairs, k)) continue;
    real *row = w.row(k), *next = w.row(k + 1);
    const real factor = w.v[k];
    if (!(pairs & bit(k))) {
      row[k] = factor;
      continue;
    }
    complex<real> unit, unit_next;
    pair_components(w, k, unit, unit_next);
    row[k] = unit.re * factor;
    row[k + 1] = unit_next.re * factor;
    next[k] = unit.im * factor;
    next[k + 1] = unit_next.im * factor;
  }
  w.barrier();
}

// The eigenvectors of the matrix that was reduced replace `z`: its columns are real vectors, or the real
// and the imaginary parts of pairs.
DEVICE void multiply(const workspace &w, u64 pairs) {
#pragma unroll 1
  for (u32 r = w.thread; r < w.n; r += w.team) {
    real *z = OUTSIDE ? w.z + r : w.z + r * w.pitch;
    const u32 step = OUTSIDE ? w.n : 1;
    const int exponent = w.exponents[r];
#pragma unroll 1
    for (u32 count = w.n; count > 0;) {
      const u32 k = count - 1;
      const bool is_pair = is_second(pairs, k);
      const real *x = w.row(k), *before = w.row(is_pair ? k - 1 : k);
      real sum = 0, sum_before = 0;
#pragma unroll 4
      for (u32 i = 0; i <= k; ++i) {
        const real own = z[i * step];
        sum = fma(own, x[i], sum);
        if (is_pair) sum_before = fma(own, before[i], sum_before);
      }
      z[k * step] = exponent == 0 ? sum : shifted(sum, exponent);
      if (is_pair) z[(k - 1) * step] = exponent == 0 ? sum_before : shifted(sum_before, exponent);
      count = is_pair ? k - 1 : k;
    }
  }
  w.barrier();
}

// Divides the columns by their norms. The largest component of a complex vector becomes real.
DEVICE void normalise(const workspace &w, u64 pairs) {
  for (u32 k = w.thread; k < w.n; k += w.team) {
    if (is_second(pairs, k)) continue;
    const bool is_pair = pairs & bit(k);
    real *re = w.z + k, largest = 0, squares = 0, most = -1;
    const u32 to_im = is_pair ? 1 : 0;
    for (u32 r = 0; r < w.n; ++r) largest = max(largest, max(fabs(re[r * w.pitch]), fabs(re[r * w.pitch + to_im])));
    const real by = largest > SMALLEST ? 1 / largest : 1;
    complex<real> leading = {1, 0};
    u32 position = 0;
    for (u32 r = 0; r < w.n; ++r) {
      const complex<real> x = {re[r * w.pitch] * by, is_pair ? re[r * w.pitch + 1] * by : 0};
      const real square = square_of(x);
      squares += square;
      if (square > most) {
        most = square;
        leading = x;
        position = r;
      }
    }
    const real norm = by / sqrt(squares);
    if (!is_pair) {
      for (u32 r = 0; r < w.n; ++r) re[r * w.pitch] *= norm;
      continue;
    }
    const complex<real> phase = times(conjugate(leading), 1 / size_of(leading));
    for (u32 r = 0; r < w.n; ++r) {
      const complex<real> x = product_sum(phase, times(complex<real>{re[r * w.pitch], re[r * w.pitch + 1]}, norm), {0, 0});
      re[r * w.pitch] = x.re;
      re[r * w.pitch + 1] = r == position ? 0 : x.im;
    }
  }
  w.barrier();
}
