//! Cumulative sums and products along an axis.
//!
//! Lower bound: each element read once and written once. float16 and bfloat16 accumulate in float32 and round each
//! result once.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};
use smallvec::SmallVec;

use crate::array::Array;
use crate::array::Index;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::{Layout, Strides, normalize_axis, shape_text};
use crate::scalar::Scalar;
use crate::ufunc::{AccumulateOptions, ufunc};

/// Options of scans. `()` flattens the array in C order; an integer is the axis.
///
/// The results have the shape of the operand, or one axis where it is flattened, and one element more along the axis
/// with `include_initial`.
///
/// ```
/// use cuprum::{DType, ScanOptions, arange, cumsum};
/// let a = arange(0, 6, 1)?.reshape([2, 3])?;
/// assert_eq!(cumsum(&a, ())?.to_vec::<i64>()?, [0, 1, 3, 6, 10, 15]);
/// assert_eq!(cumsum(&a, -1)?.to_vec::<i64>()?, [0, 1, 3, 3, 7, 12]);
/// let options = ScanOptions::new().axis(0).dtype(DType::F16);
/// assert_eq!(cumsum(&a, options)?.dtype(), DType::F16);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct ScanOptions<'a> {
    /// The axis; by default the array is flattened in C order.
    #[from]
    pub axis: Option<isize>,
    /// The dtype of the accumulation, and of a new result.
    pub dtype: Option<DType>,
    /// The output array, of the results' shape and any dtype and layout; by default a new one. It may share memory with
    /// the operand.
    pub out: Option<&'a Array>,
    /// If true, the identity comes first: the result is longer by one along the axis. By default `false`.
    pub include_initial: bool,
}

/// Defines scans: the name of the ufunc, whether NaN counts as its identity, whether an array of several axes requires
/// an axis.
macro_rules! scans {
    ($($(#[$routine:meta])* $name:ident: $ufunc:literal, $skip_nan:literal, $strict:literal, $doc:literal;)+) => {$(
        #[doc = $doc]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`. Booleans and small integers give 64-bit integers, which wrap; ")]
        /// float16 and bfloat16 are accumulated in float32 and rounded once, where NumPy rounds at every step. The
        /// order in which floats are combined depends on shapes and strides alone: the result is bitwise reproducible.
        /// A NaN or an overflow affects the results from its position on, not before.
        ///
        /// The result has the shape of `a`, or one axis where `a` is flattened; its dtype is that of `a` unless the
        /// options name another. See [`ScanOptions`] for an example.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Type`] for a dtype without such a loop,
        /// [`ErrorKind::Value`] for an `out` of another shape.
        $(#[$routine])*
        pub fn $name(a: &Array, options: ScanOptions<'_>) -> Result<Array> {
            scanned($ufunc, a, &options, $skip_nan, $strict)
        }
    )+};
}

scans! {
    #[routine(method, keywords = "a axis dtype out")]
    cumsum: "add", false, false, "Cumulative sum: the sums of the elements up to each.";
    #[routine(method, keywords = "a axis dtype out")]
    cumprod: "multiply", false, false, "Cumulative product: the products of the elements up to each.";
    #[routine(method, keywords = "a axis dtype out")]
    nancumsum: "add", true, false, "Cumulative sum that ignores NaN: the sums of the elements up to each, a NaN counting as 0.";
    #[routine(method, keywords = "a axis dtype out")]
    nancumprod: "multiply", true, false, "Cumulative product that ignores NaN: the products of the elements up to each, a NaN counting as 1.";
    #[routine(method, names = "x", python(positional_only = 1, keyword_only = 4))]
    cumulative_sum: "add", false, true,
        "Cumulative sum of the array API: as `cumsum`, along an axis that must be named if there are several.";
    #[routine(method, names = "x", python(positional_only = 1, keyword_only = 4))]
    cumulative_prod: "multiply", false, true,
        "Cumulative product of the array API: as `cumprod`, along an axis that must be named if there are several.";
}

fn scanned(name: &str, a: &Array, scan_options: &ScanOptions<'_>, skip_nan: bool, strict: bool) -> Result<Array> {
    let function = ufunc(name)?;
    if strict && scan_options.axis.is_none() && a.ndim() > 1 {
        return Err(Error::new(ErrorKind::Value, "an axis is needed: the array has several"));
    }
    // Without an axis, and for a 0-d array, the array is flattened.
    let (a, axis) = match scan_options.axis {
        Some(axis) if a.ndim() > 0 => (a.clone(), normalize_axis(axis, a.ndim())?),
        axis => (a.in_one_axis()?, normalize_axis(axis.unwrap_or(0), 1)?),
    };
    let options = |out| AccumulateOptions { dtype: scan_options.dtype, out };
    if !scan_options.include_initial {
        return function.accumulated(&a, axis, &options(scan_options.out), skip_nan);
    }
    let identity = function.0.record().identity.and_then(|literal| literal.parse().ok());
    let start = identity
        .ok_or_else(|| Error::new(ErrorKind::NotImplemented, format!("{name} has no identity to begin with")))?;
    if let Some(out) = scan_options.out {
        if out.ndim() != a.ndim() {
            let (has, of) = (shape_text(out.shape()), shape_text(a.shape()));
            return Err(Error::new(ErrorKind::Value, format!("out has the shape {has}, the operand {of}")));
        }
        out.check_writable()?;
        function.accumulated(&a, axis, &options(Some(&part(out, axis, 1..)?)), skip_nan)?;
        part(out, axis, ..1)?.fill(Scalar::Int(start))?;
        return Ok(out.clone());
    }
    let dtype = function.fold_dtype(a.dtype(), None, scan_options.dtype)?;
    let mut shape: SmallVec<[usize; 6]> = a.shape().into();
    shape[axis] += 1;
    let strides: Strides = Layout::like(a.shape(), dtype.size(), &[a.strides()]).strides;
    let out = Array::of_layout(a.device(), Layout::like(&shape, dtype.size(), &[&strides]), dtype)?;
    scanned(name, &a, &ScanOptions { axis: Some(axis as isize), out: Some(&out), ..*scan_options }, skip_nan, strict)
}

/// Returns a slice of an array along one axis.
pub(crate) fn part(a: &Array, axis: usize, range: impl std::ops::RangeBounds<i64>) -> Result<Array> {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    let start = match range.start_bound() {
        Included(i) => Some(*i),
        Excluded(i) => Some(i + 1),
        Unbounded => None,
    };
    let stop = match range.end_bound() {
        Included(i) => Some(i + 1),
        Excluded(i) => Some(*i),
        Unbounded => None,
    };
    let mut index = vec![Index::Slice(Slice::default()); axis];
    index.push(Index::Slice(Slice { start, stop, step: None }));
    a.index(index)
}
