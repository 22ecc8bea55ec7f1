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
//!
//! # Devices
//!
//! The device is chosen by `CUPRUM_DEVICE` (`cuda:0`, `sim`); unset, it is the first CUDA device, else the simulator.
//! [`cuda::Device::with`] makes another one current. An array belongs to a device, and functions compute where their
//! operands are. The driver and CUDA's libraries are opened at run time: a program starts without any of them, and an
//! error names what is missing and where it was searched.
//!
//! # Errors
//!
//! Functions return a [`Result`], whose [`Error`] has a kind, one for each of NumPy's exceptions, and a message that
//! begins with the name of the function and says what to do instead. Operators panic with the same message.
//!
//! Work runs asynchronously. Errors that only a kernel can find, such as an index out of bounds or a singular matrix,
//! are returned by the next call of the thread that synchronises; `CUPRUM_CHECK=now` makes each call check its own.
//!
//! # Synchronization
//!
//! Calls queue work on the current [stream](cuda::Stream) and return. Those that return elements or a number of
//! elements to the host wait for the stream; each says so under this heading.
//!
//! # Arguments
//!
//! Optional arguments of NumPy's are one argument here: `()` for the defaults, the value of the most common option, or
//! a struct of options with a method for each:
//!
//! ```
//! use cuprum::{Reduce, array, sum};
//! let a = array([[1, 2], [3, 4]])?;
//! assert_eq!(sum(&a, ())?.item::<i64>()?, 10); // np.sum(a)
//! assert_eq!(sum(&a, 0)?.to_vec::<i64>()?, [4, 6]); // np.sum(a, 0)
//! assert_eq!(sum(&a, Reduce::axis(0).keepdims(true))?.shape(), [1, 2]); // np.sum(a, axis=0, keepdims=True)
//! # Ok::<(), cuprum::Error>(())
//! ```
//!
//! Arrays are taken by value or by reference. Functions of scalars and arrays take both; a Rust number is *weak*: it
//! takes the dtype of the arrays that it meets.
//!
//! # Where to find what
//!
//! | NumPy, SciPy, CuPy | here |
//! |---|---|
//! | `numpy.*` | functions of this crate, and methods of [`Array`] |
//! | `numpy.linalg`, `numpy.fft`, `numpy.random`, `numpy.polynomial` | [`linalg`], [`fft`], [`random`], [`polynomial`] |
//! | `scipy.special`, `signal`, `ndimage`, `sparse`, `fft`, `linalg` | modules of [`scipy`] |
//! | `cupy.cuda` | [`cuda`]: devices, streams, events, graphs, memory |
//! | `cupy.RawKernel`, `ElementwiseKernel`, `ReductionKernel` | [`RawKernel`], [`ElementwiseKernel`], [`ReductionKernel`] |
//! | `cupyx.jit` | the attribute [`kernel`](macro@kernel) of Rust functions |
//! | `cupy.fuse` | [`fuse()`] |
//! | `cupyx.distributed` | [`distributed`] |
//! | `a[1:3, None]` | `a.index(s![1..3, NewAxis])` with the macro [`s!`] |
//!
//! Names that are keywords of Rust end in an underscore: [`where_`](fn@where_). Every function's page names its NumPy,
//! SciPy or CuPy function and all differences.

#[cfg(target_os = "macos")]
compile_error!(
    "cuprum does not run on macOS: NVIDIA has neither a CUDA driver for it nor NVRTC, which compiles kernels for the \
     simulator, too. Use Linux: another machine, a container or a virtual machine, of x86-64 or aarch64"
);
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
compile_error!("cuprum runs on Linux and Windows only: there is no CUDA driver and no NVRTC for other systems");

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
    FloatMode, FormatFloat, FormatFloatOptions, Formatter, Index, Indices, IntoArgument, IntoArrays, IntoAxis,
    IntoInteger, IntoOptional, IntoReal, IntoShape, Operand, Operands, PrintOptions, PrintOptionsGuard, RawParts, Sign,
    Trim, Typed, array, array_repr, array_str, array2string, format_float_positional, format_float_scientific,
    get_printoptions, printoptions, set_printoptions,
};
pub use cuda::show_config;
pub use cuprum_kernels::{DType, Kind};
#[cfg(all(fuzzing, feature = "sim"))]
#[doc(hidden)]
pub use driver::fuzzing;
pub use dtype::{Casting, promote_types, result_type};
pub use element::Element;
pub use elements::Item;
pub use engine::Engine;
pub use error::{Error, ErrorKind, Result};
pub use gufunc::{CoreAxes, GeneralizedUfunc, GufuncOptions};
pub use index::{Ellipsis, IntoSlice, NewAxis, Slice};
pub use kernel::{
    Argument, CodeKind, CompileBackend, ElementwiseKernel, ElementwiseKernelOptions, FunctionAttribute, KernelArgument,
    RawCode, RawKernel, RawModule, RawModuleOptions, ReductionKernel, ReductionKernelOptions, RustCall, RustKernel,
    Tuning, TuningOptions, TuningScope,
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
