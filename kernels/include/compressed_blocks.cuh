// Blocks of compressed block rows as compressed rows. Required before it: `index`, compressed_rows.cuh and the parameter struct.
//
// The blocks of a block row have consecutive results: first those of its first row, block by block. Pointers may be wrong, which their
// check reports later: no element outside of the arrays is accessed.

DEVICE u64 bounded(i64 at, u64 low, u64 high) { return at < (i64)low ? low : at < (i64)high ? (u64)at : high; }

// The column of each result, its position among the elements of the blocks, and where each row begins.
extern "C" __global__ void __launch_bounds__(256) expand_blocks(const __grid_constant__ params p) {
  const u64 i = (u64)blockIdx.x * 256 + threadIdx.x, size = p.block_height * p.block_width;
  if (i < p.blocks * size) {
    const u64 after = bound<true>(p.ends, p.rows + 1, (i64)(i / size));
    const u64 row = after == 0 ? 0 : after - 1 < p.rows ? after - 1 : p.rows - 1;
    const u64 first = bounded((i64)p.ends[row], 0, i / size), end = bounded((i64)p.ends[row + 1], i / size + 1, p.blocks);
    const u64 within = i - first * size, row_length = (end - first) * p.block_width;
    const u64 line = within / row_length, along = within % row_length;
    const u64 block = first + along / p.block_width, column = along % p.block_width;
    p.columns[i] = (index)((i64)p.indices[block] * (i64)p.block_width + (i64)column);
    p.positions[i] = (index)(block * size + line * p.block_width + column);
  }
  if (i <= p.rows * p.block_height) {
    const u64 row = i / p.block_height, line = i % p.block_height;
    u64 at = p.blocks * size;
    if (row < p.rows) {
      const u64 first = bounded((i64)p.ends[row], 0, p.blocks), end = bounded((i64)p.ends[row + 1], first, p.blocks);
      at = first * size + line * (end - first) * p.block_width;
    }
    p.out_ends[i] = (index)at;
  }
}
