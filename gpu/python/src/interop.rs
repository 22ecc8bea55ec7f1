//! Arrays of other libraries: DLPack, the CUDA Array Interface, and NumPy's protocols on arrays of the package. The
//! only file in which objects of other libraries become arrays.

use std::ffi::CStr;
use std::ptr::NonNull;

use cuprum::cuda::Device;
use cuprum::dlpack::{self, ExportOptions, ManagedTensor, ManagedTensorVersioned, Tensor};
use cuprum::{Array, Error, RawParts};
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};

use crate::array::NdArray;
use crate::convert::{Copying, array_of, wrap};
use crate::dtypes;
use crate::errors::{OrRaise, exception};

/// The names of capsules: of a tensor, and of one that was consumed.
const VERSIONED: &CStr = c"dltensor_versioned";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";
const UNVERSIONED: &CStr = c"dltensor";
const USED_UNVERSIONED: &CStr = c"used_dltensor";

/// Imports the array of an object that exports its device memory by a protocol; `None` if it does not.
pub(crate) fn imported(object: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    let py = object.py();
    // Objects of NumPy or Python are not checked further: most arguments are such.
    if object.is_instance_of::<pyo3::types::PyList>() || object.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    // A class is no array, whatever its instances support.
    if object.is_instance_of::<pyo3::types::PyType>() {
        return Ok(None);
    }
    if let Some(method) = object.getattr_opt(intern!(py, "__cupy_get_ndarray__"))? {
        return Ok(array_of(&method.call0()?).cloned());
    }
    if let Some(interface) = interface_of(object)? {
        return of_cuda_interface(object, &interface).map(Some);
    }
    // NumPy reads arrays on the host.
    if let Some(of) = object.getattr_opt(intern!(py, "__dlpack_device__"))?
        && let Ok((dlpack::CUDA | dlpack::CUDA_MANAGED, _)) = of.call0()?.extract::<(i32, i64)>()
    {
        return Ok(array_of(from_dlpack(object, None, None)?.as_any()).cloned());
    }
    Ok(None)
}

/// Returns true if an object is a device array: of the package, or one that exports its memory by a protocol of CuPy or
/// CUDA.
pub(crate) fn is_on_device(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if array_of(object).is_some() {
        return Ok(true);
    }
    if object.is_instance_of::<pyo3::types::PyType>() {
        return Ok(false);
    }
    let py = object.py();
    Ok(object.getattr_opt(intern!(py, "__cupy_get_ndarray__"))?.is_some()
        || object.getattr_opt(intern!(py, "__cuda_array_interface__"))?.is_some())
}

/// Returns the CUDA Array Interface of an object that has one.
fn interface_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(interface) = object.getattr_opt(intern!(object.py(), "__cuda_array_interface__"))? else {
        return Ok(None);
    };
    Ok(Some(interface.cast_into::<PyDict>().map_err(PyErr::from)?))
}

