//! Arrays of structured dtypes, datetime64 and timedelta64.
//!
//! No kernel supports such a dtype: the device stores the bytes of the elements, and NumPy's dtype object describes
//! them. The class and its functions are Python (`cuprum._nonnumeric`); this file has their base class, views of memory
//! by address, and the one hook by which functions of the package reach them: a call that fails with a `TypeError` is
//! passed to `cuprum._nonnumeric.instead`. A call that succeeds has no overhead.

use std::ffi::{CString, c_int, c_void};

use cuprum::Array;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::array::NdArray;
use crate::builtin::{answer, builtin, read};
use crate::dtypes;
use crate::errors::{OrRaise, unsupported};
use crate::memory::Flags;

/// The base class of arrays of non-numeric dtypes. As an `ndarray` it has the bytes of each element along a last axis.
#[pyclass(name = "NonNumeric", module = "cuprum._cuprum", extends = NdArray, subclass, frozen)]
pub(crate) struct NonNumeric;

#[pymethods]
impl NonNumeric {
    /// Creates an array of these bytes; if it owns them its base is `None`.
    #[new]
    fn new(bytes: &Bound<'_, NdArray>, base: Option<Py<NdArray>>) -> PyResult<PyClassInitializer<NonNumeric>> {
        reject(bytes.as_any())?;
        let array = NdArray::of_bytes(bytes.get().array().clone(), base);
        Ok(PyClassInitializer::from(array).add_subclass(NonNumeric))
    }

    /// Returns the flags of an array with such strides.
    #[pyo3(name = "_flags")]
    fn flags_of(slf: &Bound<'_, Self>, c_contiguous: bool, f_contiguous: bool) -> Flags {
        let own = slf.as_super().get();
        Flags { c_contiguous, f_contiguous, owndata: own.base().is_none(), writeable: !own.array().is_read_only() }
    }
}

/// Returns the elements of an array, or the bytes of one whose dtype is not numeric.
pub(crate) fn memory_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Array> {
    object.cast::<NdArray>().ok().map(|a| a.get().array())
}

/// Rejects an array whose dtype is not numeric.
pub(crate) fn reject(object: &Bound<'_, PyAny>) -> PyResult<()> {
    match object.cast::<NdArray>() {
        Ok(a) if a.get().is_nonnumeric() => {
            let dtype = object.getattr(intern!(object.py(), "dtype"))?;
            Err(unsupported(object.py(), format!("Unsupported dtype {dtype}")))
        }
        _ => Ok(()),
    }
}

/// Adds the name of the function and a remedy for arrays of structured dtypes or dates to a dtype error.
pub(crate) fn with_cure(py: Python<'_>, e: PyErr, function: &str, cure: &str) -> PyErr {
    if !e.is_instance_of::<PyTypeError>(py) {
        return e;
    }
    unsupported(py, format!("{function}: {}; for an array of a structured dtype or of dates, {cure}", e.value(py)))
}

/// Returns a view of the memory of an array, starting at an address. The result's base is that array, or its base.
#[pyfunction]
fn view_of_memory<'py>(
    of: &Bound<'py, NdArray>,
    address: u64,
    dtype: &Bound<'py, PyAny>,
    shape: Vec<usize>,
    strides: Vec<i64>,
) -> PyResult<Bound<'py, NdArray>> {
    let (py, a) = (of.py(), of.get().array());
    let (start, _) = a.allocation();
    // An array without elements has no unique address.
    let offset = if shape.contains(&0) { 0 } else { address.wrapping_sub(start) as usize };
    let view = a.part_of_memory(offset, dtypes::of(dtype)?, &shape, Some(&strides)).or_raise()?;
    let base = of.get().base().map_or_else(|| of.clone().unbind(), |base| base.clone_ref(py));
    Bound::new(py, NdArray::new(view, Some(base)))
}

/// The arguments of a call in the form of Python's own call.
type Call<'py> = (Bound<'py, PyTuple>, Bound<'py, PyDict>);

/// Collects arguments for a call.
pub(crate) fn collect<'a, 'py: 'a>(
    py: Python<'py>,
    positional: impl Iterator<Item = &'a Bound<'py, PyAny>>,
    keywords: &[(Bound<'py, PyString>, Bound<'py, PyAny>)],
) -> PyResult<Call<'py>> {
    let named = PyDict::new(py);
    for (name, value) in keywords {
        named.set_item(name, value)?;
    }
    Ok((PyTuple::new(py, positional.collect::<Vec<_>>())?, named))
}

