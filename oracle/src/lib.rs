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

mod core;
mod exact;
mod numpy;
pub mod scipy;
pub mod table;
mod ufunc;

pub use crate::core::advanced_index::{Part, pick, put_at};
pub use crate::core::array::{NdArray, Operand};
pub use crate::core::error::{ErrorKind, OracleError, Result};
pub use crate::core::index::Index;
pub use crate::core::layout::{Order, broadcast_shapes};
pub use crate::core::promote::{Casting, can_cast, promote_types, result_type};
pub use crate::core::text::{FloatMode, TextOptions, array_repr, array_str, array2string};
pub use crate::core::value::{Flag, Value, cast, int_range, max_finite, round, ulp};
pub use crate::core::version::{Change, NumpyVersion, trace_changes, with_changes, with_version};
pub use crate::numpy::bits::{packbits, unpackbits};
pub use crate::numpy::creation::basic::{arange, full, ones, zeros};
pub use crate::numpy::dtypes::limits::{common_type, finfo, iinfo, min_scalar_type};
pub use crate::numpy::indexing::take::{put, put_along_axis, putmask, take, take_along_axis};
pub use crate::numpy::linalg::matmul::{matmul, matmul_bound};
pub use crate::numpy::linalg::{LIMIT, Residual, hermitian_eigenvalues};
pub use crate::numpy::logic::types::{iscomplex, isreal};
pub use crate::numpy::math::angle::angle;
pub use crate::numpy::math::cross::{UnwrapOptions, cross, unwrap, unwrap_bound};
pub use crate::numpy::math::difference::{DiffOptions, TrapezoidOptions, diff, ediff1d, trapezoid, trapezoid_bound};
pub use crate::numpy::math::gradient::{GradientOptions, gradient};
pub use crate::numpy::math::interp::{InterpOptions, interp};
pub use crate::numpy::math::rounding::{NanToNumOptions, nan_to_num, real_if_close, round_to};
pub use crate::numpy::polynomials::arithmetic::{as_series, polyder, polydiv, polyint, polymul, polyval};
pub use crate::numpy::random;
pub use crate::numpy::searching::{
    argwhere, compress, digitize, extract, flatnonzero, nonzero, searchsorted, sort_order, sorting_indices,
};
pub use crate::numpy::sets::{UniqueOptions, intersect1d, isin, setdiff1d, setxor1d, union1d, unique};
pub use crate::numpy::sorting::{argpartition, argsort, lexsort, partition, sort, sort_complex};
pub use crate::numpy::statistics::histogram::{
    HistogramBins, HistogramOptions, PointOptions, bincount, bincount_bounds, histogram, histogram_bin_edges,
    histogram_bounds, histogramdd,
};
pub use crate::numpy::statistics::quantile::{QuantileOptions, Quantiles, median, quantile};
pub use crate::numpy::statistics::{
    Bounded, CorrelateMode, CovOptions, KnownMean, STATISTICS, StatisticOptions, array_equal, array_equiv, average,
    convolve, corrcoef, correlate, cov, isclose, ptp, statistic, statistic_bound, vector_norm,
};
pub use crate::scipy::special::{
    complex_special_condition, complex_special_scale, special_condition, special_scale, special_value,
};
pub use crate::ufunc::at::at;
pub use crate::ufunc::elementwise::UfuncOptions;
pub use crate::ufunc::loops::ufunc_names;
pub use crate::ufunc::methods::{FoldOptions, fold_accumulate, fold_reduce, fold_reduceat, outer};
pub use crate::ufunc::reduce::{Gathering, REDUCTIONS, ReduceOptions, promised_depth, reduce, reduction_bound};
pub use crate::ufunc::scan::{ScanOptions, accumulate_bounds, scan, scan_bound};
pub use crate::ufunc::{ufunc, ufunc_all};
