//! Array creation: `empty`, `zeros`, `full`, `arange` and their relatives.

mod from_data;
mod grids;
mod matrices;
mod ranges;
mod windows;

pub use from_data::*;
pub use grids::*;
pub use matrices::*;
pub use ranges::*;
pub use windows::*;

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};
use num_complex::Complex64;

use crate::array::{Array, IntoArgument, IntoOptional, IntoShape, checked_shape};
use crate::cuda::Device;
use crate::dtype::{made_dtype, promote_types};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order};
use crate::scalar::Scalar;

/// Options of array creation: the dtype and the memory order.
///
/// ```
/// use cuprum::{CreationOptions, DType, Order, zeros};
/// assert_eq!(zeros([2, 3], ())?.dtype(), DType::F64);
/// assert_eq!(zeros([2, 3], DType::I32)?.dtype(), DType::I32);
/// let options = CreationOptions::new().dtype(DType::F32).order(Order::F);
/// assert_eq!(zeros([2, 3], options)?.strides(), [4, 8]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct CreationOptions {
    /// The dtype; by default float64, or that of the array or the value from which the new array is created.
    #[from]
    pub dtype: Option<DType>,
    /// The memory order; by default C, or that of the prototype array.
    pub order: Option<Order>,
}

/// Creates an uninitialised array; NumPy's `empty`. Its elements are undefined; the simulator rejects reading them.
///
/// ```
/// let a = cuprum::empty([2, 3], cuprum::DType::F32)?;
/// a.fill(1.5)?;
/// assert_eq!(a.to_vec::<f32>()?, [1.5; 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative or too large size, [`ErrorKind::OutOfMemory`].
pub fn empty(shape: impl IntoShape, options: impl IntoArgument<CreationOptions>) -> Result<Array> {
    unwritten(&shape.into_shape(), options.into()).map_err(|e| e.with_op("empty"))
}

fn unwritten(shape: &[i64], options: CreationOptions) -> Result<Array> {
    let dtype = options.dtype.unwrap_or(DType::F64);
    let shape = checked_shape(shape)?;
    crate::layout::checked_bytes(&shape, dtype.size())?;
    let layout = match options.order {
        Some(Order::F) => Layout::f_order(&shape, dtype.size()),
        _ => Layout::c_order(&shape, dtype.size()),
    };
    Array::of_layout(Device::current()?, layout, dtype)
}

/// Creates an array of zeros; NumPy's `zeros`.
///
/// ```
/// use cuprum::{DType, zeros};
/// assert_eq!(zeros(3, ())?.to_vec::<f64>()?, [0.0; 3]);
/// assert_eq!(zeros([2, 2], DType::U8)?.to_vec::<u8>()?, [0; 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`empty`].
pub fn zeros(shape: impl IntoShape, options: impl IntoArgument<CreationOptions>) -> Result<Array> {
    of_value(&shape.into_shape(), 0.into(), options.into()).map_err(|e| e.with_op("zeros"))
}

/// Creates an array of ones; NumPy's `ones`.
///
/// ```
/// assert_eq!(cuprum::ones(2, cuprum::DType::F32)?.to_vec::<f32>()?, [1.0; 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`empty`].
pub fn ones(shape: impl IntoShape, options: impl IntoArgument<CreationOptions>) -> Result<Array> {
    of_value(&shape.into_shape(), 1.into(), options.into()).map_err(|e| e.with_op("ones"))
}

/// Creates an array filled with a value, by default of the value's own dtype; NumPy's `full`.
///
/// ```
/// use cuprum::{DType, full};
/// assert_eq!(full(2, 7, ())?.to_vec::<i64>()?, [7, 7]);
/// assert_eq!(full(2, 7, DType::F32)?.to_vec::<f32>()?, [7.0, 7.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`empty`], and [`ErrorKind::Overflow`] for an integer that is out of range of the dtype.
pub fn full(
    shape: impl IntoShape,
    fill_value: impl IntoArgument<Scalar>,
    options: impl IntoArgument<CreationOptions>,
) -> Result<Array> {
    let (value, mut options) = (fill_value.into(), options.into());
    options.dtype = options.dtype.or(Some(made_dtype(&value)));
    of_value(&shape.into_shape(), value, options).map_err(|e| e.with_op("full"))
}

fn of_value(shape: &[i64], value: Scalar, options: CreationOptions) -> Result<Array> {
    filled(unwritten(shape, options)?, value)
}

