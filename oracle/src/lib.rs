//! NumPy semantics on the CPU, written for clarity.
//!
//! Everything the workspace computes is compared with this crate, so it shares nothing with the tested code but the
//! list of dtypes: promotion, loops, broadcasting, layouts, rounding and errors are its own. It follows NumPy 2.4, and
//! 1.22 inside [`with_version`].
//!
//! Real and complex elementwise functions return the correctly rounded value (complex ones in each part), sums and
//! products the exact one rounded once; [`reduction_bound`] and [`matmul_bound`] bound the error of plain arithmetic.
//! Where NumPy leaves a result undefined, the element carries a [`Flag`].
//!
//! ```
//! use cuprum_kernels::DType;
//! use cuprum_oracle::{NdArray, Operand, UfuncOptions, Value, ufunc};
//!
//! let a = NdArray::from_values(DType::U8, &[2], [Value::Int(250), Value::Int(3)])?;
//! let sum = ufunc("add", &[Operand::Array(&a), Operand::Scalar(Value::Int(10))], &UfuncOptions::default())?;
//! assert_eq!(sum.dtype(), DType::U8);
//! assert_eq!(sum.values(), [Value::Int(4), Value::Int(13)]);
//! # Ok::<(), cuprum_oracle::OracleError>(())
//! ```

mod advanced;
mod angle;
mod array;
mod at;
mod big;
mod building;
mod by_value;
mod choosing;
mod clip;
mod complex;
mod complex_elementary;
mod creation;
mod decimal;
mod differences;
mod dot;
mod elementary;
mod elementwise;
mod error;
mod floating;
mod fold;
mod fourier;
mod gradient;
mod grids;
mod histogram;
mod histogram_rules;
mod index;
mod integer;
mod interpolation;
mod joining;
mod kinds;
mod layout;
mod limits;
mod linalg;
mod loops;
mod matmul;
mod packing;
mod padding;
mod places;
mod polynomials;
mod power_bounds;
mod power_series;
mod promote;
mod quantile;
mod quotient_bounds;
pub mod random;
mod ranges;
mod real;
mod reduce;
mod repeating;
mod rounding;
mod same_bytes;
mod scan;
pub mod scipy;
mod scipy_stats;
mod searching;
mod sets;
mod sorting;
mod special;
mod splitting;
mod statistics;
mod sum;
pub mod table;
mod taking;
mod text;
mod ufunc;
mod value;
mod vectors;
mod version;
mod view;
mod windows;

pub use advanced::{Part, pick, put_at};
pub use angle::angle;
pub use array::{NdArray, Operand};
pub use at::at;
pub use creation::{arange, full, ones, zeros};
pub use differences::{DiffOptions, TrapezoidOptions, diff, ediff1d, trapezoid, trapezoid_bound};
pub use elementwise::UfuncOptions;
pub use error::{ErrorKind, OracleError, Result};
pub use fold::{FoldOptions, fold_accumulate, fold_reduce, fold_reduceat, outer};
pub use gradient::{GradientOptions, gradient};
pub use histogram::{
    HistogramBins, HistogramOptions, PointOptions, bincount, bincount_bounds, histogram, histogram_bin_edges,
    histogram_bounds, histogramdd,
};
pub use index::Index;
pub use interpolation::{InterpOptions, interp};
pub use kinds::{iscomplex, isreal};
pub use layout::{Order, broadcast_shapes};
pub use limits::{common_type, finfo, iinfo, min_scalar_type};
pub use linalg::{LIMIT, Residual};
pub use loops::ufunc_names;
pub use matmul::{matmul, matmul_bound};
pub use packing::{packbits, unpackbits};
pub use polynomials::{as_series, polyder, polydiv, polyint, polymul, polyval};
pub use promote::{Casting, can_cast, promote_types, result_type};
pub use quantile::{QuantileOptions, Quantiles, median, quantile};
pub use reduce::{Gathering, REDUCTIONS, ReduceOptions, promised_depth, reduce, reduction_bound};
pub use rounding::{NanToNumOptions, nan_to_num, real_if_close, round_to};
pub use scan::{ScanOptions, accumulate_bounds, scan, scan_bound};
pub use searching::{
    argwhere, compress, digitize, extract, flatnonzero, nonzero, searchsorted, sort_order, sorting_indices,
};
pub use sets::{UniqueOptions, intersect1d, isin, setdiff1d, setxor1d, union1d, unique};
pub use sorting::{argpartition, argsort, lexsort, partition, sort, sort_complex};
pub use special::{complex_special_condition, complex_special_scale, special_condition, special_scale, special_value};
pub use statistics::{
    Bounded, CorrelateMode, CovOptions, KnownMean, STATISTICS, StatisticOptions, array_equal, array_equiv, average,
    convolve, corrcoef, correlate, cov, isclose, ptp, statistic, statistic_bound, vector_norm,
};
pub use taking::{put, put_along_axis, putmask, take, take_along_axis};
pub use text::{FloatMode, TextOptions, array_repr, array_str, array2string};
pub use ufunc::{ufunc, ufunc_all};
pub use value::{Flag, Value, cast, int_range, max_finite, round, ulp};
pub use vectors::{UnwrapOptions, cross, unwrap, unwrap_bound};
pub use version::{Change, NumpyVersion, asked, with_changes, with_version};
