//! SciPy's functions, as CuPy has them in `cupyx.scipy`.
//!
//! Names, arguments and defaults are SciPy's. Functions whose names NumPy has, too, may differ from NumPy's in their
//! dtypes: `scipy.special` computes float16 in float32, for example.
//!
//! | module | functions |
//! |---|---|
//! | [`fft`], [`fftpack`] | Fourier, cosine, sine and Hankel transforms |
//! | [`interpolate`] | splines, grids, scattered points |
//! | [`linalg`] | decompositions, solvers, special matrices |
//! | [`ndimage`] | filters, morphology, interpolation, labels, distances |
//! | [`signal`] | convolution, filters, windows |
//! | [`sparse`] | sparse arrays, solvers, graphs |
//! | [`spatial`] | distances, nearest neighbours, triangulations |
//! | [`special`] | special functions |
//! | [`stats`] | statistics |

mod convolution;
mod cosines;
pub mod fft;
pub mod fftpack;
mod hankel;
pub mod interpolate;
pub mod linalg;
mod linear_filters;
pub mod ndimage;
mod resampling;
pub mod signal;
pub mod sparse;
pub mod spatial;
pub mod special;
pub mod stats;
mod zero_phase_filters;
