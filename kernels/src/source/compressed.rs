//! Source of the kernels of compressed indices: row pointers, coordinates packed in keys, the merge of two patterns,
//! values at positions, and reductions of segments.

use super::compaction::item;
use super::{TYPES, Unit, body, cast, compute_type, headers, narrow, widen};
use crate::DType;
use crate::params::{Read, Value, Written, parameters};
use crate::registry::{Loop, UfuncId};

/// Keys of a tile of the merge: as in `include/compressed_keys.cuh`.
pub const MERGE_TILE: usize = 2048;

parameters! {
    /// Parameters of the kernels `expand_pointers` and `compress_pointers`.
    PointerParams<P> {
        /// Number of results: entries or pointers.
        results: usize,
        /// Number of values that are searched.
        length: usize,
        /// The pointers, or the sorted rows of all entries.
        values: Read<P> as "const index *",
        /// The row of each entry, or the row pointers.
        out: Written<P> as "index *",
    }
}

parameters! {
    /// Parameters of the kernel `row_entries`.
    RowParams<P> {
        /// Number of results.
        results: usize,
        /// Number of selected rows.
        rows: usize,
        /// Number of results before each selected row, and their sum.
        ends: Read<P> as "const index *",
        /// The first entry of each selected row.
        starts: Read<P> as "const index *",
        /// The positions of the entries.
        out: Written<P> as "index *",
        /// The numbers of the selected rows, or 0.
        row: Written<P> as "index *",
    }
}

parameters! {
    /// Parameters of the kernel `find_entries`.
    FindParams<P> {
        /// Number of positions that are looked for.
        results: usize,
        /// Number of rows.
        rows: i64,
        /// Number of entries.
        entries: i64,
        /// Beginning of each row, and the end of the last.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        indices: Read<P> as "const index *",
        /// The rows that are looked for.
        row: Read<P> as "const index *",
        /// Their columns.
        column: Read<P> as "const index *",
        /// The position of each entry, or -1.
        out: Written<P> as "index *",
    }
}

