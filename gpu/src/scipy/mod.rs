//! SciPy's functions, as CuPy has them in `cupyx.scipy`.

mod convolution;
mod cosines;
pub mod fft;
pub mod fftpack;
mod hankel;
pub mod linalg;
mod linear_filters;
pub mod ndimage;
mod resampling;
pub mod signal;
pub mod sparse;
pub mod special;
pub mod stats;
