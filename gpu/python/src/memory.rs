//! What an array says of its memory: its flags, and a pointer.

use cuprum::{DType, Order};
use pyo3::exceptions::{PyKeyError, PyNotImplementedError};
use pyo3::prelude::*;

use crate::array::NdArray;

/// How the elements of an array lie.
#[pyclass(name = "Flags", module = "cuprum", frozen)]
pub(crate) struct Flags {
    #[pyo3(get)]
    pub(crate) c_contiguous: bool,
    #[pyo3(get)]
    pub(crate) f_contiguous: bool,
    #[pyo3(get)]
    pub(crate) owndata: bool,
}

#[pymethods]
impl Flags {
    fn __getitem__(&self, name: &str) -> PyResult<bool> {
        match name {
            "C_CONTIGUOUS" | "C" => Ok(self.c_contiguous),
            "F_CONTIGUOUS" | "F" => Ok(self.f_contiguous),
            "OWNDATA" | "O" => Ok(self.owndata),
            "WRITEABLE" | "W" => Ok(true),
            _ => Err(PyKeyError::new_err(format!("{name} is not defined for cuprum.ndarray.flags"))),
        }
    }

    /// Whether the elements lie in Fortran's order and in no other.
    #[getter]
    fn fnc(&self) -> bool {
        self.f_contiguous && !self.c_contiguous
    }

    /// Whether the elements lie densely in one of the two orders.
    #[getter]
    fn forc(&self) -> bool {
        self.f_contiguous || self.c_contiguous
    }

    /// Whether the elements may be written.
    #[getter]
    fn writeable(&self) -> bool {
        true
    }

    fn __repr__(&self) -> String {
        let word = |b: bool| if b { "True" } else { "False" };
        let (c, f, o) = (word(self.c_contiguous), word(self.f_contiguous), word(self.owndata));
        format!("  C_CONTIGUOUS : {c}\n  F_CONTIGUOUS : {f}\n  OWNDATA : {o}\n")
    }
}

/// The allocation that a pointer leads into.
#[pyclass(name = "Memory", module = "cuprum.cuda", frozen)]
pub(crate) struct Memory {
    #[pyo3(get)]
    ptr: u64,
    #[pyo3(get)]
    size: usize,
    #[pyo3(get)]
    device_id: usize,
    _keeps: Py<NdArray>,
}

/// A pointer to device memory, which it keeps alive.
#[pyclass(name = "MemoryPointer", module = "cuprum.cuda", frozen)]
pub(crate) struct MemoryPointer {
    #[pyo3(get)]
    ptr: u64,
    #[pyo3(get)]
    device_id: usize,
    of: Py<NdArray>,
}

impl MemoryPointer {
    pub(crate) fn of(array: &Bound<'_, NdArray>) -> MemoryPointer {
        let a = array.get().array();
        MemoryPointer { ptr: a.data_ptr(), device_id: device_id(a), of: array.clone().unbind() }
    }
}

/// The number of an array's device; the simulator's is 0.
pub(crate) fn device_id(a: &cuprum::Array) -> usize {
    a.device().info().id.rsplit(':').next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[pymethods]
impl MemoryPointer {
    /// The allocation.
    #[getter]
    fn mem(&self, py: Python<'_>) -> Memory {
        let (ptr, size) = self.of.get().array().allocation();
        Memory { ptr, size, device_id: self.device_id, _keeps: self.of.clone_ref(py) }
    }

    fn __int__(&self) -> u64 {
        self.ptr
    }

    fn __repr__(&self) -> String {
        format!("<MemoryPointer 0x{:x} device={}>", self.ptr, self.device_id)
    }
}

/// An array over memory that is there already.
pub(crate) fn of_pointer(
    memptr: Option<&Bound<'_, PyAny>>,
    shape: &[isize],
    dtype: DType,
    strides: Option<&Bound<'_, PyAny>>,
    order: Order,
) -> PyResult<NdArray> {
    let _ = (strides, order);
    let pointer = memptr.and_then(|m| m.cast::<MemoryPointer>().ok());
    let Some(pointer) = pointer else {
        return Err(PyNotImplementedError::new_err("ndarray: memory of others comes through from_dlpack or asarray"));
    };
    use crate::errors::OrRaise;
    // The elements from the pointer on, as bytes of what they are of.
    let of = pointer.get().of.get().array();
    let made = of.ravel().or_raise()?.view(dtype).or_raise()?.reshape(shape).or_raise()?;
    Ok(NdArray::new(made, Some(pointer.get().of.clone_ref(pointer.py()))))
}
