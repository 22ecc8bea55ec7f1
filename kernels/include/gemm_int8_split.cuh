// Integers split into signed 8-bit digits to base 256, from -128 to 127, and integers joined from sums of products of
// such digits. Required before it: `item`, the unsigned integer of an element's size; `word`, in which results are
// computed; and result_of, which converts a word and the result of an earlier part of the sum to an element.
constexpr u32 THREADS = 256, LINES = 64, DEPTH = 64, PER_THREAD = 4, DIGITS = sizeof(item);
// Added to a number, it makes the digits its bytes, each 128 too large: the addition propagates the carries.
constexpr item MIDDLE = (item)0x8080808080808080ull;

// Writes rows of numbers as consecutive planes of digits, each row separately: the first operand begins with the least
// significant digit, the second with the most significant. Then any number of planes of one operand matches as many of
// the other so that the digit positions of each pair have the same sum. Rows and columns beyond the end are padded with
// zeros.
extern "C" __global__ void __launch_bounds__(THREADS) split_digits(const __grid_constant__ split_params p) {
  __shared__ item tile[LINES][DEPTH + 1];
  const u32 across = (u32)((p.depth + DEPTH - 1) / DEPTH), down = (u32)((p.padded + LINES - 1) / LINES);
  const u32 above = blockIdx.x / across, matrix = above / down;
  const u64 first = (u64)(above % down) * LINES, deep = (u64)(blockIdx.x % across) * DEPTH;
  const char *const from = p.from + (i64)matrix * p.stack;
  // Adjacent threads read adjacent numbers, whichever order they have in memory.
#pragma unroll 4
  for (u32 slot = threadIdx.x; slot < LINES * DEPTH; slot += THREADS) {
    const u32 at = p.along ? slot / DEPTH : slot % LINES, d = p.along ? slot % DEPTH : slot / LINES;
    const u64 line = first + at, k = deep + d;
    const bool wanted = line < p.lines && k < p.k;
    tile[at][d] = wanted ? *(const item *)(from + (i64)line * p.line_step + (i64)k * p.step) : (item)0;
  }
  __syncthreads();
  char *const into = p.into + (u64)matrix * p.padded * DIGITS * p.depth;
#pragma unroll
  for (u32 slot = threadIdx.x; slot < LINES * DEPTH / 4; slot += THREADS) {
    const u32 at = slot / (DEPTH / 4), d = slot % (DEPTH / 4) * 4;
    const u64 line = first + at, k = deep + d;
    if (line >= p.padded || k >= p.depth) continue;
    u32 digits[DIGITS] = {};
#pragma unroll
    for (u32 e = 0; e < 4; ++e) {
      const item x = (item)(tile[at][d + e] + MIDDLE);
#pragma unroll
      for (u32 digit = 0; digit < DIGITS; ++digit) digits[digit] |= (u32)(u8)(x >> (8 * digit)) << (8 * e);
    }
    char *const planes = into + line * DIGITS * p.depth + k;
#pragma unroll
    for (u32 digit = 0; digit < DIGITS; ++digit) {
      const u32 plane = p.descending ? DIGITS - 1 - digit : digit;
      *(u32 *)(planes + plane * p.depth) = digits[digit] ^ 0x80808080u;
    }
  }
}

// Computes elements from the sums for each digit position, which are stored in planes, and from the elements already
// there if `more`.
extern "C" __global__ void __launch_bounds__(THREADS) join_digits(const __grid_constant__ join_params p) {
#pragma unroll
  for (u32 e = 0; e < PER_THREAD; ++e) {
    const u32 at = (blockIdx.x * PER_THREAD + e) * THREADS + threadIdx.x;
    if (at >= p.count) return;
    const u32 column = at % p.columns, line = at / p.columns, row = line % p.rows, matrix = line / p.rows;
    const i32 *const sums = p.sums + (u64)line * p.padded + column;
    word sum = 0;
#pragma unroll
    for (u32 digit = 0; digit < DIGITS; ++digit) sum += (word)sums[digit * p.plane] << (8 * digit);
    item *const out = (item *)(p.out + (i64)matrix * p.stack + (i64)row * p.row_step + (i64)column * p.step);
    *out = result_of(sum, p.more ? *out : (item)0);
  }
}
