//! Assembly of kernel source text.
//!
//! A text holds the headers that it needs and no others, and includes nothing: no toolkit is needed to compile it,
//! and a compile takes tens of milliseconds.

mod at;
mod cast;
mod compaction;
mod correlate;
mod elementwise;
mod fold;
mod matmul;
mod reduction;
mod scan;
mod search;
mod sort;
mod tally;

pub use at::At;
pub use cast::cast;
pub use compaction::{Gather, Mark, Select, Selected};
pub use correlate::{CORRELATE_THREADS, correlate_source};
pub use elementwise::{Class, ELEMENTWISE_THREADS, Elementwise, Input, Mode, VALUE_BYTES};
pub use fold::{Fold, FoldMethod, FoldStart};
pub use matmul::{MATMUL_TILE, matmul_source};
pub use reduction::{REDUCTION_STAGED, REDUCTION_VECTOR, ReductionClass, ReductionSource};
pub use scan::{SCAN_LEVELS, SCAN_THREADS, Scan, ScanMethod};
pub use search::Search;
pub use sort::{
    Carried, Kept, RUNS_TILE, SELECT_BITS, SELECT_TARGETS, SortBlock, SortPass, SortRuns, gather_source, key_bytes,
    member_source, select_source,
};
pub use tally::{Bins, Place, TALLY_SLOTS, TALLY_WEIGH_BYTES, Tally};

use crate::DType;

/// The most axes that a kernel's ordinary parameters hold; more make another kernel with room for [`DEEP_AXES`].
pub const SHALLOW_AXES: usize = 8;

/// The most axes that any kernel holds: the most that an array can have.
pub const DEEP_AXES: usize = 64;

const TYPES: &str = include_str!("../../include/types.cuh");
const HALF: &str = include_str!("../../include/half.cuh");
const BFLOAT16: &str = include_str!("../../include/bfloat16.cuh");
const COMPLEX: &str = include_str!("../../include/complex.cuh");
const COMPLEX_MATH: &str = include_str!("../../include/complex_math.cuh");
const MATH: &str = include_str!("../../include/math.cuh");
const INDEX: &str = include_str!("../../include/index.cuh");
const MATMUL: &str = include_str!("../../include/matmul.cuh");
const OFFSET: &str = include_str!("../../include/offset.cuh");
const AT: &str = include_str!("../../include/at.cuh");
const FOLD: &str = include_str!("../../include/fold.cuh");
const SORT_GATHER: &str = include_str!("../../include/sort_gather.cuh");
const SORT_SELECT: &str = include_str!("../../include/sort_select.cuh");
const SORT_KEY: &str = include_str!("../../include/sort_key.cuh");
const SORT_MEMBER: &str = include_str!("../../include/sort_member.cuh");
const SORT_PUBLISH: &str = include_str!("../../include/sort_publish.cuh");
const SORT_RUNS: &str = include_str!("../../include/sort_runs.cuh");
const SORT_RANK: &str = include_str!("../../include/sort_rank.cuh");
const SORT_BLOCK: &str = include_str!("../../include/sort_block.cuh");
const SORT_PASS: &str = include_str!("../../include/sort_pass.cuh");
const SCAN: &str = include_str!("../../include/scan.cuh");

/// The headers that kernels over these dtypes need.
fn headers(dtypes: impl IntoIterator<Item = DType>, complex_math: bool) -> String {
    let (mut half, mut bfloat, mut complex) = (false, false, false);
    for d in dtypes {
        half |= d == DType::F16;
        bfloat |= d == DType::BF16;
        complex |= d.is_complex();
    }
    let mut text = String::from(TYPES);
    for (needed, header) in [
        (half, HALF),
        (bfloat, BFLOAT16),
        (true, MATH),
        (complex, COMPLEX),
        (complex && complex_math, COMPLEX_MATH),
        (true, INDEX),
    ] {
        if needed {
            text.push_str(header);
        }
    }
    text
}

/// The type in which a loop of this dtype computes.
fn compute_type(dtype: DType, wide: bool) -> &'static str {
    match dtype {
        DType::F16 | DType::BF16 => "f32",
        DType::C64 if wide => "c128",
        other => other.device_name(),
    }
}

/// Widens a value of `dtype` to the type in which its loop computes.
fn widen(dtype: DType, wide: bool, value: &str) -> String {
    if compute_type(dtype, wide) == dtype.device_name() { value.into() } else { format!("widen({value})") }
}

/// Rounds a computed value back to `dtype`.
fn narrow(dtype: DType, wide: bool, value: &str) -> String {
    match dtype {
        DType::F16 => format!("f16_from({value})"),
        DType::BF16 => format!("bf16_from({value})"),
        DType::C64 if wide => format!("narrow({value})"),
        other => format!("({})({value})", other.device_name()),
    }
}
