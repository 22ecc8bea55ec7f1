//! NumPy's signatures of functions that are several in Rust, for the call table alone.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::{Array, IntoShape};
use crate::error::Result;
use crate::layout::Order;
use crate::routines::creation::{self, CreationOptions, arange_of};
use crate::routines::sets::{SetOptions, intersect1d, intersect1d_indices};
use crate::routines::statistics::{self, AverageOptions, average_returned};
use crate::scalar::Scalar;

/// Creates an uninitialised array.
#[routine(
    dtype = DType::F64, order = Order::C, python(extras = [("device", Extra::Device)]),
    no_programs = "its elements are uninitialised"
)]
fn empty(shape: impl IntoShape, dtype: DType, order: Order) -> Result<Array> {
    creation::empty(shape, CreationOptions::new().dtype(dtype).order(order))
}

/// Creates an array of zeros.
#[routine(dtype = DType::F64, order = Order::C, python(extras = [("device", Extra::Device)]))]
fn zeros(shape: impl IntoShape, dtype: DType, order: Order) -> Result<Array> {
    creation::zeros(shape, CreationOptions::new().dtype(dtype).order(order))
}

/// Creates an array of ones.
#[routine(dtype = DType::F64, order = Order::C, python(extras = [("device", Extra::Device)]))]
fn ones(shape: impl IntoShape, dtype: DType, order: Order) -> Result<Array> {
    creation::ones(shape, CreationOptions::new().dtype(dtype).order(order))
}

/// Creates an array filled with a value, by default of the value's own dtype.
#[routine(order = Order::C)]
fn full(shape: impl IntoShape, fill_value: Scalar, dtype: Option<DType>, order: Order) -> Result<Array> {
    creation::full(shape, fill_value, CreationOptions { dtype, order: Some(order) })
}

/// Returns evenly spaced values from `start` to `stop`, exclusive, in steps of `step`.
#[routine]
fn arange(start: Scalar, stop: Scalar, step: Scalar, dtype: Option<DType>) -> Result<Array> {
    arange_of(start, stop, step, dtype)
}

/// Gives the elements another shape.
#[routine(order = Order::C)]
fn reshape(a: &Array, shape: impl IntoShape, order: Order) -> Result<Array> {
    a.reshape_in(shape, order)
}

/// Copies an array, by default in its own memory order.
#[routine(order = Order::K, python(extras = [("subok", Extra::Rejected)]))]
fn copy(a: &Array, order: Order) -> Result<Array> {
    a.copy(order)
}

/// Returns a copy cast to a dtype.
#[routine(order = Order::K, python(positional_only = 2, keyword_only = 1))]
fn astype(x: &Array, dtype: DType, order: Order) -> Result<Array> {
    let made = x.astype(dtype)?;
    if order == Order::K { Ok(made) } else { made.copy(order) }
}

/// Weighted mean, and with `returned` the sum of the weights.
#[routine(
    returned = false, keywords = "a axis weights returned keepdims",
    python(keyword_only = 1, axis = AxisForm::Sequence)
)]
fn average(a: &Array, options: AverageOptions<'_>, returned: bool) -> Result<(Array, Option<Array>)> {
    if !returned {
        return Ok((statistics::average(a, options)?, None));
    }
    let (average, scale) = average_returned(a, options)?;
    Ok((average, Some(scale)))
}

/// Intersection of two arrays, and with `return_indices` the first index of each element in both.
#[routine(
    name = "intersect1d", return_indices = false, keywords = "ar1 ar2 assume_unique return_indices",
    python(aliases = [("arr1", "ar1"), ("arr2", "ar2")])
)]
fn intersection(
    ar1: &Array,
    ar2: &Array,
    options: SetOptions,
    return_indices: bool,
) -> Result<(Array, Option<(Array, Array)>)> {
    if !return_indices {
        return Ok((intersect1d(ar1, ar2, options)?, None));
    }
    let (values, first, second) = intersect1d_indices(ar1, ar2, options)?;
    Ok((values, Some((first, second))))
}

/// Sorts the elements in place.
#[routine(name = "sort", namespace = "numpy.ndarray", axis = -1)]
fn sort_in_place(a: &Array, axis: isize) -> Result<()> {
    a.sort(axis)
}

/// Partitions the elements in place.
#[routine(name = "partition", namespace = "numpy.ndarray", axis = -1)]
fn partition_in_place(a: &Array, kth: impl AsRef<[isize]>, axis: isize) -> Result<()> {
    a.partition(kth.as_ref(), axis)
}

/// Selects the elements at which a mask is true; NumPy's boolean index.
#[routine(name = "mask", namespace = "numpy.ndarray")]
fn masked(a: &Array, mask: &Array) -> Result<Array> {
    a.mask(mask)
}
