//! Phase unwrapping, by one scan.
//!
//! The corrections are a running sum of multiples of the period: a scan whose elements are differences of neighbours,
//! computed as they are read. Each element is read and written once.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::Array;
use crate::dtype::result_type;
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, normalize_axis};
use crate::scalar::{OperandType, Scalar};

/// Options of [`unwrap`].
///
/// The axis is the last by default.
///
/// ```
/// use cuprum::{UnwrapOptions, array, unwrap};
/// let degrees = array([350.0, 10.0])?;
/// let options = UnwrapOptions { period: 360.0.into(), ..Default::default() };
/// assert_eq!(unwrap(&degrees, options)?.to_vec::<f64>()?, [350.0, 370.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct UnwrapOptions {
    /// The smallest difference of neighbours that counts as a discontinuity; by default, and at least, half of the
    /// period.
    #[from]
    pub discont: Option<Scalar>,
    /// The axis. By default the last one.
    pub axis: isize,
    /// The period; by default 2π. Integers remain integers with an integer period.
    pub period: Scalar,
}

impl Default for UnwrapOptions {
    fn default() -> Self {
        UnwrapOptions { discont: None, axis: -1, period: Scalar::Float(std::f64::consts::TAU) }
    }
}

/// Unwraps a signal: adds multiples of a period so that neighbours along an axis differ by at most half of it; NumPy's
/// `unwrap`.
///
/// The result has the shape of `p` and the dtype to which that of `p` and the period are promoted: float64 for integers
/// with the default period.
///
/// ```
/// use cuprum::{UnwrapOptions, array, unwrap};
/// let degrees = array([350, 355, 0, 5])?;
/// let whole = UnwrapOptions::new().period(360);
/// assert_eq!(unwrap(&degrees, whole)?.to_vec::<i32>()?, [350, 355, 360, 365]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array without axes, [`ErrorKind::Axis`], and [`ErrorKind::Type`] for complex numbers
/// (NumPy accepts a complex `discont` and orders it by components).
#[routine(python(keyword_only = 1))]
pub fn unwrap(p: &Array, options: UnwrapOptions) -> Result<Array> {
    let UnwrapOptions { discont, axis, period } = options;
    if p.ndim() == 0 {
        return Err(Error::new(ErrorKind::Value, "an array without axes has no neighbours"));
    }
    let complex = |number: &Scalar| matches!(number, Scalar::Complex(_));
    if p.dtype().is_complex() || complex(&period) || discont.as_ref().is_some_and(complex) {
        return Err(Error::new(ErrorKind::Type, "complex numbers have no order: take their angle first"));
    }
    let axis = normalize_axis(axis, p.ndim())?;
    let dtype = result_type(&[OperandType::from(p.dtype()), OperandType::Scalar(period)])?;
    if dtype == DType::Bool {
        return Err(Error::new(ErrorKind::Type, "booleans have no differences: give a period that is a number"));
    }
    let half = Scalar::Float(period.real() / 2.0);
    // Half of an integer period is an integer if it is even; otherwise no integer difference equals it.
    let (high, halved) = match period {
        Scalar::Int(n) if dtype.is_integer() => (Scalar::Int(n.div_euclid(2)), n.rem_euclid(2) == 0),
        Scalar::Bool(b) if dtype.is_integer() => (Scalar::Int(0), !b),
        _ => (half, true),
    };
    let low = match high {
        Scalar::Int(n) => Scalar::Int(-n),
        other => Scalar::Float(-other.real()),
    };
    for number in [period, low, high] {
        number.check_fits(dtype)?;
    }
    let least = match discont.unwrap_or(half) {
        Scalar::Bool(b) => Scalar::Int(b.into()),
        number => number,
    };
    let out = Array::of_layout(p.device(), p.layout().in_order(dtype.size(), Order::K), dtype)?;
    engine::Unwrapping { p, axis, period, low, high, halved, least, out: &out }.run()?;
    Ok(out)
}
