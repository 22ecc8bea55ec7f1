//! Uninitialised and constant arrays: `empty`, `zeros`, `ones`, `full` and their relatives.

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
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a negative or too large size, [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
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
/// Same as [`empty`], and [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) for an integer that is out of range of the dtype.
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
/// # Errors
///
/// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) and errors of the device.
#[routine(keywords = "a dtype")]
pub fn ones_like(a: &Array, options: CreationOptions) -> Result<Array> {
    full_like(a, 1, options)
}

/// Creates an array filled with a value, of the shape and the layout of another; NumPy's `full_like`.
///
/// # Errors
///
/// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) for an integer that is out of range of the dtype, [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
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
