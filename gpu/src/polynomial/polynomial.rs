//! NumPy's `numpy.polynomial.polynomial`: power series.
//!
//! ```
//! use cuprum::{array, polynomial::polynomial};
//! // 1 + 2 x + 3 x²
//! let c = array([1.0, 2.0, 3.0])?;
//! assert_eq!(polynomial::polyval(2.0, &c, ())?.item::<f64>()?, 17.0);
//! # Ok::<(), cuprum::Error>(())
//! ```

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::bases::{Basis, Degrees, SeriesFit, SeriesFitOptions, fit};
use super::calculus::derivative;
pub use super::calculus::{PolyDerOptions, SeriesIntOptions};
pub use super::grids::{polygrid2d, polygrid3d, polyval2d, polyval3d, polyvalnd, polyvander2d, polyvander3d};
use super::polyutils::{above, floated, ones, series, trimmed};
pub use super::powers::{PolyRootsOptions, polyint, polyline, polymulx, polypow, polyvalfromroots};
pub use super::roots::polyroots;
use crate::array::{Array, Operand};
use crate::dtype::promote_types;
use crate::engine::{make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, s};
use crate::layout::Order;
use crate::routines::polynomials::{horner_of, reversed};
use crate::routines::{logic, math, statistics};
use crate::scalar::Scalar;
use crate::scan::part;
use crate::table::Fit;

/// Options of [`polyval`].
///
/// NumPy's parameter `tensor` is true by default: the axes of the points follow those of the coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct PolyvalOptions {
    /// If true, every column of coefficients is evaluated at every point; otherwise coefficients and points are
    /// broadcast. By default `true`.
    #[from]
    pub tensor: bool,
}

impl Default for PolyvalOptions {
    fn default() -> Self {
        PolyvalOptions { tensor: true }
    }
}

/// Evaluates a polynomial at points by Horner's rule, with coefficients `c` from the lowest power; NumPy's
/// `numpy.polynomial.polynomial.polyval`. Integer coefficients count as float64.
///
/// The result has the axes of `c` after the first, then those of `x`, and the promoted floating-point or complex dtype.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyval};
/// assert_eq!(polyval(array([0.0, 2.0])?, array([1, 2, 3])?, ())?.to_vec::<f64>()?, [1.0, 17.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Index`] for empty coefficients, [`ErrorKind::Value`] where coefficients and points cannot be broadcast.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyval(x: Operand<'_>, c: &Array, options: PolyvalOptions) -> Result<Array> {
    let is_array = matches!(x, Operand::Array(_));
    let mut c = floated(&if c.ndim() == 0 { c.reshape([1])? } else { c.clone() })?;
    if c.shape()[0] == 0 {
        return Err(Error::new(ErrorKind::Index, "there are no coefficients"));
    }
    if let Operand::Array(x) = x {
        one_device(&c, [x])?;
        if x.dtype() == DType::Bool {
            // NumPy starts with the points times 0, and booleans times 0 are int64.
            c = c.cast(promote_types(c.dtype(), DType::I64), Order::K)?;
        }
        if c.ndim() == 1 {
            return horner_of(&reversed(&c)?, x, &[x.strides()]);
        }
    }
    if is_array && options.tensor {
        let Operand::Array(x) = x else { return Ok(c) };
        let shape: Vec<i64> = c.shape().iter().copied().chain(x.shape().iter().map(|_| 1)).map(|n| n as i64).collect();
        c = c.reshape(shape)?;
    }
    let n = c.shape()[0] as i64;
    let at = |k: i64| c.index([Index::At(k)]);
    // A host scalar times 0 is still weak in promotion with the coefficients.
    let mut y = match x {
        Operand::Array(x) => math::add(&at(n - 1)?, &math::multiply(x, 0)?)?,
        Operand::Scalar(x) => math::add(&at(n - 1)?, nothing_of(x))?,
    };
    for k in (0..n - 1).rev() {
        y = math::add(&at(k)?, &math::multiply(&y, x)?)?;
    }
    Ok(y)
}

/// Multiplies a scalar by 0, keeping its kind: NaN if it is not finite.
fn nothing_of(x: Scalar) -> Scalar {
    match x {
        Scalar::Bool(_) | Scalar::Int(_) => Scalar::Int(0),
        Scalar::Float(x) => Scalar::Float(x * 0.0),
        Scalar::Complex(z) => Scalar::Complex(z * 0.0),
    }
}

