//! SciPy's functions, as CuPy has them in `cupyx.scipy`.

pub mod special;
pub mod stats;
