//! Extremes, means, variances, quantiles, and how data go together.

mod average;
mod correlation;
mod extremes;
mod methods;
mod moments;
mod quantile;

pub use average::{average, average_returned, ptp};
pub use correlation::{CorrelateMode, CovOptions, convolve, corrcoef, correlate, cov};
pub use extremes::*;
pub use moments::*;
pub use quantile::{
    MedianOptions, QuantileMethod, QuantileOptions, Quantiles, median, nanmedian, nanpercentile, nanquantile,
    percentile, quantile,
};
