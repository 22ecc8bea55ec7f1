//! Spectra of signals with a window: power densities by Welch's method, spectrograms, short-time Fourier transforms and
//! their inverse.
//!
//! A transform is three steps: segments are read with their trend removed and multiplied by the window (one
//! kernel), the FFT library transforms all segments as a batch, and one kernel averages or scales the
//! spectra. P. D. Welch, "The use of fast Fourier transform for the estimation of power spectra", 1967.

use cuprum_macros::{signature, unrecorded};

use super::spectra::{SegmentBorder, SegmentOptions, SegmentTrend, overlap_add, segment_spectra, spectral_power};
use super::windows::{Window, WindowEnds, get_window};
use crate::array::Array;
use crate::error::Result;
use crate::fft::{fftfreq, rfftfreq};
use crate::layout::normalize_axis;
use crate::routines::creation::arange;
use crate::routines::manipulation::moveaxis;
use crate::routines::math;

/// Options of spectra of segments.
///
/// ```
/// use cuprum::scipy::signal::{SpectrumOptions, welch};
/// let x = cuprum::ones(64, ())?;
/// let options = SpectrumOptions { fs: 100.0, nperseg: 16, ..Default::default() };
/// let density = welch(&x, None, &options)?;
/// assert_eq!(density.frequencies.to_vec::<f64>()?[..2], [0.0, 6.25]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpectrumOptions {
    /// The sampling rate; by default 1.
    pub fs: f64,
    /// The window; by default Hann's.
    pub window: Window,
    /// The length of a segment; by default 256, or that of a shorter signal.
    pub nperseg: usize,
    /// The number of elements that a segment shares with the next; by default half of them.
    pub noverlap: Option<usize>,
    /// The length of transforms; by default that of a segment.
    pub nfft: Option<usize>,
    /// The trend that is subtracted from each segment; by default the mean.
    pub detrend: SegmentTrend,
    /// Half spectra of real signals; by default true.
    pub onesided: bool,
    /// The axis; by default the last.
    pub axis: isize,
}

crate::array::default_options!(SpectrumOptions);

impl Default for SpectrumOptions {
    fn default() -> Self {
        SpectrumOptions {
            fs: 1.0,
            window: Window::Hann,
            nperseg: 256,
            noverlap: None,
            nfft: None,
            detrend: SegmentTrend::Constant,
            onesided: true,
            axis: -1,
        }
    }
}

/// Spectra with the frequencies and times to which they belong.
#[derive(Clone, Debug)]
pub struct Spectra {
    /// Frequencies.
    pub frequencies: Array,
    /// Times of the middles of segments.
    pub times: Array,
    /// Values, with the frequencies along the axis of the signal, and the segments, if they are not averaged, along the
    /// last axis.
    pub values: Array,
}

/// The segments of a signal.
struct Plan {
    /// The window.
    window: Array,
    /// Options of the segments.
    options: SegmentOptions,
    /// Elements of a segment.
    length: usize,
    /// Length of the transform.
    nfft: usize,
    /// True for real input, whose spectra are halved.
    half: bool,
}

impl Plan {
    fn of(x: &Array, options: &SpectrumOptions) -> Result<Plan> {
        let axis = normalize_axis(options.axis, x.ndim())?;
        let length = options.nperseg.min(x.shape()[axis]);
        let window = get_window(&options.window, length, WindowEnds::Periodic)?;
        let nfft = options.nfft.unwrap_or(length);
        let step = length.saturating_sub(options.noverlap.unwrap_or(length / 2));
        let half = options.onesided && !x.dtype().is_complex();
        let axis = axis as isize;
        let options = SegmentOptions {
            step,
            nfft: Some(nfft),
            detrend: options.detrend,
            onesided: half,
            axis,
            ..SegmentOptions::default()
        };
        Ok(Plan { window, options, length, nfft, half })
    }

    /// Returns the spectra of a power or of values, whose last axes are segments and frequencies, or frequencies alone.
    fn spectra(&self, values: &Array, fs: f64, averaged: bool) -> Result<Spectra> {
        let n = self.nfft as isize;
        let frequencies = if self.half { rfftfreq(n, 1.0 / fs)? } else { fftfreq(n, 1.0 / fs)? };
        let count = if averaged { 1 } else { values.shape()[values.ndim() - 2] };
        let start = if self.options.border == SegmentBorder::None { self.length as f64 / 2.0 } else { 0.0 };
        let step = self.options.step as f64;
        let times = math::divide(arange(start, start + step * (count as f64 - 0.5), step)?, fs)?;
        Ok(Spectra { frequencies, times, values: moveaxis(values, -1, self.options.axis)? })
    }
}

