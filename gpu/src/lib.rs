//! NumPy-compatible n-dimensional arrays on NVIDIA GPUs, with an embedded simulator where there is none.
//!
//! ```
//! use cuprum::{Array, DType, arange, s, sum};
//!
//! let a = arange(0, 12, 1)?.reshape([3, 4])?.astype(DType::F32)?;
//! let b = &a * 2.0 + a.index(s![0])?;
//! assert_eq!(sum(&b, 0)?.to_vec::<f32>()?, [24.0, 33.0, 42.0, 51.0]);
//! # Ok::<(), cuprum::Error>(())
//! ```
//! The device is chosen by `CUPRUM_DEVICE` (`cuda:0`, `sim`); by default it is the first CUDA device, or otherwise the
//! simulator.
//! The device is chosen by `CUPRUM_DEVICE` (`cuda:0`, `sim`); unset, it is the first CUDA device, else the simulator.
//! Functions return a [`Result`]; operators panic with the same message.

#[cfg(not(target_os = "linux"))]
compile_error!("cuprum runs on Linux only; under Windows, in WSL 2");

mod array;
pub mod cuda;
pub mod distributed;
mod driver;
mod dtype;
mod element;
mod elements;
mod engine;
mod error;
pub mod fft;
mod gufunc;
mod index;
mod kernel;
mod layout;
pub mod linalg;
pub mod polynomial;
pub mod prelude;
pub mod random;
mod reduction;
mod routines;
mod scalar;
mod scan;
pub mod scipy;
pub mod table;
mod ufunc;

/// DLPack exchange of arrays with other libraries.
pub mod dlpack {
    pub use crate::array::dlpack::{
        CPU, CUDA, CUDA_HOST, CUDA_MANAGED, DlDataType, DlDevice, DlTensor, ExportOptions, ManagedTensor,
        ManagedTensorVersioned, Tensor, VERSION,
    };
}

pub use cuprum_macros::{kernel, kernel_fn};
/// The crate of `float16` and `bfloat16`.
pub use half;
/// The crate of complex numbers.
pub use num_complex;

pub use array::{
    Array, Array2stringOptions, ArrayLike, AsArray, AsIndex, AsOperand, AsOptionalOperand, Axes, Axis, DiagonalOptions,
    FloatMode, FormatFloat, FormatFloatOptions, Formatter, Index, Indices, IntoArgument, IntoAxis, IntoInteger,
    IntoOptional, IntoReal, IntoShape, Operand, Operands, PrintOptions, PrintOptionsGuard, RawParts, Sign, Trim, Typed,
    array, array_repr, array_str, array2string, format_float_positional, format_float_scientific, get_printoptions,
    printoptions, set_printoptions,
};
pub use cuda::show_config;
pub use cuprum_kernels::{DType, Kind};
pub use dtype::{Casting, promote_types, result_type};
pub use element::Element;
pub use elements::Item;
pub use engine::Engine;
pub use error::{Error, ErrorKind, Result};
pub use gufunc::{CoreAxes, GeneralizedUfunc, GufuncOptions};
pub use index::{Ellipsis, IntoSlice, NewAxis, Slice};
pub use kernel::{
    Argument, CodeKind, ElementwiseKernel, ElementwiseKernelOptions, FunctionAttribute, KernelArgument, RawCode,
    RawKernel, RawModule, RawModuleOptions, ReductionKernel, ReductionKernelOptions, RustCall, RustKernel, Tuning,
    TuningOptions, TuningScope,
};
pub use layout::{MAX_NDIM, Order};
pub use linalg::{Covariance, Polyfit, PolyfitOptions, polyfit, roots};
pub use reduction::{Reduce, Reduction, reduction};
pub use routines::bits::*;
pub use routines::creation::*;
pub use routines::dtypes::*;
pub use routines::functional::*;
pub use routines::indexing::*;
pub use routines::io::*;
pub use routines::linalg::*;
pub use routines::logic::*;
pub use routines::manipulation::*;
pub use routines::math::*;
pub use routines::polynomials::*;
pub use routines::searching::*;
pub use routines::sets::*;
pub use routines::sorting::*;
pub use routines::statistics::*;
pub use scalar::{OperandType, Scalar};
pub use scan::*;
pub use ufunc::{
    AccumulateOptions, FoldOptions, FuseOptions, FuseScope, FuseStats, Ufunc, UfuncOptions, fuse, fuse_stats,
    fuse_with, ufunc,
};
