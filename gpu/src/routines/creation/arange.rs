//! Evenly spaced numbers by a step: `arange`.
//!
//! The number of elements is computed on the host from the three scalars; one kernel writes the elements.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;
use num_complex::Complex64;

use crate::array::{Array, IntoArgument, IntoOptional};
use crate::cuda::Device;
use crate::dtype::{made_dtype, promote_types};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// Returns evenly spaced values in `[start, stop)`; NumPy's `arange`. The step is 1 for `()`. The dtype is int64 for
/// integers, otherwise float64 or complex128; [`arange_of`] takes another.
///
/// The result has one axis of `ceil((stop - start) / step)` elements, none if that is negative. NumPy's `arange(n)` is
/// `arange(0, n, ())`.
///
/// # Errors
///
/// Same as [`arange_of`].
///
/// ```
/// assert_eq!(cuprum::arange(0, 5, 2)?.to_vec::<i64>()?, [0, 2, 4]);
/// assert_eq!(cuprum::arange(0, 3, ())?.to_vec::<i64>()?, [0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn arange(
    start: impl IntoArgument<Scalar>,
    stop: impl IntoArgument<Scalar>,
    step: impl IntoOptional<Scalar>,
) -> Result<Array> {
    ranged(start.into(), stop.into(), step.into_optional().unwrap_or(Scalar::Int(1)), None)
        .map_err(|e| e.with_op("arange"))
}

/// Returns evenly spaced values of a dtype in `[start, stop)`; see [`arange`]. There are `ceil((stop - start) / step)`
/// elements; element `i` is `start + i * d`, where `d` is the difference of the first two elements in the dtype.
///
/// The result has one axis and the dtype `dtype`, by default that of [`arange`]. As in NumPy, floats may include `stop`
/// where rounding makes one more element fit.
///
/// ```
/// use cuprum::{DType, arange_of};
/// assert_eq!(arange_of(0, 3, (), DType::F32)?.to_vec::<f32>()?, [0.0, 1.0, 2.0]);
/// assert_eq!(arange_of(5, 0, -2, DType::I8)?.to_vec::<i8>()?, [5, 3, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::ZeroDivision`] for a step of 0, [`ErrorKind::Value`] for a length that no array can have,
/// [`ErrorKind::Type`] for more than two booleans and for complex numbers in a real dtype, [`ErrorKind::Overflow`]
/// where one of the first two elements is out of range of the dtype.
#[unrecorded("part of `numpy.arange`, which has all parameters")]
pub fn arange_of(
    start: impl IntoArgument<Scalar>,
    stop: impl IntoArgument<Scalar>,
    step: impl IntoOptional<Scalar>,
    dtype: impl IntoOptional<DType>,
) -> Result<Array> {
    ranged(start.into(), stop.into(), step.into_optional().unwrap_or(Scalar::Int(1)), dtype.into_optional())
        .map_err(|e| e.with_op("arange"))
}

fn ranged(start: Scalar, stop: Scalar, step: Scalar, dtype: Option<DType>) -> Result<Array> {
    let dtype = match dtype {
        Some(d) => d,
        None => [start, stop, step]
            .iter()
            .map(|s| if matches!(s, Scalar::Bool(_)) { DType::I64 } else { made_dtype(s) })
            .fold(DType::I64, promote_types),
    };
    let length = length(start, stop, step)?;
    if dtype == DType::Bool && length > 2 {
        return Err(Error::new(ErrorKind::Type, format!("{length} booleans are more than the two that there are")));
    }
    let second = next(start, step);
    // The first two elements must be assignable to the dtype; the others are computed in the dtype, and may wrap.
    for value in [start, second].into_iter().take(length) {
        value.check_assigns(dtype)?;
    }
    let out = engine::make::empty(Device::current()?, &[length], dtype)?;
    engine::arange(&out, start, second)?;
    Ok(out)
}

/// Returns the number of elements of a range.
pub(super) fn length(start: Scalar, stop: Scalar, step: Scalar) -> Result<usize> {
    let range = || format!("from {start} to {stop} by {step}");
    let zero = || Error::new(ErrorKind::ZeroDivision, format!("{}: the step cannot be 0", range()));
    if let (Some(a), Some(b), Some(d)) = (int(start), int(stop), int(step)) {
        if d == 0 {
            return Err(zero());
        }
        let too_many =
            |_| Error::new(ErrorKind::Value, format!("{}: an array cannot have this many elements", range()));
        return usize::try_from(ceil_div(b.saturating_sub(a), d).max(0)).map_err(too_many);
    }
    let (a, b, d) = (complex(start), complex(stop), complex(step));
    if d == Complex64::ZERO {
        return Err(zero());
    }
    let n = if [start, stop, step].iter().all(|s| !matches!(s, Scalar::Complex(_))) {
        ((b.re - a.re) / d.re).ceil()
    } else {
        // Real and imaginary parts each have a length, and the shorter one counts: a range along the real axis is
        // empty.
        let quotient = (b - a) / d;
        quotient.re.ceil().min(quotient.im.ceil())
    };
    if n.is_nan() || n > 9e18 {
        return Err(Error::new(ErrorKind::Value, format!("{}: {n} is no number of elements", range())));
    }
    Ok(n.max(0.0) as usize)
}

