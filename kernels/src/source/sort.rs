//! The source text of sorting kernels.

use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};
use crate::{DType, Kind};

const SORT_KEY: &str = header!("sort_key");

parameters! {
    /// Parameters of the kernel `sort_block`.
    SortBlockParams<P> {
        /// Rows, one after the other.
        rows: usize,
        /// Elements of a row.
        length: usize,
        /// The elements.
        input: Read<P>,
        /// The sorted elements.
        out: Written<P>,
        /// int64: the positions that they come from.
        positions: Written<P>,
        /// Rows of a block.
        per_block: u32,
    }
}

parameters! {
    /// Parameters of the kernels `sort_count`, `sort_plan`, `sort_pass` and `sort_finish`.
    SortPassParams<P> {
        /// Rows, one after the other.
        rows: usize,
        /// Elements of a row.
        length: usize,
        /// The elements.
        input: Read<P>,
        /// Where the sorted elements end, and the other buffer of passes.
        keys: [Written<P>; 2],
        /// Of parts: the elements of each row between which they lie, which rise.
        at_ranks: Read<P>,
        /// What is given with each element.
        given: Read<P>,
        /// Where what elements carry ends, and the other buffer of passes.
        payloads: [Written<P>; 2],
        /// How many elements of each digit a row has: zeros at first.
        counts: Written<P>,
        /// Which pass of a row is the how-manieth.
        plan: Written<P>,
        /// For each digit, the number of tiles that are taken: zeros at first.
        tickets: Written<P>,
        /// What tiles tell each other, of one pass and of the next: zeros at first.
        states: [Written<P>; 2],
        /// Elements of a row that a block counts.
        chunk: usize,
        /// Tiles of a row.
        tiles: u32,
        /// Chunks of a row.
        chunks: u32,
        /// The digit of this pass.
        digit: u32,
        /// True if elements end where they come from.
        in_place: bool,
        /// True if the sorted elements are wanted.
        want_keys: bool,
    }
}

parameters! {
    /// Parameters of the kernel `sort_runs`.
    SortRunsParams<P> {
        /// Elements of the row.
        n: usize,
        /// The elements.
        input: Read<P>,
        /// int64: where they come from.
        positions: Read<P>,
        /// Of chosen elements: which are.
        mask: Read<P>,
        /// The elements that are kept.
        out: Written<P>,
        /// int64: where they come from.
        firsts: Written<P>,
        /// int64: where the elements behind them come from.
        seconds: Written<P>,
        /// int64: where they stand in the row.
        starts: Written<P>,
        /// int64: for every element, the number of the one that is kept for it.
        inverse: Written<P>,
        /// The number of elements that are kept.
        total: Written<P>,
        /// The number of tiles that are taken: 0 at first.
        ticket: Written<P>,
        /// What tiles tell each other: zeros at first.
        states: Written<P>,
        /// True if NaNs are equal.
        nan_equal: bool,
    }
}

parameters! {
    /// Parameters of the kernels `rank_narrow`, `rank_settle`, `rank_count` and `rank_plan`.
    SortRanksParams<P> {
        /// Elements of the row.
        n: usize,
        /// The elements.
        input: Read<P>,
        /// The elements at the ranks.
        out: Written<P>,
        /// What the passes know so far.
        state: Written<P>,
        /// Counts: zeros at first.
        counts: Written<P>,
        /// Elements of the row, sorted; where the row is narrowed.
        sample: Read<P>,
        /// The keys of what stands between some of the sample.
        list: Written<P>,
        /// What was counted meanwhile: zeros at first.
        findings: Written<P>,
        /// How many keys the list has room for, the ends of brackets not counted.
        room: usize,
        /// The ranks, which rise.
        ranks: [usize; RANK_TARGETS],
        /// Of each bracket the place behind that of its lower end in the sample; 0 where it has none.
        lows: [u32; RANK_TARGETS],
        /// The place of its upper end, or of none.
        highs: [u32; RANK_TARGETS],
        /// The bracket of each rank.
        bracket_of: [u32; RANK_TARGETS],
        /// Number of brackets; 0 where the row is not narrowed.
        brackets: u32,
        /// Elements of the sample.
        samples: u32,
        /// The number of this pass.
        pass: u32,
        /// Number of ranks.
        targets: u32,
    }
}

