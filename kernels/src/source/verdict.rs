//! The source text of the look at how matrices of a stack went.

use super::{MATH, TYPES, Unit, body};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernel `verdict`.
    VerdictParams<P> {
        /// Number of matrices.
        count: usize,
        /// The number of the call.
        call: u64,
        /// The number of the function.
        function: u32,
        /// The number of the message.
        message: u32,
        /// What is 0 for each matrix that went well.
        info: Read<P>,
        /// The error record.
        record: Written<P>,
    }
}

/// Returns the source of the kernel `verdict`, which looks at elements of this dtype.
pub fn verdict_source(dtype: DType) -> String {
    Unit::new(format!("{TYPES}{MATH}"), "verdict")
        .typed("told", dtype.device_name())
        .params(&VerdictParams::<()>::default())
        .with(body!("device_errors"))
        .with(body!("verdict"))
        .finish()
}
