//! Mean, variance and standard deviation.
//!
//! Mean and variance are one pass over the elements each: partial counts, means and sums of squared deviations are
//! combined by the formula of Chan, Golub and LeVeque, which does not cancel for a mean far from 0.

use crate::reduction::reductions;

reductions! {
    mean,
    var,
    std,
    nanmean,
    nanvar,
    nanstd,
}