parameters! {
    /// Parameters of the kernels `check_coordinates` and `check_pointers`.
    CheckParams<P> {
        /// Number of values.
        values_size: usize,
        /// The coordinates or pointers.
        values: Read<P> as "const index *",
        /// The lowest coordinate.
        lowest: i64,
        /// The size of the axis, or the number of entries.
        bound: i64,
        /// The number of the call.
        call: u64,
        /// The number of the function.
        function: u32,
        /// The axis, or the number of a message.
        axis: u32,
        /// The error record.
        record: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernels `pack_keys` and `unpack_keys`.
    PackParams<P> {
        /// Number of entries.
        entries: usize,
        /// The coordinate in the high bits.
        major: Written<P> as "index *",
        /// The coordinate in the low bits.
        minor: Written<P> as "index *",
        /// The keys.
        keys: Written<P> as "sort_key *",
        /// Number of the low bits.
        shift: u32,
    }
}

parameters! {
    /// Parameters of the kernel `first_keys`.
    FirstParams<P> {
        /// Number of keys.
        entries: usize,
        /// The keys, sorted.
        keys: Read<P> as "const sort_key *",
        /// Booleans that are true for keys that differ from the one before.
        out: Written<P> as "bool *",
    }
}

parameters! {
    /// Parameters of the kernels `merge_count` and `merge_write`.
    MergeParams<P> {
        /// Numbers of keys of both lists.
        sizes: [usize; 2],
        /// The first list, strictly increasing.
        a: Read<P> as "const sort_key *",
        /// The second list, strictly increasing.
        b: Read<P> as "const sort_key *",
        /// Number of results of each tile; for `merge_write` up to the end of each tile.
        counts: Written<P> as "i64 *",
        /// The keys of the results.
        keys: Written<P> as "sort_key *",
        /// Their positions in both lists, -1 if a list has no such key.
        positions: [Written<P>; 2] as "index *",
    }
}

parameters! {
    /// Parameters of the kernel `gather_or_zero`.
    GatherOrZeroParams<P> {
        /// Number of results.
        results: usize,
        /// Positions in the lists; negative if a list has no element.
        positions: [Read<P>; 2] as "const index *",
        /// The lists.
        inputs: [Read<P>; 2] as "const item *",
        /// Their lengths.
        sizes: [i64; 2],
        /// The results.
        out: Written<P> as "item *",
    }
}

parameters! {
    /// Parameters of the kernel `scatter`.
    ScatterParams<P> {
        /// Number of entries.
        entries: usize,
        /// Number of elements of the result.
        size: i64,
        /// Coordinates along the first axis.
        major: Read<P> as "const index *",
        /// Coordinates along the second axis, or 0.
        minor: Read<P> as "const index *",
        /// Strides of the result along both coordinates, in elements.
        steps: [i64; 2],
        /// The elements.
        input: Read<P> as "const item *",
        /// The result.
        out: Written<P> as "item *",
    }
}

parameters! {
    /// Parameters of the kernels `sample_sectors`, `count_entries`, `scatter_entries`, `scatter_columns`, `pack_slots`, `sort_rows` and `sort_short_rows`.
    GroupParams<P> {
        /// Number of entries.
        entries: usize,
        /// Number of rows.
        rows: i64,
        /// The row of each entry.
        major: Read<P> as "const index *",
        /// The column of each entry, or 0 if entries stay in their order within a row; of `scatter_entries` and `pack_slots`.
        minor: Read<P> as "const index *",
        /// The pointers of the columns, in whose order entries are; of `scatter_columns`.
        minor_ends: Read<P> as "const index *",
        /// Number of columns.
        columns_of_minor: usize,
        /// The counts of all rows after a zero, then the row pointers.
        ends: Written<P> as "index *",
        /// The rank of each entry in its row, modulo 256.
        ranks: Written<P> as "u8 *",
        /// Columns and entries by rows.
        slots: Written<P>,
        /// Two words: a row is too long, a row has a column twice.
        status: Written<P> as "u32 *",
        /// The sorted columns, or 0 if there are none.
        columns: Written<P> as "index *",
        /// The values.
        input: Read<P> as "const item *",
        /// The values in the order of the columns.
        out: Written<P> as "item *",
        /// True if the slots of a row are in the order of their entries.
        is_ordered: bool,
    }
}

parameters! {
    /// Parameters of the kernel `longest_row`.
    LongestParams<P> {
        /// Number of rows.
        rows: usize,
        /// Row pointers.
        ends: Read<P> as "const index *",
        /// The largest number of entries of a row, zero before.
        longest: Written<P> as "u64 *",
    }
}

parameters! {
    /// Parameters of the kernel `count_descents`.
    DescentParams<P> {
        /// Number of entries.
        entries: usize,
        /// Number of rows.
        rows: usize,
        /// Row pointers.
        ends: Read<P> as "const index *",
        /// The column of each entry.
        columns: Read<P> as "const index *",
        /// Two counts, zero before.
        counts: Written<P> as "u64 *",
    }
}

parameters! {
    /// Parameters of the kernels `match_entries`, `write_entries` and `write_pointers`.
    PatternParams<P> {
        /// Number of rows.
        rows: usize,
        /// Numbers of entries of both patterns.
        sizes: [usize; 2],
        /// Number of entries of the result.
        results: usize,
        /// Beginning of each row, and the end of the last.
        ends: [Read<P>; 2] as "const index *",
        /// The columns, which rise within each row.
        indices: [Read<P>; 2] as "const index *",
        /// The values.
        inputs: [Read<P>; 2],
        /// A bit for each entry of the first pattern: the second has it, too.
        flags: Written<P> as "u32 *",
        /// The number of flags of each word, then up to its end.
        counts: Written<P> as "index *",
        /// The columns of the result.
        columns: Written<P> as "index *",
        /// The values of both patterns at the entries of the result.
        values: [Written<P>; 2],
        /// Where the rows of the result begin, and the end of the last.
        out: Written<P> as "index *",
        /// The size of a value in bytes.
        bytes: u32,
        /// The pattern whose entries are written.
        own: u32,
        /// True for the intersection of the patterns, false for their union.
        intersection: bool,
    }
}

parameters! {
    /// Parameters of the kernel `segments`.
    SegmentsParams<P> {
        /// Number of segments.
        segments: usize,
        /// Number of elements.
        entries: i64,
        /// The beginnings of the segments, and the end of the last.
        ends: Read<P> as "const index *",
        /// The elements.
        input: Read<P> as "const element *",
        /// The position of each element of the segments; 0 if they are in order.
        order: Read<P> as "const index *",
        /// The results.
        out: Written<P> as "result *",
        /// The result of an empty segment.
        empty: Value as "parameter<result>",
        /// A segment of fewer elements is combined with the result of an empty one.
        full: i64,
    }
}

pub(super) fn index_type(wide: bool) -> &'static str {
    if wide { "i64" } else { "i32" }
}

/// Returns the source of the kernels `expand_pointers`, `compress_pointers`, `row_entries`, `find_entries`, `count_descents`, `longest_row` and of the
/// checks of indices, for indices of 32 or 64 bits.
pub fn pointers_source(wide: bool) -> String {
    Unit::new(TYPES.into(), "compressed_pointers")
        .typed("index", index_type(wide))
        .params_as("pointer_params", &PointerParams::<()>::default())
        .params_as("row_params", &RowParams::<()>::default())
        .params_as("find_params", &FindParams::<()>::default())
        .params_as("check_params", &CheckParams::<()>::default())
        .params_as("descent_params", &DescentParams::<()>::default())
        .params_as("longest_params", &LongestParams::<()>::default())
        .with(body!("device_errors"))
        .with(body!("compressed_rows"))
        .with(body!("compressed_pointers"))
        .finish()
}

