//! Whether arrays are equal, or nearly so.

use cuprum_kernels::DType;

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layout::broadcast_shapes;
use crate::reduction::is_inexact;
use crate::scalar::{Operand, Scalar};
use crate::{absolute, add, all, equal, isfinite, isnan, less_equal, logical_and, logical_or, multiply, subtract};

/// What counts as close; NumPy's values unless told otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloseOptions {
    /// The part of the second operand's magnitude that the two may be apart.
    pub rtol: f64,
    /// The distance that they may be apart beside that.
    pub atol: f64,
    /// Whether NaN is close to NaN.
    pub equal_nan: bool,
}

impl Default for CloseOptions {
    fn default() -> CloseOptions {
        CloseOptions { rtol: 1e-5, atol: 1e-8, equal_nan: false }
    }
}

/// Whether the operands are apart by no more than `atol + rtol * |b|`; NumPy's `isclose`. Infinities are close to
/// themselves. As in NumPy the formula is not symmetric, and integers are compared as float64.
///
/// ```
/// use cuprum::CloseOptions;
/// let a = cuprum::Array::from_slice(&[1.0, 1.001], [2])?;
/// let close = cuprum::isclose(&a, 1.0, &CloseOptions::default())?;
/// assert_eq!(close.to_vec::<bool>()?, [true, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) where the shapes do not go together.
pub fn isclose<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>, options: &CloseOptions) -> Result<Array> {
    close(a.into(), b.into(), options).map_err(|e| e.with_op("isclose"))
}

fn close(a: Operand<'_>, b: Operand<'_>, options: &CloseOptions) -> Result<Array> {
    // What the second operand is compared as, and how far from it the first may be.
    let (inexact, tolerance);
    let b = match b {
        Operand::Array(b) => {
            inexact = if is_inexact(b.dtype()) { b.clone() } else { b.astype(DType::F64)? };
            tolerance = add(&multiply(&absolute(&inexact)?, options.rtol)?, options.atol)?;
            Operand::Array(&inexact)
        }
        Operand::Scalar(b) => {
            let b = match b {
                Scalar::Int(i) => Scalar::Float(i as f64),
                other => other,
            };
            let size = match b {
                Scalar::Complex(z) => z.re.hypot(z.im),
                Scalar::Float(x) => x.abs(),
                other => f64::from(u8::from(other.is_true())),
            };
            let within = less_equal(&absolute(&subtract(a, b)?)?, options.atol + options.rtol * size)?;
            return joined(a, b.into(), &within, options);
        }
    };
    let within = less_equal(&absolute(&subtract(a, b)?)?, &tolerance)?;
    joined(a, b, &within, options)
}

fn joined(a: Operand<'_>, b: Operand<'_>, within: &Array, options: &CloseOptions) -> Result<Array> {
    let close = logical_or(&logical_and(within, &isfinite(b)?)?, &equal(a, b)?)?;
    if options.equal_nan { logical_or(&close, &logical_and(&isnan(a)?, &isnan(b)?)?) } else { Ok(close) }
}

/// Whether all elements are close; NumPy's `allclose`.
///
/// # Errors
///
/// As [`isclose`].
///
/// # Synchronization
///
/// The host waits for the answer.
pub fn allclose<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>, options: &CloseOptions) -> Result<bool> {
    let go = || all(&close(a.into(), b.into(), options)?, ())?.item::<bool>();
    go().map_err(|e: Error| e.with_op("allclose"))
}

/// Whether the arrays have the same shape and equal elements, NaN being equal to NaN where `equal_nan` says so; NumPy's
/// `array_equal`.
///
/// # Errors
///
/// Those of the device.
///
/// # Synchronization
///
/// The host waits for the answer.
pub fn array_equal(a: &Array, b: &Array, equal_nan: bool) -> Result<bool> {
    let go = || {
        if a.shape() != b.shape() {
            return Ok(false);
        }
        let same = equal(a, b)?;
        let same = if equal_nan { logical_or(&same, &logical_and(&isnan(a)?, &isnan(b)?)?)? } else { same };
        all(&same, ())?.item::<bool>()
    };
    go().map_err(|e: Error| e.with_op("array_equal"))
}

/// Whether the arrays go together by broadcasting and then have equal elements; NumPy's `array_equiv`.
///
/// # Errors
///
/// Those of the device.
///
/// # Synchronization
///
/// The host waits for the answer.
pub fn array_equiv(a: &Array, b: &Array) -> Result<bool> {
    if broadcast_shapes(&[a.shape(), b.shape()]).is_err() {
        return Ok(false);
    }
    let go = || all(&equal(a, b)?, ())?.item::<bool>();
    go().map_err(|e: Error| e.with_op("array_equiv"))
}
