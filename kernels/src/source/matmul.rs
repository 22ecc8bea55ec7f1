//! The source text of the matrix products that the device's library does not have.

use super::{Unit, body};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// What the kernel `matmul` is told: stacks of matrices of m by k, of matrices of k by n, and of their products.
    MatmulParams<P> {
        /// Rows of a product.
        m: usize,
        /// Columns of a product.
        n: usize,
        /// Products of which an element is the sum.
        k: usize,
        /// The first matrices.
        a: Read<P> as "const char *",
        /// The second.
        b: Read<P> as "const char *",
        /// The products.
        c: Written<P> as "char *",
        /// Bytes from a row of a first matrix to the next.
        a_row: i64,
        /// Bytes from a column to the next.
        a_column: i64,
        /// Bytes from a matrix to the next.
        a_stack: i64,
        /// The same of the second.
        b_row: i64,
        /// The same of the second.
        b_column: i64,
        /// The same of the second.
        b_stack: i64,
        /// The same of the products.
        c_row: i64,
        /// The same of the products.
        c_column: i64,
        /// The same of the products.
        c_stack: i64,
    }
}

/// Threads along each side of a block of the kernel `matmul`: `ACROSS` of `include/matmul.cuh`.
pub const MATMUL_ACROSS: usize = 16;

/// The kernel `matmul` of integers, which wrap, or of booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatmulSource {
    /// The dtype of all three matrices.
    pub dtype: DType,
    /// Elements along each side of the square that a thread computes: 1, 4 or 8.
    pub side: usize,
    /// True if rows of the first matrix are dense, by which its loads are laid out.
    pub rows: bool,
    /// True if columns of the second matrix are dense.
    pub columns: bool,
}

impl MatmulSource {
    /// Returns the largest side for the dtype: as many sums as there are registers for.
    pub fn most(dtype: DType) -> usize {
        if dtype.size() == 8 { 4 } else { 8 }
    }

    /// Returns a name for messages.
    pub fn name(&self) -> String {
        let along = |dense| if dense { "k" } else { "-" };
        format!("matmul/{}/{}/{}{}", self.dtype, self.side, along(self.rows), along(self.columns))
    }

    /// Returns the text.
    pub fn source(&self) -> String {
        let MatmulSource { dtype, side, rows, columns } = *self;
        // Sums modulo a power of two do not ask for signs; four products of bytes are one instruction.
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
