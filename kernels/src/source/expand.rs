//! The source text of elements that come as often as their counts say.

use super::compaction::item;
use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};

/// Sources of a tile: as in `include/expand.cuh`.
pub const EXPAND_TILE: usize = 2048;
/// The most results of a block: as there.
pub const EXPAND_MOST: usize = 8192;

parameters! {
    /// Parameters of the kernel `expand_tiles`.
    ExpandTilesParams<P> {
        /// Number of sources.
        sources: usize,
        /// How often each of them comes: int64, one after the other.
        counts: Read<P> as "const i64 *",
        /// The sum of the counts of each tile.
        sums: Written<P> as "i64 *",
        /// The least of them.
        least: Written<P> as "i64 *",
    }
}

parameters! {
    /// Parameters of the kernel `expand`.
    ExpandParams<P> {
        /// Number of sources.
        sources: usize,
        /// How often each of them comes: int64, one after the other.
        counts: Read<P> as "const i64 *",
        /// How many results there are up to the end of each tile.
        ends: Read<P> as "const i64 *",
        /// The first source.
        input: Read<P> as "const char *",
        /// Bytes from a source to the next.
        step: i64,
        /// The results, one after the other.
        out: Written<P>,
        /// Number of tiles.
        tiles: u32,
    }
}

/// Returns the source of the kernels `expand_tiles` and `expand`, with the parameters [`ExpandTilesParams`] and
/// [`ExpandParams`], for elements of so many bytes.
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
