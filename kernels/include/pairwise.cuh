// Distances of all pairs of rows of two matrices. Required before it: `real`, EACH, FAMILY and the numbers
// of the families, and the parameter struct.
//
// A block computes a tile of TILE x TILE distances, for which slices of DEPTH columns of both operands pass through shared memory; a
// thread has EACH x EACH distances, 16 rows and 16 columns apart, so that adjacent threads write adjacent results. A distance is the sum
// of its terms in the order of the columns, by one thread: no bit depends on the schedule. Differences are taken before they are squared:
// |a|^2 + |b|^2 - 2ab would lose the digits of near rows.
//
// Lower bound: the arithmetic of all terms, two instructions of each lane for a square, and the bytes of the results.
constexpr int SIDE = 16, TILE = SIDE * EACH, DEPTH = 16, PITCH = TILE + 1;
#if FAMILY == GENERAL
constexpr int SUMS = 4;
#else
constexpr int SUMS = 1;
#endif

// Metrics of the family GENERAL, numbered as in `PairMetric`.
enum { MINKOWSKI, CANBERRA, BRAYCURTIS, HAMMING, JENSENSHANNON, HELLINGER, KL_DIVERGENCE, RUSSELLRAO, DICE, JACCARD, ROGERSTANIMOTO, SOKALSNEATH, YULE };

DEVICE real term_of_entropy(real x, real y) { return x > 0 ? x * log(x / y) : (x == 0 ? (real)0 : x + y); }

DEVICE void accumulate(const params &p, real a, real b, real w, real (&s)[SUMS]) {
#if FAMILY == SQUARES
  const real d = a - b;
  s[0] += w * (d * d);
#elif FAMILY == ABSOLUTE
  s[0] += w * fabs(a - b);
#elif FAMILY == LARGEST
  const real d = fabs(a - b);
  if (w > 0 && (d > s[0] || d != d)) s[0] = d;
#elif FAMILY == GENERAL
  const bool x = a != 0, y = b != 0;
  switch (p.metric) {
    case MINKOWSKI: s[0] += w * pow(fabs(a - b), (real)p.exponent); break;
    case CANBERRA: {
      const real size = fabs(a) + fabs(b);
      if (size != 0) s[0] += w * (fabs(a - b) / size);
      break;
    }
    case BRAYCURTIS: s[0] += w * fabs(a - b); s[1] += w * fabs(a + b); break;
    case HAMMING: s[0] += a != b ? w : (real)0; s[1] += w; break;
    case JENSENSHANNON: {
      const real middle = (a + b) / 2;
      // Negative shares are those of no distribution.
      s[0] += a < 0 || b < 0 ? (real)bits_to_f32(0x7f800000u) : term_of_entropy(a, middle) + term_of_entropy(b, middle);
      break;
    }
    case HELLINGER: s[0] += sqrt(a) * sqrt(b); break;
    case KL_DIVERGENCE: s[0] += term_of_entropy(a, b); break;
    case RUSSELLRAO: s[0] += x && y ? w : (real)0; s[1] += w; break;
    case DICE: s[0] += w * (a * b); s[1] += w * (a * (1 - b) + b * (1 - a)); break;
    case JACCARD: s[0] += x != y ? w : (real)0; s[1] += x || y ? w : (real)0; break;
    case ROGERSTANIMOTO: s[0] += x != y ? w : (real)0; s[1] += w; break;
    case SOKALSNEATH: s[0] += x != y ? w : (real)0; s[1] += x && y ? w : (real)0; break;
    default: s[x ? (y ? 0 : 1) : (y ? 2 : 3)] += w; break;
  }
#endif
}

DEVICE real finish(const params &p, const real (&s)[SUMS]) {
#if FAMILY == SQUARES
  return p.root ? sqrt(s[0]) : s[0];
#elif FAMILY == GENERAL
  switch (p.metric) {
    case MINKOWSKI: return pow(s[0], (real)(1 / p.exponent));
    case BRAYCURTIS: case HAMMING: return s[0] / s[1];
    case JENSENSHANNON: return s[0] < 0 ? (real)0 : sqrt(s[0] / 2);
    case HELLINGER: return sqrt(fmax(1 - s[0], (real)0));
    case RUSSELLRAO: return (s[1] - s[0]) / s[1];
    case DICE: return s[1] / (2 * s[0] + s[1]);
    case JACCARD: return s[1] == 0 ? (real)0 : s[0] / s[1];
    case ROGERSTANIMOTO: return 2 * s[0] / (s[1] + s[0]);
    case SOKALSNEATH: return 2 * s[0] / (s[1] + 2 * s[0]);
    case YULE: {
      const real half = s[1] * s[2];
      return half == 0 ? (real)0 : 2 * half / (s[0] * s[3] + half);
    }
    default: return s[0];
  }
#else
  return s[0];
#endif
}

