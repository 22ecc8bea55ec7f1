// Networks that sort, merge and select in registers. Required before it: `sortable`, with an order.
//
// All indices are constants after unrolling, so that the compiler removes comparisons whose results are not used: the caller
// names the ranks that it needs by reading them. Merging is Batcher's for lists of any two lengths (D. E. Knuth, The Art of Computer
// Programming 3, 5.3.4).
template <int N> struct keys {
  sortable at[N > 0 ? N : 1];
};

DEVICE sortable low_of(sortable a, sortable b) { return a < b ? a : b; }
DEVICE sortable high_of(sortable a, sortable b) { return a < b ? b : a; }
DEVICE sortable middle_of(sortable a, sortable b, sortable c) { return high_of(low_of(a, b), low_of(high_of(a, b), c)); }

// Returns every second element of a list, from the first or the second one on.
template <int START, int N> DEVICE keys<(N + 1 - START) / 2> alternate(const keys<N> &a) {
  keys<(N + 1 - START) / 2> r;
#pragma unroll
  for (int i = 0; i < (N + 1 - START) / 2; ++i) r.at[i] = a.at[2 * i + START];
  return r;
}

// Merges two sorted lists.
template <int N, int M> DEVICE keys<N + M> merged(const keys<N> &a, const keys<M> &b) {
  if constexpr (N == 0) {
    return b;
  } else if constexpr (M == 0) {
    return a;
  } else if constexpr (N == 1 && M == 1) {
    return {{low_of(a.at[0], b.at[0]), high_of(a.at[0], b.at[0])}};
  } else {
    const auto v = merged(alternate<0>(a), alternate<0>(b));
    const auto w = merged(alternate<1>(a), alternate<1>(b));
    constexpr int V = (N + 1) / 2 + (M + 1) / 2, W = N / 2 + M / 2;
    keys<N + M> r;
    r.at[0] = v.at[0];
#pragma unroll
    for (int i = 0; i < W; ++i) {
      if (i + 1 < V) {
        r.at[2 * i + 1] = low_of(w.at[i], v.at[i + 1]);
        r.at[2 * i + 2] = high_of(w.at[i], v.at[i + 1]);
      } else {
        r.at[2 * i + 1] = w.at[i];
      }
    }
    if constexpr (V > W + 1) r.at[N + M - 1] = v.at[V - 1];
    return r;
  }
}

// Returns N elements of a list from one on.
template <int FROM, int N, int M> DEVICE keys<N> part(const keys<M> &a) {
  keys<N> r;
#pragma unroll
  for (int i = 0; i < N; ++i) r.at[i] = a.at[FROM + i];
  return r;
}

// Sorts a list.
template <int N> DEVICE keys<N> sorted(const keys<N> &a) {
  if constexpr (N <= 1) {
    return a;
  } else {
    return merged(sorted(part<0, N / 2>(a)), sorted(part<N / 2, N - N / 2>(a)));
  }
}

// Returns the element of a rank of two sorted lists together: of all ways to take RANK + 1 elements from the heads of both, the one
// whose greatest is least.
template <int RANK, int N, int M> DEVICE sortable selected(const keys<N> &a, const keys<M> &b) {
  constexpr int FROM = RANK + 1 > M ? RANK + 1 - M : 0, TO = RANK + 1 < N ? RANK + 1 : N;
  sortable found = FROM == 0 ? b.at[RANK] : FROM == RANK + 1 ? a.at[RANK] : high_of(a.at[FROM - 1], b.at[RANK - FROM]);
#pragma unroll
  for (int i = FROM + 1; i <= TO; ++i) {
    const int j = RANK + 1 - i;
    found = low_of(found, j == 0 ? a.at[i - 1] : high_of(a.at[i - 1], b.at[j - 1]));
  }
  return found;
}
