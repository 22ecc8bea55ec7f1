//! The error type.

pub use cuprum_kernels::{Error, ErrorKind, Result};
