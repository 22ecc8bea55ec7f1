//! The source text of the matrix products that the device's library does not have.

use super::{MATH, MATMUL, TYPES};
use crate::DType;

/// Rows and columns of the tile that a block of the kernel `matmul` computes: `TILE` of `include/matmul.cuh`.
pub const MATMUL_TILE: usize = 16;

/// The text of the kernel `matmul` of integers, which wrap, or of booleans.
pub fn matmul_source(dtype: DType) -> String {
    let (times, plus) =
        if dtype == DType::Bool { ("a && b", "a || b") } else { ("wrapping_mul(a, b)", "wrapping_add(a, b)") };
    format!(
        "{TYPES}{MATH}typedef {} item;\nDEVICE item times(item a, item b) {{ return {times}; }}\n\
         DEVICE item plus(item a, item b) {{ return {plus}; }}\n{MATMUL}",
        dtype.device_name()
    )
}
