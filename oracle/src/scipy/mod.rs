//! SciPy's functions.

pub mod sparse;
pub(crate) mod special;
pub(crate) mod stats;
