//! Derivatives and antiderivatives of series in any basis.
//!
//! In the power basis a derivative multiplies coefficients by their powers, in one launch; in other bases it is a
//! recurrence.

use cuprum_macros::Options;

use super::bases::{Basis, derived, integrated, value};
use super::polyutils::floated;
use crate::array::{Array, Operand};
use crate::engine::{make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::layout::{Order, normalize_axis};
use crate::routines::logic::{any, not_equal};
use crate::routines::math;
use crate::routines::polynomials::{horner_of, reversed};
use crate::scalar::Scalar;
use crate::scan::part;

/// Options of [`polyder`](super::polynomial::polyder).
///
/// By default the first derivative is taken along the first axis, without a factor.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::polyder};
/// // 1 + 2 x + 3 x², twice differentiated.
/// assert_eq!(polyder(&array([1.0, 2.0, 3.0])?, 2)?.to_vec::<f64>()?, [6.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct PolyDerOptions {
    /// The order of the derivative. By default 1.
    #[from]
    pub m: isize,
    /// The factor of each derivative, for a scaled variable. By default 1.
    pub scl: f64,
    /// The axis of the coefficients. By default 0.
    pub axis: isize,
}

impl Default for PolyDerOptions {
    fn default() -> Self {
        PolyDerOptions { m: 1, scl: 1.0, axis: 0 }
    }
}

/// Derivative of series along an axis.
pub(super) fn derivative(basis: Basis, c: &Array, options: PolyDerOptions) -> Result<Array> {
    if options.m < 0 {
        let message = format!("a derivative is taken 0 times or more, not {} times", options.m);
        return Err(Error::new(ErrorKind::Value, message));
    }
    let c = floated(&if c.ndim() == 0 { c.reshape([1])? } else { c.clone() })?;
    let axis = normalize_axis(options.axis, c.ndim())? as isize;
    if options.m == 0 {
        return c.copy(Order::K);
    }
    let mut c = c.moveaxis(axis, 0)?;
    if options.m as usize >= c.shape()[0] {
        c = math::multiply(&part(&c, 0, ..1)?, 0)?;
    } else {
        for _ in 0..options.m {
            c = math::multiply(&c, options.scl)?;
            c = derived(basis, &c)?.copy(Order::C)?;
        }
    }
    c.moveaxis(0, axis)
}

/// Options of [`polyint`](super::polynomial::polyint).
///
/// By default the integral is taken once along the first axis, from 0 and without a factor.
///
/// ```
/// use cuprum::{array, polynomial::polynomial::{SeriesIntOptions, polyint}};
/// let constant = SeriesIntOptions { k: Some(5.0.into()), ..Default::default() };
/// assert_eq!(polyint(&array([1.0, 2.0])?, constant)?.to_vec::<f64>()?, [5.0, 1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct SeriesIntOptions<'a> {
    /// The order of the antiderivative. By default 1.
    #[from]
    pub m: isize,
    /// The integration constants: a scalar for the first integration, or an array with one for each of the first ones;
    /// by default 0.
    pub k: Option<Operand<'a>>,
    /// The lower bound of the integral. By default 0.
    pub lbnd: f64,
    /// The factor of each integral before the constant is added, for a scaled variable. By default 1.
    pub scl: f64,
    /// The axis of the coefficients. By default 0.
    pub axis: isize,
}

impl Default for SeriesIntOptions<'_> {
    fn default() -> Self {
        SeriesIntOptions { m: 1, k: None, lbnd: 0.0, scl: 1.0, axis: 0 }
    }
}

/// Antiderivative of series along an axis.
pub(super) fn antiderivative(basis: Basis, c: &Array, options: SeriesIntOptions<'_>) -> Result<Array> {
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
        integrated(basis, &scaled, &out)?;
        let at_bound = at_number(basis, &out, options.lbnd)?;
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

/// Evaluates at one host scalar, in one launch.
fn at_number(basis: Basis, c: &Array, x: f64) -> Result<Array> {
    if basis == Basis::Power && c.ndim() == 1 {
        let point = make::full(c.device(), &[], x, c.dtype())?;
        return horner_of(&reversed(c)?, &point, &[&[]]);
    }
    value(basis, Operand::Scalar(Scalar::Float(x)), c, true)
}
