//! Source of the kernel that expands the blocks of compressed block rows.

use super::compressed::index_type;
use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `expand_blocks`.
    ExpandBlocksParams<P> {
        /// Number of blocks.
        blocks: usize,
        /// Number of block rows.
        rows: usize,
        /// Rows of a block.
        block_height: usize,
        /// Columns of a block.
        block_width: usize,
        /// Beginning of each block row, and the end of the last.
        ends: Read<P> as "const index *",
        /// The block column of each block.
        indices: Read<P> as "const index *",
        /// Beginning of each row, and the end of the last.
        out_ends: Written<P> as "index *",
        /// The column of each element.
        columns: Written<P> as "index *",
        /// The position of each element among those of the blocks.
        positions: Written<P> as "index *",
    }
}

/// Returns the source of the kernel `expand_blocks`, for indices of 32 or 64 bits.
pub fn blocks_source(wide: bool) -> String {
    Unit::new(TYPES.into(), "compressed_blocks")
        .typed("index", index_type(wide))
        .params_as("params", &ExpandBlocksParams::<()>::default())
        .with(body!("compressed_rows"))
        .with(body!("compressed_blocks"))
        .finish()
}
