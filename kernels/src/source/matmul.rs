//! The source text of the matrix products that the device's library does not have.

use super::{MATH, TYPES, Unit, body};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// What the kernel `matmul` is told: a matrix of m by k, one of k by n, and their product, in C order.
    MatmulParams<P> {
        /// Rows of the product.
        m: usize,
        /// Columns of the product.
        n: usize,
        /// Products of which an element is the sum.
        k: usize,
        /// The first matrix.
        a: Read<P> as "const char *",
        /// The second.
        b: Read<P> as "const char *",
        /// The product.
        c: Written<P> as "item *",
        /// Bytes from a row of the first matrix to the next.
        a_row: i64,
        /// Bytes from a column to the next.
        a_column: i64,
        /// The same of the second.
        b_row: i64,
        /// The same of the second.
        b_column: i64,
    }
}

/// Rows and columns of the tile that a block of the kernel `matmul` computes: `TILE` of `include/matmul.cuh`.
pub const MATMUL_TILE: usize = 16;

/// The text of the kernel `matmul` of integers, which wrap, or of booleans.
pub fn matmul_source(dtype: DType) -> String {
    let (times, plus) =
        if dtype == DType::Bool { ("a && b", "a || b") } else { ("wrapping_mul(a, b)", "wrapping_add(a, b)") };
    let functions = format!(
        "DEVICE item times(item a, item b) {{ return {times}; }}\nDEVICE item plus(item a, item b) {{ return {plus}; }}\n"
    );
    Unit::new(format!("{TYPES}{MATH}"), "matmul")
        .typed("item", dtype.device_name())
        .told(&MatmulParams::<()>::default())
        .with(&functions)
        .with(body!("matmul"))
        .finish()
}
