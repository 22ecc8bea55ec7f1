//! Source of the kernels for the eigendecomposition of small general matrices.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Maximum number of rows of a matrix.
pub const GENERAL_SIDE: usize = 64;
/// Maximum number of threads of a block.
pub const GENERAL_THREADS: usize = 128;
/// Number of threads of a block of the kernel `eigenvector_pairs`.
pub const EIGENVECTOR_PAIRS_THREADS: usize = 256;

parameters! {
    /// Parameters of the kernels for small general matrices.
    GeneralParams<P> {
        /// Rows and columns of a matrix.
        n: usize,
        /// Number of matrices.
        batch: usize,
        /// Bytes of shared memory of a matrix.
        bytes: usize,
        /// Threads that share a matrix: a warp, or the whole block.
        team: usize,
        /// The matrices in row-major order.
        a: Read<P>,
        /// Complex eigenvalues, a row for each matrix.
        values: Written<P>,
        /// Matrices with the eigenvectors in columns, in row-major order. For real matrices, of a conjugate pair the
        /// first column has the real parts and the second one the imaginary parts.
        vectors: Written<P>,
        /// 1 for matrices with infinity or NaN, otherwise 0.
        not_finite: Written<P>,
        /// LAPACK's `info` for each matrix: 0 on success.
        info: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernel `eigenvector_pairs`.
    EigenvectorPairsParams<P> {
        /// Rows and columns of a matrix.
        n: usize,
        /// Number of elements of all matrices.
        count: usize,
        /// Complex eigenvalues, a row for each matrix.
        values: Read<P>,
        /// Matrices with the real form of the eigenvectors in columns.
        vectors: Read<P>,
        /// Matrices with the complex eigenvectors in columns.
        out: Written<P>,
    }
}

/// Returns the source of the kernels `small_general_values` and `small_general_vectors` for matrices of this dtype. With
/// `outside` the transformation of a matrix is not in shared memory.
pub fn small_general_source(dtype: DType, outside: bool) -> String {
    let of_dtype = if dtype.is_complex() { body!("small_general_complex") } else { body!("small_general_real") };
    Unit::new(headers([dtype, DType::C128], true), "small_general")
        .typed("element", dtype.device_name())
        .typed("real", dtype.real().device_name())
        .number("SIDE", GENERAL_SIDE)
        .number("OUTSIDE", outside.into())
        .params(&GeneralParams::<()>::default())
        .with(body!("small"))
        .with(body!("small_general"))
        .with(of_dtype)
        .with(body!("small_general_decompose"))
        .finish()
}

/// Returns the source of the kernel `eigenvector_pairs` for real matrices of this dtype.
pub fn eigenvector_pairs_source(dtype: DType) -> String {
    Unit::new(headers([dtype, DType::C128], true), "eigenvector_pairs")
        .typed("real", dtype.device_name())
        .params(&EigenvectorPairsParams::<()>::default())
        .with(body!("eigenvector_pairs"))
        .finish()
}
