//! Statistics: extremes, means, variances, quantiles, covariance, correlation, histograms and counts.
//!
//! Integers are computed in float64, float16 and bfloat16 are gathered in float32. Every result is bitwise
//! reproducible, also where weights of floats are added, as in histograms.

mod average;
mod bin_candidates;
mod bin_edges;
mod bin_estimators;
mod bincount;
mod correlation;
mod extremes;
mod histogram;
#[cfg(test)]
mod histogram_tests;
mod histogramdd;
mod moments;
mod quantile;

pub use average::{AverageOptions, average, average_returned, ptp};
pub use bin_estimators::Estimator;
pub use bincount::*;
pub use correlation::{
    ConvolveOptions, CorrelateMode, CorrelateOptions, CovOptions, convolve, corrcoef, correlate, cov,
};
pub use extremes::*;
pub use histogram::*;
pub use histogramdd::*;
pub use moments::*;
pub use quantile::{
    MedianOptions, QuantileMethod, QuantileOptions, Quantiles, median, nanmedian, nanpercentile, nanquantile,
    percentile, quantile,
};