/// Vandermonde matrix: the powers of points from 0 to `deg`, along a new last axis; NumPy's `polyvander`.
///
/// The result has the shape of `x` with an axis of `deg + 1` elements after it, and a floating-point or complex dtype.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyvander};
/// assert_eq!(polyvander(array([2.0, 3.0])?, 2)?.to_vec::<f64>()?, [1.0, 2.0, 4.0, 1.0, 3.0, 9.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative `deg`.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyvander(x: &Array, deg: isize) -> Result<Array> {
    let Ok(deg) = usize::try_from(deg) else {
        return Err(Error::new(ErrorKind::Value, format!("deg is {deg}: the highest power is 0 or more")));
    };
    let x = math::add(&if x.ndim() == 0 { x.reshape([1])? } else { x.clone() }, 0.0)?;
    let shape: Vec<usize> = std::iter::once(deg + 1).chain(x.shape().iter().copied()).collect();
    let v = make::empty(x.device(), &shape, x.dtype())?;
    let at = |k: usize| v.index([Index::At(k as i64)]);
    at(0)?.assign(&math::add(&math::multiply(&x, 0)?, 1)?)?;
    if deg > 0 {
        at(1)?.assign(&x)?;
    }
    for k in 2..=deg {
        at(k)?.assign(&math::multiply(&at(k - 1)?, &x)?)?;
    }
    v.moveaxis(0, -1)
}

/// Companion matrix of a polynomial, whose eigenvalues are its roots; NumPy's `polycompanion`.
///
/// The matrix for `n` coefficients has `n - 1` rows and columns.
///
/// The dtype is the floating-point or complex one of the coefficients, float64 for integers.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polycompanion};
/// assert_eq!(polycompanion(array([1.0, 2.0, 4.0])?)?.to_vec::<f64>()?, [0.0, -0.25, 1.0, -0.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a constant polynomial.
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficient.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polycompanion(c: &Array) -> Result<Array> {
    let c = series(&[c], true)?.remove(0);
    let n = c.size() - 1;
    if n < 1 {
        return Err(Error::new(ErrorKind::Value, "a constant has no companion matrix: a power above 0 is needed"));
    }
    let (low, top) = (part(&c, 0, ..-1)?, part(&c, 0, -1..)?);
    if n == 1 {
        return math::true_divide(&math::negative(&low)?, &top)?.reshape([1, 1]);
    }
    let out = make::zeros(c.device(), &[n, n], c.dtype())?;
    let step = out.itemsize() as i64 * (n as i64 + 1);
    part(&out, 0, 1..)?.as_strided([n as i64 - 1], &[step])?.fill(1)?;
    let column = out.index(s![.., -1])?;
    column.assign(&math::subtract(&column, &math::true_divide(&low, &top)?)?)?;
    Ok(out)
}

/// Adds or subtracts two series.
pub(super) fn together(c1: &Array, c2: &Array, subtract: bool) -> Result<Array> {
    one_device(c1, [c2])?;
    let both = series(&[c1, c2], true)?;
    let (a, b) = (&both[0], &both[1]);
    let b = &if subtract && b.size() > a.size() { math::negative(b)? } else { b.clone() };
    let (long, short) = if a.size() > b.size() { (a, b) } else { (b, a) };
    let low = part(long, 0, ..short.size() as i64)?;
    let sum = if subtract && b.size() <= a.size() {
        math::subtract(&part(a, 0, ..b.size() as i64)?, b)?
    } else {
        math::add(&low, short)?
    };
    low.assign(&sum)?;
    trimmed(long)
}

/// Sum of two polynomials; NumPy's `numpy.polynomial.polynomial.polyadd`.
///
/// The result has one axis without trailing zeros, and the promoted floating-point or complex dtype.
///
/// ```
/// use cuprum::{array, polynomial::polynomial};
/// let (a, b) = (array([1.0, 2.0, 3.0])?, array([1.0, 1.0])?);
/// assert_eq!(polynomial::polyadd(&a, &b)?.to_vec::<f64>()?, [2.0, 3.0, 3.0]);
/// assert_eq!(polynomial::polysub(&a, &b)?.to_vec::<f64>()?, [0.0, 1.0, 3.0]);
/// assert_eq!(polynomial::polymul(&b, &b)?.to_vec::<f64>()?, [1.0, 2.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`as_series`](super::polyutils::as_series).
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficients.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyadd(c1: &Array, c2: &Array) -> Result<Array> {
    together(c1, c2, false)
}

