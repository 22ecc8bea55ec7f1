//! Methods of arrays that are functions of the table with the array as the first argument.

use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::builtin::{answer, leaked, read};
use crate::functions::Function;

/// Defines a C function for each method, because Python passes such a function only its arguments.
macro_rules! methods {
    ($($name:ident = $path:literal),+ $(,)?) => {
        const PATHS: &[(&str, &str, ffi::PyCFunctionFastWithKeywords)] =
            &[$((stringify!($name), $path, own::$name)),+];

        mod own {
            use super::*;
            $(
                pub(super) unsafe extern "C" fn $name(
                    own: *mut ffi::PyObject,
                    arguments: *const *mut ffi::PyObject,
                    count: ffi::Py_ssize_t,
                    names: *mut ffi::PyObject,
                ) -> *mut ffi::PyObject {
                    static FUNCTION: OnceLock<Function> = OnceLock::new();
                    // SAFETY: the arguments of Python are passed on.
                    unsafe { called(&FUNCTION, $path, own, arguments, count, names) }
                }
            )+
        }
    };
}

methods! {
    all = "numpy.all",
    any = "numpy.any",
    argmax = "numpy.argmax",
    argmin = "numpy.argmin",
    argpartition = "numpy.argpartition",
    argsort = "numpy.argsort",
    choose = "numpy.choose",
    cumprod = "numpy.cumprod",
    cumsum = "numpy.cumsum",
    diagonal = "numpy.diagonal",
    dot = "numpy.dot",
    max = "numpy.max",
    mean = "numpy.mean",
    min = "numpy.min",
    nonzero = "numpy.nonzero",
    prod = "numpy.prod",
    ptp = "numpy.ptp",
    put = "numpy.put",
    repeat = "numpy.repeat",
    round = "numpy.round",
    searchsorted = "numpy.searchsorted",
    squeeze = "numpy.squeeze",
    std = "numpy.std",
    sum = "numpy.sum",
    swapaxes = "numpy.swapaxes",
    take = "numpy.take",
    trace = "numpy.trace",
    var = "numpy.var",
}

/// Calls the method's function.
///
/// # Safety
///
/// The pointers are those that Python passes to a method with the flags `METH_FASTCALL | METH_KEYWORDS`.
unsafe fn called(
    function: &'static OnceLock<Function>,
    path: &str,
    own: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        answer(py, || {
            let function = match function.get() {
                Some(function) => function,
                None => {
                    let found = Function::found(py, path)?;
                    function.get_or_init(|| found)
                }
            };
            // SAFETY: Python's own object, which lives as long as the call.
            let own = unsafe { Bound::from_borrowed_ptr(py, own) };
            // SAFETY: the arguments come from Python.
            let (positional, keywords) = unsafe { read(py, arguments, count, names) };
            function.call(py, Some(&own), &positional, &keywords)
        })
    })
}

/// Adds the methods to the class.
pub(crate) fn add(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<NdArray>();
    for (name, path, call) in PATHS {
        let doc = Function::found(py, path)?.doc(name, true);
        let method = leaked(name, doc, *call)?;
        // SAFETY: the class is alive, and the definition lives as long as the process.
        let descriptor = unsafe { ffi::PyDescr_NewMethod(class.as_type_ptr(), method) };
        // SAFETY: a new object, or null where an exception is set.
        let descriptor = unsafe { Bound::from_owned_ptr_or_err(py, descriptor)? };
        class.setattr(*name, descriptor)?;
    }
    Ok(())
}
