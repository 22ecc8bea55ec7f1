//! Series in several variables.
//!
//! Coefficients of several variables are evaluated one variable after the other, each in one launch.

use cuprum_macros::routine;

use super::bases::{Basis, value, vandermonde};
use super::polynomial::{polyval, polyvander};
use crate::array::{Array, Operand};
use crate::dtype::promote_types;
use crate::engine::one_device;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::routines::math;
use cuprum_kernels::DType;

/// Rejects coordinates of points of different shapes.
fn check_points(points: &[&Array]) -> Result<()> {
    if let Some(other) = points.iter().find(|p| p.shape() != points[0].shape()) {
        let (one, other) = (shape_text(points[0].shape()), shape_text(other.shape()));
        let message =
            format!("coordinates of shapes {one} and {other} are no points: give one of each for every point");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(())
}

/// Evaluates at points: the first variable consumes the first axis of coefficients, the others follow in turn.
pub(super) fn at_points(basis: Basis, c: &Array, points: &[&Array]) -> Result<Array> {
    one_device(c, points.iter().copied())?;
    check_points(points)?;
    let first = values(basis, points[0], c, true)?;
    points[1..].iter().try_fold(first, |c, x| values(basis, x, &c, false))
}

/// Evaluates at points in any number of variables.
pub(super) fn at_ordinates(basis: Basis, c: &Array, points: &[&Array]) -> Result<Array> {
    if points.is_empty() {
        let what = "pts is empty: give the ordinates of at least one variable";
        return Err(Error::new(ErrorKind::Value, what));
    }
    at_points(basis, c, points).map_err(|e| {
        let what = format!("ordinates are incompatible: {}", e.message());
        if e.kind() == ErrorKind::Value { Error::new(ErrorKind::Value, what) } else { e }
    })
}

/// Evaluates a series in one variable.
fn values(basis: Basis, x: &Array, c: &Array, tensor: bool) -> Result<Array> {
    if basis == Basis::Power { polyval(x, c, tensor) } else { value(basis, Operand::Array(x), c, tensor) }
}

/// Evaluates over the grid of the coordinates of each variable.
pub(super) fn over_grid(basis: Basis, c: &Array, points: &[&Array]) -> Result<Array> {
    one_device(c, points.iter().copied())?;
    points.iter().try_fold(c.clone(), |c, x| values(basis, x, &c, true))
}

/// Evaluates a polynomial in two variables at points, where `c[i, j]` is the coefficient of `x^i y^j`; NumPy's
/// `polyval2d`.
///
/// The result has the shape to which the points are broadcast, then the axes of `c` after the first two,
/// and the promoted floating-point or complex dtype.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyval2d};
/// let c = array([[1, 2], [3, 4]])?; // 1 + 2 y + 3 x + 4 x y
/// assert_eq!(polyval2d(array([1.0, 2.0])?, array([1.0, 0.0])?, &c)?.to_vec::<f64>()?, [10.0, 7.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for coordinates of different shapes, [`ErrorKind::Index`] for empty coefficients.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyval2d(x: &Array, y: &Array, c: &Array) -> Result<Array> {
    at_points(Basis::Power, c, &[x, y])
}

/// Evaluates a polynomial in three variables at points; NumPy's `polyval3d`.
///
/// The result has the shape to which the coordinates are broadcast, followed by the axes of `c` after the third.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyval3d};
/// let c = array([[[1, 2]], [[3, 4]]])?; // 1 + 2 z + 3 x + 4 x z
/// let at = [array([2.0])?, array([9.0])?, array([1.0])?];
/// assert_eq!(polyval3d(&at[0], &at[1], &at[2], &c)?.to_vec::<f64>()?, [17.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`polyval2d`].
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyval3d(x: &Array, y: &Array, z: &Array, c: &Array) -> Result<Array> {
    at_points(Basis::Power, c, &[x, y, z])
}

/// Evaluates a polynomial in any number of variables at points, given by an array of coordinates for each variable;
/// NumPy's `polyvalnd`.
///
/// The result has the shape to which the coordinates are broadcast, followed by the axes of `c` after as many as there
/// are coordinates.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyvalnd};
/// let c = array([[1, 2], [3, 4]])?; // 1 + 2 y + 3 x + 4 x y
/// assert_eq!(polyvalnd([array([1.0])?, array([2.0])?], &c)?.to_vec::<f64>()?, [16.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`polyval2d`], and [`ErrorKind::Value`] for no variable.
#[routine(
    namespace = "numpy.polynomial.polynomial",
    outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
)]
pub fn polyvalnd(pts: &[&Array], c: &Array) -> Result<Array> {
    at_ordinates(Basis::Power, c, pts)
}

