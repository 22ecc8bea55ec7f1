//! The source text of triangular factors of matrices that have a pivot that is zero.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `eliminate`.
    EliminateParams<P> {
        /// The side of the matrices.
        n: usize,
        /// The matrices, column after column.
        given: Read<P>,
        /// What is 0 for each matrix without such a pivot.
        info: Read<P>,
        /// Their factors.
        factors: Written<P>,
        /// With which row each was exchanged, from 1 on.
        pivots: Written<P>,
    }
}

/// Returns the source of the kernel `eliminate`, for matrices of this dtype.
pub fn eliminate_source(dtype: DType) -> String {
    Unit::new(headers([dtype, DType::C128], true), "eliminate")
        .typed("element", dtype.device_name())
        .typed("real", dtype.real().device_name())
        .params(&EliminateParams::<()>::default())
        .with(body!("eliminate"))
        .finish()
}
