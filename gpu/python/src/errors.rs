//! Errors become exceptions: NumPy's classes where NumPy has one, with the library's message.

use cuprum::ErrorKind;
use pyo3::exceptions::{
    PyException, PyImportError, PyIndexError, PyMemoryError, PyNotImplementedError, PyOSError, PyOverflowError,
    PyRuntimeError, PyTypeError, PyValueError, PyZeroDivisionError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

pyo3::create_exception!(cuprum.cuda.memory, OutOfMemoryError, PyMemoryError, "Device memory is full.");
pyo3::create_exception!(cuprum.cuda.compiler, CompileException, PyException, "A kernel does not compile.");
pyo3::create_exception!(cuprum.cuda.driver, CUDADriverError, PyRuntimeError, "The driver refuses.");

pyo3::create_exception!(cuprum.cupyx, DeviceSynchronized, PyRuntimeError, "A call waited where that is forbidden.");

/// A class of NumPy's.
fn of_numpy(py: Python<'_>, module: &str, name: &str, message: String) -> PyErr {
    static CLASSES: [PyOnceLock<Py<PyType>>; 2] = [PyOnceLock::new(), PyOnceLock::new()];
    match CLASSES[usize::from(name == "AxisError")].import(py, module, name) {
        Ok(class) => PyErr::from_type(class.clone(), (message,)),
        Err(e) => e,
    }
}

/// What Rust calls a rule of casts, and what Python does.
const WORDS: [(&str, &str); 5] = [
    ("Casting::No", "'no'"),
    ("Casting::Equiv", "'equiv'"),
    ("Casting::SameKind", "'same_kind'"),
    ("Casting::Safe", "'safe'"),
    ("Casting::Unsafe", "'unsafe'"),
];

/// The message in Python's words.
fn in_python(message: &str) -> String {
    let mut said = message.to_string();
    if said.contains("Casting::") {
        for (rust, python) in WORDS {
            said = said.replace(rust, python);
        }
    }
    said
}

/// The exception of an error.
pub(crate) fn exception(e: &cuprum::Error) -> PyErr {
    let message = in_python(e.message());
    match e.kind() {
        ErrorKind::Value => PyValueError::new_err(message),
        ErrorKind::Type => PyTypeError::new_err(message),
        ErrorKind::Index => PyIndexError::new_err(message),
        ErrorKind::Axis => Python::attach(|py| of_numpy(py, "numpy.exceptions", "AxisError", message)),
        ErrorKind::Overflow => PyOverflowError::new_err(message),
        ErrorKind::ZeroDivision => PyZeroDivisionError::new_err(message),
        ErrorKind::LinAlg => Python::attach(|py| of_numpy(py, "numpy.linalg", "LinAlgError", message)),
        ErrorKind::OutOfMemory => OutOfMemoryError::new_err(message),
        ErrorKind::Compile => CompileException::new_err(message),
        ErrorKind::Library => PyImportError::new_err(message),
        ErrorKind::DeviceSynchronized => DeviceSynchronized::new_err(message),
        ErrorKind::Io => PyOSError::new_err(message),
        ErrorKind::NotImplemented => PyNotImplementedError::new_err(message),
        _ => CUDADriverError::new_err(message),
    }
}

/// A result whose error is raised.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception of the error.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for cuprum::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|e| exception(&e))
    }
}

/// A `TypeError`.
pub(crate) fn type_error<T>(message: impl Into<String>) -> PyResult<T> {
    Err(PyTypeError::new_err(message.into()))
}

/// A `ValueError`.
pub(crate) fn value_error<T>(message: impl Into<String>) -> PyResult<T> {
    Err(PyValueError::new_err(message.into()))
}
