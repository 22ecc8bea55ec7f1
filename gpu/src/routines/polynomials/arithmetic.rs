//! Addition, subtraction, multiplication and division of polynomials.
//!
//! A product is one convolution; a division repeats a step of two launches for each coefficient of the quotient, since
//! each one depends on the one before.

use cuprum_kernels::DType;
use cuprum_macros::routine;
use num_complex::Complex64;

use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::{make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, shape_text};
use crate::routines::logic::{CloseOptions, isclose, not_equal};
use crate::routines::math;
use crate::routines::statistics::convolve;
use crate::scan::part;

/// Returns a view with at least one axis.
fn line(a: &Array) -> Result<Array> {
    if a.ndim() == 0 { a.reshape([1]) } else { Ok(a.clone()) }
}

/// Returns the elements in reverse order.
pub(crate) fn reversed(a: &Array) -> Result<Array> {
    a.index(s![..;-1])
}

/// Trims leading zero coefficients, leaving at least one coefficient. Synchronises.
pub(crate) fn front_trimmed(a: &Array) -> Result<Array> {
    let a = line(a)?;
    if a.ndim() > 1 {
        let shape = shape_text(a.shape());
        return Err(Error::new(ErrorKind::Value, format!("coefficients of shape {shape} have more than one axis")));
    }
    match not_equal(&a, 0)?.to_vec::<bool>()?.iter().position(|x| *x) {
        Some(first) => part(&a, 0, first as i64..),
        None => make::zeros(a.device(), &[1], a.dtype()),
    }
}

