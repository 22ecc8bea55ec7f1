//! NumPy's `numpy.polynomial.polynomial`: power series.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

pub use super::grids::{polygrid2d, polygrid3d, polyval2d, polyval3d, polyvander2d, polyvander3d};
pub use super::polyutils::trimcoef as polytrim;
use super::polyutils::{floated, ones, series, trimmed};
pub use super::powers::{PolyRootsOptions, SeriesIntOptions, polyint, polyline, polymulx, polypow, polyvalfromroots};
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

/// Options of [`polyval`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct PolyvalOptions {
    /// If true, every column of coefficients is evaluated at every point; otherwise coefficients and points are
    /// broadcast.
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
fn together(c1: &Array, c2: &Array, subtract: bool) -> Result<Array> {
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

/// Options of [`polyder`].
#[derive(Clone, Copy, Debug, Options)]
pub struct PolyDerOptions {
    /// The order of the derivative.
    #[from]
    pub m: isize,
    /// The factor of each derivative, for a scaled variable.
    pub scl: f64,
    /// The axis of the coefficients.
    pub axis: isize,
}

impl Default for PolyDerOptions {
    fn default() -> Self {
        PolyDerOptions { m: 1, scl: 1.0, axis: 0 }
    }
}

/// Returns `1, 2, …, n` in the dtype of the coefficients, along the first axis.
pub(super) fn counted(c: &Array, n: usize) -> Result<Array> {
    let counts = make::of(c.device(), &(1..=n as i64).collect::<Vec<_>>(), &[n])?.astype(c.dtype())?;
    let shape: Vec<i64> = std::iter::once(n as i64).chain(c.shape()[1..].iter().map(|_| 1)).collect();
    counts.reshape(shape)
}

/// Derivative of a polynomial with coefficients from the lowest power; NumPy's `numpy.polynomial.polynomial.polyder`.
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
    if options.m < 0 {
        let message = format!("a derivative is taken 0 times or more, not {} times", options.m);
        return Err(Error::new(ErrorKind::Value, message));
    }
    let c = floated(&if c.ndim() == 0 { c.reshape([1])? } else { c.clone() })?;
    let axis = crate::layout::normalize_axis(options.axis, c.ndim())? as isize;
    if options.m == 0 {
        return c.copy(Order::K);
    }
    let mut c = c.moveaxis(axis, 0)?;
    if options.m as usize >= c.shape()[0] {
        c = math::multiply(&part(&c, 0, ..1)?, 0)?;
    } else {
        for _ in 0..options.m {
            c = math::multiply(&c, options.scl)?;
            c = math::multiply(&part(&c, 0, 1..)?, &counted(&c, c.shape()[0] - 1)?)?.copy(Order::C)?;
        }
    }
    c.moveaxis(0, axis)
}

/// Coefficients of the monic polynomial with given roots; NumPy's `polyfromroots`.
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
