//! Functions that NumPy has in one form and Rust in several: here each in NumPy's, for the call table alone.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::{Array, IntoShape};
use crate::error::Result;
use crate::layout::Order;
use crate::routines::creation::{self, CreationOptions, arange_of};
use crate::routines::sets::{SetOptions, intersect1d, intersect1d_indices};
use crate::routines::statistics::{self, AverageOptions, average_returned};
use crate::scalar::Scalar;

/// A new array whose elements are whatever the memory holds.
#[routine(dtype = DType::F64, order = Order::C)]
fn empty(shape: impl IntoShape, dtype: DType, order: Order) -> Result<Array> {
    creation::empty(shape, CreationOptions::new().dtype(dtype).order(order))
}

/// A new array of zeros.
#[routine(dtype = DType::F64, order = Order::C)]
fn zeros(shape: impl IntoShape, dtype: DType, order: Order) -> Result<Array> {
    creation::zeros(shape, CreationOptions::new().dtype(dtype).order(order))
}

/// A new array of ones.
#[routine(dtype = DType::F64, order = Order::C)]
fn ones(shape: impl IntoShape, dtype: DType, order: Order) -> Result<Array> {
    creation::ones(shape, CreationOptions::new().dtype(dtype).order(order))
}

/// A new array of one value, by default of the dtype that the value has by itself.
#[routine(order = Order::C)]
fn full(shape: impl IntoShape, fill_value: Scalar, dtype: Option<DType>, order: Order) -> Result<Array> {
    creation::full(shape, fill_value, CreationOptions { dtype, order: Some(order) })
}

/// The numbers from `start` up to, but not with, `stop`, by `step`.
#[routine]
fn arange(start: Scalar, stop: Scalar, step: Scalar, dtype: Option<DType>) -> Result<Array> {
    arange_of(start, stop, step, dtype)
}

/// The elements in another shape.
#[routine(order = Order::C)]
fn reshape(a: &Array, shape: impl IntoShape, order: Order) -> Result<Array> {
    a.reshape_in(shape, order)
}

/// A copy, by default in the memory order of the array.
#[routine(order = Order::K)]
fn copy(a: &Array, order: Order) -> Result<Array> {
    a.copy(order)
}

/// A copy of another dtype.
#[routine(order = Order::K)]
fn astype(x: &Array, dtype: DType, order: Order) -> Result<Array> {
    let made = x.astype(dtype)?;
    if order == Order::K { Ok(made) } else { made.copy(order) }
}

/// The mean, each element counting by its weight, and where `returned` the sum of the weights.
#[routine(returned = false, keywords = "a axis weights returned keepdims")]
fn average(a: &Array, options: AverageOptions<'_>, returned: bool) -> Result<(Array, Option<Array>)> {
    if !returned {
        return Ok((statistics::average(a, options)?, None));
    }
    let (average, scale) = average_returned(a, options)?;
    Ok((average, Some(scale)))
}

/// The elements of both arrays, and with `return_indices` where each stands first.
#[routine(name = "intersect1d", return_indices = false, keywords = "ar1 ar2 assume_unique return_indices")]
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

/// The elements at which a mask is true; NumPy's index of booleans.
#[routine(name = "mask", namespace = "numpy.ndarray")]
fn masked(a: &Array, mask: &Array) -> Result<Array> {
    a.mask(mask)
}
