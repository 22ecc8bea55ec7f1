//! Sums, extremes, means, variances and what is made of them.

mod average;
mod closeness;
mod correlation;
mod methods;
mod trace;

pub use average::{average, average_returned, ptp};
pub use closeness::{CloseOptions, allclose, array_equal, array_equiv, isclose};
pub use correlation::{CorrelateMode, CovOptions, convolve, corrcoef, correlate, cov};
pub use trace::{TraceOptions, trace};

use crate::array::Array;
use crate::error::Result;
use crate::reduction::{Reduce, reduction};

/// Reductions; the sentence is the registry's.
macro_rules! reductions {
    ($($name:ident: $doc:literal),+ $(,)?) => {$(
        #[doc = $doc]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`. The result is an array, also where it has no axes.")]
        ///
        /// # Errors
        ///
        /// As [`Reduction::call`](crate::Reduction::call).
        pub fn $name(a: &Array, how: impl Into<Reduce>) -> Result<Array> {
            reduction(stringify!($name))?.call(a, &how.into())
        }
    )+};
}
reductions! {
    sum: "The sum of the elements; narrow integers give 64-bit ones, float16 and bfloat16 are gathered in float32.",
    prod: "The product of the elements; narrow integers give 64-bit ones.",
    mean: "The arithmetic mean; of integers, float64; NaN of no elements.",
    var: "The variance, the mean squared deviation from the mean; real, also of complex numbers. [`Reduce::ddof`] is taken from the number of elements first.",
    std: "The standard deviation, the root of the variance.",
    max: "The largest element; the first NaN if there is one.",
    min: "The smallest element; the first NaN if there is one.",
    amax: "The largest element: `max` by another name.",
    amin: "The smallest element: `min` by another name.",
    argmax: "The index of the first largest element; of the first NaN if there is one.",
    argmin: "The index of the first smallest element; of the first NaN if there is one.",
    any: "Whether any element is non-zero.",
    all: "Whether every element is non-zero.",
    nansum: "The sum of the elements that are not NaN.",
    nanprod: "The product of the elements that are not NaN.",
    nanmean: "The arithmetic mean of the elements that are not NaN.",
    nanvar: "The variance of the elements that are not NaN; NaN where too few are left.",
    nanstd: "The standard deviation of the elements that are not NaN; NaN where too few are left.",
    nanmax: "The largest element that is not NaN; NaN where all are.",
    nanmin: "The smallest element that is not NaN; NaN where all are.",
    nanargmax: "The index of the first largest element that is not NaN. The host waits: a slice of NaN alone is an error.",
    nanargmin: "The index of the first smallest element that is not NaN. The host waits: a slice of NaN alone is an error.",
}
