//! Spectra of segments of signals: short-time Fourier transforms, power densities, and the inverse.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};

use super::segment_kernels::{Cut, overlapped, powers, segments, summed_powers};
use crate::array::Array;
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::fft::{self, FftOptions};
use crate::layout::{Dims, normalize_axis};
use crate::routines::creation::ascontiguousarray;
use crate::routines::manipulation::moveaxis;

/// Trend that is subtracted from each segment before the window is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SegmentTrend {
    /// Nothing.
    #[default]
    None,
    /// The mean.
    Constant,
    /// The line of least squares.
    Linear,
}

/// Continuation of a signal by half a segment at both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SegmentBorder {
    /// The first segment begins with the signal.
    #[default]
    None,
    /// Zeros.
    Zeros,
    /// The signal mirrored about its ends.
    Even,
    /// The signal rotated by half a turn about its ends.
    Odd,
    /// The first and the last element.
    Constant,
}

/// Options of [`segment_spectra`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentOptions {
    /// The number of elements from one segment to the next.
    pub step: usize,
    /// The length of the transforms: segments are padded with zeros. By default that of the window.
    pub nfft: Option<usize>,
    /// The trend that is subtracted from each segment.
    pub detrend: SegmentTrend,
    /// The continuation at both ends.
    pub border: SegmentBorder,
    /// Pad the signal with zeros so that segments have all elements; otherwise elements after the last whole segment
    /// have no part.
    pub padded: bool,
    /// Half spectra of real signals.
    pub onesided: bool,
    /// The axis of the signal.
    pub axis: isize,
}

crate::array::default_options!(SegmentOptions);

impl Default for SegmentOptions {
    fn default() -> Self {
        SegmentOptions {
            step: 1,
            nfft: None,
            detrend: SegmentTrend::None,
            border: SegmentBorder::None,
            padded: false,
            onesided: true,
            axis: -1,
        }
    }
}

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

/// Returns the dtype in which spectra of elements are computed: float32 for the short ones.
fn computed(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 => DType::F32,
        DType::C64 | DType::C128 => dtype,
        _ => DType::F64,
    }
}

/// Returns the window in a dtype and C order.
fn window_of(window: &Array, function: &str, dtype: DType) -> Result<Array> {
    if window.ndim() != 1 || window.size() == 0 || window.dtype().is_complex() {
        let (shape, dtype) = (window.shape(), window.dtype());
        return wrong(format!(
            "{function}: a window is real, and has one axis and an element at least: not {dtype}, {shape:?}"
        ));
    }
    ascontiguousarray(&of_dtype(window, dtype)?)
}

/// Returns an array of a dtype, which is copied only if it has another one.
fn of_dtype(x: &Array, dtype: DType) -> Result<Array> {
    if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype) }
}

/// Fourier transforms of segments of a signal times a window, as of `scipy.signal.ShortTimeFFT`: the segments are cut,
/// continued at the ends, freed of their trend and multiplied by the window in one kernel.
///
/// The result has the shape of `x` without the axis, then the axes of segments and frequencies; it is complex64 for
/// float16, bfloat16, float32 and complex64, otherwise complex128.
///
/// ```
/// use cuprum::scipy::signal::{SegmentOptions, segment_spectra};
/// let x = cuprum::arange(0.0, 16.0, 1.0)?;
/// let options = SegmentOptions { step: 4, ..Default::default() };
/// let spectra = segment_spectra(&x, &cuprum::ones([8], ())?, &options)?;
/// assert_eq!(spectra.shape(), [3, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a step of 0, transforms shorter than the window, and a window of several axes, without
/// elements, or complex; [`ErrorKind::Axis`].
#[unrecorded("takes a struct of options: compared with SciPy's spectra in `gpu/python/tests/test_signal_spectra.py`")]
#[signature]
pub fn segment_spectra(x: &Array, window: &Array, options: &SegmentOptions) -> Result<Array> {
    engine::one_device(x, [window])?;
    let axis = normalize_axis(options.axis, x.ndim())?;
    let dtype = computed(x.dtype());
    let window = window_of(window, "segment_spectra", dtype.real())?;
    let (length, n) = (window.size(), x.shape()[axis]);
    let nfft = options.nfft.unwrap_or(length);
    if options.step == 0 || nfft < length {
        let step = options.step;
        return wrong(format!(
            "segment_spectra: step {step} and nfft {nfft}: they must be at least 1 and the window's {length} elements"
        ));
    }
    let pad = if options.border == SegmentBorder::None { 0 } else { length / 2 };
    if !matches!(options.border, SegmentBorder::None | SegmentBorder::Zeros) && pad >= n {
        return wrong(format!(
            "segment_spectra: a signal of {n} elements is not continued by {pad}: take a shorter window"
        ));
    }
    let whole = n + 2 * pad;
    let count = match options.padded {
        true if n > 0 => whole.saturating_sub(length).div_ceil(options.step) + 1,
        _ if whole < length => 0,
        _ => (whole - length) / options.step + 1,
    };
    let border = match options.border {
        SegmentBorder::None | SegmentBorder::Zeros => 0,
        SegmentBorder::Even => 1,
        SegmentBorder::Odd => 2,
        SegmentBorder::Constant => 3,
    };
    let cut = Cut { count, step: options.step, length, nfft, pad, border, detrend: options.detrend as i32 };
    let moved = if axis + 1 == x.ndim() { x.clone() } else { moveaxis(x, axis as isize, -1)? };
    let outer: Dims = moved.shape()[..x.ndim() - 1].into();
    let lines = of_dtype(&moved, dtype)?.reshape([outer.iter().product::<usize>(), n])?;
    let pieces = segments(&lines, &window, &cut)?;
    let half = options.onesided && !dtype.is_complex();
    let spectra = match (half, pieces.size()) {
        (_, 0) => {
            let bins = if half { nfft / 2 + 1 } else { nfft };
            make::empty(
                x.device(),
                &[lines.shape()[0], count, bins],
                if dtype.real() == DType::F32 { DType::C64 } else { DType::C128 },
            )?
        }
        (true, _) => fft::rfft(&pieces, FftOptions::default())?,
        (false, _) => fft::fft(&pieces, FftOptions::default())?,
    };
    let mut shape = outer;
    shape.extend_from_slice(&spectra.shape()[1..]);
    spectra.reshape(shape.as_slice())
}