// Columns [from, from + DEPTH) of TILE rows, transposed; zeros beyond the matrix.
DEVICE void stage(real (&to)[DEPTH][PITCH], const char *from, u64 row, u64 rows, u64 column, u64 columns, const i64 *steps) {
  for (int t = threadIdx.x; t < TILE * DEPTH; t += SIDE * SIDE) {
    const int r = t / DEPTH, k = t % DEPTH;
    const bool inside = row + r < rows && column + k < columns;
    to[k][r] = inside ? *(const real *)(from + (i64)(row + r) * steps[0] + (i64)(column + k) * steps[1]) : (real)0;
  }
}

extern "C" __global__ void __launch_bounds__(256) pairwise(const __grid_constant__ params p) {
  __shared__ real as[DEPTH][PITCH], bs[DEPTH][PITCH], ws[DEPTH];
  const u64 tile = blockIdx.x, down = tile / p.tiles_across;
  const u64 row = down * TILE, column = (tile - down * p.tiles_across) * TILE;
  // A condensed result has the pairs above the diagonal.
  if (p.condensed && column + TILE <= row + 1) return;
  const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
  real sums[EACH][EACH][SUMS] = {};
#if FAMILY == PRODUCTS
  real own[EACH] = {}, other[EACH] = {};
#endif
  for (u64 from = 0; from < p.columns; from += DEPTH) {
    stage(as, p.a, row, p.rows[0], from, p.columns, p.a_steps);
    stage(bs, p.b, column, p.rows[1], from, p.columns, p.b_steps);
    if (p.weighted && threadIdx.x < DEPTH) ws[threadIdx.x] = from + threadIdx.x < p.columns ? p.weights[from + threadIdx.x] : (real)0;
    __syncthreads();
    const int depth = p.columns - from < DEPTH ? (int)(p.columns - from) : DEPTH;
    auto slice = [&](auto weight_of) {
#pragma unroll 4
      for (int k = 0; k < depth; ++k) {
        const real w = weight_of(k);
        real a[EACH], b[EACH];
#pragma unroll
        for (int r = 0; r < EACH; ++r) {
          a[r] = as[k][ty + SIDE * r];
          b[r] = bs[k][tx + SIDE * r];
        }
#if FAMILY == PRODUCTS
#pragma unroll
        for (int r = 0; r < EACH; ++r) {
          own[r] += w * (a[r] * a[r]);
          other[r] += w * (b[r] * b[r]);
        }
#endif
#pragma unroll
        for (int r = 0; r < EACH; ++r) {
#pragma unroll
          for (int c = 0; c < EACH; ++c) {
#if FAMILY == PRODUCTS
            sums[r][c][0] += w * (a[r] * b[c]);
#else
            accumulate(p, a[r], b[c], w, sums[r][c]);
#endif
          }
        }
      }
    };
    if (p.weighted) slice([&](int k) { return ws[k]; });
    else slice([](int) { return (real)1; });
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < EACH; ++r) {
    const u64 i = row + ty + SIDE * r;
    if (i >= p.rows[0]) continue;
#pragma unroll
    for (int c = 0; c < EACH; ++c) {
      const u64 j = column + tx + SIDE * c;
      if (j >= p.rows[1] || (p.condensed && j <= i)) continue;
#if FAMILY == PRODUCTS
      real result = 1 - sums[r][c][0] / (sqrt(own[r]) * sqrt(other[c]));
      if (result < 0) result = 0;
#else
      const real result = finish(p, sums[r][c]);
#endif
      const i64 to = p.condensed ? (i64)(p.rows[1] * i - i * (i + 1) / 2 + (j - i - 1)) * p.out_steps[1] : (i64)i * p.out_steps[0] + (i64)j * p.out_steps[1];
      *(real *)(p.out + to) = result;
    }
  }
}
