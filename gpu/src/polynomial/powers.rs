//! Linear polynomials, powers, and products with the variable.

use cuprum_macros::{Options, routine};

use super::bases::{Basis, exponent};
use super::calculus::{SeriesIntOptions, antiderivative};
use super::polyutils::{floated, series};
use crate::array::{Array, Operand};
use crate::cuda::Device;
use crate::engine::{make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::routines::logic::{any, not_equal};
use crate::routines::statistics::convolve;
use crate::routines::{manipulation, math};
use crate::scalar::Scalar;
use crate::scan::part;

/// Coefficients of the polynomial `off + scl x`, a single one if `scl` is 0; NumPy's `polyline`.
///
/// The result has two coefficients, or one if the slope is 0.
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
    linear(Basis::Power, off, scl)
}

/// Returns the coefficients of `off + scl x` in a basis.
pub(super) fn linear(basis: Basis, off: Scalar, scl: Scalar) -> Result<Array> {
    let device = Device::current()?;
    let constant = Operand::Scalar(off).strong(Some(device))?.reshape([1])?;
    let is_zero = match scl {
        Scalar::Bool(b) => !b,
        Scalar::Int(i) => i == 0,
        Scalar::Float(x) => x == 0.0,
        Scalar::Complex(z) => z.re == 0.0 && z.im == 0.0,
    };
    if is_zero {
        return Ok(constant);
    }
    let slope = Operand::Scalar(scl).strong(Some(device))?.reshape([1])?;
    let (constant, slope) = match basis {
        Basis::Laguerre => (math::add(&constant, &slope)?, math::negative(&slope)?),
        Basis::Hermite => (constant, math::true_divide(&slope, 2)?),
        _ => (constant, slope),
    };
    manipulation::joined(&[&constant, &slope], 0)
}

/// Multiplies a polynomial by its variable; NumPy's `polymulx`.
///
/// The result has one coefficient more than `c`.
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
/// The result for `n` coefficients has `pow * (n - 1) + 1`.
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
#[routine(namespace = "numpy.polynomial.polynomial", python(rounded = [("pow", Rounding::Exact)]))]
pub fn polypow(c: &Array, pow: isize, maxpower: Option<isize>) -> Result<Array> {
    let c = series(&[c], true)?.remove(0);
    let count = exponent(pow, maxpower)?;
    if count == 0 {
        return make::full(c.device(), &[1], 1, c.dtype());
    }
    (1..count).try_fold(c.clone(), |product, _| convolve(&product, &c, ()))
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
    antiderivative(Basis::Power, c, options)
}

/// Options of [`polyvalfromroots`].
///
/// NumPy's parameter `tensor` is true by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct PolyRootsOptions {
    /// If true, every column of roots is evaluated at every point; otherwise roots and points are broadcast. By default
    /// `true`.
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
/// The result has the axes of `r` after the first, then those of `x`.
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
