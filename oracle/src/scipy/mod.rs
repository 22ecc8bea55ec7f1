//! SciPy's functions.

pub(crate) mod special;
pub(crate) mod stats;
