//! Source of the sorting, selection and run-picking kernels.

use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};
use crate::{DType, Kind};

const SORT_KEY: &str = header!("sort_key");

parameters! {
    /// Parameters of the kernels `sort_block` and `sort_short`.
    SortBlockParams<P> {
        /// Number of rows, which are contiguous.
        rows: usize,
        /// Length of a row.
        length: usize,
        /// The elements.
        input: Read<P>,
        /// The sorted elements.
        out: Written<P>,
        /// int64: the position of each sorted element in its row of the input (argsort).
        positions: Written<P>,
        /// Rows that one block, or one warp of `sort_short`, sorts.
        per_block: u32,
    }
}

parameters! {
    /// Parameters of the kernels `sort_count`, `sort_plan`, `sort_pass` and `sort_finish`, and of those of
    /// `include/sort_leading.cuh`.
    SortPassParams<P> {
        /// Number of rows, which are contiguous.
        rows: usize,
        /// Length of a row.
        length: usize,
        /// The elements.
        input: Read<P>,
        /// Double buffer of keys: the buffer of the sorted elements, and the other buffer of the passes.
        keys: [Written<P>; 2],
        /// For a partition: the elements of each row that bound its parts, in ascending order.
        at_ranks: Read<P>,
        /// The payload of each element.
        given: Read<P>,
        /// Double buffer of payloads: the buffer of the final payloads, and the other buffer of the passes.
        payloads: [Written<P>; 2],
        /// Histogram of each digit of a row; zeros before the launch.
        counts: Written<P>,
        /// The digit that each pass of a row sorts by.
        plan: Written<P>,
        /// Number of tiles that blocks have taken, for each digit; zeros before the launch.
        tickets: Written<P>,
        /// Tile states of the decoupled look-back, of this pass and of the next; zeros before the launch.
        states: [Written<P>; 2],
        /// Hash set of the runs that a block sorts, for a sort by leading digits; zeros before the launch.
        listed: Written<P>,
        /// Elements of a row that a block counts.
        chunk: usize,
        /// Tiles of a row.
        tiles: u32,
        /// Chunks of a row.
        chunks: u32,
        /// The digit of this pass.
        digit: u32,
        /// 1 for the passes that follow a sort by leading digits that has failed.
        stage: u32,
        /// True if the sorted elements overwrite the input.
        in_place: bool,
        /// True if the sorted elements are written.
        want_keys: bool,
    }
}

parameters! {
    /// Parameters of the kernel `sort_runs`.
    SortRunsParams<P> {
        /// Length of the row.
        n: usize,
        /// The elements.
        input: Read<P>,
        /// int64: positions of the elements before sorting.
        positions: Read<P>,
        /// The mask that names the picked elements, for [`RunPick::Masked`].
        mask: Read<P>,
        /// The picked elements.
        out: Written<P>,
        /// int64: original positions of the picked elements.
        firsts: Written<P>,
        /// int64: original positions of the elements that follow them in the sorted row.
        seconds: Written<P>,
        /// int64: positions of the picked elements in the sorted row.
        starts: Written<P>,
        /// int64: for every element, the index of the picked element of its run.
        inverse: Written<P>,
        /// Number of picked elements.
        total: Written<P>,
        /// Number of tiles that blocks have taken; 0 before the launch.
        ticket: Written<P>,
        /// Tile states of the decoupled look-back; zeros before the launch.
        states: Written<P>,
        /// True if NaNs are equal.
        nan_equal: bool,
    }
}

parameters! {
    /// Parameters of the kernels `rank_narrow`, `rank_settle`, `rank_count` and `rank_plan`.
    SortRanksParams<P> {
        /// Length of the row.
        n: usize,
        /// The elements.
        input: Read<P>,
        /// The elements at the ranks.
        out: Written<P>,
        /// The selection state that the passes update.
        state: Written<P>,
        /// Histograms; zeros before the launch.
        counts: Written<P>,
        /// Sorted sample of the row, if the row is narrowed first.
        sample: Read<P>,
        /// Keys of the elements that are located in the brackets of the sample.
        list: Written<P>,
        /// Counts of the narrowing pass; zeros before the launch.
        findings: Written<P>,
        /// Capacity of the list in keys, without the ends of the brackets.
        room: usize,
        /// The ranks, in ascending order.
        ranks: [usize; RANK_TARGETS],
        /// For each bracket, one more than the position of its lower end in the sample; 0 if it has no lower end.
        lows: [u32; RANK_TARGETS],
        /// For each bracket, the position of its upper end in the sample; the length of the sample if it has none.
        highs: [u32; RANK_TARGETS],
        /// The bracket of each rank.
        bracket_of: [u32; RANK_TARGETS],
        /// Number of brackets; 0 if the row is not narrowed.
        brackets: u32,
        /// Length of the sample.
        samples: u32,
        /// Index of this pass.
        pass: u32,
        /// Number of ranks.
        targets: u32,
    }
}