/// Creates an uninitialised array of the shape and the layout of another; NumPy's `empty_like`.
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`].
#[routine(names = "prototype", keywords = "prototype dtype")]
pub fn empty_like(a: &Array, options: CreationOptions) -> Result<Array> {
    let dtype = options.dtype.unwrap_or(a.dtype());
    let order = a.settled(options.order.unwrap_or(Order::K));
    Array::of_layout(a.device(), a.layout().in_order(dtype.size(), order), dtype)
}

/// Creates an array of zeros of the shape and the layout of another; NumPy's `zeros_like`.
///
/// ```
/// use cuprum::{DType, array, zeros_like};
/// let a = array([[1.5, 2.5]])?;
/// assert_eq!(zeros_like(&a, ())?.to_vec::<f64>()?, [0.0, 0.0]);
/// assert_eq!(zeros_like(&a, DType::I8)?.to_vec::<i8>()?, [0, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device.
#[routine(keywords = "a dtype")]
pub fn zeros_like(a: &Array, options: CreationOptions) -> Result<Array> {
    full_like(a, 0, options)
}

/// Creates an array of ones of the shape and the layout of another; NumPy's `ones_like`.
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device.
#[routine(keywords = "a dtype")]
pub fn ones_like(a: &Array, options: CreationOptions) -> Result<Array> {
    full_like(a, 1, options)
}

/// Creates an array filled with a value, of the shape and the layout of another; NumPy's `full_like`.
///
/// # Errors
///
/// [`ErrorKind::Overflow`] for an integer that is out of range of the dtype, [`ErrorKind::OutOfMemory`].
#[routine(names = "a fill_value", keywords = "a fill_value dtype")]
pub fn full_like(a: &Array, value: Scalar, options: CreationOptions) -> Result<Array> {
    filled(empty_like(a, options)?, value)
}

/// Fills an array. The value is cast as an array is: only an integer must be in range.
fn filled(out: Array, value: Scalar) -> Result<Array> {
    value.check_fits(out.dtype())?;
    engine::fill(&out, value)?;
    Ok(out)
}

/// Returns evenly spaced values in `[start, stop)`; NumPy's `arange`. The step is 1 for `()`. The dtype is int64 for
/// integers, otherwise float64 or complex128; [`arange_of`] takes another.
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
/// # Errors
///
/// [`ErrorKind::ZeroDivision`] for a step of 0, [`ErrorKind::Value`] for a length that no array can have,
/// [`ErrorKind::Type`] for more than two booleans and for complex numbers in a real dtype, [`ErrorKind::Overflow`]
/// where one of the first two elements is out of range of the dtype.
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

fn length(start: Scalar, stop: Scalar, step: Scalar) -> Result<usize> {
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

fn complex(s: Scalar) -> Complex64 {
    match s {
        Scalar::Float(x) => x.into(),
        Scalar::Complex(z) => z,
        other => (int(other).unwrap_or(0) as f64).into(),
    }
}

/// Returns the second element.
fn next(start: Scalar, step: Scalar) -> Scalar {
    match (int(start), int(step), complex(start) + complex(step)) {
        (Some(a), Some(d), _) => Scalar::Int(a.saturating_add(d)),
        (_, _, sum) if matches!(start, Scalar::Complex(_)) || matches!(step, Scalar::Complex(_)) => {
            Scalar::Complex(sum)
        }
        (_, _, sum) => Scalar::Float(sum.re),
    }
}

/// Returns the array in C order, without a copy if it is already; NumPy's `ascontiguousarray`. 0-d arrays become 1-d.
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device, where a copy is needed.
#[routine]
pub fn ascontiguousarray(a: &Array) -> Result<Array> {
    let a = if a.ndim() == 0 { a.reshape([1])? } else { a.clone() };
    if a.is_c_contiguous() { Ok(a) } else { a.copy(Order::C).map_err(|e| e.with_op("ascontiguousarray")) }
}

/// Returns the array in Fortran order, without a copy if it is already; NumPy's `asfortranarray`. 0-d arrays become
/// 1-d.
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device, where a copy is needed.
#[routine]
pub fn asfortranarray(a: &Array) -> Result<Array> {
    let a = if a.ndim() == 0 { a.reshape([1])? } else { a.clone() };
    if a.is_f_contiguous() { Ok(a) } else { a.copy(Order::F).map_err(|e| e.with_op("asfortranarray")) }
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
