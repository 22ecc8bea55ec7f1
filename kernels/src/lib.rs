//! Device code of Cuprum: dtypes, the operation registry, CUDA C++ headers and the assembly of kernel source.
//!
//! Nothing here touches a device: every function is pure.

#[macro_use]
mod header;
pub mod distributions;
mod dtype;
mod error;
pub mod hip;
pub mod params;
pub mod registry;
pub mod source;

pub use dtype::{DType, Kind};
pub use error::{Error, ErrorKind, Result};