parameters! {
    /// Parameters of the kernel `rank_sample`.
    RankSampleParams<P> {
        /// Elements of the row.
        n: usize,
        /// The elements.
        input: Read<P>,
        /// Where the sample goes.
        sample: Written<P>,
        /// Elements of the sample.
        samples: u32,
    }
}

parameters! {
    /// Parameters of the kernel `sort_take_along`.
    TakeAlongParams<P> {
        /// Number of results.
        size: usize,
        /// Positions of a row.
        length: usize,
        /// Elements of a row.
        from_length: usize,
        /// From the positions of a row to those of the next one.
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
        /// Elements of a row.
        length: usize,
        /// Parts of a row.
        parts: usize,
        /// Rows of a run that is sorted.
        run: usize,
        /// The elements.
        input: Read<P>,
        /// int64: the numbers of the rows, for each part, in runs.
        order: Read<P>,
        /// int64: the same in longer runs; or for each row its ranks.
        out: Written<P>,
        /// Whether a row is not the same as the one before it.
        differs: Written<P>,
        /// Elements of a part.
        part_length: u32,
        /// Tiles of a part.
        tiles: u32,
        /// Parts of a block.
        per_block: u32,
    }
}

/// What elements carry with them while they are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Carried {
    /// Nothing.
    #[default]
    Nothing,
    /// The position in the row that they come from, which ends as int64.
    Position,
    /// An unsigned integer of 32 bits that is given with each.
    Given32,
    /// One of 64 bits.
    Given64,
}

/// The kernel of rows that a block holds, `sort_block`, with the parameters [`SortBlockParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortBlock {
    /// The dtype of the elements.
    pub dtype: DType,
    /// Threads of a block: a multiple of 32, 256 or more.
    pub threads: u16,
    /// Elements of a thread.
    pub items: u16,
    /// True if elements carry their position: where that is wanted, and where a block has several rows.
    pub indexed: bool,
}

/// The kernels of longer rows: `sort_count`, `sort_plan`, `sort_pass`, `sort_finish`, with the parameters
/// [`SortPassParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortPass {
    /// The dtype of the elements.
    pub dtype: DType,
    /// Threads of a block: a multiple of 32, 256 or more.
    pub threads: u16,
    /// Elements of a thread.
    pub items: u16,
    /// What elements carry.
    pub carried: Carried,
    /// So many elements of a row are told, and the others not sorted, but brought to their side of them; 0 where all are sorted.
    pub wanted: u8,
    /// Rows of 2^30 elements and more.
    pub wide: bool,
}

/// Bytes of the key by which elements of a dtype are sorted.
fn key_bytes(dtype: DType) -> usize {
    dtype.size()
}

/// Returns the unsigned type as wide as an element.
fn raw(dtype: DType) -> &'static str {
    match dtype.size() {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "words",
    }
}

/// Returns the bits of infinity in a real dtype.
fn infinity(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "0x7c00",
        DType::BF16 => "0x7f80",
        DType::F32 => "0x7f800000u",
        _ => "0x7ff0000000000000ull",
    }
}

/// Returns a text about elements of a dtype, with `raw`, `key`, key_of and last_item, behind which no other stands.
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

/// Which elements of a sorted row are picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunPick {
    /// The first of each run of equal ones.
    FirstOfRun,
    /// Those that are equal to the next.
    EqualToNext,
    /// Those that have no equal.
    WithoutEqual,
    /// Those that a mask names; the row need not be sorted.
    Masked,
}

/// The kernel `sort_runs`, with the parameters [`SortRunsParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortRuns {
    /// The dtype of the elements.
    pub dtype: DType,
    /// What is picked.
    pub pick: RunPick,
}

