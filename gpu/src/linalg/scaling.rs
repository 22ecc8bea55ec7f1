//! Matrices brought to sizes near one, so that no sum of squares overflows or vanishes in a decomposition, as LAPACK does
//! for huge and tiny ones. Factors are powers of two: they change no digit.
//!
//! Floor: each matrix read twice and written once; what comes of it, a number for each row, read and written once.

use cuprum_kernels::DType;

use super::matrices::{Matrices, map, pair};
use crate::array::Array;
use crate::cuda::Rejection;
use crate::engine::verdict;
use crate::error::Result;
use crate::layout::Order;
use crate::reduction::{Reduce, reduction};
use crate::ufunc::{apply, apply_pair};

/// By which powers of two matrices were divided.
pub(super) struct Scale {
    /// The largest magnitude of each matrix: infinite or NaN where an element is.
    largest: Array,
    exponents: Array,
}

/// Numbers without imaginary parts, of complex ones both parts side by side.
fn parts(a: &Array) -> Result<Array> {
    if a.dtype().is_complex() { a.view(a.dtype().real()) } else { Ok(a.clone()) }
}

/// A stack of matrices that lies without gaps, divided by powers of two.
pub(super) fn scaled(x: &Array, of: &Matrices) -> Result<(Array, Scale)> {
    let largest = reduction("norm_inf")?.call(x, Reduce::axes([-2, -1]))?;
    let (_, exponents) = apply_pair("frexp", [(&largest).into()])?;
    let down = map("negative", &exponents)?.expand_dims([-2, -1])?;
    let x = pair("ldexp", &parts(x)?, &down)?.view(of.dtype)?;
    Ok((x, Scale { largest, exponents }))
}

impl Scale {
    /// Singular values or eigenvalues, a line of them for each matrix, as those of the matrices that were given.
    pub(super) fn undo(&self, w: &Array) -> Result<Array> {
        let dtype = w.dtype();
        pair("ldexp", &parts(w)?, &self.exponents.expand_dims(-1)?)?.view(dtype)
    }

    /// Which matrices have elements that are infinite or NaN.
    pub(super) fn odd(&self) -> Result<Array> {
        map("logical_not", &map("isfinite", &self.largest)?)
    }

    /// Rejects, in the name of a function, matrices with NaN, whose decomposition does not converge.
    pub(super) fn reject_nan(&self, function: &'static str) -> Result<()> {
        verdict(function, Rejection::NotConverged, &map("isnan", &self.largest)?.cast(DType::I32, Order::C)?)
    }

    /// Rejects, in the name of a function, matrices with elements that are infinite or NaN.
    pub(super) fn finite(&self, function: &'static str, rejection: Rejection) -> Result<()> {
        verdict(function, rejection, &self.odd()?.cast(DType::I32, Order::C)?)
    }
}

/// The elements, with zeros in place of those that are infinite or NaN.
pub(super) fn without_odd(x: &Array) -> Result<Array> {
    apply("where", [(&map("isfinite", x)?).into(), x.into(), crate::scalar::Scalar::from(0).into()])
}
