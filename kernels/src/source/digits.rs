//! The source text of integers in digits, whose products the device's library makes.

use super::{TYPES, Unit, body};
use crate::params::{Read, Written, parameters};

parameters! {
    /// What the kernel `split_digits` is told: steps in bytes.
    SplitDigitsParams<P> {
        /// Lines of a matrix.
        lines: usize,
        /// Lines of digits that are written for it.
        padded: usize,
        /// Numbers of a line.
        k: usize,
        /// Digits of a plane of a line: a multiple of 16.
        depth: usize,
        /// The numbers.
        from: Read<P> as "const char *",
        /// The digits: for each line as many planes as a number has bytes.
        into: Written<P> as "char *",
        /// From a line to the next.
        line_step: i64,
        /// From a number to the next of its line.
        step: i64,
        /// From a matrix to the next.
        stack: i64,
        /// True if numbers of a line lie nearer to each other than lines.
        along: bool,
        /// True if the plane of the highest digits is the first.
        descending: bool,
    }
}

parameters! {
    /// What the kernel `join_digits` is told: steps in bytes.
    JoinDigitsParams<P> {
        /// Elements of all products, below 2^32.
        count: u32,
        /// Rows of a product.
        rows: u32,
        /// Columns of a product.
        columns: u32,
        /// True if the sums are added to what is there.
        more: bool,
        /// Sums of a row in a plane.
        padded: usize,
        /// Sums of a plane.
        plane: usize,
        /// The sums.
        sums: Read<P> as "const i32 *",
        /// The products.
        out: Written<P> as "char *",
        /// From a row to the next.
        row_step: i64,
        /// From a column to the next.
        step: i64,
        /// From a product to the next.
        stack: i64,
    }
}

/// Threads of a block of both kernels: `THREADS` of `include/digits.cuh`.
pub const DIGITS_THREADS: usize = 256;

/// Lines and digits of a line that a block of `split_digits` has: `LINES` and `DEPTH` of `include/digits.cuh`.
pub const DIGITS_TILE: usize = 64;

/// Elements that a thread of `join_digits` makes: `PER_THREAD` of `include/digits.cuh`.
pub const DIGITS_PER_THREAD: usize = 4;

/// The kernels `split_digits` and `join_digits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digits {
    /// Bytes of an element: as many digits it has.
    pub digits: u8,
    /// Elements are booleans.
    pub truth: bool,
}

impl Digits {
    /// Returns a name for messages.
    pub fn name(&self) -> String {
        format!("digits/{}{}", self.digits, if self.truth { "/bool" } else { "" })
    }

    /// Returns the text.
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
            .with(body!("digits"))
            .finish()
    }
}