/// Returns the value of an environment variable of the CUDA Array Interface, which is one of `known`, the first of them
/// unless it is set.
fn setting(name: &str, known: [&'static str; 2]) -> PyResult<&'static str> {
    let value = std::env::var(name).unwrap_or_default();
    let found = known.into_iter().find(|k| *k == value).or(value.is_empty().then_some(known[0]));
    let rejection = || PyValueError::new_err(format!("{name} is {value:?}: it is {}, or not set", known.join(" or ")));
    found.ok_or_else(rejection)
}

/// Returns true if an array that is imported by the CUDA Array Interface waits for the stream of its owner.
fn synchronizes() -> PyResult<bool> {
    Ok(setting("CUPRUM_CUDA_ARRAY_INTERFACE_SYNC", ["1", "0"])? == "1")
}

/// Returns true if the CUDA Array Interface is exported in version 3, which has the stream of the array's work.
fn exports_stream() -> PyResult<bool> {
    Ok(setting("CUPRUM_CUDA_ARRAY_INTERFACE_EXPORT_VERSION", ["3", "2"])? == "3")
}

/// Returns the device with CUDA's number `n`.
fn cuda_device(n: i64) -> PyResult<Device> {
    Device::open(&format!("cuda:{n}")).or_raise()
}

/// Imports an array by the CUDA Array Interface, version 3: the object owns the memory and is kept alive.
fn of_cuda_interface(object: &Bound<'_, PyAny>, interface: &Bound<'_, PyDict>) -> PyResult<Array> {
    let py = object.py();
    let field = |name: &str| interface.get_item(name);
    let needed = |name: &str| {
        field(name)?.ok_or_else(|| PyValueError::new_err(format!("__cuda_array_interface__ has no entry {name:?}")))
    };
    if field("mask")?.is_some_and(|mask| !mask.is_none()) {
        return Err(PyValueError::new_err("__cuda_array_interface__ has a mask: masked arrays are not supported"));
    }
    let shape: Vec<usize> = needed("shape")?.extract()?;
    let typestr = needed("typestr")?;
    let dtype = dtypes::of(&py.import("numpy")?.call_method1("dtype", (typestr,))?)?;
    let (pointer, read_only): (u64, bool) = needed("data")?.extract()?;
    let strides: Option<Vec<i64>> = match field("strides")? {
        Some(strides) if !strides.is_none() => Some(strides.extract()?),
        _ => None,
    };
    let device = cuda_device(device_of_pointer(object)?)?;
    if let Some(stream) = field("stream")?.filter(|s| !s.is_none())
        && synchronizes()?
    {
        let handle: usize = stream.extract()?;
        if handle == 0 {
            let message = "__cuda_array_interface__ has the stream 0, which the protocol does not allow: it is 1 or 2";
            return Err(PyValueError::new_err(message));
        }
        // SAFETY: the protocol guarantees that the stream is a live one of the array's device.
        unsafe { device.wait_for_stream(handle) }.or_raise()?;
    }
    let parts = RawParts { device, pointer, dtype, shape, strides, read_only };
    // SAFETY: the protocol guarantees that the memory lives as long as the object, which is kept alive.
    unsafe { Array::from_raw_parts(parts, object.clone().unbind()) }.or_raise()
}

/// Returns the number of the device of an object's memory: if it has that attribute, else the current one.
fn device_of_pointer(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    let py = object.py();
    if let Some(of) = object.getattr_opt(intern!(py, "__dlpack_device__"))?
        && let Ok((kind, id)) = of.call0()?.extract::<(i32, i64)>()
        && kind != dlpack::CPU
    {
        return Ok(id);
    }
    if let Some(device) = object.getattr_opt(intern!(py, "device"))?
        && let Some(id) = device.getattr_opt(intern!(py, "id"))?
        && let Ok(id) = id.extract()
    {
        return Ok(id);
    }
    let current = Device::current().or_raise()?;
    Ok(current.ordinal().map_or(0, |n| n as i64))
}

/// Consumes the tensor of a capsule.
fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let capsule = capsule
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err(format!("a DLPack capsule is expected, not {}", capsule.get_type())))?;
    let raw = capsule.as_ptr();
    for (name, used) in [(VERSIONED, USED_VERSIONED), (UNVERSIONED, USED_UNVERSIONED)] {
        // SAFETY: the object is a live capsule, and the name is static.
        if unsafe { ffi::PyCapsule_IsValid(raw, name.as_ptr()) } == 0 {
            continue;
        }
        // SAFETY: the capsule is valid under this name.
        let pointer = unsafe { ffi::PyCapsule_GetPointer(raw, name.as_ptr()) };
        // SAFETY: the object is a live capsule, and the name is static.
        if unsafe { ffi::PyCapsule_SetName(raw, used.as_ptr()) } != 0 {
            return Err(PyErr::fetch(capsule.py()));
        }
        let Some(pointer) = NonNull::new(pointer) else { break };
        return Ok(match name == VERSIONED {
            // SAFETY: a capsule of this name holds such a tensor, and renaming it transfers the ownership.
            true => unsafe { Tensor::from_versioned(pointer.cast::<ManagedTensorVersioned>()) },
            // SAFETY: as above.
            false => unsafe { Tensor::from_unversioned(pointer.cast::<ManagedTensor>()) },
        });
    }
    Err(PyValueError::new_err(
        "the DLPack capsule holds no tensor: it was taken already, or it is of another kind. A capsule can be taken once",
    ))
}

/// Frees the tensor of a capsule that was not consumed.
unsafe extern "C" fn drop_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with the capsule, which is live.
    unsafe {
        for name in [VERSIONED, UNVERSIONED] {
            if ffi::PyCapsule_IsValid(capsule, name.as_ptr()) == 0 {
                continue;
            }
            let Some(pointer) = NonNull::new(ffi::PyCapsule_GetPointer(capsule, name.as_ptr())) else { continue };
            if name == VERSIONED {
                drop(Tensor::from_versioned(pointer.cast()));
            } else {
                drop(Tensor::from_unversioned(pointer.cast()));
            }
        }
    }
}

/// Creates a capsule of a tensor.
fn capsule<'py>(py: Python<'py>, pointer: *mut std::ffi::c_void, name: &'static CStr) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the pointer is not null, the name is static, and the destructor frees the capsule's content.
    let made = unsafe { ffi::PyCapsule_New(pointer, name.as_ptr(), Some(drop_capsule)) };
    // SAFETY: the new object is owned, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(py, made) }
}

