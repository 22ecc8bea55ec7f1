//! Source of the kernels that split integers into 8-bit digits and join the products that the matrix library computes
//! from them.

use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `split_digits`: strides in bytes.
    SplitDigitsParams<P> {
        /// Rows of a matrix.
        lines: usize,
        /// Rows of digits that are written for it, padding included.
        padded: usize,
        /// Length of a row.
        k: usize,
        /// Digits in a plane of a row: a multiple of 16.
        depth: usize,
        /// The integers.
        from: Read<P> as "const char *",
        /// The digits: for each row as many planes as an integer has bytes.
        into: Written<P> as "char *",
        /// Stride between rows.
        line_step: i64,
        /// Stride between the numbers of a row.
        step: i64,
        /// Stride between matrices.
        stack: i64,
        /// True if the numbers of a row are closer in memory than the rows are.
        along: bool,
        /// True if the plane of the most significant digits is the first.
        descending: bool,
    }
}

parameters! {
    /// Parameters of the kernel `join_digits`: strides in bytes.
    JoinDigitsParams<P> {
        /// Number of elements of all products, below 2^32.
        count: u32,
        /// Rows of a product.
        rows: u32,
        /// Columns of a product.
        columns: u32,
        /// True if the sums are added to the values already there.
        more: bool,
        /// Sums in a row of a plane, padding included.
        padded: usize,
        /// Sums in a plane.
        plane: usize,
        /// The sums.
        sums: Read<P> as "const i32 *",
        /// The products.
        out: Written<P> as "char *",
        /// Stride between rows.
        row_step: i64,
        /// Stride between columns.
        step: i64,
        /// Stride between products.
        stack: i64,
    }
}

/// Threads of a block of both kernels: `THREADS` of `include/gemm_int8_split.cuh`.
pub const DIGITS_THREADS: usize = 256;

/// Rows, and digits of a row, of the tile of a block of `split_digits`: `LINES` and `DEPTH` of `include/gemm_int8_split.cuh`.
pub const DIGITS_TILE: usize = 64;

/// Elements that a thread of `join_digits` computes: `PER_THREAD` of `include/gemm_int8_split.cuh`.
pub const DIGITS_PER_THREAD: usize = 4;

/// Key of the kernels `split_digits` and `join_digits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digits {
    /// Bytes of an element, which is its number of digits.
    pub digits: u8,
    /// True if the elements are booleans.
    pub truth: bool,
}

impl Digits {
    /// Returns the kernels' name in messages.
    pub fn name(&self) -> String {
        format!("digits/{}{}", self.digits, if self.truth { "/bool" } else { "" })
    }

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        let (item, word) = match self.digits {
            1 => ("u8", "u32"),
            2 => ("u16", "u32"),
            4 => ("u32", "u32"),
            _ => ("u64", "u64"),
        };
        let result = if self.truth { "sum != 0 || before != 0" } else { "sum + before" };
        Unit::new(TYPES.to_string(), "digits")
            .typed("item", item)
            .typed("word", word)
            .params_as("split_params", &SplitDigitsParams::<()>::default())
            .params_as("join_params", &JoinDigitsParams::<()>::default())
            .with(&format!("DEVICE item result_of(word sum, item before) {{ return (item)({result}); }}\n"))
            .with(body!("gemm_int8_split"))
            .finish()
    }
}
