//! Products of power series with themselves and with the variable, and their integrals.

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

/// The polynomial `off + scl x`, of one coefficient where `scl` is 0; NumPy's `polyline`.
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
/// [`ErrorKind::Overflow`] for an integer that no dtype holds; errors of the device.
#[routine(namespace = "numpy.polynomial.polynomial")]
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

/// A polynomial times its variable; NumPy's `polymulx`.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polymulx};
/// assert_eq!(polymulx(array([1, 2, 3])?)?.to_vec::<f64>()?, [0.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`as_series`](super::polyutils::as_series).
///
/// # Synchronization
///
/// The host waits to see where the coefficients end.
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

/// A polynomial to a power, by that many products; NumPy's `polypow`.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polypow};
/// assert_eq!(polypow(array([1, 2])?, 3, None)?.to_vec::<f64>()?, [1.0, 6.0, 12.0, 8.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`as_series`](super::polyutils::as_series), and [`ErrorKind::Value`] for a power below 0 or above `maxpower`.
///
/// # Synchronization
///
/// The host waits to see where the coefficients end.
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

/// How the [`polyint`] of a series integrates.
#[derive(Clone, Copy, Debug, Options)]
pub struct SeriesIntOptions<'a> {
    /// How often.
    #[from]
    pub m: isize,
    /// The constants: a number for the first integral, or an array of one for each of the first ones; 0 unless said.
    pub k: Option<Operand<'a>>,
    /// Where the integral is its constant.
    pub lbnd: f64,
    /// Each integral is multiplied by it before the constant is added: by what the variable is scaled.
    pub scl: f64,
    /// Along which axis the coefficients stand.
    pub axis: isize,
}

impl Default for SeriesIntOptions<'_> {
    fn default() -> Self {
        SeriesIntOptions { m: 1, k: None, lbnd: 0.0, scl: 1.0, axis: 0 }
    }
}

/// The integral of a polynomial, the coefficients being those of the lowest power first; NumPy's
/// `numpy.polynomial.polynomial.polyint`. The result is of the dtype of the coefficients, of integers float64.
///
/// ```
/// use cuprum::array;
/// use cuprum::polynomial::polynomial::{SeriesIntOptions, polyint};
/// assert_eq!(polyint(array([1, 2, 3])?, ())?.to_vec::<f64>()?, [0.0, 1.0, 1.0, 1.0]);
/// let told = SeriesIntOptions::new().m(2).k(5).lbnd(-1.0);
/// assert_eq!(polyint(array([6.0])?, told)?.to_vec::<f64>()?, [8.0, 11.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for `m` below 0 and for more constants than that, [`ErrorKind::Axis`], [`ErrorKind::Index`] for no
/// coefficients, [`ErrorKind::Type`] for complex constants of real coefficients of several axes; of one axis their real
/// part is taken, as in NumPy.
///
/// # Synchronization
///
/// The host waits where there is one coefficient along the axis: the integral of zeros stays as short as they are.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyint(c: &Array, options: SeriesIntOptions<'_>) -> Result<Array> {
    let Ok(m) = usize::try_from(options.m) else {
        return Err(Error::new(
            ErrorKind::Value,
            format!("an integral is taken 0 times or more, not {} times", options.m),
        ));
    };
    // A number of the host is a weak constant of the first integral; an array has its dtype.
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

/// The coefficients plus a constant at the power 0, the only one.
fn with_constant(c: &Array, k: Operand<'_>) -> Result<Array> {
    let sum = math::add(c, k)?;
    same_kind(&sum, c)?;
    sum.cast(c.dtype(), Order::K)
}

/// Complex constants do not go into real coefficients; of coefficients along one axis alone NumPy takes the real part.
fn same_kind(sum: &Array, c: &Array) -> Result<()> {
    if c.ndim() > 1 && sum.dtype().is_complex() && !c.dtype().is_complex() {
        let message = format!("complex constants do not go into coefficients of {}: make those complex", c.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    Ok(())
}

/// The values at one number of the host: of coefficients along one axis in one launch.
fn at_number(c: &Array, x: f64) -> Result<Array> {
    if c.ndim() == 1 {
        let place = make::full(c.device(), &[], x, c.dtype())?;
        return horner_of(&reversed(c)?, &place, &[&[]]);
    }
    polyval(x, c, ())
}

/// Whether [`polyvalfromroots`] takes every column of roots at every place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct PolyRootsOptions {
    /// Every column of roots at every place; without it, roots and places are broadcast.
    #[from]
    pub tensor: bool,
}

impl Default for PolyRootsOptions {
    fn default() -> Self {
        PolyRootsOptions { tensor: true }
    }
}

/// The values at places of the polynomial that has these roots along its first axis and 1 as its highest coefficient; NumPy's
/// `polyvalfromroots`. Integer roots count as float64.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyvalfromroots};
/// assert_eq!(polyvalfromroots(array([0.0, 3.0])?, array([1, 2])?, ())?.to_vec::<f64>()?, [2.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where places and roots do not go together, and without `tensor` for places of as many axes as the
/// roots.
#[routine(namespace = "numpy.polynomial.polynomial")]
pub fn polyvalfromroots(x: Operand<'_>, r: &Array, options: PolyRootsOptions) -> Result<Array> {
    let mut r = floated(&if r.ndim() == 0 { r.reshape([1])? } else { r.clone() })?;
    if let Operand::Array(x) = x {
        one_device(&r, [x])?;
        if options.tensor {
            let shape = r.shape().iter().copied().chain(x.shape().iter().map(|_| 1)).map(|n| n as i64);
            r = r.reshape(shape.collect::<Vec<_>>())?;
        } else if x.ndim() >= r.ndim() {
            let (places, roots) = (x.ndim(), r.ndim());
            let message = format!("without tensor the places have fewer axes than the roots, not {places} and {roots}");
            return Err(Error::new(ErrorKind::Value, message));
        }
    }
    math::prod(&math::subtract(x, &r)?, 0)
}
