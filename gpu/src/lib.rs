//! NumPy-compatible n-dimensional arrays on NVIDIA GPUs, with an embedded simulator where there is none.

pub mod cuda;
mod driver;
mod error;

pub use cuprum_kernels::DType;
pub use error::{Error, ErrorKind, Result};
