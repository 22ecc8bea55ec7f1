//! Conversion of errors to exceptions: NumPy's classes where NumPy has one, with the library's message.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicI64, Ordering};

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
pyo3::create_exception!(cuprum.cuda.driver, CUDADriverError, PyRuntimeError, "The driver rejects.");

pyo3::create_exception!(cuprum.cupyx, DeviceSynchronized, PyRuntimeError, "A call waited where that is forbidden.");

/// Creates an exception of a NumPy class.
fn of_numpy(py: Python<'_>, module: &str, name: &str, message: String) -> PyErr {
    static CLASSES: [PyOnceLock<Py<PyType>>; 2] = [PyOnceLock::new(), PyOnceLock::new()];
    match CLASSES[usize::from(name == "AxisError")].import(py, module, name) {
        Ok(class) => PyErr::from_type(class.clone(), (message,)),
        Err(e) => e,
    }
}

/// Creates the exception for an unsupported dtype: of both classes that libraries catch.
pub(crate) fn unsupported(py: Python<'_>, message: String) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match CLASS.import(py, "cuprum.exceptions", "UnsupportedDType") {
        Ok(class) => PyErr::from_type(class.clone(), (message,)),
        Err(e) => e,
    }
}

/// Names of casting rules in Rust and in Python.
const WORDS: [(&str, &str); 5] = [
    ("Casting::No", "'no'"),
    ("Casting::Equiv", "'equiv'"),
    ("Casting::SameKind", "'same_kind'"),
    ("Casting::Safe", "'safe'"),
    ("Casting::Unsafe", "'unsafe'"),
];

/// Replaces Rust's names in a message by Python's.
pub(crate) fn in_python(message: &str) -> String {
    let mut said = message.to_string();
    if said.contains("FoldOptions::") {
        said = said.replace("FoldOptions::initial", "`initial`");
    }
    if said.contains("Casting::") {
        for (rust, python) in WORDS {
            said = said.replace(rust, python);
        }
    }
    said
}

/// Creates the exception of an error. It has CUDA's error number as `status` if there is one.
pub(crate) fn exception(e: &cuprum::Error) -> PyErr {
    let raised = of_kind(e);
    if let Some(status) = e.status() {
        Python::attach(|py| {
            // An exception class without instance attributes only keeps its message.
            let _ = raised.value(py).setattr("status", status);
        });
    }
    raised
}

fn of_kind(e: &cuprum::Error) -> PyErr {
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
        // The exception that the signal handler has raised.
        ErrorKind::Interrupted => {
            INTERRUPT.take().unwrap_or_else(|| pyo3::exceptions::PyKeyboardInterrupt::new_err(message))
        }
        ErrorKind::Io => PyOSError::new_err(message),
        ErrorKind::NotImplemented => PyNotImplementedError::new_err(message),
        _ => CUDADriverError::new_err(message),
    }
}