/// Combines coefficients, padding the shorter array with leading zeros.
fn combined(a1: &Array, a2: &Array, f: fn(&Array, &Array) -> Result<Array>) -> Result<Array> {
    one_device(a1, [a2])?;
    let (a1, a2) = (line(a1)?, line(a2)?);
    let (n1, n2) = (a1.shape()[0], a2.shape()[0]);
    if n1 == n2 {
        return f(&a1, &a2);
    }
    if a1.ndim() > 1 || a2.ndim() > 1 {
        let (one, other) = (shape_text(a1.shape()), shape_text(a2.shape()));
        let message = format!("coefficients of shapes {one} and {other} do not go together: they have one axis");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let n = n1.max(n2);
    let longer = |a: Array| -> Result<Array> {
        if a.size() == n {
            return Ok(a);
        }
        let out = make::zeros(a.device(), &[n], a.dtype())?;
        part(&out, 0, (n - a.size()) as i64..)?.assign(&a)?;
        Ok(out)
    };
    f(&longer(a1)?, &longer(a2)?)
}

/// Sum of two polynomials, whose coefficients are ordered from the highest power; NumPy's `polyadd`.
///
/// The result has one axis, as long as the longer polynomial, and the promoted dtype. Leading zeros stay.
///
/// ```
/// use cuprum::{array, polyadd};
/// assert_eq!(polyadd(array([1, 2])?, array([9, 5, 4])?)?.to_vec::<i32>()?, [9, 6, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for coefficients of several axes that differ in length.
#[routine(python(polynomials = 2))]
pub fn polyadd(a1: &Array, a2: &Array) -> Result<Array> {
    combined(a1, a2, |a, b| math::add(a, b))
}

/// Difference of two polynomials; NumPy's `polysub`.
///
/// The result has one axis, as long as the longer polynomial, and the promoted dtype. Leading zeros stay.
///
/// ```
/// use cuprum::{array, polysub};
/// assert_eq!(polysub(array([1, 2, 3])?, array([1, 1])?)?.to_vec::<i32>()?, [1, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`polyadd`], and [`ErrorKind::Type`] for booleans.
#[routine(python(polynomials = 2))]
pub fn polysub(a1: &Array, a2: &Array) -> Result<Array> {
    combined(a1, a2, |a, b| math::subtract(a, b))
}

/// Product of two polynomials, after trimming leading zeros; NumPy's `polymul`.
///
/// The result has one axis of `m + n - 1` coefficients for `m` and `n`, and the promoted dtype.
///
/// ```
/// use cuprum::{array, polymul};
/// assert_eq!(polymul(array([0, 1, 1])?, array([1, -1])?)?.to_vec::<i32>()?, [1, 0, -1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for coefficients of several axes.
///
/// # Synchronization
///
/// Synchronises to find the first nonzero coefficients.
#[routine(python(polynomials = 2))]
pub fn polymul(a1: &Array, a2: &Array) -> Result<Array> {
    convolve(&front_trimmed(a1)?, &front_trimmed(a2)?, ())
}

/// Returns the reciprocal of a coefficient. For a complex one it follows the steps of NumPy's division (R. L. Smith,
/// "Algorithm 116", 1962), each rounded in the dtype: whether a remainder later cancels to less than 10⁻⁸ depends on
/// these rounding errors, which this library's own division avoids.
fn inverse(coefficient: &Array) -> Result<Array> {
    let dtype = coefficient.dtype();
    if !dtype.is_complex() {
        return math::true_divide(1.0, coefficient);
    }
    // One step in float64, rounded, is the step in float32.
    let rounded = |x: f64| if dtype == DType::C64 { f64::from(x as f32) } else { x };
    let z = coefficient.cast(DType::C128, Order::C)?.item::<Complex64>()?;
    let swapped = z.im.abs() > z.re.abs();
    let (large, small) = if swapped { (z.im, z.re) } else { (z.re, z.im) };
    let quotient = if z.re == 0.0 && z.im == 0.0 {
        Complex64::new(1.0 / z.re.abs(), 0.0 / z.re.abs())
    } else if z.re.is_nan() || z.im.is_nan() {
        Complex64::new(f64::NAN, f64::NAN)
    } else {
        let ratio = rounded(small / large);
        let scale = rounded(1.0 / rounded(large + rounded(small * ratio)));
        let (re, im) = if swapped {
            (rounded(ratio + 0.0), rounded(0.0 * ratio - 1.0))
        } else {
            (rounded(1.0 + 0.0 * ratio), rounded(0.0 - ratio))
        };
        Complex64::new(rounded(re * scale), rounded(im * scale))
    };
    make::full(coefficient.device(), &[], quotient, dtype)
}

/// Quotient and remainder of two polynomials; NumPy's `polydiv`. Integers become floats. Leading coefficients of the
/// remainder of magnitude 10⁻⁸ or less are trimmed.
///
/// Both results have one axis and the promoted floating-point or complex dtype.
///
/// ```
/// use cuprum::{array, polydiv};
/// let (quotient, rest) = polydiv(array([3.0, 5.0, 2.0])?, array([2.0, 1.0])?)?;
/// assert_eq!(quotient.to_vec::<f64>()?, [1.5, 1.75]);
/// assert_eq!(rest.to_vec::<f64>()?, [0.25]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for coefficients of several axes, and for empty ones.
///
/// # Synchronization
///
/// Synchronises to find the first coefficient of the remainder, and to read the first one of complex coefficients.
#[routine(python(polynomials = 2))]
pub fn polydiv(u: &Array, v: &Array) -> Result<(Array, Array)> {
    one_device(u, [v])?;
    let (u, v) = (math::add(&line(u)?, 0.0)?, math::add(&line(v)?, 0.0)?);
    for a in [&u, &v] {
        if a.ndim() > 1 || a.is_empty() {
            let shape = shape_text(a.shape());
            return Err(Error::new(ErrorKind::Value, format!("coefficients of shape {shape} are no polynomial")));
        }
    }
    let dtype = promote_types(u.dtype(), v.dtype());
    let (m, n) = (u.size() - 1, v.size() - 1);
    let scale = inverse(&v.index(s![0])?)?;
    let r = u.cast(dtype, Order::C)?;
    let q = make::zeros(u.device(), &[(m + 1).saturating_sub(n).max(1)], dtype)?;
    for k in 0..(m + 1).saturating_sub(n) as i64 {
        let d = math::multiply(&scale, &part(&r, 0, k..k + 1)?)?;
        part(&q, 0, k..k + 1)?.assign(&d)?;
        let here = part(&r, 0, k..k + n as i64 + 1)?;
        here.assign(&math::subtract(&here, &math::multiply(&d, &v)?)?)?;
    }
    let options = CloseOptions::new().rtol(1e-14);
    let nothing = isclose(&r, 0, options)?.to_vec::<bool>()?;
    let first = nothing.iter().position(|x| !*x).unwrap_or(m).min(m);
    Ok((q, part(&r, 0, first as i64..)?))
}
