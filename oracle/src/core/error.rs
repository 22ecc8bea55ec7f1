//! Errors, named after NumPy's exception classes.

use std::fmt;

/// The exception class that NumPy would raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// `ValueError`.
    Value,
    /// `TypeError`.
    Type,
    /// `IndexError`.
    Index,
    /// `AxisError` (in NumPy both a `ValueError` and an `IndexError`).
    Axis,
    /// `OverflowError`.
    Overflow,
    /// `ZeroDivisionError`.
    ZeroDivision,
    /// `LinAlgError`.
    LinAlg,
}

impl ErrorKind {
    /// Returns the name of NumPy's exception class.
    pub const fn numpy_name(self) -> &'static str {
        match self {
            ErrorKind::Value => "ValueError",
            ErrorKind::Type => "TypeError",
            ErrorKind::Index => "IndexError",
            ErrorKind::Axis => "AxisError",
            ErrorKind::Overflow => "OverflowError",
            ErrorKind::ZeroDivision => "ZeroDivisionError",
            ErrorKind::LinAlg => "LinAlgError",
        }
    }
}

/// An error of an operation that NumPy rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleError {
    /// The class of the error.
    pub kind: ErrorKind,
    /// The message.
    pub message: String,
}

impl OracleError {
    /// Creates an error of the class `kind`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> OracleError {
        OracleError { kind, message: message.into() }
    }
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.numpy_name(), self.message)
    }
}

impl std::error::Error for OracleError {}

/// The result of an operation that NumPy may reject.
pub type Result<T> = std::result::Result<T, OracleError>;

/// Returns an `Err` of the class `kind`.
pub(crate) fn fail<T>(kind: ErrorKind, message: impl Into<String>) -> Result<T> {
    Err(OracleError::new(kind, message))
}