thread_local! {
    /// The exception of a Python function that the library calls, until the library's function returns.
    static OF_CALLBACK: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Stores the exception of a Python function that the library calls, and returns an error in its place.
pub(crate) fn stored(e: PyErr) -> cuprum::Error {
    OF_CALLBACK.set(Some(e));
    cuprum::Error::new(ErrorKind::Value, "the function raised")
}

/// Calls a function of the library that calls Python functions, and raises the exception that one of them raised.
pub(crate) fn with_callbacks<T>(f: impl FnOnce() -> cuprum::Result<T>) -> PyResult<T> {
    OF_CALLBACK.set(None);
    f().map_err(|e| OF_CALLBACK.take().unwrap_or_else(|| exception(&e)))
}

thread_local! {
    /// The exception that a signal handler has raised while a kernel ran.
    static INTERRUPT: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Returns true if the handler of a pending signal raises. Handlers run on the main thread alone. Other threads must not
/// wait for the interpreter's lock here: they hold the queues of the simulator, for which a thread with that lock may
/// wait.
fn signalled() -> bool {
    if !is_main_thread() {
        return false;
    }
    Python::try_attach(|py| match py.check_signals() {
        Ok(()) => false,
        Err(e) => {
            INTERRUPT.set(Some(e));
            true
        }
    })
    .unwrap_or(false)
}

/// Returns true on the main thread. After a fork that is the one that has forked, whose number is that of the process.
#[cfg(unix)]
fn is_main_thread() -> bool {
    // SAFETY: neither function has preconditions.
    let (thread, process) = unsafe { (libc::gettid(), libc::getpid()) };
    i64::from(thread) == MAIN_THREAD.load(Ordering::Relaxed) || thread == process
}

/// Returns true on the main thread.
#[cfg(windows)]
fn is_main_thread() -> bool {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        safe fn GetCurrentThreadId() -> u32;
    }
    i64::from(GetCurrentThreadId()) == MAIN_THREAD.load(Ordering::Relaxed)
}

/// Number of the main thread.
static MAIN_THREAD: AtomicI64 = AtomicI64::new(0);

/// Reports the errors of earlier work that no call has raised, at the end of the interpreter.
#[pyfunction]
fn report_untaken_errors(py: Python<'_>) {
    for e in py.detach(cuprum::cuda::take_untaken_errors) {
        let what = pyo3::types::PyString::new(py, "an error of earlier work that no call has raised");
        exception(&e).write_unraisable(py, Some(&what));
    }
}

/// A result whose error is raised.
pub(crate) trait OrRaise<T> {
    /// Returns the value, or the exception of the error.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for cuprum::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|e| exception(&e))
    }
}

/// Returns a `TypeError`.
pub(crate) fn type_error<T>(message: impl Into<String>) -> PyResult<T> {
    Err(PyTypeError::new_err(message.into()))
}

/// Returns a `ValueError`.
pub(crate) fn value_error<T>(message: impl Into<String>) -> PyResult<T> {
    Err(PyValueError::new_err(message.into()))
}

/// The time at which an error of a matrix (singular, not positive definite) is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinalgErrors {
    /// In the next call that synchronises.
    Later,
    /// Before the call returns.
    AtOnce,
    /// Never.
    Never,
}

thread_local! {
    static LINALG_ERRORS: Cell<LinalgErrors> = const { Cell::new(LinalgErrors::Later) };
}

/// Returns the setting of `cupyx.errstate(linalg=…)` in this thread.
pub(crate) fn linalg_errors() -> LinalgErrors {
    LINALG_ERRORS.get()
}

/// Sets when this thread raises errors of matrices: at once (`'raise'`), never (`'ignore'`), or at the next call that
/// synchronises.
#[pyfunction]
fn set_linalg_errors(way: Option<&str>) {
    LINALG_ERRORS.set(match way {
        Some("raise") => LinalgErrors::AtOnce,
        Some(_) => LinalgErrors::Never,
        None => LinalgErrors::Later,
    });
}

/// Synchronises and returns errors of this thread's kernels. During a graph capture it does nothing.
pub(crate) fn look() -> cuprum::Result<()> {
    let stream = cuprum::cuda::Device::current()?.current_stream();
    if stream.is_capturing() { Ok(()) } else { stream.synchronize() }
}

/// Synchronises and returns errors of matrices, or drops them.
pub(crate) fn look_at_matrices() -> cuprum::Result<()> {
    match look() {
        Err(e) if e.kind() == ErrorKind::LinAlg && linalg_errors() == LinalgErrors::Never => Ok(()),
        other => other,
    }
}

/// Adds the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let main = module.py().import("threading")?.call_method0("main_thread")?.getattr("native_id")?;
    MAIN_THREAD.store(main.extract()?, Ordering::Relaxed);
    cuprum::cuda::set_interrupt_check(signalled);
    module.add_function(wrap_pyfunction!(report_untaken_errors, module)?)?;
    module.add_function(wrap_pyfunction!(set_linalg_errors, module)?)
}