parameters! {
    /// Parameters of the kernel `rank_sample`.
    RankSampleParams<P> {
        /// Length of the row.
        n: usize,
        /// The elements.
        input: Read<P>,
        /// Output: the sample.
        sample: Written<P>,
        /// Length of the sample.
        samples: u32,
    }
}

parameters! {
    /// Parameters of the kernel `sort_take_along`.
    TakeAlongParams<P> {
        /// Number of results.
        size: usize,
        /// Positions in a row.
        length: usize,
        /// Length of a row of the elements.
        from_length: usize,
        /// Distance from the positions of one row to those of the next.
        step: usize,
        /// The elements.
        input: Read<P>,
        /// int64: the positions.
        positions: Read<P>,
        /// The results.
        out: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernels `sort_table_tiles`, `sort_table_merge` and `sort_table_ranks`.
    SortTableParams<P> {
        /// Rows of the table.
        rows: usize,
        /// Length of a row.
        length: usize,
        /// Parts of a row.
        parts: usize,
        /// Number of rows in a sorted run.
        run: usize,
        /// The elements.
        input: Read<P>,
        /// int64: the row numbers, for each part, in sorted runs.
        order: Read<P>,
        /// int64: the row numbers in merged, longer runs; or the ranks of each row.
        out: Written<P>,
        /// True for each row that differs from the one before it in sorted order.
        differs: Written<P>,
        /// Elements of a part.
        part_length: u32,
        /// Tiles of a part.
        tiles: u32,
        /// Parts that one block sorts.
        per_block: u32,
    }
}

/// The payload that elements carry while they are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Carried {
    /// No payload.
    #[default]
    Nothing,
    /// The element's position in its row, which is written as int64.
    Position,
    /// A 32-bit unsigned integer that the caller passes for each element.
    Given32,
    /// A 64-bit unsigned integer that the caller passes for each element.
    Given64,
}

/// Key of the kernel `sort_block`, which sorts rows that fit in one block, with the parameters [`SortBlockParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortBlock {
    /// The dtype of the elements.
    pub dtype: DType,
    /// Threads of a block: a multiple of 32, at least 256.
    pub threads: u16,
    /// Elements of a thread.
    pub items: u16,
    /// True if elements carry their position: if positions are requested, or a block has several rows.
    pub indexed: bool,
}

/// Longest row of the kernel `sort_short`: `MOST` of `include/sort_short.cuh`.
pub const SORT_SHORT: usize = 256;

/// Elements of a lane of the kernel `sort_short`: `ITEMS` of `include/sort_short.cuh`.
pub const SORT_SHORT_ITEMS: usize = 8;

/// Threads of a block of the kernel `sort_short`: 32 `WARPS` of `include/sort_short.cuh`.
pub const SORT_SHORT_THREADS: usize = 128;

/// Key of the kernel `sort_short`, which sorts rows of up to [`SORT_SHORT`] elements of at most 8 bytes, with the
/// parameters [`SortBlockParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortShort {
    /// The dtype of the elements.
    pub dtype: DType,
    /// True if positions are requested.
    pub indexed: bool,
}

/// Key of the radix sort kernels for longer rows, `sort_count`, `sort_plan`, `sort_pass` and `sort_finish`, with the
/// parameters [`SortPassParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortPass {
    /// The dtype of the elements.
    pub dtype: DType,
    /// Threads of a block: a multiple of 32, at least 256.
    pub threads: u16,
    /// Elements of a thread.
    pub items: u16,
    /// The payload of the elements.
    pub carried: Carried,
    /// For a partition, the number of elements that bound the parts: the others are only moved to the correct side of
    /// them. 0 for a full sort.
    pub wanted: u8,
    /// True for rows of 2^30 elements and more.
    pub wide: bool,
    /// True for one long row of keys of 8 bytes or more, which is sorted by its leading digits, then by runs, with the
    /// kernels `sort_sample`, `sort_repair`, `sort_listed` and `sort_again`.
    pub leading: bool,
}