/// Converts DLPack's errors to `BufferError`, except for objects that are no arrays.
fn rejected(e: Error) -> PyErr {
    match e.kind() {
        cuprum::ErrorKind::Value | cuprum::ErrorKind::Type => PyBufferError::new_err(e.message().to_string()),
        _ => exception(&e),
    }
}

fn export<'py>(py: Python<'py>, a: &Array, options: ExportOptions, versioned: bool) -> PyResult<Bound<'py, PyAny>> {
    if versioned {
        let made = py.detach(|| {
            // SAFETY: the caller guarantees the validity of the requested stream, as the protocol requires.
            unsafe { a.to_dlpack(options) }.map(|t| t.as_ptr() as usize)
        });
        let tensor = made.map_err(rejected)?;
        return capsule(py, tensor as *mut _, VERSIONED);
    }
    let made = py.detach(|| {
        // SAFETY: as above.
        unsafe { a.to_dlpack_unversioned(options) }.map(|t| t.as_ptr() as usize)
    });
    let tensor = made.map_err(rejected)?;
    capsule(py, tensor as *mut _, UNVERSIONED)
}

#[pymethods]
impl NdArray {
    /// Exports the array as a DLPack capsule.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, a) = (slf.py(), slf.get().array());
        let own = a.dlpack_device();
        let host = match dl_device {
            None => own.device_type == dlpack::CPU,
            Some((dlpack::CPU, _)) => true,
            Some((kind, id)) if (kind, id) == (own.device_type, own.device_id) => false,
            Some((kind, id)) => {
                let message = format!(
                    "the array is on DLPack's device ({}, {}) and goes over there or to the CPU, not to ({kind}, {id}): \
                     copy it there first",
                    own.device_type, own.device_id
                );
                return Err(PyBufferError::new_err(message));
            }
        };
        let options = ExportOptions { host, copy: if host && copy.is_none() { None } else { copy }, stream: None };
        let versioned = max_version.is_some_and(|(major, _)| major >= 1);
        let handle: Option<i64> = stream.filter(|s| !s.is_none()).map(|s| s.extract()).transpose()?;
        let stream = match handle {
            // Older libraries pass it, and CuPy accepts it.
            Some(0) => {
                let message = c"__dlpack__: the stream 0 is ambiguous, and the standard forbids it: it is taken for the default stream, 1";
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), message, 1)?;
                (!host).then_some(1)
            }
            _ if host => None,
            // The default stream by default.
            None => Some(1),
            // No synchronisation is requested.
            Some(-1) => None,
            Some(handle) => Some(handle as usize),
        };
        export(py, a, ExportOptions { stream, ..options }, versioned)
    }

    /// Returns DLPack's type and number of the device: (2, 0) for the first GPU; (1, 0), the CPU, for the simulator,
    /// whose memory other libraries cannot access, so that a copy is exported.
    fn __dlpack_device__(&self) -> (i32, i32) {
        let device = self.array().dlpack_device();
        (device.device_type, device.device_id)
    }

    /// Exports the array as a DLPack capsule of a version before 1.0.
    #[pyo3(name = "toDlpack")]
    fn to_dlpack_capsule<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export(slf.py(), slf.get().array(), ExportOptions::default(), false)
    }

    /// The CUDA Array Interface, version 3, or 2 with `CUPRUM_CUDA_ARRAY_INTERFACE_EXPORT_VERSION=2`; only for arrays on a
    /// GPU.
    #[getter]
    fn __cuda_array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let (py, a) = (slf.py(), slf.get().array());
        if a.device().ordinal().is_none() {
            return Err(PyAttributeError::new_err(
                "an array of the simulator has no __cuda_array_interface__: no GPU can look into its memory",
            ));
        }
        let interface = PyDict::new(py);
        let descr = dtypes::object(py, a.dtype())?;
        interface.set_item("shape", PyTuple::new(py, a.shape())?)?;
        interface.set_item("typestr", descr.getattr("str")?)?;
        interface.set_item("descr", descr.getattr("descr")?)?;
        interface.set_item("data", (a.pointer(), a.is_read_only()))?;
        let strides = if a.is_c_contiguous() { None } else { Some(PyTuple::new(py, a.strides())?) };
        interface.set_item("strides", strides)?;
        let with_stream = exports_stream()?;
        interface.set_item("version", if with_stream { 3 } else { 2 })?;
        let handle = a.device().current_stream().handle();
        // Work queued on other streams comes first, too.
        // SAFETY: the current stream is live.
        unsafe { a.ready_for(handle) }.or_raise()?;
        if with_stream {
            interface.set_item("stream", if handle == 0 { 1 } else { handle })?;
        }
        Ok(interface)
    }

    /// Dispatches NumPy's ufuncs on arrays of the package to those of the package.
    #[pyo3(signature = (ufunc, method, *inputs, **kwargs))]
    fn __array_ufunc__<'py>(
        slf: &Bound<'py, Self>,
        ufunc: &Bound<'py, PyAny>,
        method: &Bound<'py, PyAny>,
        inputs: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let dispatch = slf.py().import("cuprum._numpy_calls")?;
        let keywords = kwargs.map_or_else(|| PyDict::new(slf.py()), Clone::clone);
        dispatch.call_method1("array_ufunc", (ufunc, method, inputs, keywords))
    }

    /// Dispatches NumPy's other functions on arrays of the package to those of the package, if they exist.
    fn __array_function__<'py>(
        slf: &Bound<'py, Self>,
        func: &Bound<'py, PyAny>,
        types: &Bound<'py, PyAny>,
        args: &Bound<'py, PyAny>,
        kwargs: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("cuprum._numpy_calls")?.call_method1("array_function", (func, types, args, kwargs))
    }
}