fn ceil_div(a: i128, b: i128) -> i128 {
    let q = a / b;
    if a % b != 0 && (a < 0) == (b < 0) { q + 1 } else { q }
}

fn int(s: Scalar) -> Option<i128> {
    match s {
        Scalar::Bool(b) => Some(b.into()),
        Scalar::Int(n) => Some(n),
        _ => None,
    }
}

pub(super) fn complex(s: Scalar) -> Complex64 {
    match s {
        Scalar::Float(x) => x.into(),
        Scalar::Complex(z) => z,
        other => (int(other).unwrap_or(0) as f64).into(),
    }
}

/// Returns the second element.
pub(super) fn next(start: Scalar, step: Scalar) -> Scalar {
    match (int(start), int(step), complex(start) + complex(step)) {
        (Some(a), Some(d), _) => Scalar::Int(a.saturating_add(d)),
        (_, _, sum) if matches!(start, Scalar::Complex(_)) || matches!(step, Scalar::Complex(_)) => {
            Scalar::Complex(sum)
        }
        (_, _, sum) => Scalar::Float(sum.re),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_round_up() {
        let n = |a: i64, b: i64, d: i64| length(a.into(), b.into(), d.into()).unwrap();
        assert_eq!([n(0, 5, 2), n(5, 0, -2), n(0, 6, 3), n(0, -5, 1), n(5, 0, -5), n(-7, 7, 4)], [3, 3, 2, 0, 1, 4]);
        assert_eq!(length(1.into(), 1.3.into(), 0.1.into()).unwrap(), 4);
        assert_eq!(length(0.into(), 1.into(), 0.into()).unwrap_err().kind(), ErrorKind::ZeroDivision);
    }

    #[test]
    fn what_does_not_fit_is_rejected() {
        let kind = |start: Scalar, stop: Scalar, step: Scalar, dtype| {
            arange_of(start, stop, step, Some(dtype)).map(|a| a.size()).map_err(|e| e.kind())
        };
        assert_eq!(kind((-1).into(), 3.into(), 1.into(), DType::U8), Err(ErrorKind::Overflow));
        assert_eq!(kind(0.into(), 600.into(), 256.into(), DType::U8), Err(ErrorKind::Overflow));
        assert_eq!(kind(300.0.into(), 305.0.into(), 1.into(), DType::I8), Err(ErrorKind::Overflow));
        assert_eq!(kind(0.into(), 3.into(), 1.into(), DType::Bool), Err(ErrorKind::Type));
        assert_eq!(kind(0.into(), f64::NAN.into(), 1.into(), DType::F64), Err(ErrorKind::Value));
        assert_eq!(kind(0.into(), 1e30.into(), 1.into(), DType::F64), Err(ErrorKind::Value));
        // With one element or none, no second element is checked.
        assert_eq!(kind(0.into(), 256.into(), 256.into(), DType::U8), Ok(1));
        assert_eq!(kind((-1).into(), (-1).into(), 1.into(), DType::U8), Ok(0));
        let wide = |n| Scalar::Int(n);
        assert_eq!(kind(wide(i128::MIN), wide(i128::MAX), wide(i128::MAX), DType::I64), Err(ErrorKind::Overflow));
    }

    #[test]
    fn elements_follow_in_the_dtype() {
        let wraps = arange_of(250, 260, 1, Some(DType::U8)).unwrap();
        assert_eq!(wraps.to_vec::<u8>().unwrap(), [250, 251, 252, 253, 254, 255, 0, 1, 2, 3]);
        // The step is the difference of the first two elements: -2.5 is truncated to -2.
        let cut = arange_of(-3, 0, 0.5, Some(DType::I64)).unwrap();
        assert_eq!(cut.to_vec::<i64>().unwrap(), [-3, -2, -1, 0, 1, 2]);
        assert_eq!(arange(1u64 << 63, (1u64 << 63) + 3, 1).unwrap().dtype(), DType::F64);
        assert_eq!(arange(1, 1.3, 0.1).unwrap().size(), 4);
    }
}
