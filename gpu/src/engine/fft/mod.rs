//! Fourier transforms: plans, callbacks, and the passes before and after.
//!
//! The library does most transforms, kernels of our own those of powers of two along strided axes; what NumPy's functions need beyond it (casts, padding, factors of the norm,
//! unsupported strides) is one pass before or after it, or a callback of the library.

pub(in crate::engine) mod callbacks;
pub(in crate::engine) mod fourier;
pub(in crate::engine) mod passes;
pub(in crate::engine) mod plans;
pub(in crate::engine) mod processing;
