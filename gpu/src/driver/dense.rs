//! Tasks of dense linear algebra, with LAPACK's names.
//!
//! Matrices are column-major and contiguous, and so are batches. A task may overwrite its inputs.

use cuprum_kernels::DType;

/// Operation on a matrix operand (BLAS `op`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transpose {
    None,
    Transposed,
    Adjoint,
}

/// Singular vectors that are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SingularVectors {
    None,
    Thin,
    Full,
}

/// Task, with the arrays that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Cholesky factorisation of an `n` by `n` matrix in one triangle: `[a]`.
    Potrf { upper: bool },
    /// LU factorisation of an `m` by `n` matrix with partial pivoting: `[a, pivots]`.
    Getrf,
    /// Solution for `k` right-hand sides from the LU factors of an `n` by `n` matrix: `[a, pivots, b]`.
    Getrs { transpose: Transpose },
    /// Inverse of an `n` by `n` matrix from its LU factors: `[a, pivots, out]`. For batches only.
    Getri,
    /// Solution for `k` right-hand sides with a triangular `n` by `n` matrix: `[a, b]`.
    Trsm { upper: bool, transpose: Transpose, unit: bool },
    /// Householder QR factorisation of an `m` by `n` matrix: `[a, tau]`.
    Geqrf,
    /// The first `n` columns of the product of `k` reflectors of `m` elements: `[a, tau]`.
    Orgqr,
    /// Singular value decomposition of an `m` by `n` matrix with m >= n: `[a, s, u, vt]`.
    Gesvd { vectors: SingularVectors },
    /// Singular value decomposition by a polar decomposition: `[a, s, u, v]`, of which the last two are also needed
    /// without vectors. The info of a matrix that the library perturbed, because it is close to a singular one, is not 0.
    Gesvdp { vectors: SingularVectors },
    /// Eigenvalues of a Hermitian `n` by `n` matrix, which eigenvectors replace: `[a, w]`.
    Syevd { upper: bool, vectors: bool },
    /// Eigenvalues, which are complex, and eigenvectors of an `n` by `n` matrix: `[a, w, v]`.
    Geev { vectors: bool },
}

/// A task with the addresses of its arrays.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA's libraries alone read some of it"))]
pub(crate) struct Dense {
    /// The task.
    pub(crate) task: Task,
    /// The dtype of the matrices.
    pub(crate) dtype: DType,
    /// Rows.
    pub(crate) m: usize,
    /// Columns.
    pub(crate) n: usize,
    /// Third size, such as right-hand sides or reflectors.
    pub(crate) k: usize,
    /// Number of matrices.
    pub(crate) batch: usize,
    /// The arrays of the task, in its order; an address of 0 for one that is not requested.
    pub(crate) arrays: [u64; 4],
    /// Pointer arrays to the matrices of a batch: those of the arrays that [`Task::pointer_array_args`] names.
    pub(crate) pointers: [u64; 2],
    /// LAPACK's `info`, an `int32` for each matrix: 0 on success, otherwise the one-based index of the failure.
    pub(crate) info: u64,
}

impl Task {
    /// Returns the number of elements of each array for one matrix: 0 for one that the task does not take.
    pub(crate) fn lengths(self, m: usize, n: usize, k: usize) -> [usize; 4] {
        match self {
            Task::Potrf { .. } => [n * n, 0, 0, 0],
            Task::Getrf | Task::Geqrf => [m * n, m.min(n), 0, 0],
            Task::Getrs { .. } => [n * n, n, n * k, 0],
            Task::Getri => [n * n, n, n * n, 0],
            Task::Trsm { .. } => [n * n, n * k, 0, 0],
            Task::Orgqr => [m * n, k, 0, 0],
            Task::Gesvd { vectors: SingularVectors::None } => [m * n, n, 0, 0],
            Task::Gesvd { vectors: SingularVectors::Full } | Task::Gesvdp { vectors: SingularVectors::Full } => {
                [m * n, n, m * m, n * n]
            }
            Task::Gesvd { .. } | Task::Gesvdp { .. } => [m * n, n, m * n, n * n],
            Task::Syevd { .. } => [n * n, n, 0, 0],
            Task::Geev { vectors } => [n * n, n, if vectors { n * n } else { 0 }, 0],
        }
    }

    /// Returns the dtype of each array, for matrices of `dtype` and pivots of another one.
    pub(crate) fn dtypes(self, dtype: DType, pivots: DType) -> [DType; 4] {
        let second = match self {
            Task::Getrf | Task::Getrs { .. } | Task::Getri => pivots,
            Task::Gesvd { .. } | Task::Gesvdp { .. } | Task::Syevd { .. } => dtype.real(),
            Task::Geev { .. } if dtype.real() == DType::F32 => DType::C64,
            Task::Geev { .. } => DType::C128,
            _ => dtype,
        };
        [dtype, second, dtype, dtype]
    }

    /// Returns the arrays of a batch that the libraries take as pointer arrays.
    pub(crate) fn pointer_array_args(self) -> &'static [usize] {
        match self {
            Task::Potrf { .. } | Task::Getrf => &[0],
            Task::Getrs { .. } | Task::Getri => &[0, 2],
            Task::Trsm { .. } | Task::Geqrf => &[0, 1],
            _ => &[],
        }
    }

    /// Returns true if CUDA's library computes a part of the task on the host, and synchronises with the device in
    /// between: in a capture it fails, and leaves the runtime's last error to the following call.
    pub(crate) fn is_shared_with_the_host(self, batch: usize) -> bool {
        match self {
            Task::Syevd { .. } => batch <= 1,
            Task::Gesvdp { .. } | Task::Geev { .. } => true,
            _ => false,
        }
    }
}

/// Returns the dtype of pivots: int64 for a single matrix, int32 for a batch of square ones, as in CUDA's libraries.
pub(crate) fn pivot_dtype(batch: usize, m: usize, n: usize) -> DType {
    if batch == 1 || m != n { DType::I64 } else { DType::I32 }
}
