//! Correlations.
//!
//! A direct correlation multiplies each pair of elements once.

pub(in crate::engine) mod correlate;
pub(in crate::engine) mod correlate_axes;
