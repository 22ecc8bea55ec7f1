//! Memory and events shared between processes: CuPy's `runtime.ipc...`.

use cuprum::cuda::ipc::{Handle, OpenMemory, share_pointer};
use cuprum::cuda::{Device, Event};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::cuda::EventHandle;
use crate::errors::OrRaise;

fn handle(bytes: &[u8]) -> PyResult<Handle> {
    let what = || PyValueError::new_err(format!("a handle between processes has 64 bytes, not {}", bytes.len()));
    bytes.try_into().map_err(|_| what())
}

/// Returns the handle of the allocation that contains an address.
#[pyfunction]
fn ipc_memory<'py>(py: Python<'py>, address: u64) -> PyResult<Bound<'py, PyBytes>> {
    let shared = share_pointer(Device::current().or_raise()?, address).or_raise()?;
    Ok(PyBytes::new(py, &shared.handle))
}

/// Memory of another process, open as long as the object lives.
#[pyclass(name = "OpenMemoryHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct OpenMemoryHandle(OpenMemory);

#[pymethods]
impl OpenMemoryHandle {
    #[new]
    fn new(bytes: &[u8], lazily: bool) -> PyResult<OpenMemoryHandle> {
        Ok(OpenMemoryHandle(OpenMemory::open(Device::current().or_raise()?, handle(bytes)?, lazily).or_raise()?))
    }

    #[getter]
    fn ptr(&self) -> u64 {
        self.0.pointer()
    }
}

#[pymethods]
impl EventHandle {
    /// Creates an event that can be shared with other processes.
    #[staticmethod]
    fn interprocess() -> PyResult<EventHandle> {
        Ok(EventHandle(Event::interprocess(Device::current().or_raise()?).or_raise()?))
    }

    /// Opens an event of another process.
    #[staticmethod]
    fn from_ipc(bytes: &[u8]) -> PyResult<EventHandle> {
        Ok(EventHandle(Event::from_ipc_handle(Device::current().or_raise()?, handle(bytes)?).or_raise()?))
    }

    fn ipc_handle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.ipc_handle().or_raise()?))
    }
}

/// Adds the functions and classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<OpenMemoryHandle>()?;
    module.add_function(wrap_pyfunction!(ipc_memory, module)?)
}
