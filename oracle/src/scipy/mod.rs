//! SciPy's semantics.

pub mod sparse;
