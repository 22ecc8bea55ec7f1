//! Correlations.
//!
//! A direct correlation multiplies each pair of elements once; long sequences of float32 and complex64 are transformed.

pub(in crate::engine) mod correlate;
pub(in crate::engine) mod correlate_axes;
pub(in crate::engine) mod correlate_fft;