/// Power of spectra of segments times a factor, or the cross power of two: `conj(x) y`. The power of half spectra of
/// `nfft` elements is doubled but for the frequencies that a spectrum has once.
///
/// The spectra are those of [`segment_spectra`]. The result has their shape, without the axis of segments if it is
/// their `mean`; a power is real, a cross power complex.
///
/// ```
/// use cuprum::scipy::signal::{SegmentOptions, segment_spectra, spectral_power};
/// let options = SegmentOptions { step: 4, ..Default::default() };
/// let spectra = segment_spectra(&cuprum::ones([16], ())?, &cuprum::ones([8], ())?, &options)?;
/// let power = spectral_power(&spectra, None, 1.0 / 64.0, Some(8), true)?;
/// assert!(cuprum::allclose(&power, cuprum::array([1.0, 0.0, 0.0, 0.0, 0.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for spectra that are not complex or of two dtypes; [`ErrorKind::Value`] for shapes that are not
/// broadcast.
#[unrecorded("takes spectra of segments: compared with SciPy's in `gpu/python/tests/test_signal_spectra.py`")]
pub fn spectral_power(x: &Array, y: Option<&Array>, scale: f64, half_of: Option<usize>, mean: bool) -> Result<Array> {
    if !x.dtype().is_complex() || x.ndim() < 2 {
        let message = format!("spectral_power: spectra are complex and have two axes at least, not {}", x.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let [count, bins] = [x.shape()[x.ndim() - 2], x.shape()[x.ndim() - 1]];
    let scale = if mean { scale / count as f64 } else { scale };
    let mut factors = vec![scale; bins];
    if let Some(nfft) = half_of {
        let single = |k: usize| k == 0 || 2 * k == nfft;
        factors.iter_mut().enumerate().filter(|(k, _)| !single(*k)).for_each(|(_, f)| *f *= 2.0);
    }
    let factor = match x.dtype() {
        DType::C64 => make::of(x.device(), &factors.iter().map(|f| *f as f32).collect::<Vec<_>>(), &[bins])?,
        _ => make::of(x.device(), &factors, &[bins])?,
    };
    if mean { summed_powers(x, y, &factor) } else { powers(x, y, &factor) }
}

/// Signals of which the transforms of segments times a window are known: the least-squares inverse of
/// [`segment_spectra`] (D. W. Griffin and J. S. Lim, "Signal Estimation from Modified Short-Time Fourier Transform",
/// IEEE Transactions on Acoustics, Speech, and Signal Processing 32(2), 1984).
///
/// `spectra` has the axes of segments and frequencies last. The result has those of the others, and one of time; `trim`
/// elements at both ends are left out. It is real for half spectra (`onesided`). Each element is gathered from the
/// segments that have it, in the same order in every call. Where the squares of the window sum to no more than 1e-10,
/// it is not divided by them.
///
/// ```
/// use cuprum::scipy::signal::{SegmentOptions, overlap_add, segment_spectra};
/// let (x, window) = (cuprum::arange(0.0, 16.0, 1.0)?, cuprum::ones([8], ())?);
/// let spectra = segment_spectra(&x, &window, &SegmentOptions { step: 4, ..Default::default() })?;
/// assert!(cuprum::allclose(overlap_add(&spectra, &window, 4, 8, true, 0, 1.0)?, &x, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a step of 0, spectra of fewer than two axes, and transforms shorter than the window.
#[unrecorded("takes spectra of segments: compared with SciPy's in `gpu/python/tests/test_signal_spectra.py`")]
pub fn overlap_add(
    spectra: &Array,
    window: &Array,
    step: usize,
    nfft: usize,
    onesided: bool,
    trim: usize,
    scale: f64,
) -> Result<Array> {
    engine::one_device(spectra, [window])?;
    if step == 0 || spectra.ndim() < 2 || nfft < window.size() {
        let (shape, length) = (spectra.shape(), window.size());
        return wrong(format!(
            "overlap_add: step {step}, spectra of shape {shape:?} and nfft {nfft}: there is a step of 1, two axes and the window's {length} elements at least"
        ));
    }
    let dtype = if matches!(computed(spectra.dtype()).real(), DType::F32) { DType::C64 } else { DType::C128 };
    let window = window_of(window, "overlap_add", dtype.real())?;
    let at = spectra.ndim() - 2;
    let (outer, count): (Dims, usize) = (spectra.shape()[..at].into(), spectra.shape()[at]);
    let lines = of_dtype(spectra, dtype)?.reshape([outer.iter().product(), count, spectra.shape()[at + 1]])?;
    let length = |n: usize| FftOptions { n: Some(n as isize), ..Default::default() };
    let pieces = if onesided { fft::irfft(&lines, length(nfft))? } else { fft::ifft(&lines, length(nfft))? };
    let pieces = ascontiguousarray(&pieces)?;
    let all = if count == 0 { 0 } else { window.size() + (count - 1) * step };
    let x = overlapped(&pieces, &window, step, trim.min(all)..all.saturating_sub(trim).max(trim.min(all)), scale)?;
    let mut shape = outer;
    shape.push(x.shape()[1]);
    x.reshape(shape.as_slice())
}
