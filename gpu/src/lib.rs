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
//! The device is chosen by `CUPRUM_DEVICE` (`cuda:0`, `sim`); unset, it is the first CUDA device, else the simulator.
//! Functions return a [`Result`]; operators panic with the same message.

mod array;
mod creation;
pub mod cuda;
mod driver;
mod dtype;
mod element;
mod engine;
mod error;
mod format;
mod gufunc;
mod histograms;
mod index;
mod interop;
mod kernel;
mod kinds;
mod layout;
mod limits;
pub mod linalg;
mod manipulation;
mod math;
mod operators;
mod quantile;
mod reduction;
mod routines;
mod scalar;
mod scan;
pub mod scipy;
mod searching;
mod sets;
mod sorting;
mod statistics;
pub mod table;
mod taking;
mod ufunc;

pub use array::{Array, ArrayLike, IntoShape, Typed, array};
pub use creation::*;
pub use cuprum_kernels::{DType, Kind};
pub use dtype::{Casting, can_cast, common_type, promote_types, result_type};
pub use element::Element;
pub use error::{Error, ErrorKind, Result};
pub use gufunc::GeneralizedUfunc;
pub use histograms::*;
pub use index::{Ellipsis, Index, IntoSlice, NewAxis, Slice};
pub use kernel::{Argument, RawKernel, RawModule};
pub use kinds::*;
pub use layout::{MAX_NDIM, Order};
pub use limits::{FloatInfo, IntegerInfo, finfo, iinfo, min_scalar_type};
pub use manipulation::*;
pub use math::*;
pub use operators::Right;
pub use quantile::{
    MedianOptions, QuantileMethod, QuantileOptions, Quantiles, median, nanmedian, nanpercentile, nanquantile,
    percentile, quantile,
};
pub use reduction::{Reduce, Reduction, reduction};
pub use routines::*;
pub use scalar::{Operand, OperandType, Scalar};
pub use scan::*;
pub use searching::*;
pub use sets::*;
pub use sorting::*;
pub use statistics::*;
pub use taking::*;
pub use ufunc::{AccumulateOptions, FoldOptions, Ufunc, UfuncOptions, ufunc};
