//! Trace: sums along diagonals.
//!
//! The diagonal is a view, so that a trace reads one element of each row.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::{Array, DiagonalOptions};
use crate::error::Result;
use crate::reduction::Reduce;
use crate::routines::math::sum;

/// Options of [`trace`].
///
/// An integer converts to options that set the offset alone; the axes are the first two by default.
///
/// ```
/// use cuprum::{array, trace};
/// let a = array([[1, 2], [3, 4]])?;
/// assert_eq!(trace(&a, ())?.item::<i64>()?, 5);
/// assert_eq!(trace(&a, 1)?.item::<i64>()?, 2);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct TraceOptions<'a> {
    /// Offset of the diagonal from the main one: above it, or below it if negative. By default 0.
    #[from]
    pub offset: isize,
    /// The axis of rows; by default the first.
    pub axis1: isize,
    /// The axis of columns; by default the second.
    pub axis2: isize,
    /// The dtype of the sum; by default that of [`sum`].
    pub dtype: Option<DType>,
    /// The output array; by default a new one.
    pub out: Option<&'a Array>,
}

impl Default for TraceOptions<'_> {
    fn default() -> Self {
        TraceOptions { offset: 0, axis1: 0, axis2: 1, dtype: None, out: None }
    }
}

/// Sum along a diagonal of the matrices formed by two axes; NumPy's `trace`.
///
/// ```
/// use cuprum::{arange, trace};
/// let a = arange(0, 9, 1)?.reshape([3, 3])?;
/// assert_eq!(trace(&a, ())?.item::<i64>()?, 12);
/// assert_eq!(trace(&a, -1)?.item::<i64>()?, 10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Array::diagonal`] and [`sum`].
#[routine(method)]
pub fn trace(a: &Array, options: TraceOptions<'_>) -> Result<Array> {
    let mut sums = Reduce::axis(-1);
    if let Some(dtype) = options.dtype {
        sums = sums.dtype(dtype);
    }
    if let Some(out) = options.out {
        sums = sums.out(out);
    }
    let diagonal = DiagonalOptions::new().offset(options.offset).axis1(options.axis1).axis2(options.axis2);
    sum(a.diagonal(diagonal)?, sums)
}