/// Power spectral density by Welch's method: the mean over overlapping segments; SciPy's `scipy.signal.welch`, and of
/// `y` too its `csd`, the cross power spectral density. The values have the shape of `x`, with frequencies along the
/// axis.
///
/// ```
/// use cuprum::scipy::signal::{SpectrumOptions, welch};
/// let x = cuprum::sin(cuprum::arange(0.0, 400.0, 1.0)?)?;
/// let density = welch(&x, None, &SpectrumOptions { nperseg: 64, ..Default::default() })?;
/// assert_eq!(density.values.argmax(())?.item::<i64>()?, 10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`segment_spectra`] and [`get_window`].
///
/// # Synchronization
///
/// Synchronises to read the sum of the squares of the window.
#[unrecorded("takes a struct of options: `segment_spectra` is compared with SciPy's spectra")]
#[signature]
pub fn welch(x: &Array, y: Option<&Array>, options: &SpectrumOptions) -> Result<Spectra> {
    let plan = Plan::of(x, options)?;
    let energy: f64 = math::multiply(&plan.window, &plan.window)?.sum(())?.item()?;
    let first = segment_spectra(x, &plan.window, plan.options)?;
    let second = y.map(|y| segment_spectra(y, &plan.window, plan.options)).transpose()?;
    let half_of = plan.half.then_some(plan.nfft);
    let power = spectral_power(&first, second.as_ref(), 1.0 / (options.fs * energy), half_of, true)?;
    plan.spectra(&power, options.fs, true)
}

/// Power spectral densities of consecutive segments; SciPy's `scipy.signal.spectrogram`, whose window and overlap are
/// others by default.
///
/// ```
/// use cuprum::scipy::signal::{SpectrumOptions, spectrogram};
/// let x = cuprum::ones([400], ())?;
/// let found = spectrogram(&x, &SpectrumOptions { nperseg: 64, ..Default::default() })?;
/// assert_eq!(found.values.shape(), [33, 11]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`segment_spectra`] and [`get_window`].
///
/// # Synchronization
///
/// Synchronises to read the sum of the squares of the window.
#[unrecorded("takes a struct of options: `segment_spectra` is compared with SciPy's spectra")]
#[signature]
pub fn spectrogram(x: &Array, options: &SpectrumOptions) -> Result<Spectra> {
    let plan = Plan::of(x, options)?;
    let energy: f64 = math::multiply(&plan.window, &plan.window)?.sum(())?.item()?;
    let spectra = segment_spectra(x, &plan.window, plan.options)?;
    let half_of = plan.half.then_some(plan.nfft);
    let power = spectral_power(&spectra, None, 1.0 / (options.fs * energy), half_of, false)?;
    plan.spectra(&power, options.fs, false)
}

/// Short-time Fourier transform of a signal that is continued by zeros; SciPy's `scipy.signal.stft`, with the options
/// of this struct: by default, that subtracts the mean.
///
/// The values have the shape of `x` with its last axis replaced by one of frequencies and one of segments,
/// and a complex dtype of the input's precision.
///
/// ```
/// use cuprum::scipy::signal::{SpectrumOptions, istft, stft};
/// let x = cuprum::sin(cuprum::arange(0.0, 400.0, 1.0)?)?;
/// let options = SpectrumOptions { nperseg: 64, detrend: Default::default(), ..Default::default() };
/// let found = stft(&x, &options)?;
/// assert_eq!(found.values.shape(), [33, 14]);
/// let back = istft(&found.values, &options)?;
/// assert!(cuprum::allclose(back.index(cuprum::s![..400])?, &x, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`segment_spectra`] and [`get_window`].
#[unrecorded("takes a struct of options: `segment_spectra` is compared with SciPy's spectra")]
#[signature]
pub fn stft(x: &Array, options: &SpectrumOptions) -> Result<Spectra> {
    let mut plan = Plan::of(x, options)?;
    (plan.options.border, plan.options.padded) = (SegmentBorder::Zeros, true);
    let scaled = math::divide(&plan.window, plan.window.sum(())?)?;
    let spectra = segment_spectra(x, &scaled, plan.options)?;
    plan.spectra(&spectra, options.fs, false)
}

/// Signal of a short-time Fourier transform of [`stft`]; SciPy's `scipy.signal.istft`.
///
/// The last two axes of `spectra` are frequencies and segments, which one axis of time replaces; the result
/// is real for half spectra. It has the overlapping segments added and divided by the sum of the squares of
/// the windows. See [`stft`] for an example; the options are those of that call.
///
/// ```
/// use cuprum::scipy::signal::{SegmentTrend, SpectrumOptions, istft, stft};
/// let x = cuprum::sin(cuprum::arange(0.0, 64.0, 1.0)?)?;
/// let options = SpectrumOptions { nperseg: 16, detrend: SegmentTrend::None, ..Default::default() };
/// let back = istft(&stft(&x, &options)?.values, &options)?;
/// assert!(cuprum::allclose(back.index(cuprum::s![..64])?, &x, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`overlap_add`] and [`get_window`].
///
/// # Synchronization
///
/// Synchronises to read the sum of the window.
#[unrecorded("takes a struct of options: `overlap_add` is compared with SciPy's inverse")]
#[signature]
pub fn istft(spectra: &Array, options: &SpectrumOptions) -> Result<Array> {
    let length = options.nperseg;
    let window = get_window(&options.window, length, WindowEnds::Periodic)?;
    let step = length.saturating_sub(options.noverlap.unwrap_or(length / 2));
    let scale: f64 = window.sum(())?.item()?;
    let nfft = options.nfft.unwrap_or(length);
    let moved = moveaxis(spectra, -2, -1)?;
    overlap_add(&moved, &window, step, nfft, options.onesided, length / 2, scale)
}
