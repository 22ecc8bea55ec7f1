//! Internal constructors of arrays. The device is always passed explicitly: it is that of the operands, and never the
//! current one.
//!
//! Routines create their results with these, so that a result is on the device of its operands whatever device is
//! current.

use cuprum_kernels::DType;

use super::{fill, launch};
use crate::array::Array;
use crate::cuda::Device;
use crate::element::{Element, bytes_of};
use crate::error::Result;
use crate::layout::{Layout, checked_bytes};
use crate::scalar::Scalar;

/// Returns an array in C order, uninitialised.
pub(crate) fn empty(device: Device, shape: &[usize], dtype: DType) -> Result<Array> {
    checked_bytes(shape, dtype.size())?;
    Array::of_layout(device, Layout::c_order(shape, dtype.size()), dtype)
}

/// Returns an array filled with one value.
pub(crate) fn full(device: Device, shape: &[usize], value: impl Into<Scalar>, dtype: DType) -> Result<Array> {
    let (value, out) = (value.into(), empty(device, shape, dtype)?);
    value.check_fits(dtype)?;
    fill(&out, value)?;
    Ok(out)
}

/// Returns an array of zeros.
pub(crate) fn zeros(device: Device, shape: &[usize], dtype: DType) -> Result<Array> {
    full(device, shape, 0, dtype)
}

/// Returns an array of these elements, in C order.
pub(crate) fn of<T: Element>(device: Device, elements: &[T], shape: &[usize]) -> Result<Array> {
    let out = empty(device, shape, T::DTYPE)?;
    launch::upload(&out, bytes_of(elements))?;
    Ok(out)
}

/// Returns a one-dimensional array of these bytes.
pub(crate) fn of_bytes(device: Device, bytes: &[u8], dtype: DType) -> Result<Array> {
    let out = empty(device, &[bytes.len() / dtype.size()], dtype)?;
    launch::upload(&out, bytes)?;
    Ok(out)
}
