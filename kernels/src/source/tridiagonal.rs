//! Source of the kernels that compute the eigenvalues of one symmetric matrix.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Numbers of a row of the matrix in shared memory, and the multiple of rows that are in it, as in
/// `include/tridiagonal_eigenvalues.cuh`.
pub const EIGENVALUE_ROW: [usize; 2] = [2, 8];

parameters! {
    /// Parameters of the kernel `tridiagonal_reduce`.
    TridiagonalParams<P> {
        /// Rows of the matrix, at least 2.
        n: u32,
        /// 1 if the upper triangle is read, 0 for the lower one.
        upper: u32,
        /// The matrix in row-major order.
        a: Read<P> as "const f64 *",
        /// Two rows for each step, unknown at first: products, and the next column.
        exchange: Written<P> as "f64 *",
        /// The diagonal of the tridiagonal matrix.
        diagonal: Written<P> as "f64 *",
        /// The elements next to it.
        beside: Written<P> as "f64 *",
    }
}

parameters! {
    /// Parameters of the kernel `tridiagonal_eigenvalues`.
    EigenvalueParams<P> {
        /// Rows of the tridiagonal matrix.
        n: u32,
        /// Its diagonal.
        diagonal: Read<P> as "const f64 *",
        /// The elements next to it.
        beside: Read<P> as "const f64 *",
        /// Output: eigenvalues in ascending order.
        values: Written<P> as "f64 *",
    }
}

/// Returns the source of the kernel `tridiagonal_eigenvalues` in blocks of `threads` threads.
pub fn tridiagonal_eigenvalues_source(threads: usize) -> String {
    Unit::new(headers([DType::F64], false), "tridiagonal_eigenvalues")
        .number("EIGENVALUE_THREADS", threads)
        .params(&EigenvalueParams::<()>::default())
        .with(body!("tridiagonal_eigenvalues"))
        .finish()
}

/// Sizes of the part of a matrix that a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TridiagonalSource {
    /// Threads of a block.
    pub threads: usize,
    /// Rows of a thread.
    pub rows: usize,
    /// Columns of a block.
    pub columns: usize,
}

impl TridiagonalSource {
    /// Returns the source of the kernel.
    pub fn source(self) -> String {
        Unit::new(headers([DType::F64], false), "tridiagonal")
            .typed("word", "u64")
            .switch("COMPLEX", false)
            .number("THREADS", self.threads)
            .number("ROWS", self.rows)
            .number("COLUMNS", self.columns)
            .params(&TridiagonalParams::<()>::default())
            .with(body!("published"))
            .with(body!("reflection"))
            .with(body!("tridiagonal_reduce"))
            .finish()
    }
}
