//! Source of the kernels that repeat each element a given number of times (`repeat`).

use super::compaction::item;
use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};

/// Source elements of a tile: as in `include/expand.cuh`.
pub const EXPAND_TILE: usize = 2048;
/// Maximum number of results of a block: as in `include/expand.cuh`.
pub const EXPAND_MOST: usize = 8192;

parameters! {
    /// Parameters of the kernel `expand_tiles`.
    ExpandTilesParams<P> {
        /// Number of source elements.
        sources: usize,
        /// int64, contiguous: the number of repetitions of each.
        counts: Read<P> as "const i64 *",
        /// The sum of the counts of each tile.
        sums: Written<P> as "i64 *",
        /// The smallest count of each tile.
        least: Written<P> as "i64 *",
    }
}

parameters! {
    /// Parameters of the kernel `expand`.
    ExpandParams<P> {
        /// Number of source elements.
        sources: usize,
        /// int64, contiguous: the number of repetitions of each.
        counts: Read<P> as "const i64 *",
        /// Number of results up to the end of each tile.
        ends: Read<P> as "const i64 *",
        /// The first source element.
        input: Read<P> as "const char *",
        /// Stride of the source elements in bytes.
        step: i64,
        /// The results, contiguous.
        out: Written<P>,
        /// Number of tiles.
        tiles: u32,
    }
}

/// Returns the source of the kernels `expand_tiles` and `expand`, with the parameters [`ExpandTilesParams`] and
/// [`ExpandParams`], for elements of `size` bytes.
pub fn expand_source(size: u8) -> String {
    Unit::new(TYPES.into(), "expansion")
        .typed("item", item(size))
        .choice("ITEM", size)
        .params_as("tile_params", &ExpandTilesParams::<()>::default())
        .params(&ExpandParams::<()>::default())
        .with(body!("chunk"))
        .with(body!("expand"))
        .finish()
}
