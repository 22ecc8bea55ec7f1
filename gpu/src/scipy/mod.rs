//! SciPy's functions, as CuPy has them in `cupyx.scipy`.

pub mod linalg;
pub mod special;
pub mod stats;
