//! Source of the kernels that solve block tridiagonal systems.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Threads of a block: as in `include/block_tridiagonal.cuh`.
pub const BLOCK_TRIDIAGONAL_THREADS: usize = 128;

parameters! {
    /// Parameters of the kernels of block tridiagonal systems.
    BlockTridiagonalParams<P> {
        /// Number of rows of blocks.
        rows: usize,
        /// Number of rows of a block.
        side: usize,
        /// Number of right-hand sides.
        columns: usize,
        /// Distance of the rows of `known`: 1 if they are those of the level, 2 if they are its odd ones.
        apart: usize,
        /// Blocks before the diagonal.
        lower: Read<P> as "const f64 *",
        /// Blocks of the diagonal, of which the even ones become their inverses.
        diagonal: Written<P> as "f64 *",
        /// Blocks after the diagonal.
        upper: Read<P> as "const f64 *",
        /// Factors of the row before each odd row.
        before: Written<P> as "f64 *",
        /// Factors of the row after it.
        after: Written<P> as "f64 *",
        /// Positions of pivots.
        pivots: Written<P> as "i64 *",
        /// Blocks before the diagonal of the next level.
        next_lower: Written<P> as "f64 *",
        /// Its blocks of the diagonal.
        next_diagonal: Written<P> as "f64 *",
        /// Its blocks after the diagonal.
        next_upper: Written<P> as "f64 *",
        /// Right-hand sides.
        rights: Read<P> as "const f64 *",
        /// Right-hand sides of the next level.
        next_rights: Written<P> as "f64 *",
        /// Known solutions.
        known: Read<P> as "const f64 *",
        /// Solutions, or residuals.
        solutions: Written<P> as "f64 *",
    }
}

/// Returns the source of the kernels `block_invert`, `block_reduce`, `block_forward`, `block_back` and `block_residual`.
pub fn block_tridiagonal_source() -> String {
    Unit::new(headers([DType::F64], false), "block_tridiagonal")
        .params(&BlockTridiagonalParams::<()>::default())
        .with(body!("block_tridiagonal"))
        .finish()
}
