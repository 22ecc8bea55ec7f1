//! Correlations.

pub(in crate::engine) mod correlate;
pub(in crate::engine) mod correlate_axes;
