//! Scaling of matrices to magnitudes near one, so that no sum of squares overflows or underflows in a decomposition, as
//! LAPACK does for huge and tiny matrices. The factors are powers of two, so that no rounding occurs.
//!
//! Lower bound: each matrix read twice and written once; the scaled values, one for each row, read and written once.

use cuprum_kernels::DType;

use super::matrices::{Matrices, map, pair};
use crate::array::Array;
use crate::cuda::Rejection;
use crate::engine::check_lapack_info;
use crate::error::Result;
use crate::layout::Order;
use crate::reduction::{Reduce, reduction};
use crate::ufunc::{apply, apply_pair};

/// Powers of two by which matrices were divided.
pub(super) struct Scale {
    /// The largest magnitude of each matrix: infinite or NaN where an element is.
    largest: Array,
    /// Exponents of the powers of two by which matrices were divided.
    exponents: Array,
}

/// Returns the components of numbers: a real view, with the real and imaginary parts of complex ones adjacent.
fn parts(a: &Array) -> Result<Array> {
    if a.dtype().is_complex() { a.view(a.dtype().real()) } else { Ok(a.clone()) }
}

/// Divides a contiguous batch of matrices by powers of two.
pub(super) fn scaled(x: &Array, of: &Matrices) -> Result<(Array, Scale)> {
    let largest = reduction("norm_inf")?.call(x, Reduce::axes([-2, -1]))?;
    let (_, exponents) = apply_pair("frexp", [(&largest).into()])?;
    let down = map("negative", &exponents)?.expand_dims([-2, -1])?;
    let x = pair("ldexp", &parts(x)?, &down)?.view(of.dtype)?;
    Ok((x, Scale { largest, exponents }))
}

impl Scale {
    /// Scales singular values or eigenvalues, one row for each matrix, back to the original matrices.
    pub(super) fn undo(&self, w: &Array) -> Result<Array> {
        let dtype = w.dtype();
        pair("ldexp", &parts(w)?, &self.exponents.expand_dims(-1)?)?.view(dtype)
    }

    /// Returns which matrices have infinite or NaN elements.
    pub(super) fn odd(&self) -> Result<Array> {
        map("logical_not", &map("isfinite", &self.largest)?)
    }

    /// Rejects matrices with NaN, whose decomposition does not converge; `function` is named in the error.
    pub(super) fn reject_nan(&self, function: &'static str) -> Result<()> {
        check_lapack_info(function, Rejection::NotConverged, &map("isnan", &self.largest)?.cast(DType::I32, Order::C)?)
    }

    /// Rejects matrices with infinite or NaN elements; `function` is named in the error.
    pub(super) fn finite(&self, function: &'static str, rejection: Rejection) -> Result<()> {
        check_lapack_info(function, rejection, &self.odd()?.cast(DType::I32, Order::C)?)
    }
}

/// Returns the elements with infinity and NaN replaced by zeros.
pub(super) fn without_odd(x: &Array) -> Result<Array> {
    apply("where", [(&map("isfinite", x)?).into(), x.into(), crate::scalar::Scalar::from(0).into()])
}
