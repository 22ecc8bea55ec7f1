//! Source of the kernel that checks LAPACK's `info` for a batch of matrices.

use super::{MATH, TYPES, Unit, body};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `check_lapack_info`.
    LapackInfoParams<P> {
        /// Number of matrices.
        count: usize,
        /// Number of the call.
        call: u64,
        /// Number of the function.
        function: u32,
        /// Number of the message.
        message: u32,
        /// LAPACK's `info` for each matrix: 0 on success.
        info: Read<P>,
        /// The error record.
        record: Written<P>,
    }
}

/// Returns the source of the kernel `check_lapack_info` for matrices of this dtype.
pub fn check_lapack_info_source(dtype: DType) -> String {
    Unit::new(format!("{TYPES}{MATH}"), "check_lapack_info")
        .typed("info_type", dtype.device_name())
        .params(&LapackInfoParams::<()>::default())
        .with(body!("device_errors"))
        .with(body!("check_lapack_info"))
        .finish()
}