/// Elements that a block of `sort_runs` has: `TILE` of `include/sort_runs.cuh`.
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

/// Returns the function is_nan, of a key: all NaNs stand behind infinity.
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

/// Ranks that the kernels of [`ranks_source`] look for at once: `TARGETS` of `include/sort_ranks.cuh`.
pub const RANK_TARGETS: usize = 4;

/// Bits of the key that a run of the kernels of [`ranks_source`] settles: `WIDTH` of `include/sort_ranks.cuh`.
pub const RANK_BITS: usize = 11;

/// Returns the source of the kernels of a dtype that is not complex: `rank_narrow`, `rank_settle`, `rank_count` and
/// `rank_plan`, which are told [`SortRanksParams`], and `rank_sample`, with the parameters [`RankSampleParams`].
pub fn ranks_source(dtype: DType) -> String {
    let bits = 8 * dtype.size() as u32;
    let back = match dtype.kind() {
        Kind::Float => format!("return (raw)(k & (raw)1 << {0} ? k ^ (raw)1 << {0} : ~k);", bits - 1),
        Kind::Signed => format!("return (raw)(k ^ (raw)1 << {});", bits - 1),
        _ => "return k;".into(),
    };
    keyed("sort_ranks", dtype)
        .number("BITS", bits as usize)
        .params(&SortRanksParams::<()>::default())
        .params_as("sample_params", &RankSampleParams::<()>::default())
        .with(&format!("DEVICE raw raw_of(key k) {{ {back} }}\n"))
        .with(body!("sort_ranks"))
        .finish()
}

/// Returns the source of the kernel `sort_take_along`, of elements as wide as those of a dtype, with the parameters
/// [`TakeAlongParams`].
pub fn take_along_source(dtype: DType) -> String {
    keyed("sort_take_along", dtype).params(&TakeAlongParams::<()>::default()).with(body!("sort_take_along")).finish()
}

/// Rows that a block of the kernels of [`table_source`] has: `TILE` of `include/sort_table.cuh`.
pub const TABLE_TILE: usize = 1024;

/// Returns the source of the kernels of whole rows, `sort_table_tiles`, `sort_table_merge` and `sort_table_ranks`,
/// which are told [`SortTableParams`].
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

impl SortPass {
    /// Returns the kernels' name in messages: `sort/float32`.
    pub fn name(&self) -> String {
        format!("sort/{}", self.dtype)
    }

    /// Digits by which elements are sorted.
    pub fn digits(&self) -> usize {
        if self.wanted > 0 { 1 } else { key_bytes(self.dtype) }
    }

    /// Bits of a digit; of parts those that tell the elements wanted, what lies between them, and what fills a tile up apart.
    fn digit_bits(&self) -> usize {
        if self.wanted > 0 { (2 * self.wanted + 1).ilog2() as usize + 1 } else { 8 }
    }

    /// Bytes of what an element carries between passes, and in the end.
    pub fn carried_bytes(&self) -> (usize, usize) {
        match self.carried {
            Carried::Nothing => (0, 0),
            Carried::Position => (if self.wide { 8 } else { 4 }, 8),
            Carried::Given32 => (4, 4),
            Carried::Given64 => (8, 8),
        }
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
            .switch("GIVEN", given)
            .typed("count", if self.wide { "u64" } else { "u32" })
            .typed("payload", payload)
            .typed("result", result)
            .params(&SortPassParams::<()>::default())
            .with(body!("sort_publish"))
            .with(body!("sort_rank"))
            .with(body!("sort_pass"))
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
        let key = SortPass { dtype: DType::F32, threads: 256, items: 8, carried, wanted: 0, wide: false };
        assert_eq!(key.carried_bytes(), (4, 8));
        assert_eq!(SortPass { wide: true, ..key }.carried_bytes(), (8, 8));
        assert!(key.source().contains("typedef i64 result;"));
    }
}