/// Returns the source of the kernels `pack_keys`, `unpack_keys`, `first_keys`, `merge_count` and `merge_write` for
/// indices and keys of 32 or 64 bits.
pub fn keys_source(wide_index: bool, wide_key: bool) -> String {
    Unit::new(TYPES.into(), "compressed_keys")
        .typed("index", index_type(wide_index))
        .typed("sort_key", if wide_key { "u64" } else { "u32" })
        .params_as("pack_params", &PackParams::<()>::default())
        .params_as("first_params", &FirstParams::<()>::default())
        .params_as("merge_params", &MergeParams::<()>::default())
        .with(body!("compressed_keys"))
        .finish()
}

/// Returns the source of the kernels `gather_or_zero` and `scatter` for indices of 32 or 64 bits and elements of this
/// size.
pub fn values_source(wide: bool, bytes: u8) -> String {
    Unit::new(TYPES.into(), "compressed_values")
        .typed("index", index_type(wide))
        .typed("item", item(bytes))
        .params(&GatherOrZeroParams::<()>::default())
        .params_as("scatter_params", &ScatterParams::<()>::default())
        .with(body!("compressed_values"))
        .finish()
}

/// Returns the source of the kernels `sample_sectors`, `count_entries`, `scatter_entries`, `scatter_columns`, `pack_slots`, `sort_rows` and `sort_short_rows` for indices of 32 or 64 bits and elements
/// of this size.
pub fn groups_source(wide: bool, bytes: u8) -> String {
    Unit::new(TYPES.into(), "compressed_groups")
        .typed("index", index_type(wide))
        .typed("item", item(bytes))
        .params(&GroupParams::<()>::default())
        .with(body!("compressed_rows"))
        .with(body!("compressed_groups"))
        .finish()
}

/// Returns the source of the kernels `match_entries`, `write_entries` and `write_pointers` for indices of 32 or 64 bits.
pub fn patterns_source(wide: bool) -> String {
    Unit::new(TYPES.into(), "compressed_patterns")
        .typed("index", index_type(wide))
        .params(&PatternParams::<()>::default())
        .with(body!("compressed_rows"))
        .with(body!("compressed_patterns"))
        .finish()
}

/// Key of the kernel `segments`, a reduction of segments, with the parameters [`SegmentsParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segments {
    /// The operation.
    pub op: UfuncId,
    /// The index of its loop, whose operands have the dtype of its result.
    pub signature: u8,
    /// The dtype of the elements in memory.
    pub element: DType,
    /// True for 64-bit pointers and columns.
    pub wide: bool,
    /// Threads of a segment: a power of two up to 32.
    pub lanes: u8,
    /// True if the one thread of a segment reads its elements directly, not through shared memory.
    pub direct: bool,
}

impl Segments {
    /// Returns the kernel's name in messages: `add.segments/float32`.
    pub fn name(&self) -> String {
        format!("{}.segments/{}", self.op.record().name, self.element)
    }

    /// Returns the source of the kernel `segments`.
    pub fn source(&self) -> String {
        let Loop { ins, outs: [out, _], expr } = self.op.loops()[self.signature as usize];
        debug_assert_eq!(ins[..2], [out; 2]);
        let wide = self.op.record().wide;
        let mut text = headers([self.element, out], wide);
        text.push_str(self.op.record().text);
        if out.is_complex() {
            text.push_str(self.op.record().complex_text);
        }
        let unit = Unit::new(text, "segment_reduction")
            .typed("index", index_type(self.wide))
            .typed("element", self.element.device_name())
            .typed("result", out.device_name())
            .choice("LANES", self.lanes)
            .switch("DIRECT", self.direct)
            .params(&SegmentsParams::<()>::default());
        let (stored, computed) = (out.device_name(), compute_type(out, wide));
        let text = format!(
            "DEVICE {stored} merge({stored} loop0, {stored} loop1) {{\n  const {computed} a = {};\n  \
             const {computed} b = {};\n  return {};\n}}\n\
             DEVICE result begin(element e) {{ return {}; }}\n\
             DEVICE result combine(result r, element e) {{ return merge(r, begin(e)); }}\n",
            widen(out, wide, "loop0"),
            widen(out, wide, "loop1"),
            narrow(out, wide, expr),
            cast(self.element, out, "e"),
        );
        unit.with(&text).with(body!("segments")).finish()
    }
}