/// Difference of two polynomials; NumPy's `numpy.polynomial.polynomial.polysub`.
///
/// The result has one axis without trailing zeros, and the promoted floating-point or complex dtype. See [`polyadd`]
/// for an example.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polysub};
/// let c = polysub(&array([1.0, 2.0])?, &array([0.0, 2.0])?)?;
/// assert_eq!(c.to_vec::<f64>()?, [1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`polyadd`].
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficients.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polysub(c1: &Array, c2: &Array) -> Result<Array> {
    together(c1, c2, true)
}

/// Product of two polynomials; NumPy's `numpy.polynomial.polynomial.polymul`.
///
/// The result has one axis without trailing zeros, and the promoted floating-point or complex dtype. See [`polyadd`]
/// for an example.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polymul};
/// let c = polymul(&array([1.0, 1.0])?, &array([1.0, 1.0])?)?;
/// assert_eq!(c.to_vec::<f64>()?, [1.0, 2.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`polyadd`].
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficients.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polymul(c1: &Array, c2: &Array) -> Result<Array> {
    one_device(c1, [c2])?;
    let both = series(&[c1, c2], true)?;
    trimmed(&statistics::convolve(&both[0], &both[1], ())?)
}

/// Quotient and remainder of two polynomials; NumPy's `numpy.polynomial.polynomial.polydiv`.
///
/// Both results have one axis without trailing zeros, and the promoted floating-point or complex dtype.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polydiv};
/// let (quotient, rest) = polydiv(array([3.0, 3.0, 1.0])?, array([1.0, 1.0])?)?;
/// assert_eq!((quotient.to_vec::<f64>()?, rest.to_vec::<f64>()?), (vec![2.0, 1.0], vec![1.0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`polyadd`], and [`ErrorKind::ZeroDivision`] for a divisor of zeros.
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficients.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polydiv(c1: &Array, c2: &Array) -> Result<(Array, Array)> {
    one_device(c1, [c2])?;
    let both = series(&[c1, c2], true)?;
    let (a, b) = (&both[0], &both[1]);
    let top = part(b, 0, -1..)?;
    if logic::equal(&top, 0)?.index(s![0])?.item::<bool>()? {
        return Err(Error::new(ErrorKind::ZeroDivision, "the divisor is zero"));
    }
    let first = math::multiply(&part(a, 0, ..1)?, 0)?;
    if a.size() < b.size() {
        return Ok((first, a.clone()));
    }
    if b.size() == 1 {
        return Ok((math::true_divide(a, &top)?, first));
    }
    let low = math::true_divide(&part(b, 0, ..-1)?, &top)?;
    let n = (b.size() - 1) as i64;
    let a = a.copy(Order::C)?;
    for j in (n..a.size() as i64).rev() {
        let here = part(&a, 0, j - n..j)?;
        here.assign(&math::subtract(&here, &math::multiply(&low, &part(&a, 0, j..j + 1)?)?)?)?;
    }
    Ok((math::true_divide(&part(&a, 0, n..)?, &top)?, trimmed(&part(&a, 0, ..n)?)?))
}

/// Derivative of a polynomial with coefficients from the lowest power; NumPy's `numpy.polynomial.polynomial.polyder`.
///
/// The result has the shape of `c` with `m` coefficients fewer along the axis.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyder};
/// assert_eq!(polyder(array([1, 2, 3, 4])?, ())?.to_vec::<f64>()?, [2.0, 6.0, 12.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative `m`, [`ErrorKind::Axis`].
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyder(c: &Array, options: PolyDerOptions) -> Result<Array> {
    derivative(Basis::Power, c, options)
}

