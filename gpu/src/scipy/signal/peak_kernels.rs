//! Kernels of peaks, whose operations read their raw arrays within their length only.

use std::sync::LazyLock;

use crate::array::Array;
use crate::error::Result;
use crate::kernel::{ElementwiseKernel, ElementwiseKernelOptions, KernelArgument};

/// Kernel that is created when it is first called.
pub(super) type Lazy = LazyLock<Result<ElementwiseKernel>>;

pub(super) fn kernel(
    name: &str,
    inputs: &str,
    outputs: &str,
    operation: &str,
    preamble: &str,
) -> Result<ElementwiseKernel> {
    let options = ElementwiseKernelOptions { name: name.into(), preamble: preamble.into(), ..Default::default() };
    ElementwiseKernel::new(inputs, outputs, operation, options)
}

/// Calls a kernel whose operation reads raw arrays within their length only.
pub(super) fn run(
    kernel: &Lazy,
    inputs: &[KernelArgument<'_>],
    outputs: &[&Array],
    size: Option<usize>,
) -> Result<Vec<Array>> {
    let kernel = kernel.as_ref().map_err(Clone::clone)?;
    // SAFETY: the operations of this module's kernels read raw arrays within the lengths that they are passed.
    unsafe { kernel.call(inputs, outputs, size, None) }
}

// 1 at the left edge of a peak, 2 at that of a plateau whose right edge is not among the next 64 elements, else 0.
pub(super) static RISES: Lazy = LazyLock::new(|| {
    kernel(
        "signal_rises",
        "raw float64 x, int64 n",
        "int8 kind",
        "
    kind = 0;
    if (i > 0 && i < n - 1 && x[i - 1] < x[i]) {
      const double top = x[i];
      const long long last = min((long long)(n - 1), (long long)i + 64);
      long long j = i + 1;
      while (j < last && x[j] == top) ++j;
      if (x[j] < top) kind = 1;
      else if (x[j] == top && j < n - 1) kind = 2;
    }",
        "",
    )
});
pub(super) static RIGHT_EDGES: Lazy = LazyLock::new(|| {
    kernel(
        "signal_right_edges",
        "int64 left, raw float64 x, int64 n",
        "int64 right, int64 middle",
        "
    const double top = x[left];
    const long long last = min((long long)(n - 1), (long long)left + 64);
    long long j = left + 1;
    while (j < last && x[j] == top) ++j;
    right = x[j] < top ? j - 1 : -1;
    middle = (left + j - 1) / 2;",
        "",
    )
});
// NaN is the largest and the smallest element of a block: a search never skips a block that has one.
pub(super) static EXTREMES: Lazy = LazyLock::new(|| {
    kernel(
        "signal_extremes",
        "raw float64 tops, raw float64 lows, int64 n",
        "float64 top, float64 low",
        "
    const long long begin = 16 * (long long)i, end = min((long long)n, begin + 16);
    top = tops[begin];
    low = lows[begin];
    for (long long k = begin + 1; k < end; ++k) {
      const double t = tops[k], l = lows[k];
      if (t > top || t != t) top = t;
      if (l < low || l != l) low = l;
    }",
        "",
    )
});
const TREE: &str = "
// Elements at a level of the tree over n elements, and the index of the level's first one.
__device__ inline long long level_size(long long n, int level) { return (n + (1LL << 4 * level) - 1) >> (4 * level); }
__device__ inline long long level_begin(long long n, int level) {
  long long begin = 0;
  for (int k = 1; k < level; ++k) begin += level_size(n, k);
  return begin;
}
// The last element, in the direction of the search, of the block of a level that begins at i.
__device__ inline long long block_end(long long n, long long i, int level, int step) {
  const long long end = i + step * ((1LL << 4 * level) - 1);
  return end < n ? end : n - 1;
}
// The level of the next block: one level up where i is the first element of a larger block.
__device__ inline int level_at(long long i, int level, int levels, int step) {
  return level < levels && ((step < 0 ? i + 1 : i) & ((16LL << 4 * level) - 1)) == 0 ? level + 1 : level;
}
";
pub(super) static PROMINENCES: Lazy = LazyLock::new(|| {
    kernel(
        "signal_prominences",
        "int64 peak, raw float64 x, raw float64 tops, raw float64 lows, int64 n, int32 levels, int64 half",
        "float64 prominence, int64 left, int64 right",
        "
    const double height = x[peak];
    double sides[2];
    long long bases[2];
    for (int side = 0; side < 2; ++side) {
      const int step = side ? 1 : -1;
      const long long limit = side ? min((long long)(n - 1), (long long)peak + half) : max(0LL, (long long)peak - half);
      double low = height;
      long long block = peak, p = peak + step;
      int of_low = 0, level = 0;
      while (step < 0 ? p >= limit : p <= limit) {
        double least;
        if (level == 0) {
          least = x[p];
          if (!(least <= height)) break;
        } else {
          const long long end = block_end(n, p, level, step), at = level_begin(n, level) + (p >> 4 * level);
          if ((step < 0 ? end < limit : end > limit) || !(tops[at] <= height)) {
            --level;
            continue;
          }
          least = lows[at];
        }
        if (least < low) {
          low = least;
          of_low = level;
          block = p >> 4 * level;
        }
        p += step * (1LL << 4 * level);
        level = level_at(p, level, levels, step);
      }
      // The minimum's element that is nearest to the peak, in its block.
      while (of_low > 0) {
        --of_low;
        const long long begin = level_begin(n, of_low);
        block = step < 0 ? min(16 * block + 15, level_size(n, of_low) - 1) : 16 * block;
        while ((of_low ? lows[begin + block] : x[block]) != low) block += step;
      }
      sides[side] = low;
      bases[side] = block;
    }
    prominence = height - (sides[0] > sides[1] ? sides[0] : sides[1]);
    left = bases[0];
    right = bases[1];",
        TREE,
    )
});
// The height is rounded after the product, as on the host: whether an element is as high depends on it.
pub(super) static WIDTHS: Lazy = LazyLock::new(|| {
    kernel(
        "signal_widths",
        "int64 peak, float64 prominence, int64 left, int64 right, raw float64 x, raw float64 lows, int64 n, int32 levels, float64 part",
        "float64 width, float64 height, float64 begin, float64 end",
        "
    height = __dsub_rn(x[peak], __dmul_rn(prominence, part));
    for (int side = 0; side < 2; ++side) {
      const int step = side ? 1 : -1;
      const long long limit = side ? right : left;
      long long p = peak;
      int level = 0;
      while (step < 0 ? p > limit : p < limit) {
        if (level == 0) {
          if (!(height < x[p])) break;
        } else {
          const long long last = block_end(n, p, level, step);
          if ((step < 0 ? last <= limit : last >= limit) || !(height < lows[level_begin(n, level) + (p >> 4 * level)])) {
            --level;
            continue;
          }
        }
        p += step * (1LL << 4 * level);
        level = level_at(p, level, levels, step);
      }
      double at = (double)p;
      if (x[p] < height && p != peak) at -= step * ((height - x[p]) / (x[p - step] - x[p]));
      if (side) end = at;
      else begin = at;
    }
    width = end - begin;",
        TREE,
    )
});
