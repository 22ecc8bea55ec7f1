//! Derivatives and antiderivatives of polynomials.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::{Array, Operand};
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;
use crate::routines::math;
use crate::scan::part;

/// Returns `n, n - 1, …, 1`, int64.
fn powers(p: &Array, n: usize) -> Result<Array> {
    make::of(p.device(), &(1..=n as i64).rev().collect::<Vec<_>>(), &[n])
}

fn check_line(p: &Array) -> Result<()> {
    match p.ndim() {
        1 => Ok(()),
        0 => Err(Error::new(ErrorKind::Type, "p is 0-D: the coefficients are along an axis")),
        _ => {
            let shape = shape_text(p.shape());
            Err(Error::new(ErrorKind::Value, format!("coefficients of shape {shape} have more than one axis")))
        }
    }
}

/// Derivative of order `m` of a polynomial, whose coefficients are ordered from the highest power; NumPy's `polyder`.
/// The powers are int64: narrow integers result in int64, float32 in float64.
///
/// The result has one axis, `m` coefficients fewer than `p`.
///
/// ```
/// use cuprum::{array, polyder};
/// assert_eq!(polyder(array([1, 1, 1, 1])?, 1)?.to_vec::<i64>()?, [3, 2, 1]);
/// assert_eq!(polyder(array([1, 1, 1, 1])?, 2)?.to_vec::<i64>()?, [6, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative `m` and for coefficients of several axes, [`ErrorKind::Type`] for coefficients
/// without an axis.
#[routine(m = 1, python(polynomials = 1, rounded = [("m", Rounding::Cut)]))]
pub fn polyder(p: &Array, m: isize) -> Result<Array> {
    if m < 0 {
        return Err(Error::new(ErrorKind::Value, format!("a derivative is taken 0 times or more, not {m} times")));
    }
    check_line(p)?;
    let mut p = p.clone();
    for _ in 0..m {
        let n = p.size().saturating_sub(1);
        p = math::multiply(&part(&p, 0, ..n as i64)?, &powers(&p, n)?)?;
    }
    Ok(p)
}

/// Options of [`polyint`].
///
/// An integer converts to options that set the order, by default 1.
///
/// ```
/// use cuprum::{array, polyint};
/// // The integral of 6 x + 2, twice: x³ + x².
/// assert_eq!(polyint(&array([6.0, 2.0])?, 2)?.to_vec::<f64>()?, [1.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct PolyIntOptions<'a> {
    /// The order of the antiderivative. By default 1.
    #[from]
    pub m: isize,
    /// The integration constants: one for each integration, or one for all; by default 0.
    pub k: Option<Operand<'a>>,
}

impl Default for PolyIntOptions<'_> {
    fn default() -> Self {
        PolyIntOptions { m: 1, k: None }
    }
}

/// Antiderivative of a polynomial; NumPy's `polyint`. The result is float64, or complex128 for complex coefficients or
/// constants.
///
/// The result has one axis, `m` coefficients more than `p`.
///
/// ```
/// use cuprum::{PolyIntOptions, array, polyint};
/// assert_eq!(polyint(array([6, 2])?, ())?.to_vec::<f64>()?, [3.0, 2.0, 0.0]);
/// let options = PolyIntOptions::new().m(2).k(5);
/// assert_eq!(polyint(array([6])?, options)?.to_vec::<f64>()?, [3.0, 5.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative `m`, for fewer constants than that and for coefficients of several axes,
/// [`ErrorKind::Type`] for coefficients without an axis.
#[routine(python(polynomials = 1, rounded = [("m", Rounding::Cut)]))]
pub fn polyint(p: &Array, options: PolyIntOptions<'_>) -> Result<Array> {
    let Ok(m) = usize::try_from(options.m) else {
        return Err(Error::new(
            ErrorKind::Value,
            format!("an integral is taken 0 times or more, not {} times", options.m),
        ));
    };
    check_line(p)?;
    let k = match options.k {
        None => make::zeros(p.device(), &[m.max(1)], DType::F64)?,
        Some(k) => {
            let k = k.strong(Some(p.device()))?.in_one_axis()?;
            if k.size() == 1 && m > 1 {
                // NumPy repeats a single constant as floats.
                let all = make::full(p.device(), &[m], 1, DType::F64)?;
                math::multiply(&k, &all)?
            } else {
                k
            }
        }
    };
    if k.size() < m {
        let message = format!("{} constants do not do for {m} integrals: give one, or one for each", k.size());
        return Err(Error::new(ErrorKind::Value, message));
    }
    let mut p = p.clone();
    for i in 0..m as i64 {
        let n = p.size();
        let quotient = math::true_divide(&p, &powers(&p, n)?)?;
        let out = make::empty(p.device(), &[n + 1], promote_types(quotient.dtype(), k.dtype()))?;
        part(&out, 0, ..n as i64)?.assign(&quotient)?;
        part(&out, 0, n as i64..)?.assign(&part(&k, 0, i..i + 1)?)?;
        p = out;
    }
    Ok(p)
}
