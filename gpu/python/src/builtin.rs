//! Built-in functions of Python with a state: their calls, arguments and results.

use std::ffi::{CString, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use smallvec::SmallVec;

/// Positional arguments.
pub(crate) type PositionalArgs<'py> = SmallVec<[Bound<'py, PyAny>; 6]>;

/// Keyword arguments.
pub(crate) type KeywordArgs<'py> = SmallVec<[(Bound<'py, PyString>, Bound<'py, PyAny>); 4]>;

/// Reads the arguments of a fast call.
///
/// # Safety
///
/// The pointers are those that Python passes to a function with the flags `METH_FASTCALL | METH_KEYWORDS`.
pub(crate) unsafe fn read<'py>(
    py: Python<'py>,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> (PositionalArgs<'py>, KeywordArgs<'py>) {
    // SAFETY: the array holds `count` positional arguments, followed by one for each name.
    let at = |i: usize| unsafe { Bound::from_borrowed_ptr(py, *arguments.add(i)) };
    let count = count as usize;
    let positional = (0..count).map(at).collect();
    let mut keywords = KeywordArgs::new();
    if !names.is_null() {
        // SAFETY: the names are a tuple of strings.
        let names = unsafe { Bound::from_borrowed_ptr(py, names).cast_into_unchecked::<PyTuple>() };
        for (i, name) in names.iter().enumerate() {
            // SAFETY: as above.
            keywords.push((unsafe { name.cast_into_unchecked::<PyString>() }, at(count + i)));
        }
    }
    (positional, keywords)
}

/// Returns the result of a call to Python, or raises its error; a panic becomes an exception, too.
pub(crate) fn answer<'py>(py: Python<'py>, call: impl FnOnce() -> PyResult<Bound<'py, PyAny>>) -> *mut ffi::PyObject {
    let result = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        let said = payload.downcast_ref::<String>().cloned();
        let said = said.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string()));
        Err(pyo3::panic::PanicException::new_err(said.unwrap_or_else(|| "panic".into())))
    });
    match result {
        Ok(object) => object.into_ptr(),
        Err(e) => {
            e.restore(py);
            std::ptr::null_mut()
        }
    }
}

/// Returns the definition of the modules that hold functions: with room for one address.
fn definition() -> *mut ffi::PyModuleDef {
    static DEFINITION: OnceLock<usize> = OnceLock::new();
    let new = || {
        std::ptr::from_mut(Box::leak(Box::new(ffi::PyModuleDef {
            m_base: ffi::PyModuleDef_HEAD_INIT,
            m_name: c"cuprum._function".as_ptr(),
            m_doc: std::ptr::null(),
            m_size: size_of::<*const c_void>() as ffi::Py_ssize_t,
            m_methods: std::ptr::null_mut(),
            m_slots: std::ptr::null_mut(),
            m_traverse: None,
            m_clear: None,
            m_free: None,
        })))
        .expose_provenance()
    };
    std::ptr::with_exposed_provenance_mut(*DEFINITION.get_or_init(new))
}

/// Creates a method definition that lives as long as the process.
pub(crate) fn leaked(
    name: &str,
    doc: CString,
    call: ffi::PyCFunctionFastWithKeywords,
) -> PyResult<*mut ffi::PyMethodDef> {
    Ok(Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: CString::new(name)?.into_raw(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: call },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: doc.into_raw(),
    })))
}

/// Creates a built-in function with a state: its module stores the address `state`, which is never freed.
pub(crate) fn builtin<'py>(
    py: Python<'py>,
    module: &Bound<'py, PyString>,
    name: &str,
    doc: CString,
    call: ffi::PyCFunctionFastWithKeywords,
    state: *const c_void,
) -> PyResult<Bound<'py, PyAny>> {
    let method = leaked(name, doc, call)?;
    // SAFETY: the definitions live as long as the process; the module's state has room for the address that is stored.
    unsafe {
        let own = ffi::PyModule_Create2(definition(), ffi::PYTHON_ABI_VERSION as c_int);
        let own = Bound::from_owned_ptr_or_err(py, own)?;
        *ffi::PyModule_GetState(own.as_ptr()).cast::<*const c_void>() = state;
        Bound::from_owned_ptr_or_err(py, ffi::PyCFunction_NewEx(method, own.as_ptr(), module.as_ptr()))
    }
}
