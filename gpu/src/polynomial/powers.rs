//! Linear polynomials, powers, antiderivatives, and products with the variable.

use cuprum_macros::{Options, routine};

use super::polynomial::{counted, polyval};
use super::polyutils::{floated, series};
use crate::array::{Array, Operand};
use crate::engine::{make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::layout::{Order, normalize_axis};
use crate::routines::logic::{any, not_equal};
use crate::routines::polynomials::{horner_of, reversed};
use crate::routines::statistics::convolve;
use crate::routines::{manipulation, math};
use crate::scalar::Scalar;
use crate::scan::part;

/// Coefficients of the polynomial `off + scl x`, a single one if `scl` is 0; NumPy's `polyline`.
///
/// ```
/// use cuprum::polynomial::polynomial::polyline;
/// assert_eq!(polyline(1, -2)?.to_vec::<i64>()?, [1, -2]);
/// assert_eq!(polyline(1.5, 0)?.to_vec::<f64>()?, [1.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Overflow`] for an integer out of range of every dtype; errors of the device.
#[routine(
    namespace = "numpy.polynomial.polynomial",
    no_programs = "takes host scalars only, which its conformance cases pass"
)]
pub fn polyline(off: Scalar, scl: Scalar) -> Result<Array> {
    let constant = Operand::Scalar(off).strong(None)?.reshape([1])?;
    let is_zero = match scl {
        Scalar::Bool(b) => !b,
        Scalar::Int(i) => i == 0,
        Scalar::Float(x) => x == 0.0,
        Scalar::Complex(z) => z.re == 0.0 && z.im == 0.0,
    };
    if is_zero {
        return Ok(constant);
    }
    let slope = Operand::Scalar(scl).strong(Some(constant.device()))?.reshape([1])?;
    manipulation::joined(&[&constant, &slope], 0)
}

/// Multiplies a polynomial by its variable; NumPy's `polymulx`.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polymulx};
/// assert_eq!(polymulx(array([1, 2, 3])?)?.to_vec::<f64>()?, [0.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`as_series`](super::polyutils::as_series).
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficient.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polymulx(c: &Array) -> Result<Array> {
    let c = series(&[c], true)?.remove(0);
    if c.size() == 1 && !any(&not_equal(&c, 0)?, ())?.item::<bool>()? {
        return Ok(c);
    }
    let out = make::empty(c.device(), &[c.size() + 1], c.dtype())?;
    part(&out, 0, ..1)?.assign(&math::multiply(&part(&c, 0, ..1)?, 0)?)?;
    part(&out, 0, 1..)?.assign(&c)?;
    Ok(out)
}

/// Raises a polynomial to a power, by repeated multiplication; NumPy's `polypow`.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polypow};
/// assert_eq!(polypow(array([1, 2])?, 3, None)?.to_vec::<f64>()?, [1.0, 6.0, 12.0, 8.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`as_series`](super::polyutils::as_series), and [`ErrorKind::Value`] for a power below 0 or above
/// `maxpower`.
///
/// # Synchronization
///
/// Synchronises to find the last nonzero coefficient.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polypow(c: &Array, pow: isize, maxpower: Option<isize>) -> Result<Array> {
    let c = series(&[c], true)?.remove(0);
    if pow < 0 {
        return Err(Error::new(ErrorKind::Value, format!("pow is {pow}: a polynomial has powers of 0 and more")));
    }
    if let Some(highest) = maxpower.filter(|highest| pow > *highest) {
        return Err(Error::new(ErrorKind::Value, format!("pow is {pow}, which is above maxpower, {highest}")));
    }
    if pow == 0 {
        return make::full(c.device(), &[1], 1, c.dtype());
    }
    (1..pow).try_fold(c.clone(), |product, _| convolve(&product, &c, ()))
}

/// Options of [`polyint`].
#[derive(Clone, Copy, Debug, Options)]
pub struct SeriesIntOptions<'a> {
    /// The order of the antiderivative.
    #[from]
    pub m: isize,
    /// The integration constants: a scalar for the first integration, or an array with one for each of the first ones;
    /// by default 0.
    pub k: Option<Operand<'a>>,
    /// The lower bound of the integral.
    pub lbnd: f64,
    /// The factor of each integral before the constant is added, for a scaled variable.
    pub scl: f64,
    /// The axis of the coefficients.
    pub axis: isize,
}

impl Default for SeriesIntOptions<'_> {
    fn default() -> Self {
        SeriesIntOptions { m: 1, k: None, lbnd: 0.0, scl: 1.0, axis: 0 }
    }
}

