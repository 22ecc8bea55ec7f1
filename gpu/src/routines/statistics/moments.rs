//! Means and deviations.

use crate::reduction::reductions;

reductions! {
    mean,
    var,
    std,
    nanmean,
    nanvar,
    nanstd,
}