/// Threads of a block of the kernel `sort_sample`: `SAMPLERS` of `include/sort_leading.cuh`.
pub const SORT_SAMPLERS: usize = 1024;

/// Bytes of shared memory of the kernel `sort_sample`: its sample.
pub const SORT_SAMPLE_BYTES: usize = 64 << 10;

/// Threads of a block of the kernels `sort_repair` and `sort_listed`: `REPAIRERS` of `include/sort_leading.cuh`.
pub const SORT_REPAIRERS: usize = 256;

/// Slots of the hash set of listed runs: `SLOTS` of `include/sort_leading.cuh`.
pub const SORT_LISTED_SLOTS: usize = 1 << 16;

/// Returns the elements of which a block of the kernel `sort_repair` sorts the runs: `OWNED` of
/// `include/sort_leading.cuh`, for elements of `item` bytes.
pub fn sort_repaired(item: usize) -> usize {
    (32 << 10) / item - 64
}

/// Returns the size in bytes of the key by which elements of a dtype are sorted.
fn key_bytes(dtype: DType) -> usize {
    dtype.size()
}

/// Returns the unsigned type of the width of an element.
fn raw(dtype: DType) -> &'static str {
    match dtype.size() {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "words",
    }
}

/// Returns the bit pattern of infinity in a real dtype.
fn infinity(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "0x7c00",
        DType::BF16 => "0x7f80",
        DType::F32 => "0x7f800000u",
        _ => "0x7ff0000000000000ull",
    }
}

/// Starts the source of a kernel over elements of a dtype with `raw`, `key`, `key_of` and `last_item`, the key that
/// sorts last.
fn keyed(namespace: &str, dtype: DType) -> Unit {
    let (raw, real) = (raw(dtype), dtype.real());
    let (part, infinity) = (format!("u{}", 8 * real.size()), infinity(real));
    let of = match (dtype, dtype.kind()) {
        (DType::C128, _) => {
            format!(
                "const pair<u64, u64> k = complex_key<u64>(x.low, x.high, {infinity}); return {{k.second, k.first}};"
            )
        }
        (_, Kind::Complex) => format!(
            "const pair<{part}, {part}> k = complex_key<{part}>(({part})x, ({part})(x >> 32), {infinity}); \
             return (u64)k.first << 32 | k.second;"
        ),
        (_, Kind::Float) => format!("return float_key<{part}>(x, {infinity});"),
        (_, Kind::Signed) => format!("return (key)(x ^ (raw)1 << {});", 8 * dtype.size() - 1),
        _ => "return x;".into(),
    };
    // All bits set but the sign: a NaN, or the largest integer.
    let half = format!("(u{0})~((u{0})1 << {1})", 8 * real.size(), 8 * real.size() - 1);
    let last = match (dtype, dtype.kind()) {
        (DType::C128, _) => format!("return {{{half}, {half}}};"),
        (_, Kind::Complex) => format!("return (u64){half} << 32 | {half};"),
        (_, Kind::Float | Kind::Signed) => format!("return {half};"),
        _ => "return (raw)~(raw)0;".into(),
    };
    Unit::new(format!("{TYPES}{SORT_KEY}"), namespace)
        .typed("raw", raw)
        .typed("key", raw)
        .with(&format!("DEVICE key key_of(raw x) {{ {of} }}\nDEVICE raw last_item() {{ {last} }}\n"))
}

/// Selection of elements from a sorted row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunPick {
    /// The first of each run of equal elements.
    FirstOfRun,
    /// Those that are equal to the next element.
    EqualToNext,
    /// Those that no other element is equal to.
    WithoutEqual,
    /// Those where a mask is true; the row need not be sorted.
    Masked,
}

/// Key of the kernel `sort_runs`, with the parameters [`SortRunsParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortRuns {
    /// The dtype of the elements.
    pub dtype: DType,
    /// The elements that are picked.
    pub pick: RunPick,
}

