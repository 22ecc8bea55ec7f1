//! Mean, variance and standard deviation.

use crate::reduction::reductions;

reductions! {
    mean,
    var,
    std,
    nanmean,
    nanvar,
    nanstd,
}