/// Least-squares fit of a power series to values at points; NumPy's `numpy.polynomial.polynomial.polyfit`. The columns
/// of a `y` of two axes are fitted separately. `deg` is the highest power, or the list of all powers that take part.
///
/// The coefficients begin with the lowest power; of values with two axes each column is fitted.
///
/// ```
/// use cuprum::{allclose, array, polynomial::polynomial::polyfit};
/// let (c, _) = polyfit(array([0.0, 1.0, 2.0])?, array([1.0, 3.0, 5.0])?, 1, ())?;
/// assert!(allclose(&c, array([1.0, 2.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative power; [`ErrorKind::Type`] for points, values or weights of incompatible shapes,
/// and for empty ones; [`ErrorKind::LinAlg`] for NaN, at the next synchronisation.
///
/// # Synchronization
///
/// Same as [`lstsq`](crate::linalg::lstsq).
#[routine(
    namespace = "numpy.polynomial.polynomial",
    python(fit = Fit::Series),
    outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`"
)]
pub fn polyfit(x: &Array, y: &Array, deg: impl Into<Degrees>, options: SeriesFitOptions<'_>) -> Result<SeriesFit> {
    fit(Basis::Power, x, y, &deg.into(), options)
}

/// Trims trailing coefficients of magnitude `tol` or less, converting to floats; NumPy's `polytrim`. Same as
/// [`trimcoef`](super::polyutils::trimcoef).
///
/// The result has one axis, and at least one coefficient.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polytrim};
/// assert_eq!(polytrim(&array([1.0, 2.0, 0.0])?, 0.0)?.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`as_series`](super::polyutils::as_series), and [`ErrorKind::Value`] for a negative `tol`.
///
/// # Synchronization
///
/// Synchronises to find the last remaining coefficient.
#[routine(
    namespace = "numpy.polynomial.polynomial",
    outside_suite = "compared with NumPy's in `gpu/python/tests/test_series.py`",
    tol = 0.0
)]
pub fn polytrim(c: &Array, tol: f64) -> Result<Array> {
    above(c, tol)
}

/// Coefficients of the monic polynomial with given roots; NumPy's `polyfromroots`.
///
/// The result has one axis of `n + 1` coefficients for `n` roots, the last of which is 1.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyfromroots};
/// assert_eq!(polyfromroots(array([-1.0, 0.0, 1.0])?)?.to_vec::<f64>()?, [0.0, -1.0, 0.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`as_series`](super::polyutils::as_series).
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficients of products.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyfromroots(roots: &Array) -> Result<Array> {
    if roots.is_empty() {
        return ones(roots, 1);
    }
    let roots = series(&[roots], false)?.remove(0);
    let roots = crate::routines::sorting::sort(&roots, ())?;
    // NumPy's list of a root and 1 is float64 or wider, whatever the dtype of the root.
    let dtype = promote_types(roots.dtype(), DType::F64);
    let line = |k: usize| -> Result<Array> {
        let out = make::full(roots.device(), &[2], 1, dtype)?;
        part(&out, 0, ..1)?.assign(&math::negative(&part(&roots, 0, k as i64..k as i64 + 1)?)?)?;
        Ok(out)
    };
    let mut p: Vec<Array> = (0..roots.size()).map(line).collect::<Result<_>>()?;
    while p.len() > 1 {
        let half = p.len() / 2;
        let mut products: Vec<Array> = (0..half).map(|i| polymul(&p[i], &p[i + half])).collect::<Result<_>>()?;
        if p.len() % 2 == 1 {
            products[0] = polymul(&products[0], &p[2 * half])?;
        }
        p = products;
    }
    Ok(p.remove(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of NumPy 2.4.6.
    #[test]
    fn quotients_are_numpys() -> Result<()> {
        let (a, b) = (crate::array([1.0, 2.0, 3.0])?, crate::array([3.0, 2.0, 1.0])?);
        let (q, r) = polydiv(&a, &b)?;
        assert_eq!((q.to_vec::<f64>()?, r.to_vec::<f64>()?), (vec![3.0], vec![-8.0, -4.0]));
        let (q, r) = polydiv(crate::array([2.0])?, &b)?;
        assert_eq!((q.to_vec::<f64>()?, r.to_vec::<f64>()?), (vec![0.0], vec![2.0]));
        assert_eq!(polysub(&a, crate::array([0.0, 1.0, 3.0, 5.0])?)?.to_vec::<f64>()?, [1.0, 1.0, 0.0, -5.0]);
        Ok(())
    }
}
