//! SciPy's functions, as CuPy has them in `cupyx.scipy`.

mod cosines;
pub mod fft;
pub mod linalg;
pub mod special;
pub mod stats;
