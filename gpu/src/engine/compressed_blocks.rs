//! Blocks of compressed block rows, expanded to compressed rows.
//!
//! Memory traffic, for n elements in blocks with indices of i bytes: the pointers and indices of the blocks are read
//! and 2 n i are written; searches in pointers hit the L1 cache.

use cuprum_kernels::DType;
use cuprum_kernels::params::Width;
use cuprum_kernels::source::{ExpandBlocksParams, blocks_source};

use super::compressed::{THREADS, blocks, is_wide};
use super::kernels::{Kernels, kernels};
use super::launch::{Launcher, one_device, read, written};
use super::make;
use crate::array::Array;
use crate::error::Result;

thread_local! {
    static BLOCK_KERNELS: Kernels<bool> = Kernels::default();
}

/// Elements of blocks in the order of compressed rows.
#[derive(Debug)]
pub(crate) struct Expanded {
    /// The position at which each row begins, and the number of elements.
    pub(crate) ends: Array,
    /// The column of each element.
    pub(crate) columns: Array,
    /// The position of each element among those of the blocks.
    pub(crate) positions: Array,
}

/// Expands block rows, which `ends` compresses, of blocks of `size` rows and columns in the block columns `indices`. Both
/// arrays have the dtype of the result.
pub(crate) fn expand_blocks(ends: &Array, indices: &Array, size: [usize; 2]) -> Result<Expanded> {
    let device = one_device(ends, [indices])?;
    debug_assert_eq!(ends.dtype(), indices.dtype());
    let (index, [height, width]): (DType, _) = (ends.dtype(), size);
    let (rows, count) = (ends.size() - 1, indices.size() * height * width);
    let expanded = Expanded {
        ends: make::empty(device, &[rows * height + 1], index)?,
        columns: make::empty(device, &[count], index)?,
        positions: make::empty(device, &[count], index)?,
    };
    let params = ExpandBlocksParams {
        width: Width::default(),
        blocks: indices.size(),
        rows,
        block_height: height,
        block_width: width,
        ends: read(ends),
        indices: read(indices),
        out_ends: written(&expanded.ends),
        columns: written(&expanded.columns),
        positions: written(&expanded.positions),
    };
    let wide = is_wide(ends);
    let source = || (format!("compressed blocks/{index}"), blocks_source(wide));
    let [function] = kernels(&BLOCK_KERNELS, device, wide, ["expand_blocks"], source)?;
    let grid = blocks(count.max(rows * height + 1), "elements of blocks");
    // SAFETY: blocks are bounded by their number and rows by that of the pointers; each element and each row has its
    // thread.
    unsafe { Launcher::on(device).launch(function, grid, THREADS, &params) }?;
    Ok(expanded)
}
