//! SciPy's functions.

pub(crate) mod ndimage;
pub mod sparse;
pub(crate) mod special;
pub(crate) mod stats;