/// Elements of a block of `sort_runs`: `TILE` of `include/sort_runs.cuh`.
pub const RUNS_TILE: usize = 2048;

impl SortRuns {
    /// Returns the kernel's name in messages: `sort_runs/float32`.
    pub fn name(&self) -> String {
        format!("sort_runs/{}", self.dtype)
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        keyed("sort_runs", self.dtype)
            .typed("count", "u64")
            .number("PICK", self.pick as usize)
            .params(&SortRunsParams::<()>::default())
            .with(&nan_text(self.dtype))
            .with(body!("sort_publish"))
            .with(body!("sort_runs"))
            .finish()
    }
}

/// Returns the source of `is_nan`, which tests a key: the keys of NaNs sort after that of infinity.
fn nan_text(dtype: DType) -> String {
    let real = dtype.real();
    let test = match dtype.kind() {
        Kind::Float | Kind::Complex => {
            let top = format!("((u{0})({1} | (u{0})1 << {2}))", 8 * real.size(), infinity(real), 8 * real.size() - 1);
            let upper = match dtype {
                DType::C128 => "k.high",
                DType::C64 => "(u32)(k >> 32)",
                _ => "k",
            };
            format!("{upper} > {top}")
        }
        _ => "false".into(),
    };
    format!("DEVICE bool is_nan(key k) {{ return {test}; }}\n")
}

/// Returns the source of `raw_of`, which returns the element of a key; of the keys that several elements have (zeros of
/// both signs, NaNs), one of them. For complex numbers that have no NaN.
fn raw_text(dtype: DType) -> String {
    let part = format!("u{}", 8 * dtype.real().size());
    let sign = format!("({part})1 << {}", 8 * dtype.real().size() - 1);
    let back = match dtype.kind() {
        Kind::Float | Kind::Complex => format!("({part})(k & {sign} ? k ^ {sign} : ~k)"),
        Kind::Signed => format!("({part})(k ^ {sign})"),
        _ => "k".into(),
    };
    let of = match dtype.kind() {
        Kind::Complex => format!("raw_of_part(({part})(k >> 32)) | (raw)raw_of_part(({part})k) << 32"),
        _ => "raw_of_part(k)".into(),
    };
    format!("DEVICE {part} raw_of_part({part} k) {{ return {back}; }}\nDEVICE raw raw_of(key k) {{ return {of}; }}\n")
}

/// Ranks that the kernels of [`ranks_source`] select at once: `TARGETS` of `include/sort_ranks.cuh`.
pub const RANK_TARGETS: usize = 4;

/// Bits of the key that a pass of the kernels of [`ranks_source`] resolves: `WIDTH` of `include/sort_ranks.cuh`.
pub const RANK_BITS: usize = 11;

/// Returns the source of the radix selection kernels of a dtype that is not complex: `rank_narrow`, `rank_settle`,
/// `rank_count` and `rank_plan`, with the parameters [`SortRanksParams`], and `rank_sample`, with the parameters
/// [`RankSampleParams`].
pub fn ranks_source(dtype: DType) -> String {
    keyed("sort_ranks", dtype)
        .number("BITS", 8 * dtype.size())
        .params(&SortRanksParams::<()>::default())
        .params_as("sample_params", &RankSampleParams::<()>::default())
        .with(&raw_text(dtype))
        .with(body!("sort_ranks"))
        .finish()
}

/// Returns the source of the kernel `sort_take_along` for elements of the size of a dtype, with the parameters
/// [`TakeAlongParams`].
pub fn take_along_source(dtype: DType) -> String {
    keyed("sort_take_along", dtype).params(&TakeAlongParams::<()>::default()).with(body!("sort_take_along")).finish()
}

/// Rows of a block of the kernels of [`table_source`]: `TILE` of `include/sort_table.cuh`.
pub const TABLE_TILE: usize = 1024;

/// Returns the source of the kernels that sort whole rows, `sort_table_tiles`, `sort_table_merge` and
/// `sort_table_ranks`, with the parameters [`SortTableParams`].
pub fn table_source(dtype: DType) -> String {
    keyed("sort_table", dtype).params(&SortTableParams::<()>::default()).with(body!("sort_table")).finish()
}

