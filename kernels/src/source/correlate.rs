//! The source text of the correlation of two sequences.

use super::{compute_type, headers, narrow, widen};
use crate::DType;

const CORRELATE: &str = include_str!("../../include/correlate.cuh");

/// Threads of a block of the kernel `correlate`: `THREADS` of `include/correlate.cuh`.
pub const CORRELATE_THREADS: usize = 256;

/// The text of the kernel `correlate` of elements of a dtype, which integers leave by wrapping.
pub fn correlate_source(dtype: DType) -> String {
    let (times, plus) = match dtype {
        DType::Bool => ("a && b", "a || b"),
        d if d.is_integer() => ("wrapping_mul(a, b)", "wrapping_add(a, b)"),
        _ => ("a * b", "a + b"),
    };
    format!(
        "{}typedef {} element;\ntypedef {} value;\nDEVICE value none() {{ return value{{}}; }}\n\
         DEVICE value value_of(element e) {{ return {}; }}\nDEVICE element result_of(value a) {{ return {}; }}\n\
         DEVICE value times(value a, value b) {{ return {times}; }}\n\
         DEVICE value plus(value a, value b) {{ return {plus}; }}\n{CORRELATE}",
        headers([dtype], false),
        dtype.device_name(),
        compute_type(dtype, false),
        widen(dtype, false, "e"),
        narrow(dtype, false, "a"),
    )
}
