//! Sparse factorisations by a library of the device.

use std::fmt;

use cuprum_kernels::DType;

use super::StreamHandle;
use crate::error::Result;

/// Structure of a matrix that a library factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    /// A general matrix.
    General,
    /// A Hermitian matrix, of which the lower triangle is given.
    Hermitian,
    /// A Hermitian, positive definite matrix, of which the lower triangle is given.
    Positive,
}

/// Options of a factorisation by a library.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA's library alone reads it"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SparseOptions {
    /// The structure of the matrix.
    pub(crate) structure: Structure,
    /// Number of matrices of one pattern, whose values follow each other, as their right-hand sides and solutions do.
    pub(crate) batch: usize,
    /// True if results are to repeat to the bit, which a batch's need not.
    pub(crate) deterministic: bool,
}

/// A square sparse matrix in compressed rows on the device, for a library.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA's library alone reads it"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SparseSystem {
    /// Number of rows, below 2<sup>31</sup>.
    pub(crate) rows: usize,
    /// Number of entries.
    pub(crate) entries: usize,
    /// Dtype of the values: float32, float64, complex64 or complex128.
    pub(crate) dtype: DType,
    /// True if pointers and columns are int64, false for int32.
    pub(crate) wide: bool,
    /// The structure, the number of matrices and the repeatability.
    pub(crate) options: SparseOptions,
    /// Address of the pointers.
    pub(crate) indptr: u64,
    /// Address of the columns.
    pub(crate) columns: u64,
    /// Address of the values.
    pub(crate) values: u64,
}

/// Operation on the matrix of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SolveMode {
    /// The matrix itself.
    Normal,
    /// Its transpose.
    Transposed,
    /// Its conjugate transpose.
    Adjoint,
}

/// Work of a library on a factorisation.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA's library alone reads it"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum SparseStep {
    /// Orders the rows and columns, and finds the pattern of the factors.
    Analyse,
    /// Computes the factors.
    Factor,
    /// Computes the factors of the values at an address, in the order of the first ones.
    Refactor(u64),
    /// Solves for right-hand sides, whose columns are contiguous.
    Solve {
        /// Operation on the matrix.
        mode: SolveMode,
        /// Address of the right-hand sides.
        b: u64,
        /// Address of the solutions.
        x: u64,
        /// Number of right-hand sides.
        columns: usize,
    },
}

/// Report of a library on a factorisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SparseReport {
    /// 0, or the number of the first pivot that is none, from 1 on.
    pub(crate) info: i32,
    /// Number of pivots that were too small and were replaced, of all matrices of a batch.
    pub(crate) perturbed: i64,
    /// Numbers of positive and of negative pivots of a Hermitian matrix, where the library counts them.
    pub(crate) inertia: Option<[i64; 2]>,
    /// Number of entries of the factors, of all matrices of a batch.
    pub(crate) entries: i64,
}

/// Factors in the memory of a library.
pub(crate) trait LibraryFactors: Send + Sync + fmt::Debug {
    /// Queues a step. The device's context is current.
    ///
    /// # Safety
    ///
    /// The arrays of the system and of the step are live device memory until the stream has completed it.
    unsafe fn run(&mut self, step: SparseStep, stream: StreamHandle) -> Result<()>;
    /// Reports on the factorisation. It synchronises with the stream of the last step.
    fn report(&mut self) -> Result<SparseReport>;
}
