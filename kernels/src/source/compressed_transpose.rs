//! Source of the kernels that group the entries of compressed rows by columns.

use super::compaction::item;
use super::compressed::index_type;
use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};

/// Rows of a tile, tiles of a bin, entries of a bin and its most columns: as in `include/compressed_transpose.cuh`.
pub const TRANSPOSE_ROWS: usize = 128;
/// Tiles that have entries of a bin.
pub const TRANSPOSE_LISTED: usize = 64;
/// Entries of a bin.
pub const TRANSPOSE_CAPACITY: usize = 4096;
/// Columns of a bin.
pub const TRANSPOSE_COLUMNS: usize = 1024;
/// Tiles of a block of `bin_tiles`.
pub const TRANSPOSE_TILES: usize = 8;

parameters! {
    /// Parameters of the kernels `bin_tiles` and `transpose_bins`.
    TransposeParams<P> {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: i64,
        /// Number of entries.
        entries: usize,
        /// Beginning of each row, and the end of the last.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        indices: Read<P> as "const index *",
        /// The value of each entry.
        input: Read<P> as "const item *",
        /// After a zero the number of entries of each bin, zero before.
        counts: Written<P> as "index *",
        /// The number of entries before each bin.
        starts: Read<P> as "const index *",
        /// The number of tiles of each bin, zero before.
        listed: Written<P> as "u32 *",
        /// The tiles of each bin, with the first and the last position of its entries in their rows.
        tiles: Written<P> as "u64 *",
        /// Two words, zero before: the entries are not grouped in this way, a column has a row twice.
        status: Written<P> as "u32 *",
        /// Beginning of each column, and the end of the last.
        out_ends: Written<P> as "index *",
        /// The rows of the entries by columns.
        out_rows: Written<P> as "index *",
        /// Their values.
        out: Written<P> as "item *",
        /// Base-2 logarithm of the number of columns of a bin.
        shift: u32,
    }
}

/// Returns the source of the kernels `bin_tiles` and `transpose_bins` for indices of 32 or 64 bits and elements of this
/// size.
pub fn transpose_source(wide: bool, bytes: u8) -> String {
    Unit::new(TYPES.into(), "compressed_transpose")
        .typed("index", index_type(wide))
        .typed("item", item(bytes))
        .params(&TransposeParams::<()>::default())
        .with(body!("compressed_transpose"))
        .finish()
}
