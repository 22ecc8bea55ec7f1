//! Source of the kernels that select rows and columns of compressed rows.

use super::compressed::index_type;
use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `select_rows`.
    SelectRowsParams<P> {
        /// Number of selected rows.
        rows: usize,
        /// Number of rows.
        size: i64,
        /// Number of entries.
        entries: i64,
        /// The selected rows, negative ones counted from the end; 0 for a range.
        list: Read<P> as "const i64 *",
        /// The first row of the range.
        first: i64,
        /// From one row of the range to the next.
        step: i64,
        /// Beginning of each row, and the end of the last.
        ends: Read<P> as "const index *",
        /// The first entry of each selected row.
        starts: Written<P> as "index *",
        /// The number of results before each selected row, and of all.
        out_ends: Written<P> as "index *",
        /// A ticket, the state of each block and the number of results; zero before.
        state: Written<P> as "u64 *",
        /// The number of the call.
        call: u64,
        /// The number of the function.
        function: u32,
        /// The axis.
        axis: u32,
        /// The error record.
        record: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernels `copy_rows` and `copy_slice`.
    SelectCopyParams<P> {
        /// Number of results.
        results: usize,
        /// Number of selected rows.
        rows: usize,
        /// The first entry of a slice, if its borders are not read on the device.
        from: i64,
        /// True if the first entry and the end of a slice are read from its pointers: `results` is the room for its entries.
        reads_borders: bool,
        /// Number of entries of the operand, of a slice whose borders are read.
        entries: i64,
        /// The number of results before each selected row, and of all; of a slice the pointers of its rows.
        ends: Read<P> as "const index *",
        /// The first entry of each selected row; 0 for a slice.
        starts: Read<P> as "const index *",
        /// The column of each entry.
        indices: Read<P> as "const index *",
        /// The value of each entry.
        inputs: Read<P>,
        /// The pointers of the result, of a slice.
        out_ends: Written<P> as "index *",
        /// The columns of the result.
        columns: Written<P> as "index *",
        /// The values of the result.
        out: Written<P>,
        /// The size of a value in bytes.
        bytes: u32,
    }
}

parameters! {
    /// Parameters of the kernel `gather_rows`.
    SelectGatherParams<P> {
        /// Number of selected rows.
        rows: usize,
        /// Number of rows.
        size: i64,
        /// Number of entries.
        entries: i64,
        /// Entries for which the result has room.
        room: usize,
        /// The selected rows, negative ones counted from the end; 0 for a range.
        list: Read<P> as "const i64 *",
        /// The first row of the range.
        first: i64,
        /// From one row of the range to the next.
        step: i64,
        /// Beginning of each row, and the end of the last.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        indices: Read<P> as "const index *",
        /// The value of each entry.
        inputs: Read<P>,
        /// The number of results before each selected row, and of all.
        out_ends: Written<P> as "index *",
        /// The columns of the result.
        columns: Written<P> as "index *",
        /// The values of the result.
        out: Written<P>,
        /// A ticket, the state of each block and the number of results; zero before.
        state: Written<P> as "u64 *",
        /// The number of the call.
        call: u64,
        /// The number of the function.
        function: u32,
        /// The axis.
        axis: u32,
        /// The error record.
        record: Written<P>,
        /// The size of a value in bytes.
        bytes: u32,
        /// Rows of a block, whose entries fit in its tables.
        rows_of_block: u32,
    }
}

parameters! {
    /// Parameters of the kernels `list_columns` and `sort_columns`.
    SelectListParams<P> {
        /// Number of listed columns.
        count: usize,
        /// Number of columns.
        size: i64,
        /// The listed columns, negative ones counted from the end.
        list: Read<P> as "const i64 *",
        /// The columns counted from the start, in ascending order if they are sorted.
        chosen: Written<P> as "index *",
        /// The positions of the sorted columns in the list; 0 if they are not sorted.
        order: Written<P> as "index *",
        /// A bit for each column, zero before.
        bits: Written<P> as "u32 *",
        /// Set to one if a column is less than the one before, zero before.
        falls: Written<P> as "u32 *",
        /// The number of the call.
        call: u64,
        /// The number of the function.
        function: u32,
        /// The axis.
        axis: u32,
        /// The error record.
        record: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernels `match_columns` and `write_columns`.
    SelectColumnsParams<P> {
        /// Number of entries.
        entries: usize,
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        size: i64,
        /// Number of selected columns.
        chosen: usize,
        /// The first column of a range.
        first: i64,
        /// From one column of a range to the next.
        step: i64,
        /// A bit for each column, set for those of the list; 0 for a range.
        bits: Read<P> as "const u32 *",
        /// The listed columns in ascending order.
        sorted: Read<P> as "const index *",
        /// The positions of the sorted columns in the list.
        order: Read<P> as "const index *",
        /// Beginning of each row, and the end of the last.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        indices: Read<P> as "const index *",
        /// The value of each entry.
        inputs: Read<P>,
        /// A bit for each entry, set for those of selected columns.
        flags: Written<P> as "u32 *",
        /// The number of results up to the end of each word of flags.
        upto: Written<P> as "index *",
        /// A ticket, the state of each block and the number of results; zero before.
        state: Written<P> as "u64 *",
        /// Number of results.
        results: usize,
        /// The pointers of the result.
        out_ends: Written<P> as "index *",
        /// The columns of the result.
        columns: Written<P> as "index *",
        /// The values of the result.
        out: Written<P>,
        /// The size of a value in bytes.
        bytes: u32,
    }
}

/// Rows and entries of a block of `gather_rows`, and the columns that `sort_columns` sorts: as in
/// `include/compressed_select.cuh`.
pub const GATHERED_ROWS: usize = 256;
/// Entries of a block of `gather_rows`.
pub const GATHERED: usize = 4096;
/// Listed columns that `sort_columns` sorts.
pub const SORTED_COLUMNS: usize = 2048;
/// Listed columns of a block of `sort_columns`.
pub const RANKED_COLUMNS: usize = 16;

/// Returns the source of the kernels `select_rows`, `copy_rows`, `copy_slice` and `gather_rows` of rows, and
/// `list_columns`, `sort_columns`, `match_columns` and `write_columns` of columns, for indices of 32 or 64 bits.
pub fn select_source(wide: bool) -> String {
    Unit::new(TYPES.into(), "compressed_select")
        .typed("index", index_type(wide))
        .typed("count", "u64")
        .params_as("row_params", &SelectRowsParams::<()>::default())
        .params_as("copy_params", &SelectCopyParams::<()>::default())
        .params_as("gather_params", &SelectGatherParams::<()>::default())
        .params_as("list_params", &SelectListParams::<()>::default())
        .params_as("column_params", &SelectColumnsParams::<()>::default())
        .with(body!("device_errors"))
        .with(body!("sort_publish"))
        .with(body!("look_back"))
        .with(body!("compressed_rows"))
        .with(body!("compressed_select"))
        .finish()
}
