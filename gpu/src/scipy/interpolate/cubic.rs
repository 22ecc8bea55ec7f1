//! Cubic splines and piecewise cubic polynomials of given derivatives.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::{PPoly, numbers, reals, wrong};
use crate::array::Array;
use crate::engine::cubic::{Cubic, End};
use crate::error::Result;
use crate::layout::shape_text;

/// Condition of a cubic spline at an end.
#[derive(Clone, Copy, Debug, Default)]
pub enum SplineEnd<'a> {
    /// The first two polynomials, or the last two, are one.
    #[default]
    NotAKnot,
    /// The first derivative, which is 0 without an array. The array has the shape of the values at a point.
    First(Option<&'a Array>),
    /// The second derivative, which is 0 without an array.
    Second(Option<&'a Array>),
}

/// Returns an array as rows of float64, of which complex numbers are two columns.
fn rows(a: &Array, n: usize) -> Result<Array> {
    let a = numbers(a)?;
    let real = if a.dtype().is_complex() { a.reshape([a.size()])?.view(DType::F64)? } else { a };
    real.reshape([n, real.size() / n.max(1)])
}

/// Checks points and values, and returns the points.
fn points(function: &str, x: &Array, y: &Array) -> Result<Array> {
    let points = reals(function, "x", x)?;
    if points.ndim() != 1 || points.size() < 2 || y.ndim() == 0 || y.shape()[0] != points.size() {
        return wrong(format!(
            "{function}: `x` of shape {} and `y` of shape {} are not two points or more, with values along the first axis",
            shape_text(x.shape()),
            shape_text(y.shape())
        ));
    }
    Ok(points)
}

/// Returns coefficients in the dtype and with the trailing axes of the values.
fn polynomial(c: &Array, x: &Array, y: &Array) -> Result<PPoly> {
    let flat = c.reshape([c.size()])?;
    let c = if y.dtype().is_complex() { flat.view(DType::C128)? } else { flat };
    let shape: Vec<usize> = [4, x.size() - 1].into_iter().chain(y.shape()[1..].iter().copied()).collect();
    PPoly::new(&c.reshape(shape)?, x)
}

/// Cubic spline through points, with continuous second derivatives and a condition at either end; SciPy's `CubicSpline`.
///
/// The values have the points along their first axis, and any others. The derivatives at the points solve a tridiagonal system, on the device
/// and for all values at once. The points increase, which is not checked. Two conditions [`SplineEnd::NotAKnot`] need four points, one of them three.
///
/// ```
/// use cuprum::scipy::interpolate::{SplineEnd, cubic_spline};
/// // Of a cubic polynomial the spline is the polynomial.
/// let x = cuprum::array([0.0, 1.0, 2.0, 4.0, 5.0])?;
/// let y = cuprum::array([0.0, 1.0, 8.0, 64.0, 125.0])?;
/// let spline = cubic_spline(&x, &y, [SplineEnd::NotAKnot; 2])?;
/// let value = spline.evaluate(&cuprum::array([3.0])?, 0)?.to_vec::<f64>()?[0];
/// assert!((value - 27.0).abs() < 1e-12);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that do not fit and too few points; [`ErrorKind::Type`](crate::ErrorKind::Type) for complex
/// points, and complex derivatives of real values.
#[unrecorded(
    "returns a polynomial: `CubicSpline` is compared with SciPy's in `gpu/python/tests/test_interpolate_piecewise.py`"
)]
pub fn cubic_spline(x: &Array, y: &Array, ends: [SplineEnd<'_>; 2]) -> Result<PPoly> {
    let function = "cubic_spline";
    let x = points(function, x, y)?;
    let free = ends.iter().filter(|end| matches!(end, SplineEnd::NotAKnot)).count();
    if x.size() < 2 + free {
        return wrong(format!(
            "{function}: {} points are too few for these conditions: pass {} at least",
            x.size(),
            2 + free
        ));
    }
    let own = rows(y, x.size())?;
    if own.size() == 0 {
        let shape: Vec<usize> = [4, x.size() - 1].into_iter().chain(y.shape()[1..].iter().copied()).collect();
        return PPoly::new(&crate::engine::make::empty(x.device(), &shape, numbers(y)?.dtype())?, &x);
    }
    let mut values = [None, None];
    for (to, end) in values.iter_mut().zip(&ends) {
        let (SplineEnd::First(Some(value)) | SplineEnd::Second(Some(value))) = end else { continue };
        if value.shape() != &y.shape()[1..] {
            return wrong(format!(
                "{function}: a derivative of shape {} at an end does not fit values of shape {}",
                shape_text(value.shape()),
                shape_text(&y.shape()[1..])
            ));
        }
        let value = if y.dtype().is_complex() { value.astype(DType::C128)? } else { reals(function, "ends", value)? };
        *to = Some(rows(&value, 1)?);
    }
    let kind = |k: usize| -> End<'_> {
        let number = match ends[k] {
            SplineEnd::NotAKnot => 0,
            SplineEnd::First(_) => 1,
            SplineEnd::Second(_) => 2,
        };
        (number, values[k].as_ref())
    };
    let engine = Cubic { x: &x, y: &own };
    let slopes = engine.slopes([kind(0), kind(1)])?;
    polynomial(&engine.coefficients(&slopes)?, &x, y)
}

/// Piecewise cubic polynomial of given values and first derivatives; SciPy's `CubicHermiteSpline`.
///
/// Values and derivatives have the points along their first axis, and the same others. The points increase, which is not checked.
///
/// ```
/// use cuprum::scipy::interpolate::hermite_spline;
/// let x = cuprum::array([0.0, 2.0])?;
/// let p = hermite_spline(&x, &cuprum::array([0.0, 4.0])?, &cuprum::array([0.0, 4.0])?)?;
/// assert_eq!(p.evaluate(&cuprum::array([1.0])?, 0)?.to_vec::<f64>()?, [1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that do not fit, and complex derivatives of real values;
/// [`ErrorKind::Type`](crate::ErrorKind::Type) for complex points.
#[unrecorded(
    "returns a polynomial: `CubicHermiteSpline` is compared with SciPy's in `gpu/python/tests/test_interpolate_piecewise.py`"
)]
pub fn hermite_spline(x: &Array, y: &Array, derivatives: &Array) -> Result<PPoly> {
    let x = points("hermite_spline", x, y)?;
    if derivatives.shape() != y.shape() || (derivatives.dtype().is_complex() && !y.dtype().is_complex()) {
        return wrong(format!(
            "hermite_spline: {} derivatives of shape {} do not fit {} values of shape {}",
            derivatives.dtype(),
            shape_text(derivatives.shape()),
            y.dtype(),
            shape_text(y.shape())
        ));
    }
    let derivatives = if y.dtype().is_complex() { derivatives.astype(DType::C128)? } else { derivatives.clone() };
    let (own, slopes) = (rows(y, x.size())?, rows(&derivatives, x.size())?);
    if own.size() == 0 {
        return cubic_spline(&x, y, [SplineEnd::First(None); 2]);
    }
    polynomial(&Cubic { x: &x, y: &own }.coefficients(&slopes)?, &x, y)
}
