//! The error type of the library.

use std::fmt;
use std::sync::Arc;

/// A [`Result`](std::result::Result) whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Kind of an [`Error`]; each corresponds to one exception of NumPy or CuPy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value or a shape that the function does not accept: `ValueError`.
    Value,
    /// A dtype or a cast that does not exist: `TypeError`.
    Type,
    /// An index out of bounds or of a wrong kind: `IndexError`.
    Index,
    /// An axis that the array does not have: `AxisError`.
    Axis,
    /// A number that the dtype cannot hold: `OverflowError`.
    Overflow,
    /// A step or a divisor of zero: `ZeroDivisionError`.
    ZeroDivision,
    /// A matrix for which the problem has no solution: `LinAlgError`.
    LinAlg,
    /// Device memory is full, or the pool's limit reached: `OutOfMemoryError`.
    OutOfMemory,
    /// A kernel does not compile: `CompileException`.
    Compile,
    /// The driver returned an error: `CUDADriverError`.
    Driver,
    /// A call would synchronise with the device where that is forbidden: `DeviceSynchronized`.
    DeviceSynchronized,
    /// A library is missing: `ImportError`.
    Library,
    /// The simulator found a fault in a kernel.
    Fault,
    /// The user has interrupted a kernel on the simulator: `KeyboardInterrupt`.
    Interrupted,
    /// A file cannot be read or written, or is damaged: `OSError`.
    Io,
    /// The operation is not implemented: `NotImplementedError`.
    NotImplemented,
}

impl ErrorKind {
    /// Returns the name of the exception that NumPy or CuPy raises for this kind.
    pub fn exception(self) -> &'static str {
        match self {
            ErrorKind::Value => "ValueError",
            ErrorKind::Type => "TypeError",
            ErrorKind::Index => "IndexError",
            ErrorKind::Axis => "AxisError",
            ErrorKind::Overflow => "OverflowError",
            ErrorKind::ZeroDivision => "ZeroDivisionError",
            ErrorKind::LinAlg => "LinAlgError",
            ErrorKind::OutOfMemory => "OutOfMemoryError",
            ErrorKind::Compile => "CompileException",
            ErrorKind::Driver => "CUDADriverError",
            ErrorKind::DeviceSynchronized => "DeviceSynchronized",
            ErrorKind::Library => "ImportError",
            ErrorKind::Fault => "CUDADriverError",
            ErrorKind::Interrupted => "KeyboardInterrupt",
            ErrorKind::Io => "OSError",
            ErrorKind::NotImplemented => "NotImplementedError",
        }
    }
}

/// An error of any function of the library: a kind, and a message that names the function, the shapes and the dtypes.
///
/// One word in size; cloning is cheap.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    /// Offset of the text after the name of the function; 0 if the message does not begin with one.
    text: usize,
    /// True if the function's name is final, and an outer call does not replace it.
    final_name: bool,
    /// True if the error is of earlier work, and not of the call that returns it.
    late: bool,
    /// CUDA's status code of the failure, if there is one.
    status: Option<i32>,
}

impl Default for Inner {
    fn default() -> Inner {
        Inner { kind: ErrorKind::Value, message: String::new(), text: 0, final_name: false, late: false, status: None }
    }
}

impl Error {
    /// Returns an error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Arc::new(Inner { kind, message: message.into(), ..Inner::default() }))
    }

    /// Returns an error of an earlier call, which keeps the name of its function.
    #[doc(hidden)]
    pub fn of_call(kind: ErrorKind, op: &str, what: &str) -> Error {
        let (message, text) = (format!("{op}: {what}"), op.len() + 2);
        Error(Arc::new(Inner { kind, message, text, final_name: true, ..Inner::default() }))
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the same error with the name of the function prefixed. It replaces an earlier name: users called the
    /// outermost function, and know no other.
    pub fn with_op(self, op: &str) -> Error {
        if self.0.final_name {
            return self;
        }
        let message = format!("{op}: {}", &self.0.message[self.0.text..]);
        Error(Arc::new(Inner { message, text: op.len() + 2, ..(*self.0).clone() }))
    }

    /// Marks the error as one of earlier work: reporting it does not consume it.
    #[doc(hidden)]
    pub fn late(self) -> Error {
        Error(Arc::new(Inner { late: true, ..(*self.0).clone() }))
    }

    #[doc(hidden)]
    pub fn is_late(&self) -> bool {
        self.0.late
    }

    /// Returns the error with CUDA's status code.
    #[doc(hidden)]
    pub fn with_status(self, status: i32) -> Error {
        Error(Arc::new(Inner { status: Some(status), ..(*self.0).clone() }))
    }

    /// Returns CUDA's status code (`CUresult`, for most also `cudaError_t`) if the driver has failed, or if the library
    /// has rejected what the driver would reject: 900 (`CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`) for a captured stream
    /// that is synchronised.
    pub fn status(&self) -> Option<i32> {
        self.0.status
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({})", self.0.kind, self.0.message)
    }
}

impl std::error::Error for Error {}

/// Compares kinds and messages.
impl PartialEq for Error {
    fn eq(&self, other: &Error) -> bool {
        self.0.kind == other.0.kind && self.0.message == other.0.message
    }
}

impl Eq for Error {}