/// Imports an array of another library, without a copy if its memory is a GPU's.
#[pyfunction]
#[pyo3(signature = (x, /, *, device=None, copy=None), name = "from_dlpack")]
pub(crate) fn from_dlpack<'py>(
    x: &Bound<'py, PyAny>,
    device: Option<&Bound<'py, PyAny>>,
    copy: Option<Copying>,
) -> PyResult<Bound<'py, NdArray>> {
    let py = x.py();
    let copy = copy.and_then(|Copying(copy)| copy);
    let target = device.filter(|d| !d.is_none()).map(crate::cuda::device_of).transpose()?;
    let (go, current) = (target.map_or_else(Device::current, Ok).or_raise()?, target.is_some());
    if let Some(a) = array_of(x) {
        let moved = current && a.device() != go;
        if moved && copy == Some(false) {
            return Err(PyBufferError::new_err("the array is on another device; only a copy of it can be there"));
        }
        let made = match copy {
            _ if moved => a.to_device(go).or_raise()?,
            Some(true) => a.copy(cuprum::Order::K).or_raise()?,
            _ => a.clone(),
        };
        return wrap(py, made);
    }
    let Some(method) = x.getattr_opt(intern!(py, "__dlpack__"))? else {
        // Older libraries pass the capsule itself.
        if x.is_instance_of::<PyCapsule>() {
            return from_dlpack_capsule(x);
        }
        let message = format!("{} has no __dlpack__: it offers no memory by DLPack", x.get_type());
        return Err(PyTypeError::new_err(message));
    };
    let (kind, id): (i32, i64) = match x.getattr_opt(intern!(py, "__dlpack_device__"))? {
        Some(of) => of.call0()?.extract::<(i32, i64)>()?,
        None => (dlpack::CPU, 0),
    };
    let on_gpu = matches!(kind, dlpack::CUDA | dlpack::CUDA_MANAGED);
    let source = if on_gpu { Some(cuda_device(id)?) } else { None };
    let stream: Option<i64> = source.map(|d| match d.current_stream().handle() {
        0 => 1,
        handle => handle as i64,
    });
    let keywords = PyDict::new(py);
    if let Some(stream) = stream {
        keywords.set_item("stream", stream)?;
    }
    keywords.set_item("max_version", dlpack::VERSION)?;
    if copy.is_some() && on_gpu {
        keywords.set_item("copy", copy)?;
    }
    let capsule = match method.call((), Some(&keywords)) {
        Ok(capsule) => capsule,
        // A library before version 1.0 does not have these two parameters.
        Err(e) if e.is_instance_of::<PyTypeError>(py) => {
            keywords.del_item("max_version")?;
            if keywords.contains("copy")? {
                keywords.del_item("copy")?;
            }
            method.call((), Some(&keywords))?
        }
        Err(e) => return Err(e),
    };
    let tensor = take(&capsule)?;
    // If the library already made a copy for the device, no other copy is needed.
    let again = if on_gpu && keywords.contains("copy")? { None } else { copy };
    let array = py
        .detach(|| {
            let array = go.with(|| Array::from_dlpack(tensor, again))?;
            if current { array.to_device(go) } else { Ok(array) }
        })
        .map_err(rejected)?;
    if current && copy == Some(false) && source.is_some_and(|s| s != go) {
        return Err(PyBufferError::new_err("the array is on another device; only a copy of it can be there"));
    }
    wrap(py, array)
}

/// Imports an array from a DLPack capsule.
#[pyfunction]
#[pyo3(signature = (dltensor), name = "fromDlpack")]
pub(crate) fn from_dlpack_capsule<'py>(dltensor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
    let (py, tensor) = (dltensor.py(), take(dltensor)?);
    let array = py.detach(|| Array::from_dlpack(tensor, None)).map_err(rejected)?;
    wrap(py, array)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(from_dlpack, module)?)?;
    module.add_function(wrap_pyfunction!(from_dlpack_capsule, module)?)
}