impl SortBlock {
    /// Returns the kernel's name in messages: `sort_block/float32`.
    pub fn name(&self) -> String {
        format!("sort_block/{}", self.dtype)
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        keyed("sort_block", self.dtype)
            .number("DIGITS", key_bytes(self.dtype))
            .number("DIGIT_BITS", 8)
            .number("THREADS", self.threads.into())
            .number("ITEMS", self.items.into())
            .switch("INDEXED", self.indexed)
            .params(&SortBlockParams::<()>::default())
            .with(body!("sort_rank"))
            .with(body!("sort_block"))
            .finish()
    }
}

impl SortShort {
    /// Returns the kernel's name in messages: `sort_short/float32`.
    pub fn name(&self) -> String {
        format!("sort_short/{}", self.dtype)
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        keyed("sort_short", self.dtype)
            .switch("INDEXED", self.indexed)
            .params(&SortBlockParams::<()>::default())
            .with(&raw_text(self.dtype))
            .with(body!("sort_short"))
            .finish()
    }
}

impl SortPass {
    /// Returns the kernels' name in messages: `sort/float32`.
    pub fn name(&self) -> String {
        format!("sort/{}", self.dtype)
    }

    /// Returns the number of digits, which is the number of passes.
    pub fn digits(&self) -> usize {
        if self.wanted > 0 { 1 } else { key_bytes(self.dtype) }
    }

    /// Returns the number of bits of a digit. For a partition they distinguish the bounding elements, the parts between
    /// them, and the padding of a tile.
    fn digit_bits(&self) -> usize {
        if self.wanted > 0 { (2 * self.wanted + 1).ilog2() as usize + 1 } else { 8 }
    }

    /// Returns the size in bytes of the payload of an element, between passes and in the result.
    pub fn carried_bytes(&self) -> (usize, usize) {
        match self.carried {
            Carried::Nothing => (0, 0),
            Carried::Position => (if self.wide { 8 } else { 4 }, 8),
            Carried::Given32 => (4, 4),
            Carried::Given64 => (8, 8),
        }
    }

    /// Returns true if an element and its payload are one word of 8 bytes between passes.
    pub fn paired(&self) -> bool {
        key_bytes(self.dtype) <= 4 && self.carried_bytes().0 == 4 && self.wanted == 0
    }

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        let given = matches!(self.carried, Carried::Given32 | Carried::Given64);
        let payload = if self.carried_bytes().0 == 8 { "u64" } else { "u32" };
        let result = if self.carried == Carried::Position { "i64" } else { payload };
        keyed("sort_pass", self.dtype)
            .number("DIGITS", self.digits())
            .number("DIGIT_BITS", self.digit_bits())
            .choice("WANTED", self.wanted)
            .number("THREADS", self.threads.into())
            .number("ITEMS", self.items.into())
            .switch("CARRIED", self.carried != Carried::Nothing)
            .switch("PAIRED", self.paired())
            .switch("GIVEN", given)
            .switch("LEADING", self.leading)
            .typed("count", if self.wide { "u64" } else { "u32" })
            .typed("payload", payload)
            .typed("result", result)
            .params(&SortPassParams::<()>::default())
            .with(body!("sort_publish"))
            .with(body!("sort_rank"))
            .with(body!("sort_pass"))
            .with(if self.leading { body!("sort_leading") } else { "" })
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_has_a_key_as_wide_as_itself() {
        for dtype in DType::ALL {
            let text = SortBlock { dtype, threads: 256, items: 2, indexed: false }.source();
            assert!(text.contains(&format!("constexpr int DIGITS = {};", dtype.size())), "{dtype}");
            assert!(text.contains("DEVICE key key_of(raw x) { "), "{dtype}");
        }
    }

    #[test]
    fn positions_are_carried_in_as_few_bytes_as_hold_them() {
        let carried = Carried::Position;
        let key =
            SortPass { dtype: DType::F32, threads: 256, items: 8, carried, wanted: 0, wide: false, leading: false };
        assert_eq!(key.carried_bytes(), (4, 8));
        assert_eq!(SortPass { wide: true, ..key }.carried_bytes(), (8, 8));
        assert!(key.source().contains("typedef i64 result;"));
    }
}
