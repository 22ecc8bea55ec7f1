//! Tasks of dense linear algebra, in LAPACK's words.
//!
//! Matrices are column-major without gaps, those of a stack lie one behind the other. What a task reads it may overwrite.

use cuprum_kernels::DType;

/// How a matrix is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    None,
    Transposed,
    Adjoint,
}

/// Which singular vectors are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SingularVectors {
    None,
    Thin,
    Full,
}

/// What is done, and with which arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// The Cholesky factor in one triangle of `n` by `n`: `[a]`.
    Potrf { upper: bool },
    /// Triangular factors of `m` by `n` with rows exchanged: `[a, pivots]`.
    Getrf,
    /// Solves for `k` columns with the factors of `n` by `n`: `[a, pivots, b]`.
    Getrs { turn: Turn },
    /// The inverse of `n` by `n` from its factors: `[a, pivots, out]`. Of a stack only.
    Getri,
    /// Solves for `k` columns with a triangle of `n` by `n`: `[a, b]`.
    Trsm { upper: bool, turn: Turn, unit: bool },
    /// Reflectors and triangle of `m` by `n`: `[a, tau]`.
    Geqrf,
    /// `n` columns of the product of `k` reflectors of `m` elements: `[a, tau]`.
    Orgqr,
    /// Singular values and vectors of `m` by `n`, which is not wider than high: `[a, s, u, vt]`.
    Gesvd { vectors: SingularVectors },
    /// Eigenvalues of a Hermitian `n` by `n`, and vectors in its place: `[a, w]`.
    Syevd { upper: bool, vectors: bool },
    /// Eigenvalues, which are complex, and vectors of `n` by `n`: `[a, w, v]`.
    Geev { vectors: bool },
}

/// A task with its arrays.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA's libraries alone read some of it"))]
pub(crate) struct Dense {
    pub(crate) task: Task,
    /// Of the matrices.
    pub(crate) dtype: DType,
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) batch: usize,
    /// Those of the task, in its order; an address of 0 where one is not wanted.
    pub(crate) arrays: [u64; 4],
    /// Tables of the addresses of the matrices of a stack: of the arrays that [`Task::pointed`] names.
    pub(crate) pointers: [u64; 2],
    /// An `int32` for each matrix: 0 where all went well, else the place, from one on, of what went wrong.
    pub(crate) info: u64,
}

impl Task {
    /// Which arrays of a stack the libraries are told by tables of addresses.
    pub(crate) fn pointed(self) -> &'static [usize] {
        match self {
            Task::Potrf { .. } | Task::Getrf => &[0],
            Task::Getrs { .. } | Task::Getri => &[0, 2],
            Task::Trsm { .. } | Task::Geqrf => &[0, 1],
            _ => &[],
        }
    }

    /// Returns true if CUDA's library does a part of it on the host, and waits for the device in between: in a capture
    /// it fails, and leaves the runtime's last error to the call behind it.
    pub(crate) fn is_shared_with_the_host(self, batch: usize) -> bool {
        match self {
            Task::Syevd { .. } => batch <= 1,
            Task::Geev { .. } => true,
            _ => false,
        }
    }
}

/// Of a matrix alone pivots are 64 bits wide, and of a stack of squares 32, as the libraries have them.
pub(crate) fn pivot_dtype(batch: usize, m: usize, n: usize) -> DType {
    if batch == 1 || m != n { DType::I64 } else { DType::I32 }
}
