//! Means and deviations.

use crate::reduction::reductions;

reductions! {
    mean: "The arithmetic mean; of integers, float64; NaN of no elements.",
    var: "The variance, the mean squared deviation from the mean; real, also of complex numbers. [`Reduce::ddof`](crate::Reduce::ddof) is taken from the number of elements first.",
    std: "The standard deviation, the root of the variance.",
    nanmean: "The arithmetic mean of the elements that are not NaN.",
    nanvar: "The variance of the elements that are not NaN; NaN where too few are left.",
    nanstd: "The standard deviation of the elements that are not NaN; NaN where too few are left.",
}
