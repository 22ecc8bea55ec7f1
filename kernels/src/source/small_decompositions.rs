//! Source of the decomposition kernels for batches of small matrices, and of matrices of some hundred columns.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Maximum number of rows and columns of each variant of the kernels.
pub const SMALL_SIDES: [usize; 2] = [32, 64];
/// Maximum number of rows of each variant of the kernels that process a panel of columns at a time.
pub const PANEL_SIDES: [usize; 4] = [96, 128, 192, 256];
/// Columns of a panel of Householder reflectors, as in `include/panel_reflectors.cuh`.
pub const REFLECTOR_PANEL: usize = 16;

/// Returns the number of lanes that share a column of at most `side` rows, as in `include/small.cuh`.
pub const fn small_team(side: usize) -> usize {
    match side {
        0..=64 => 8,
        65..=128 => 16,
        _ => 32,
    }
}

/// Returns the number of threads of the kernel `panel_singular`, as in `include/panel_singular.cuh`.
pub fn panel_singular_threads(dtype: DType) -> usize {
    if dtype.size() == 16 { 256 } else { 512 }
}

/// Maximum number of rows of each variant of the kernels for Hermitian matrices.
pub const HERMITIAN_SIDES: [usize; 4] = [8, 16, 32, 64];

/// Returns the maximum number of Hermitian matrices of a block, as in `include/small_hermitian_iterate.cuh`.
pub fn hermitian_group(side: usize) -> usize {
    if side == 8 { 32 } else { 16 }
}

parameters! {
    /// Parameters of the kernels for small matrices.
    SmallParams<P> {
        /// Rows of a matrix.
        m: usize,
        /// Columns of a matrix.
        n: usize,
        /// Number of reflectors, or of left singular vectors.
        count: usize,
        /// The matrices in column-major order.
        a: Written<P>,
        /// Output: singular values, or the scale factors of the reflectors.
        values: Written<P>,
        /// Left singular vectors.
        u: Written<P>,
        /// Right singular vectors, in rows.
        v: Written<P>,
        /// LAPACK's `info` for each matrix: 0 on success.
        info: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernels for singular values of matrices in panels.
    PanelSingularParams<P> {
        /// Rows of a matrix.
        m: usize,
        /// Columns of a matrix, at most as many.
        n: usize,
        /// Number of left singular vectors; 0 if no vectors are requested.
        count: usize,
        /// The matrices in column-major order, then memory for columns.
        a: Written<P>,
        /// The matrices with sorted columns, then the triangular factors.
        factors: Written<P>,
        /// The column that each sorted one was, int32.
        order: Written<P>,
        /// Memory for products of rotations: `n * n` elements for each matrix, if vectors are requested.
        rotations: Written<P>,
        /// Output: singular values.
        values: Written<P>,
        /// Output: left singular vectors, before they are multiplied by the reflectors.
        u: Written<P>,
        /// Output: right singular vectors, conjugated and in rows, before they are orthonormalised.
        v: Written<P>,
        /// LAPACK's `info` for each matrix: 0 on success.
        info: Written<P>,
    }
}

parameters! {
    /// Parameters of the kernels for small Hermitian matrices.
    HermitianParams<P> {
        /// Rows and columns of a matrix.
        n: usize,
        /// Number of matrices.
        batch: usize,
        /// Bytes of shared memory in which a matrix is reduced.
        bytes: usize,
        /// Matrices of a block that iterates, at most [`hermitian_group`].
        group: usize,
        /// 1 if eigenvectors are requested.
        vectors: u32,
        /// 1 if the upper triangle is read, 0 for the lower one.
        upper: u32,
        /// The matrices in row-major order.
        a: Read<P>,
        /// Diagonals of the tridiagonal matrices, then eigenvalues in ascending order.
        values: Written<P>,
        /// Elements off the diagonal, `n` for each matrix; the last one is the exponent of the scale.
        beside: Written<P>,
        /// Products of the reflectors, then matrices with the eigenvectors in columns, in row-major order.
        columns: Written<P>,
        /// Memory for rotations: `n * n` real numbers for each matrix.
        rotations: Written<P>,
        /// LAPACK's `info` for each matrix: 0 on success.
        info: Written<P>,
    }
}

/// Decomposition of small matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Small {
    /// Singular value decomposition: the kernel `small_singular`.
    Singular,
    /// Eigendecomposition of Hermitian matrices: the kernels `small_hermitian_reduce` and `small_hermitian_iterate`.
    Hermitian,
    /// Householder QR: the kernels `small_reflect` and `small_product`.
    Reflectors,
    /// Householder QR of larger matrices: the kernels `panel_reflect`, `panel_product`, `panel_product_signed` and
    /// `panel_multiply`.
    PanelReflectors,
    /// Singular value decomposition of larger matrices: the kernels `panel_arrange` and `panel_singular`.
    PanelSingular,
}

impl Small {
    /// Returns the source of the kernels for matrices of this dtype with at most `side` rows and columns.
    pub fn source(self, dtype: DType, side: usize) -> String {
        let (namespace, headers_of_own) = match self {
            Small::Singular => ("small_singular", concat!(body!("reflectors"), body!("small_singular"))),
            Small::Hermitian => {
                ("small_hermitian", concat!(body!("small_hermitian"), body!("small_hermitian_iterate")))
            }
            Small::Reflectors => ("small_reflectors", concat!(body!("reflectors"), body!("small_reflectors"))),
            Small::PanelReflectors => {
                ("panel_reflectors", concat!(body!("reflectors"), body!("panels"), body!("panel_reflectors")))
            }
            Small::PanelSingular => ("panel_singular", concat!(body!("panels"), body!("panel_singular"))),
        };
        let unit = Unit::new(headers([dtype, DType::C128], true), namespace)
            .typed("element", dtype.device_name())
            .typed("real", dtype.real().device_name())
            .number("SIDE", side);
        let unit = match self {
            Small::Hermitian => unit.params(&HermitianParams::<()>::default()),
            Small::PanelSingular => unit.params(&PanelSingularParams::<()>::default()),
            Small::Singular | Small::Reflectors | Small::PanelReflectors => unit.params(&SmallParams::<()>::default()),
        };
        unit.with(body!("small")).with(headers_of_own).finish()
    }
}
