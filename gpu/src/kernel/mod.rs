//! Kernels that the user writes.

mod raw;

pub use raw::{Argument, RawKernel, RawModule};