/// Evaluates a polynomial in two variables over the grid of all pairs of coordinates; NumPy's `polygrid2d`.
///
/// The result has the axes of `x`, then those of `y`, then those of `c` after the second.
///
/// The dtype is that to which the coordinates and coefficients are promoted.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polygrid2d};
/// let grid = polygrid2d(array([1.0, 2.0])?, array([0.0, 1.0])?, array([[1, 2], [3, 4]])?)?;
/// assert_eq!(grid.to_vec::<f64>()?, [4.0, 10.0, 7.0, 17.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Index`] for empty coefficients.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polygrid2d(x: &Array, y: &Array, c: &Array) -> Result<Array> {
    over_grid(Basis::Power, c, &[x, y])
}

/// Evaluates a polynomial in three variables over the grid of all triples of coordinates; NumPy's `polygrid3d`.
///
/// The result has the axes of `x`, `y` and `z`, then those of `c` after the third.
///
/// ```
/// use cuprum::{array, ones, polynomial::polynomial::polygrid3d};
/// let c = ones([2, 2, 2], ())?;
/// let values = polygrid3d(array([0.0, 1.0])?, array([0.0])?, array([0.0])?, &c)?;
/// assert_eq!(values.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`polygrid2d`].
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polygrid3d(x: &Array, y: &Array, z: &Array, c: &Array) -> Result<Array> {
    over_grid(Basis::Power, c, &[x, y, z])
}

/// Returns products of basis polynomials of the coordinates along one axis, with the degree of the last variable
/// varying fastest.
pub(super) fn products(basis: Basis, points: &[&Array], deg: &[isize]) -> Result<Array> {
    let first = points[0];
    one_device(first, points[1..].iter().copied())?;
    if deg.len() != points.len() {
        let (degrees, variables) = (deg.len(), points.len());
        let message = format!("{degrees} degrees do not do for {variables} variables: give one for each");
        return Err(Error::new(ErrorKind::Value, message));
    }
    check_points(points)?;
    let dtype = points.iter().map(|p| p.dtype()).reduce(promote_types).unwrap_or(DType::F64);
    let count = points.len();
    let mut product: Option<Array> = None;
    for (k, (x, deg)) in points.iter().zip(deg).enumerate() {
        // The polynomials of each variable have an axis of their own after those of the points.
        let x = x.cast(dtype, Order::C)?;
        let powers = if basis == Basis::Power { polyvander(&x, *deg)? } else { vandermonde(basis, &x, *deg)? };
        let outer = powers.ndim() - 1;
        let others = (outer..outer + count).filter(|axis| *axis != outer + k).map(|axis| axis as isize);
        let powers = powers.expand_dims(others.collect::<Vec<_>>())?;
        product = Some(match product {
            None => powers,
            Some(product) => math::multiply(&product, &powers)?,
        });
    }
    let product = product.expect("there are two or three variables");
    let outer = product.ndim() - count;
    let together: usize = product.shape()[outer..].iter().product();
    let shape = product.shape()[..outer].iter().copied().chain([together]).map(|n| n as i64);
    product.reshape(shape.collect::<Vec<_>>())
}

/// Pseudo-Vandermonde matrix of two coordinates along a new last axis, with `x^i y^j` at index `(deg[1] + 1) i + j`;
/// NumPy's `polyvander2d`.
///
/// The last axis has `(l + 1) * (m + 1)` elements for degrees `[l, m]`. The dtype is the floating-point or
/// complex one to which the coordinates are promoted.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyvander2d};
/// let v = polyvander2d(array([2.0])?, array([3.0])?, &[1, 2])?;
/// assert_eq!(v.to_vec::<f64>()?, [1.0, 3.0, 9.0, 2.0, 6.0, 18.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for coordinates of different shapes, and for negative degrees or another number of them.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyvander2d(x: &Array, y: &Array, deg: impl AsRef<[isize]>) -> Result<Array> {
    products(Basis::Power, &[x, y], deg.as_ref())
}

/// Pseudo-Vandermonde matrix of three coordinates along a new last axis; NumPy's `polyvander3d`.
///
/// The last axis has `(l + 1) * (m + 1) * (n + 1)` elements for degrees `[l, m, n]`.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyvander3d};
/// let v = polyvander3d(array([2.0])?, array([3.0])?, array([5.0])?, [1, 0, 1])?;
/// assert_eq!(v.to_vec::<f64>()?, [1.0, 5.0, 2.0, 10.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`polyvander2d`].
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyvander3d(x: &Array, y: &Array, z: &Array, deg: impl AsRef<[isize]>) -> Result<Array> {
    products(Basis::Power, &[x, y, z], deg.as_ref())
}
