//! The source text of sorting kernels.

use std::fmt::Write;

use super::{
    SORT_BLOCK, SORT_GATHER, SORT_KEY, SORT_MEMBER, SORT_PASS, SORT_PUBLISH, SORT_RANK, SORT_RUNS, SORT_SELECT, TYPES,
};
use crate::{DType, Kind};

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

/// The kernel of rows that a block holds, `sort_block`.
///
/// Its parameters are the struct `params` of `include/sort_block.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortBlock {
    /// The dtype of the elements.
    pub dtype: DType,
    /// Threads of a block: a multiple of 32, 256 or more.
    pub threads: u16,
    /// Elements of a thread.
    pub items: u16,
    /// Whether elements carry their position: where that is wanted, and where a block has several rows.
    pub indexed: bool,
}

/// The kernels of longer rows: `sort_count`, `sort_plan`, `sort_pass`, `sort_finish`.
///
/// Their parameters are the struct `params` of `include/sort_pass.cuh`.
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
    /// Rows of 2^30 elements and more.
    pub wide: bool,
}

/// Bytes of the key by which elements of a dtype are sorted.
pub fn key_bytes(dtype: DType) -> usize {
    dtype.size()
}

/// The unsigned type as wide as an element.
fn raw(dtype: DType) -> &'static str {
    match dtype.size() {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "words",
    }
}

/// The bits of infinity in a real dtype.
fn infinity(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "0x7c00",
        DType::BF16 => "0x7f80",
        DType::F32 => "0x7f800000u",
        _ => "0x7ff0000000000000ull",
    }
}

/// The headers of keys, and `raw`, `key`, DIGITS and key_of of a dtype.
pub(super) fn key_text(dtype: DType) -> String {
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
    let mut text = String::from(TYPES);
    text.push_str(SORT_KEY);
    let _ = writeln!(
        text,
        "typedef {raw} raw;\ntypedef {raw} key;\n#define DIGITS {}\nDEVICE key key_of(raw x) {{ {of} }}",
        key_bytes(dtype)
    );
    text
}

/// Which elements of a sorted row are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kept {
    /// The first of each run of equal ones.
    First,
    /// Those that are equal to the next.
    Twin,
    /// Those that have no equal.
    Alone,
    /// Those that a mask names; the row need not be sorted.
    Given,
}

/// The kernel `sort_runs`, whose parameters are the struct `params` of `include/sort_runs.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortRuns {
    /// The dtype of the elements.
    pub dtype: DType,
    /// What is kept.
    pub kept: Kept,
}

/// Elements that a block of `sort_runs` has: `TILE` of `include/sort_runs.cuh`.
pub const RUNS_TILE: usize = 2048;

impl SortRuns {
    /// The kernel's name in messages: `sort_runs/float32`.
    pub fn name(&self) -> String {
        format!("sort_runs/{}", self.dtype)
    }

    /// The text of the kernel.
    pub fn source(&self) -> String {
        let mut text = key_text(self.dtype);
        let _ = writeln!(text, "{}typedef u64 count;\n#define KEPT {}", nan_text(self.dtype), self.kept as u8);
        text.push_str(SORT_PUBLISH);
        text.push_str(SORT_RUNS);
        text
    }
}

/// The function is_nan, of a key: all NaNs stand behind infinity.
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

/// The text of the kernel `sort_member`, whose parameters are the struct `params` of `include/sort_member.cuh`.
pub fn member_source(dtype: DType) -> String {
    key_text(dtype) + &nan_text(dtype) + SORT_MEMBER
}

/// Ranks that the kernels of [`select_source`] look for at once: `TARGETS` of `include/sort_select.cuh`.
pub const SELECT_TARGETS: usize = 4;

/// Bits of the key that a run of the kernels of [`select_source`] settles: `WIDTH` of `include/sort_select.cuh`.
pub const SELECT_BITS: usize = 11;

/// The text of the kernels `select_count` and `select_plan` of a dtype that is not complex, whose parameters are the struct
/// `params` of `include/sort_select.cuh`.
pub fn select_source(dtype: DType) -> String {
    let bits = 8 * dtype.size() as u32;
    let back = match dtype.kind() {
        Kind::Float => format!("return (raw)(k & (raw)1 << {0} ? k ^ (raw)1 << {0} : ~k);", bits - 1),
        Kind::Signed => format!("return (raw)(k ^ (raw)1 << {});", bits - 1),
        _ => "return k;".into(),
    };
    let mut text = key_text(dtype);
    let _ = writeln!(text, "DEVICE raw raw_of(key k) {{ {back} }}\n#define BITS {bits}");
    text.push_str(SORT_SELECT);
    text
}

/// The text of the kernel `gather`, of elements as wide as those of a dtype.
pub fn gather_source(dtype: DType) -> String {
    key_text(dtype) + SORT_GATHER
}

impl SortBlock {
    /// The kernel's name in messages: `sort_block/float32`.
    pub fn name(&self) -> String {
        format!("sort_block/{}", self.dtype)
    }

    /// The text of the kernel.
    pub fn source(&self) -> String {
        let mut text = key_text(self.dtype);
        let _ = writeln!(
            text,
            "#define THREADS {}\n#define ITEMS {}\n#define INDEXED {}",
            self.threads, self.items, self.indexed as u8
        );
        text.push_str(SORT_RANK);
        text.push_str(SORT_BLOCK);
        text
    }
}

impl SortPass {
    /// The kernels' name in messages: `sort/float32`.
    pub fn name(&self) -> String {
        format!("sort/{}", self.dtype)
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

    /// The text of the kernels.
    pub fn source(&self) -> String {
        let mut text = key_text(self.dtype);
        let carried = self.carried != Carried::Nothing;
        let given = matches!(self.carried, Carried::Given32 | Carried::Given64);
        let payload = if self.carried_bytes().0 == 8 { "u64" } else { "u32" };
        let result = if self.carried == Carried::Position { "i64" } else { payload };
        let _ = writeln!(
            text,
            "#define THREADS {}\n#define ITEMS {}\n#define CARRIED {}\n#define GIVEN {}\ntypedef {} count;\n\
             typedef {payload} payload;\ntypedef {result} result;",
            self.threads,
            self.items,
            carried as u8,
            given as u8,
            if self.wide { "u64" } else { "u32" },
        );
        text.push_str(SORT_PUBLISH);
        text.push_str(SORT_RANK);
        text.push_str(SORT_PASS);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_has_a_key_as_wide_as_itself() {
        for dtype in DType::ALL {
            let text = key_text(dtype);
            assert!(text.contains(&format!("#define DIGITS {}", dtype.size())), "{dtype}");
            assert!(text.contains("DEVICE key key_of(raw x) { "), "{dtype}");
        }
    }

    #[test]
    fn positions_are_carried_in_as_few_bytes_as_hold_them() {
        let key = SortPass { dtype: DType::F32, threads: 256, items: 8, carried: Carried::Position, wide: false };
        assert_eq!(key.carried_bytes(), (4, 8));
        assert_eq!(SortPass { wide: true, ..key }.carried_bytes(), (8, 8));
        assert!(key.source().contains("typedef i64 result;"));
    }
}
