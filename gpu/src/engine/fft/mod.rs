//! Fourier transforms: plans, callbacks, and the passes before and after.

pub(in crate::engine) mod callbacks;
pub(in crate::engine) mod fourier;
pub(in crate::engine) mod plans;
pub(in crate::engine) mod processing;