/// Returns the result of a call; if it failed with a `TypeError` because of a non-numeric dtype, the result of
/// `cuprum._nonnumeric` instead. `path` is the function's path in the call table.
pub(crate) fn instead<'py>(
    py: Python<'py>,
    result: PyResult<Bound<'py, PyAny>>,
    path: impl FnOnce() -> String,
    call: impl FnOnce() -> PyResult<Call<'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    let error = match result {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => error,
        other => return other,
    };
    let (positional, keywords) = call()?;
    let module = py.import(intern!(py, "cuprum._nonnumeric"))?;
    let result = module.call_method1(intern!(py, "instead"), (path(), positional, keywords))?;
    if result.is(py.NotImplemented()) { Err(error) } else { Ok(result) }
}

/// Returns the result of a method of an array with a dtype argument, `view` and `astype`, like [`instead`].
pub(crate) fn method_instead<'py>(
    of: &Bound<'py, NdArray>,
    name: &str,
    dtype: &Bound<'py, PyAny>,
    error: PyErr,
) -> PyResult<Bound<'py, NdArray>> {
    let module = of.py().import(intern!(of.py(), "cuprum._nonnumeric"))?;
    let result = module.call_method1(name, (of, dtype))?;
    if result.is(of.py().NotImplemented()) { Err(error) } else { Ok(result.cast_into::<NdArray>()?) }
}

/// A Rust function that is not in the call table, with its Python replacement.
struct Own {
    path: String,
    function: Py<PyAny>,
    call: ffi::PyCFunctionFastWithKeywords,
}

/// Calls a Rust function, and passes a failure to [`instead`].
unsafe extern "C" fn called(
    own: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: `own` is the module that `builtin` created, whose state is the address of an `Own` that is never freed.
    let inner = unsafe { &**ffi::PyModule_GetState(own).cast::<*const Own>() };
    // SAFETY: the function is alive, and Python's own arguments are passed on unchanged.
    let result = unsafe { (inner.call)(ffi::PyCFunction_GetSelf(inner.function.as_ptr()), arguments, count, names) };
    if !result.is_null() {
        return result;
    }
    Python::attach(|py| {
        answer(py, || {
            let error = PyErr::fetch(py);
            // SAFETY: as above.
            let (positional, keywords) = unsafe { read(py, arguments, count, names) };
            instead(py, Err(error), || inner.path.clone(), || collect(py, positional.iter(), &keywords))
        })
    })
}

/// Wraps a Rust function so that its failures are passed to [`instead`]; name, signature and documentation are kept.
pub(crate) fn guarded<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let expected = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;
    // SAFETY: the object is alive; if it is no built-in function the result is -1, with an error.
    let flags = unsafe { ffi::PyCFunction_GetFlags(function.as_ptr()) };
    if flags == -1 {
        return Err(PyErr::fetch(py));
    }
    if flags as c_int != expected {
        function.setattr("__module__", "cuprum")?;
        return Ok(function.clone());
    }
    // SAFETY: a function with these flags has this signature.
    let call = unsafe {
        let Some(call) = ffi::PyCFunction_GetFunction(function.as_ptr()) else { return Err(PyErr::fetch(py)) };
        std::mem::transmute::<ffi::PyCFunction, ffi::PyCFunctionFastWithKeywords>(call)
    };
    let text = |name: &str| -> PyResult<String> {
        let value = function.getattr(name)?;
        Ok(if value.is_none() { String::new() } else { value.extract()? })
    };
    let name = text("__name__")?;
    let doc = format!("{name}{}\n--\n\n{}", text("__text_signature__")?, text("__doc__")?);
    let own: &'static Own =
        Box::leak(Box::new(Own { path: format!("numpy.{name}"), function: function.clone().unbind(), call }));
    let state = std::ptr::from_ref(own).cast::<c_void>();
    builtin(py, &PyString::new(py, "cuprum"), &name, CString::new(doc.replace('\0', ""))?, called, state)
}

/// Adds the class and the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NonNumeric>()?;
    module.add_function(wrap_pyfunction!(view_of_memory, module)?)
}
