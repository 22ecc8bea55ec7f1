//! Methods of the array API standard: namespace, device, and transfer to another device.

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::cuda::device_of;
use crate::errors::OrRaise;
use crate::memory::device_id;

#[pymethods]
impl NdArray {
    /// Returns the namespace whose functions take this array: `cuprum`.
    #[pyo3(signature = (*, api_version=None))]
    fn __array_namespace__<'py>(
        &self,
        py: Python<'py>,
        api_version: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let standard = py.import(intern!(py, "cuprum._array_api"))?;
        standard.call_method1(intern!(py, "namespace_of"), (api_version,))
    }

    /// The device that holds the elements.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cuda = py.import(intern!(py, "cuprum.cuda"))?;
        cuda.getattr(intern!(py, "Device"))?.call1((device_id(self.array()),))
    }

    /// Copies the array to a device; returns it unchanged if it is there already.
    #[pyo3(signature = (device, /, *, stream=None))]
    fn to_device<'py>(
        slf: &Bound<'py, Self>,
        device: &Bound<'py, PyAny>,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let (py, a, to) = (slf.py(), slf.get().array(), device_of(device)?);
        if a.device() == to {
            return Ok(slf.clone());
        }
        if stream.is_some() {
            return Err(PyValueError::new_err(
                "to_device: a copy is ordered by the streams of both devices; leave stream away",
            ));
        }
        wrap(py, py.detach(|| a.to_device(to)).or_raise()?)
    }
}
