//! Discrete Fourier transforms; NumPy's `fft`.
//!
//! Transforms are computed by the device's library: cuFFT on a GPU, rustfft on the simulator. Arrays of any strides
//! that the library supports are transformed in place; otherwise a copy is made, which also applies all preprocessing.
//!
//! Any length is transformed, in O(n log n); lengths whose prime factors are small are fastest
//! ([`next_fast_len`](crate::scipy::fft::next_fast_len)). complex64 and float32 stay in single precision, float16 is
//! computed in float32, and integers in float64. A plan is created for each combination of lengths, types and batch,
//! and cached by thread.
//!
//! | axes | complex | real to half a spectrum | Hermitian |
//! |---|---|---|---|
//! | one | [`fft`], [`ifft`] | [`rfft`], [`irfft`] | [`hfft`], [`ihfft`] |
//! | two | [`fft2`], [`ifft2`] | [`rfft2`], [`irfft2`] | |
//! | any | [`fftn`], [`ifftn`] | [`rfftn`], [`irfftn`] | |
//!
//! [`fftfreq`] and [`rfftfreq`] are the frequencies of the elements, [`fftshift`] and [`ifftshift`] move the zero
//! frequency.

mod callbacks;
pub(crate) mod calls;
#[cfg(test)]
mod compare;
pub mod config;
mod fused_callbacks;
pub(crate) mod helpers;
mod keys;
pub(crate) mod lengths;
mod multi_gpu;
mod planned;
mod sharing;
mod standard;
pub(crate) mod transforms;

pub use callbacks::{FftCallback, FftCallbackScope, FftCallbacks};
pub use helpers::{fftfreq, fftshift, ifftshift, rfftfreq};
pub use multi_gpu::{fft_over, ifft_over};
pub use planned::{FftPlan, FftPlanOptions, FftPlanScope, ValueType, get_fft_plan};
pub use standard::{
    Fft2Options, FftOptions, FftnOptions, fft, fft2, fftn, hfft, ifft, ifft2, ifftn, ihfft, irfft, irfft2, irfftn,
    rfft, rfft2, rfftn,
};
pub use transforms::Norm;
