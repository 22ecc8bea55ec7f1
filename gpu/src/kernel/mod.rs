//! Kernels that the user writes.

mod raw;

pub use crate::engine::launch::Argument;
pub use raw::{FunctionAttribute, RawKernel, RawModule};
