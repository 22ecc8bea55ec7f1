//! Uninitialised and constant arrays: `empty`, `zeros`, `ones`, `full` and their relatives.
//!
//! A new array belongs to the current device and is written on the current stream; no function here synchronises. The
//! dtype is float64 unless another is given, as in NumPy, and `*_like` functions keep dtype and layout of their
//! prototype.
//!
//! | function | elements | dtype without `dtype` |
//! |---|---|---|
//! | [`empty`], [`empty_like`] | undefined | float64, that of the prototype |
//! | [`zeros`], [`zeros_like`] | 0 | float64, that of the prototype |
//! | [`ones`], [`ones_like`] | 1 | float64, that of the prototype |
//! | [`full`], [`full_like`] | a scalar | that of the scalar, that of the prototype |

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::{Array, IntoArgument, IntoShape, checked_shape};
use crate::cuda::Device;
use crate::dtype::made_dtype;
use crate::engine;
use crate::error::Result;
use crate::layout::{Layout, Order};
use crate::scalar::Scalar;

/// Options of array creation: the dtype and the memory order.
///
/// A [`DType`] or an [`Order`](crate::Order) converts to options that set it alone where a function takes `impl
/// IntoArgument<CreationOptions>`; `()` leaves both at their defaults.
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
    ///
    /// `Order::A` and `Order::K` differ from C only for a prototype: `A` is Fortran order if the prototype is in it,
    /// and `K` the order of the prototype's axes in memory.
    pub order: Option<Order>,
}

/// Creates an uninitialised array; NumPy's `empty`. Its elements are undefined; the simulator rejects reading them.
///
/// The result has the shape `shape`, the dtype of the options (by default float64) and the order C, or Fortran if
/// requested. No kernel runs: memory of the pool is not cleared.
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
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a negative or too large size,
/// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
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
/// The result has the shape `shape`, which is an integer or a list of integers, and the dtype of the options, by
/// default float64.
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
/// The result has the shape `shape` and the dtype of the options, by default float64.
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
/// The result has the shape `shape`. Without a dtype it is int64 for an integer (uint64 for one beyond int64), float64
/// for a float, bool or complex128. An array as the value is broadcast by [`full_like`](fn@full_like) in NumPy; here
/// [`Array::assign`](crate::Array::assign) does that.
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
/// Same as [`empty`], and [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) for an integer that is out of range of
/// the dtype.
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
/// The result has the shape of `a`, the dtype of the options or that of `a`, and the axes of `a` in the same order in
/// memory, without its gaps and broadcast axes. NumPy's parameter `shape` is absent: [`empty`] takes one.
///
/// ```
/// use cuprum::{array, empty_like};
/// let a = empty_like(array([[1, 2], [3, 4]])?.t(), ())?;
/// assert_eq!((a.shape(), a.is_f_contiguous()), ([2, 2].as_slice(), true));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
#[routine(
    names = "prototype",
    keywords = "prototype dtype",
    no_cases = "has the layout of `ones_like`; its elements are uninitialised",
    no_programs = "its elements are uninitialised"
)]
pub fn empty_like(a: &Array, options: CreationOptions) -> Result<Array> {
    let dtype = options.dtype.unwrap_or(a.dtype());
    let order = a.settled(options.order.unwrap_or(Order::K));
    Array::of_layout(a.device(), a.layout().in_order(dtype.size(), order), dtype)
}

/// Creates an array of zeros of the shape and the layout of another; NumPy's `zeros_like`.
///
/// The result has the shape of `a`, the dtype of the options or that of `a`, and its order of axes in memory.
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
/// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) and errors of the device.
#[routine(keywords = "a dtype")]
pub fn zeros_like(a: &Array, options: CreationOptions) -> Result<Array> {
    full_like(a, 0, options)
}

/// Creates an array of ones of the shape and the layout of another; NumPy's `ones_like`.
///
/// The result has the shape of `a`, the dtype of the options or that of `a`, and its order of axes in memory.
///
/// ```
/// use cuprum::{array, ones_like};
/// assert_eq!(ones_like(array([[5, 6]])?, ())?.to_vec::<i32>()?, [1, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) and errors of the device.
#[routine(keywords = "a dtype")]
pub fn ones_like(a: &Array, options: CreationOptions) -> Result<Array> {
    full_like(a, 1, options)
}

/// Creates an array filled with a value, of the shape and the layout of another; NumPy's `full_like`.
///
/// The result has the shape of `a`, the dtype of the options or that of `a`, and its order of axes in memory. The value
/// is cast to the dtype: a float is truncated in an array of integers.
///
/// ```
/// use cuprum::{array, full_like};
/// assert_eq!(full_like(array([[5, 6]])?, 7, ())?.to_vec::<i32>()?, [7, 7]);
/// assert!(full_like(array([5u8])?, 300, ()).is_err());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) for an integer that is out of range of the dtype,
/// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
#[routine(names = "a fill_value", keywords = "a fill_value dtype")]
pub fn full_like(a: &Array, value: Scalar, options: CreationOptions) -> Result<Array> {
    filled(empty_like(a, options)?, value)
}

/// Fills an array. The value is cast as an array is: only an integer must be in range.
pub(super) fn filled(out: Array, value: Scalar) -> Result<Array> {
    value.check_fits(out.dtype())?;
    engine::fill(&out, value)?;
    Ok(out)
}