/// Antiderivative of a polynomial with coefficients from the lowest power; NumPy's
/// `numpy.polynomial.polynomial.polyint`. The result has the dtype of the coefficients, or float64 for integers.
///
/// ```
/// use cuprum::array;
/// use cuprum::polynomial::polynomial::{SeriesIntOptions, polyint};
/// assert_eq!(polyint(array([1, 2, 3])?, ())?.to_vec::<f64>()?, [0.0, 1.0, 1.0, 1.0]);
/// let options = SeriesIntOptions::new().m(2).k(5).lbnd(-1.0);
/// assert_eq!(polyint(array([6.0])?, options)?.to_vec::<f64>()?, [8.0, 11.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative `m` and for more constants than that, [`ErrorKind::Axis`], [`ErrorKind::Index`]
/// for empty coefficients, [`ErrorKind::Type`] for complex constants of real coefficients of several axes; for one axis
/// their real part is used, as in NumPy.
/// # Synchronization
///
/// Synchronises if there is one coefficient along the axis: the antiderivative of zeros is not longer than they are.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyint(c: &Array, options: SeriesIntOptions<'_>) -> Result<Array> {
    let Ok(m) = usize::try_from(options.m) else {
        return Err(Error::new(
            ErrorKind::Value,
            format!("an integral is taken 0 times or more, not {} times", options.m),
        ));
    };
    // A host scalar is a weak constant of the first integration; an array has its dtype.
    let (number, array) = match options.k {
        None => (None, None),
        Some(Operand::Scalar(k)) => (Some(k), None),
        Some(Operand::Array(k)) => {
            one_device(c, [k])?;
            (None, Some(if k.ndim() == 0 { k.reshape([1])? } else { k.clone() }))
        }
    };
    let given = array.as_ref().map_or(usize::from(number.is_some()), |k| k.shape()[0]);
    if given > m {
        let message = format!("{given} constants are more than the {m} integrals: give one for each at most");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let c = floated(&if c.ndim() == 0 { c.reshape([1])? } else { c.clone() })?;
    let axis = normalize_axis(options.axis, c.ndim())? as isize;
    if m == 0 {
        return c.copy(Order::K);
    }
    let mut c = c.moveaxis(axis, 0)?;
    if c.shape()[0] == 0 {
        return Err(Error::new(ErrorKind::Index, "there are no coefficients"));
    }
    for i in 0..m {
        let n = c.shape()[0];
        let one = array.as_ref().filter(|_| i < given).map(|k| k.index([Index::At(i as i64)])).transpose()?;
        let k = match &one {
            Some(k) => Operand::Array(k),
            None => Operand::Scalar(number.filter(|_| i == 0).unwrap_or(Scalar::Int(0))),
        };
        let scaled = math::multiply(&c, options.scl)?;
        if n == 1 && !any(&not_equal(&scaled, 0)?, ())?.item::<bool>()? {
            c = with_constant(&scaled, k)?;
            continue;
        }
        let shape: Vec<usize> = std::iter::once(n + 1).chain(c.shape()[1..].iter().copied()).collect();
        let out = make::empty(c.device(), &shape, c.dtype())?;
        part(&out, 0, ..1)?.assign(&math::multiply(&part(&scaled, 0, ..1)?, 0)?)?;
        part(&out, 0, 1..)?.assign(&math::true_divide(&scaled, &counted(&scaled, n)?)?)?;
        let at_bound = at_number(&out, options.lbnd)?;
        let first = part(&out, 0, ..1)?;
        let lifted = at_bound.reshape(first.shape().iter().map(|n| *n as i64).collect::<Vec<_>>())?;
        let sum = math::add(&first, &math::subtract(k, &lifted)?)?;
        same_kind(&sum, &first)?;
        first.assign(&sum)?;
        c = out;
    }
    c.moveaxis(0, axis)
}

/// Adds a constant to the only coefficient, that of the power 0.
fn with_constant(c: &Array, k: Operand<'_>) -> Result<Array> {
    let sum = math::add(c, k)?;
    same_kind(&sum, c)?;
    sum.cast(c.dtype(), Order::K)
}

/// Rejects complex constants of real coefficients, except for one axis, where NumPy uses the real part.
fn same_kind(sum: &Array, c: &Array) -> Result<()> {
    if c.ndim() > 1 && sum.dtype().is_complex() && !c.dtype().is_complex() {
        let message = format!("complex constants do not go into coefficients of {}: make those complex", c.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    Ok(())
}

/// Evaluates at one host scalar: for coefficients of one axis in one launch.
fn at_number(c: &Array, x: f64) -> Result<Array> {
    if c.ndim() == 1 {
        let point = make::full(c.device(), &[], x, c.dtype())?;
        return horner_of(&reversed(c)?, &point, &[&[]]);
    }
    polyval(x, c, ())
}

/// Options of [`polyvalfromroots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct PolyRootsOptions {
    /// If true, every column of roots is evaluated at every point; otherwise roots and points are broadcast.
    #[from]
    pub tensor: bool,
}

impl Default for PolyRootsOptions {
    fn default() -> Self {
        PolyRootsOptions { tensor: true }
    }
}

/// Evaluates at points the monic polynomial with given roots, along their first axis; NumPy's `polyvalfromroots`.
/// Integer roots count as float64.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyvalfromroots};
/// assert_eq!(polyvalfromroots(array([0.0, 3.0])?, array([1, 2])?, ())?.to_vec::<f64>()?, [2.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where points and roots cannot be broadcast, and without `tensor` for points of as many axes as
/// the roots.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyvalfromroots(x: Operand<'_>, r: &Array, options: PolyRootsOptions) -> Result<Array> {
    let mut r = floated(&if r.ndim() == 0 { r.reshape([1])? } else { r.clone() })?;
    if let Operand::Array(x) = x {
        one_device(&r, [x])?;
        if options.tensor {
            let shape = r.shape().iter().copied().chain(x.shape().iter().map(|_| 1)).map(|n| n as i64);
            r = r.reshape(shape.collect::<Vec<_>>())?;
        } else if x.ndim() >= r.ndim() {
            let (x_axes, roots) = (x.ndim(), r.ndim());
            let message = format!("without tensor x has fewer axes than the roots, not {x_axes} and {roots}");
            return Err(Error::new(ErrorKind::Value, message));
        }
    }
    math::prod(&math::subtract(x, &r)?, 0)
}
