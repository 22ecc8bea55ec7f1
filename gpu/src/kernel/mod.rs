//! User-defined kernels.
//!
//! | CuPy | here |
//! |---|---|
//! | `ElementwiseKernel`, `ReductionKernel` | [`ElementwiseKernel`](crate::ElementwiseKernel), [`ReductionKernel`](crate::ReductionKernel) |
//! | `RawKernel`, `RawModule` | [`RawKernel`](crate::RawKernel), [`RawModule`](crate::RawModule) |
//! | `cupyx.jit.rawkernel` | the attribute [`kernel`](macro@crate::kernel) of Rust functions |
//!
//! They are compiled when they are first called for a combination of dtypes, and cached as the library's own kernels
//! are.

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
pub use raw::{CodeKind, CompileBackend, FunctionAttribute, RawCode, RawKernel, RawModule, RawModuleOptions};
pub use reduction::{ReductionKernel, ReductionKernelOptions};
pub use rust::{RustCall, RustKernel};
pub use tuning::{Tuning, TuningOptions, TuningScope};
