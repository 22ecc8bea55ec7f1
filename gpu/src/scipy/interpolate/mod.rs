//! Interpolation in one and several variables; SciPy's `scipy.interpolate`.
//!
//! Everything is computed in float64 or complex128, as in SciPy. Degrees, numbers of knots and numbers of axes are data of the kernels: a new size
//! compiles nothing. In Python these are the classes of `cuprum.cupyx.scipy.interpolate`.
//!
//! | group | items |
//! |---|---|
//! | one variable | [`PPoly`], [`BPoly`], [`BSpline`] |
//! | several variables | [`RegularGrid`], [`NdPPoly`], [`NdBSpline`] |
//! | construction of splines | [`cubic_spline`], [`hermite_spline`], [`bspline_basis`], [`bspline_normal_equations`], [`solve_block_tridiagonal`], [`smoothing_spline`] |
//! | scattered points | [`radial_sum`], [`radial_matrix`], [`nearest_points`] |
//!
//! ```
//! use cuprum::scipy::interpolate::PPoly;
//!
//! // x^2 on [0, 1], and 1 + 2 (x - 1) on [1, 2].
//! let c = cuprum::array([[1.0, 0.0], [0.0, 2.0], [0.0, 1.0]])?;
//! let p = PPoly::new(&c, &cuprum::array([0.0, 1.0, 2.0])?)?;
//! assert_eq!(p.evaluate(&cuprum::array([0.5, 1.5])?, 0)?.to_vec::<f64>()?, [0.25, 2.0]);
//! # Ok::<(), cuprum::Error>(())
//! ```

mod band;
mod cubic;
mod grids;
mod piecewise;
mod radial;
mod smoothing;
mod splines;
#[cfg(test)]
mod tests;

pub use cubic::{SplineEnd, cubic_spline, hermite_spline};
pub use grids::{NdBSpline, NdPPoly, RegularGrid};
pub use piecewise::{BPoly, BSpline, Extrapolate, PPoly};
pub use radial::{RadialFunction, nearest_points, radial_matrix, radial_sum};
pub use smoothing::{SmoothingEnd, SmoothingSpline, smoothing_spline};
pub use splines::{bspline_basis, bspline_normal_equations, solve_block_tridiagonal};

use cuprum_kernels::DType;

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

/// Returns an array in C order of float64, or of complex128 if it is complex.
fn numbers(a: &Array) -> Result<Array> {
    let dtype = if a.dtype().is_complex() { DType::C128 } else { DType::F64 };
    let a = a.astype(dtype)?;
    if a.is_c_contiguous() { Ok(a) } else { a.copy(Order::C) }
}

/// Returns an array in C order of float64.
fn reals(function: &str, name: &str, a: &Array) -> Result<Array> {
    if a.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, format!("{function}: `{name}` is {}: pass real numbers", a.dtype())));
    }
    numbers(a)
}

/// Returns the number of float64 of an element.
fn parts(a: &Array) -> usize {
    if a.dtype().is_complex() { 2 } else { 1 }
}
