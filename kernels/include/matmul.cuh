// Matrix product of integers or booleans, which cuBLAS does not have: a block computes a square of the product, a
// thread SIDE * SIDE elements of it in registers, from double-buffered tiles of both operands in shared memory. Sums
// wrap on overflow, so that they can be computed in any word that holds the element. Required before it: `item`;
// `word`, of the sums; PER (values along k in a word); SIDE; and A_ALONG and B_ALONG (the operands are contiguous along
// k). PER distinguishes bytes, and `joined` booleans.
constexpr u32 ACROSS = 16, THREADS = ACROSS * ACROSS, EDGE = ACROSS * SIDE, DEPTH = 8, STEP = DEPTH * PER;
// Rows of a tile begin 4 words apart in the banks: threads that write along k have no bank conflicts.
constexpr u32 ROW = EDGE + 4;
constexpr u32 LOADS = (EDGE * DEPTH + THREADS - 1) / THREADS;
constexpr u32 GROUP = SIDE < 4 ? SIDE : 4;
constexpr u32 PACKED = SIDE < 4 ? 1 : 16 / sizeof(word);

// Words that are read from shared memory at once.
struct __align__(SIDE < 4 ? sizeof(word) : 16) packet {
  word of[PACKED];
};

// Returns the index in the block of element e of a thread's row or column of elements.
DEVICE u32 element_index(u32 thread, u32 e) { return e / GROUP * (ACROSS * GROUP) + thread * GROUP + e % GROUP; }

// The word of a row or column that begins at k; elements beyond the end count as zeros.
DEVICE word value(const char *line, i64 step, u64 k, u64 end) {
  const char *at = line + (i64)k * step;
  if constexpr (PER == 1) return k < end ? (word)*(const item *)at : (word)0;
  if (step == 1 && k + PER <= end && ((u64)at & 3) == 0) return *(const u32 *)at;
  u32 bytes = 0;
#pragma unroll
  for (u32 e = 0; e < PER; ++e)
    if (k + e < end) bytes |= (u32)*(const u8 *)(at + (i64)e * step) << (8 * e);
  return bytes;
}

// The row or column, and the depth, of a word that a thread loads: adjacent threads read adjacent elements.
template <bool ALONG> DEVICE u32 line_of(u32 slot) { return ALONG ? slot / DEPTH : slot % EDGE; }
template <bool ALONG> DEVICE u32 depth_of(u32 slot) { return ALONG ? slot % DEPTH : slot / EDGE; }

// The words of a tile that a thread loads, of rows of the first matrix or columns of the second.
template <bool ALONG>
DEVICE void fetch(word (&into)[LOADS], const char *lines, i64 line_step, i64 step, u64 first, u64 count, u64 k, u64 end) {
#pragma unroll
  for (u32 e = 0; e < LOADS; ++e) {
    const u32 slot = threadIdx.x + e * THREADS;
    const u64 line = first + line_of<ALONG>(slot);
    const bool wanted = slot < EDGE * DEPTH && line < count;
    into[e] = wanted ? value(lines + (i64)line * line_step, step, k + depth_of<ALONG>(slot) * PER, end) : (word)0;
  }
}

template <bool ALONG> DEVICE void keep(word (&tile)[DEPTH][ROW], const word (&from)[LOADS]) {
#pragma unroll
  for (u32 e = 0; e < LOADS; ++e) {
    const u32 slot = threadIdx.x + e * THREADS;
    if (slot < EDGE * DEPTH) tile[depth_of<ALONG>(slot)][line_of<ALONG>(slot)] = from[e];
  }
}

DEVICE void part(word (&into)[SIDE], const word (&row)[ROW], u32 thread) {
#pragma unroll
  for (u32 e = 0; e < SIDE; e += PACKED) {
    const packet words = *(const packet *)&row[element_index(thread, e)];
#pragma unroll
    for (u32 w = 0; w < PACKED; ++w) into[e + w] = words.of[w];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) matmul(const __grid_constant__ params p) {
  __shared__ __align__(16) word rows[2][DEPTH][ROW];
  __shared__ __align__(16) word columns[2][DEPTH][ROW];
  const u32 across = (u32)((p.n + EDGE - 1) / EDGE), down = (u32)((p.m + EDGE - 1) / EDGE);
  const u32 above = blockIdx.x / across, matrix = above / down;
  const u64 row = (u64)(above % down) * EDGE, column = (u64)(blockIdx.x % across) * EDGE;
  const char *const a = p.a + (i64)matrix * p.a_stack, *const b = p.b + (i64)matrix * p.b_stack;
  const u32 x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
  word next_rows[LOADS], next_columns[LOADS], sums[SIDE][SIDE] = {};
  fetch<A_ALONG>(next_rows, a, p.a_row, p.a_column, row, p.m, 0, p.k);
  fetch<B_ALONG>(next_columns, b, p.b_column, p.b_row, column, p.n, 0, p.k);
  u32 now = 0;
  for (u64 k = 0; k < p.k; k += STEP, now ^= 1) {
    keep<A_ALONG>(rows[now], next_rows);
    keep<B_ALONG>(columns[now], next_columns);
    // Threads that are ahead write to the other tiles, which all threads have used before this barrier.
    __syncthreads();
    if (k + STEP < p.k) {
      fetch<A_ALONG>(next_rows, a, p.a_row, p.a_column, row, p.m, k + STEP, p.k);
      fetch<B_ALONG>(next_columns, b, p.b_column, p.b_row, column, p.n, k + STEP, p.k);
    }
#pragma unroll
    for (u32 deep = 0; deep < DEPTH; ++deep) {
      word left[SIDE], right[SIDE];
      part(left, rows[now][deep], y);
      part(right, columns[now][deep], x);
#pragma unroll
      for (u32 i = 0; i < SIDE; ++i)
#pragma unroll
        for (u32 j = 0; j < SIDE; ++j) sums[i][j] = joined(sums[i][j], left[i], right[j]);
    }
  }
  char *const c = p.c + (i64)matrix * p.c_stack;
#pragma unroll
  for (u32 i = 0; i < SIDE; ++i) {
    const u64 r = row + element_index(y, i);
#pragma unroll
    for (u32 j = 0; j < SIDE; ++j) {
      const u64 s = column + element_index(x, j);
      if (r < p.m && s < p.n) *(item *)(c + (i64)r * p.c_row + (i64)s * p.c_column) = element(sums[i][j]);
    }
  }
}
