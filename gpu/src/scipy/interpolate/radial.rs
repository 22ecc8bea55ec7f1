//! Radial basis functions and nearest points.

use cuprum_macros::unrecorded;

use super::{reals, wrong};
use crate::array::Array;
use crate::engine::radial::Radial;
use crate::error::Result;
use crate::layout::shape_text;

/// Function of the distance r from a centre, times epsilon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadialFunction {
    /// -r.
    Linear = 0,
    /// r² log r.
    ThinPlateSpline = 1,
    /// r³.
    Cubic = 2,
    /// -r⁵.
    Quintic = 3,
    /// -√(1 + r²).
    Multiquadric = 4,
    /// 1/√(1 + r²).
    InverseMultiquadric = 5,
    /// 1/(1 + r²).
    InverseQuadratic = 6,
    /// exp(-r²).
    Gaussian = 7,
    /// r.
    Distance = 8,
    /// r².
    SquaredDistance = 9,
}

fn pair(function: &str, x: &Array, centres: &Array) -> Result<(Array, Array)> {
    let (points, y) = (reals(function, "x", x)?, reals(function, "centres", centres)?);
    if points.ndim() != 2 || y.ndim() != 2 || points.shape()[1] != y.shape()[1] || y.shape()[1] == 0 {
        return wrong(format!(
            "{function}: points of shape {} and centres of shape {} are not rows of equally many coordinates",
            shape_text(x.shape()),
            shape_text(centres.shape())
        ));
    }
    Ok((points, y))
}

/// Matrix of a radial function of the distances of all pairs: a row for each point of `x`, a column for each centre, of float64.
///
/// ```
/// use cuprum::scipy::interpolate::{RadialFunction, radial_matrix};
/// let x = cuprum::array([[0.0, 0.0], [3.0, 4.0]])?;
/// assert_eq!(radial_matrix(&x, &x, RadialFunction::Distance, 1.0)?.to_vec::<f64>()?, [0.0, 5.0, 5.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that do not fit; [`ErrorKind::Type`](crate::ErrorKind::Type) for complex coordinates.
#[unrecorded(
    "takes a function of Rust: `RBFInterpolator` is compared with SciPy's in `gpu/python/tests/test_interpolate_scattered.py`"
)]
pub fn radial_matrix(x: &Array, centres: &Array, function: RadialFunction, epsilon: f64) -> Result<Array> {
    let (x, y) = pair("radial_matrix", x, centres)?;
    Radial { x: &x, y: &y, kind: function as u32, scale: epsilon }.matrix()
}

/// Sums over centres of a radial function of the distance times coefficients, of a row for each centre.
///
/// The result, of float64, has a row for each point of `x` and a column for each one of the coefficients. The matrix of all pairs is not stored.
///
/// ```
/// use cuprum::scipy::interpolate::{RadialFunction, radial_sum};
/// let (x, centres) = (cuprum::array([[1.0]])?, cuprum::array([[0.0], [4.0]])?);
/// let sum = radial_sum(&x, &centres, &cuprum::array([[2.0], [1.0]])?, RadialFunction::Distance, 1.0)?;
/// assert_eq!(sum.to_vec::<f64>()?, [5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`radial_matrix`].
#[unrecorded(
    "takes a function of Rust: `RBFInterpolator` is compared with SciPy's in `gpu/python/tests/test_interpolate_scattered.py`"
)]
pub fn radial_sum(
    x: &Array,
    centres: &Array,
    coefficients: &Array,
    function: RadialFunction,
    epsilon: f64,
) -> Result<Array> {
    let ((x, y), c) = (pair("radial_sum", x, centres)?, reals("radial_sum", "coefficients", coefficients)?);
    if c.ndim() != 2 || c.shape()[0] != y.shape()[0] {
        return wrong(format!(
            "radial_sum: coefficients of shape {} do not have a row for each of {} centres",
            shape_text(c.shape()),
            y.shape()[0]
        ));
    }
    Radial { x: &x, y: &y, kind: function as u32, scale: epsilon }.sum(&c)
}

/// Number, of int64, of the centre nearest to each point: the first one of several, and -1 for a point that is NaN.
///
/// All pairs are compared, without a tree.
///
/// ```
/// use cuprum::scipy::interpolate::nearest_points;
/// let (x, centres) = (cuprum::array([[1.0], [3.5]])?, cuprum::array([[0.0], [4.0]])?);
/// assert_eq!(nearest_points(&x, &centres)?.to_vec::<i64>()?, [0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that do not fit, and without centres; [`ErrorKind::Type`](crate::ErrorKind::Type) for
/// complex coordinates.
#[unrecorded("`NearestNDInterpolator` is compared with SciPy's in `gpu/python/tests/test_interpolate_scattered.py`")]
pub fn nearest_points(x: &Array, centres: &Array) -> Result<Array> {
    let (x, y) = pair("nearest_points", x, centres)?;
    if y.shape()[0] == 0 {
        return wrong("nearest_points: there are no centres: pass one at least".into());
    }
    Radial { x: &x, y: &y, kind: 0, scale: 1.0 }.nearest()
}
