//! The source text of decompositions of small matrices.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Written, parameters};

/// Up to how many rows and columns they have: a text for each of these.
pub const SMALL_SIDES: [usize; 2] = [32, 64];
/// The lanes that share a column, as in `include/small.cuh`.
pub const SMALL_TEAM: usize = 8;

parameters! {
    /// What the kernels of small matrices are told.
    SmallParams<P> {
        /// Rows of a matrix.
        m: usize,
        /// Columns.
        n: usize,
        /// Reflectors, or left singular vectors; of eigenvectors whether they are wanted.
        count: usize,
        /// Whether the upper triangle is read.
        upper: u32,
        /// The matrices, column after column.
        a: Written<P>,
        /// Singular values, eigenvalues, or the scales of reflectors.
        values: Written<P>,
        /// Left singular vectors.
        u: Written<P>,
        /// Right singular vectors, in rows.
        v: Written<P>,
        /// 0 for each matrix with which all went well.
        info: Written<P>,
    }
}

/// What is done with small matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Small {
    /// The kernel `small_singular`.
    Singular,
    /// The kernel `small_hermitian`.
    Hermitian,
    /// The kernels `small_reflect` and `small_product`.
    Reflectors,
}

impl Small {
    /// Returns the source of the kernels, for matrices of this dtype with at most so many rows and columns.
    pub fn source(self, dtype: DType, side: usize) -> String {
        let (namespace, headers_of_own) = match self {
            Small::Singular => ("small_singular", concat!(body!("reflectors"), body!("small_singular"))),
            Small::Hermitian => ("small_hermitian", body!("small_hermitian")),
            Small::Reflectors => ("small_reflectors", concat!(body!("reflectors"), body!("small_reflectors"))),
        };
        Unit::new(headers([dtype, DType::C128], true), namespace)
            .typed("element", dtype.device_name())
            .typed("real", dtype.real().device_name())
            .number("SIDE", side)
            .params(&SmallParams::<()>::default())
            .with(body!("small"))
            .with(headers_of_own)
            .finish()
    }
}
