//! Transfers between host and device memory.

use cuprum::{Array, Order};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::array::{order as order_of, wants_fortran};
use crate::convert;
use crate::cuda::stream_of;
use crate::dtypes;
use crate::errors::{type_error, value_error};

/// Calls `f` with the stream of a Python object current, or with the current one for `None`.
pub(crate) fn on_stream<T>(stream: Option<&Bound<'_, PyAny>>, f: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    match stream.filter(|s| !s.is_none()) {
        // The previous stream is made current again, which `__exit__` does not guarantee.
        Some(stream) => stream_of(stream)?.0.with(f),
        None => f(),
    }
}

/// Calls `f` with the device of a Python object or number current, or with the current one for `None`.
pub(crate) fn on_device<T>(
    py: Python<'_>,
    device: Option<&Bound<'_, PyAny>>,
    f: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    let Some(device) = device.filter(|d| !d.is_none()) else { return f() };
    let class = py.import("cuprum")?.getattr("cuda")?.getattr("Device")?;
    let device = if device.is_instance(&class)? { device.clone() } else { class.call1((device,))? };
    device.call_method0(pyo3::intern!(py, "__enter__"))?;
    let result = f();
    let none = py.None();
    device.call_method1(pyo3::intern!(py, "__exit__"), (&none, &none, &none))?;
    result
}

/// Copies the elements to the host.
pub(crate) fn get<'py>(
    a: &Array,
    py: Python<'py>,
    stream: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let fortran = wants_fortran(a, order_of(order, Order::C)?);
    let Some(out) = out.filter(|o| !o.is_none()) else {
        return on_stream(stream, || Ok(convert::to_numpy(py, a, fortran)?.into_any()));
    };
    let Ok(host) = out.cast::<PyUntypedArray>() else {
        return type_error(format!("Only numpy.ndarray can be obtained from cuprum.ndarray, not {}", out.get_type()));
    };
    if dtypes::known(&host.dtype()) != Some(a.dtype()) {
        return type_error(format!(
            "out array has an incompatible dtype: {} is needed, not {}",
            a.dtype(),
            host.dtype()
        ));
    }
    if host.shape() != a.shape() {
        return value_error(format!(
            "Shape mismatch. Expected shape: {:?}, actual shape: {:?}",
            a.shape(),
            host.shape()
        ));
    }
    if !host.getattr("flags")?.getattr("writeable")?.is_truthy()? {
        return value_error("out array is read-only");
    }
    if !(host.is_c_contiguous() || host.is_fortran_contiguous()) || !host.is_aligned() {
        let copy = on_stream(stream, || convert::to_numpy(py, a, fortran))?;
        host.as_any().set_item(py.Ellipsis(), copy)?;
        return Ok(out.clone());
    }
    let fortran = !host.is_c_contiguous();
    // SAFETY: the array is contiguous and writable; the caller passed it as the destination.
    let bytes = unsafe { convert::bytes_mut(host) };
    on_stream(stream, || convert::read(py, a, fortran, bytes))?;
    Ok(out.clone())
}
