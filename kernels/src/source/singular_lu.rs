//! Source of the kernel that completes the LU factors of matrices with a zero pivot.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `eliminate`.
    EliminateParams<P> {
        /// Order of the matrices.
        n: usize,
        /// The matrices in column-major order.
        given: Read<P>,
        /// LAPACK's `info` for each matrix: 0 for those without a zero pivot.
        info: Read<P>,
        /// The LU factors.
        factors: Written<P>,
        /// The pivot rows, counted from 1.
        pivots: Written<P>,
    }
}

/// Returns the source of the kernel `eliminate`, for matrices of this dtype.
pub fn eliminate_source(dtype: DType) -> String {
    Unit::new(headers([dtype, DType::C128], true), "eliminate")
        .typed("element", dtype.device_name())
        .typed("real", dtype.real().device_name())
        .params(&EliminateParams::<()>::default())
        .with(body!("singular_lu"))
        .finish()
}
