//! SciPy's functions.

pub(crate) mod ndimage;
pub(crate) mod signal;
pub mod sparse;
pub(crate) mod spatial;
pub(crate) mod special;
pub(crate) mod stats;
