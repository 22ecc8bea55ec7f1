//! User-defined kernels.

mod elementwise;
mod headers;
mod looped;
mod parameters;
mod raw;
mod reduction;
mod rust;
mod tuning;

pub use crate::engine::launch::Argument;
pub use elementwise::{ElementwiseKernel, ElementwiseKernelOptions};
pub(crate) use headers::whole;
pub use parameters::KernelArgument;
pub use raw::{CodeKind, FunctionAttribute, RawCode, RawKernel, RawModule, RawModuleOptions};
pub use reduction::{ReductionKernel, ReductionKernelOptions};
pub use rust::{RustCall, RustKernel};
pub use tuning::{Tuning, TuningOptions, TuningScope};
