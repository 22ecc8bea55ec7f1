//! Statistics: extremes, means, variances, quantiles, covariance and correlation.

mod average;
mod correlation;
mod extremes;
mod moments;
mod quantile;

pub use average::{AverageOptions, average, average_returned, ptp};
pub use correlation::{
    ConvolveOptions, CorrelateMode, CorrelateOptions, CovOptions, convolve, corrcoef, correlate, cov,
};
pub use extremes::*;
pub use moments::*;
pub use quantile::{
    MedianOptions, QuantileMethod, QuantileOptions, Quantiles, median, nanmedian, nanpercentile, nanquantile,
    percentile, quantile,
};
