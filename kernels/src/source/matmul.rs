//! Source of the matrix product kernel for dtypes that cuBLAS does not support.

use super::{Unit, body};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `matmul`: batches of m by k matrices, of k by n matrices, and of their products.
    MatmulParams<P> {
        /// Rows of a product.
        m: usize,
        /// Columns of a product.
        n: usize,
        /// Length of the sums.
        k: usize,
        /// The first matrices.
        a: Read<P> as "const char *",
        /// The second matrices.
        b: Read<P> as "const char *",
        /// The products.
        c: Written<P> as "char *",
        /// Bytes between rows of a first matrix.
        a_row: i64,
        /// Bytes between columns.
        a_column: i64,
        /// Bytes between matrices.
        a_stack: i64,
        /// Bytes between rows of a second matrix.
        b_row: i64,
        /// Bytes between columns.
        b_column: i64,
        /// Bytes between matrices.
        b_stack: i64,
        /// Bytes between rows of a product.
        c_row: i64,
        /// Bytes between columns.
        c_column: i64,
        /// Bytes between products.
        c_stack: i64,
    }
}

/// Threads along each side of a block of the kernel `matmul`: `ACROSS` of `include/matmul.cuh`.
pub const MATMUL_ACROSS: usize = 16;

/// Key of the kernel `matmul` for integers, which wrap on overflow, or booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatmulSource {
    /// The dtype of all three matrices.
    pub dtype: DType,
    /// Number of elements along each side of the square that a thread computes: 1, 4 or 8.
    pub side: usize,
    /// True if the rows of the first matrix are contiguous, which decides the layout of its loads.
    pub rows: bool,
    /// True if the columns of the second matrix are contiguous.
    pub columns: bool,
}

impl MatmulSource {
    /// Returns the largest side for the dtype, which the number of registers limits.
    pub fn most(dtype: DType) -> usize {
        if dtype.size() == 8 { 4 } else { 8 }
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        let along = |dense| if dense { "k" } else { "-" };
        format!("matmul/{}/{}/{}{}", self.dtype, self.side, along(self.rows), along(self.columns))
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        let MatmulSource { dtype, side, rows, columns } = *self;
        // Sums modulo a power of two do not depend on signs; four products of bytes are one instruction.
        let (word, per, joined, element) = match (dtype, dtype.size()) {
            (DType::Bool, _) => ("u32", 4, "s | (a & b)", "s != 0"),
            (_, 1) => ("u32", 4, "(u32)dot4((i32)a, (i32)b, (i32)s)", "(item)s"),
            (_, 8) => ("u64", 1, "s + a * b", "(item)s"),
            _ => ("u32", 1, "s + a * b", "(item)s"),
        };
        let params = format!(
            "constexpr u32 PER = {per}, SIDE = {side};\nconstexpr bool A_ALONG = {rows}, B_ALONG = {columns};\n\
             DEVICE word joined(word s, word a, word b) {{ return {joined}; }}\n\
             DEVICE item element(word s) {{ return {element}; }}\n"
        );
        Unit::new(concat!(header!("types"), header!("dot")).to_string(), "matmul")
            .typed("item", dtype.device_name())
            .typed("word", word)
            .params(&MatmulParams::<()>::default())
            .with(&params)
            .with(body!("matmul"))
            .finish()
    }
}
