//! Tests for signed infinities.

use cuprum_macros::routine;

use crate::array::{Array, Operand};
use crate::error::{Error, ErrorKind, Result};
use crate::ufunc::{UfuncOptions, ufunc};

/// Tests elementwise for positive infinity; NumPy's `isposinf`. `out` is the output array.
///
/// The result is boolean and has the shape of `x`. As in NumPy, complex numbers are rejected: an infinity of theirs has
/// no sign.
///
/// ```
/// let a = cuprum::array([f64::NEG_INFINITY, 0.0, f64::INFINITY])?;
/// assert_eq!(cuprum::isposinf(&a, None)?.to_vec::<bool>()?, [false, false, true]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex numbers, and those of [`equal`](fn@crate::equal) for `out`.
#[routine]
pub fn isposinf(x: &Array, out: Option<&Array>) -> Result<Array> {
    is_infinite(x, f64::INFINITY, out)
}

/// Tests elementwise for negative infinity; NumPy's `isneginf`. `out` is the output array.
///
/// The result is boolean and has the shape of `x`. As in NumPy, complex numbers are rejected: an infinity of theirs has
/// no sign.
///
/// ```
/// let a = cuprum::array([f64::NEG_INFINITY, 0.0, f64::INFINITY])?;
/// assert_eq!(cuprum::isneginf(&a, None)?.to_vec::<bool>()?, [true, false, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`isposinf`].
#[routine]
pub fn isneginf(x: &Array, out: Option<&Array>) -> Result<Array> {
    is_infinite(x, f64::NEG_INFINITY, out)
}

fn is_infinite(x: &Array, infinity: f64, out: Option<&Array>) -> Result<Array> {
    if x.dtype().is_complex() {
        let message = format!("infinities of {} have no sign: ask the real or the imaginary parts", x.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    ufunc("equal")?
        .called(&[x.into(), Operand::Scalar(infinity.into())], &UfuncOptions { out, ..UfuncOptions::default() })
}
