//! Linear filters with coefficients in arrays, and peaks, as the call table has them.
//!
//! The call table passes arrays and numbers; these functions read the coefficients, which synchronises, and
//! translate them to [`LinearFilterOptions`], [`UpfirdnOptions`] and [`PeakOptions`].

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};
use num_complex::Complex64;

use super::{
    FilterPadding, LinearFilterOptions, PeakBound, PeakInterval, PeakOptions, UpfirdnOptions, ZeroPhaseOptions,
};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::scipy::ndimage::BorderRule;

/// The axis of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct FilterAxisOptions {
    /// The axis.
    #[from]
    pub axis: isize,
}

impl Default for FilterAxisOptions {
    fn default() -> Self {
        FilterAxisOptions { axis: -1 }
    }
}

/// Continuation of a signal beyond its ends, by SciPy's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum RateMode {
    /// Zeros.
    #[default]
    Constant,
    /// Mirrored about the edge of the last element.
    Symmetric,
    /// Mirrored about the centre of the last element.
    Reflect,
    /// The nearest element.
    Edge,
    /// Periodic.
    Wrap,
}

impl RateMode {
    fn rule(self) -> BorderRule {
        match self {
            RateMode::Constant => BorderRule::Constant,
            RateMode::Symmetric => BorderRule::Reflect,
            RateMode::Reflect => BorderRule::Mirror,
            RateMode::Edge => BorderRule::Nearest,
            RateMode::Wrap => BorderRule::Wrap,
        }
    }
}

/// The factors of a filter between rates, its axis, and the continuation beyond the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct RateOptions {
    /// The factor of the rate before the filter.
    #[from]
    pub up: isize,
    /// The divisor of the rate after the filter.
    pub down: isize,
    /// The axis.
    pub axis: isize,
    /// The continuation beyond the ends. By default zeros.
    pub mode: RateMode,
}

impl Default for RateOptions {
    fn default() -> Self {
        RateOptions { up: 1, down: 1, axis: -1, mode: RateMode::Constant }
    }
}

/// Filters along an axis by the coefficients of a difference equation, which are read: it synchronises.
///
/// The result has the shape of `x`. It corresponds to SciPy's `scipy.signal.lfilter` without a state;
/// [`signal::lfilter`](super::lfilter) takes a state and coefficients from the host, and does not
/// synchronise.
///
/// The dtype is that of `x` if it is floating-point or complex, otherwise float64; complex coefficients
/// make it complex.
///
/// ```
/// use cuprum::{array, scipy::signal::named::lfilter};
/// let y = lfilter(&array([1.0])?, &array([1.0, -0.5])?, &array([1.0, 0.0, 0.0])?, ())?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 0.5, 0.25]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] without coefficients, and for a first coefficient `a` of 0; [`ErrorKind::Axis`].
///
/// # Synchronization
///
/// Synchronises to read the coefficients.
#[routine(namespace = "scipy.signal", no_programs = "takes coefficients, which its conformance cases pass")]
pub fn lfilter(b: &Array, a: &Array, x: &Array, options: FilterAxisOptions) -> Result<Array> {
    let filter = LinearFilterOptions::new();
    if b.dtype().is_complex() || a.dtype().is_complex() {
        let [b, a] = [b, a].map(|c| c.astype(DType::C128)?.to_vec::<Complex64>());
        return Ok(super::lfilter(&b?, &a?, x, options.axis, &filter)?.0);
    }
    let [b, a] = [b, a].map(|c| c.astype(DType::F64)?.to_vec::<f64>());
    Ok(super::lfilter(&b?, &a?, x, options.axis, &filter)?.0)
}

/// Filters along an axis forwards and backwards by coefficients, which are read: it synchronises.
///
/// It corresponds to SciPy's `scipy.signal.filtfilt` with its defaults: the signal is continued oddly, by three times the
/// number of coefficients. [`signal::filtfilt`](super::filtfilt) takes another continuation and coefficients from
/// the host, and does not synchronise.
///
/// The result has the shape of `x` and the dtype of [`lfilter`].
///
/// ```
/// use cuprum::{array, ones, scipy::signal::named::filtfilt};
/// let y = filtfilt(&array([0.25])?, &array([1.0, -0.75])?, &ones([20], ())?, ())?;
/// assert!(y.to_vec::<f64>()?.iter().all(|y| (y - 1.0).abs() < 1e-14));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`signal::filtfilt`](super::filtfilt).
///
/// # Synchronization
///
/// Synchronises to read the coefficients.
#[routine(namespace = "scipy.signal", no_programs = "takes coefficients, which its conformance cases pass")]
pub fn filtfilt(b: &Array, a: &Array, x: &Array, options: FilterAxisOptions) -> Result<Array> {
    let padding = FilterPadding::Odd(3 * b.size().max(a.size()));
    let filter = ZeroPhaseOptions::new().axis(options.axis).padding(padding);
    if b.dtype().is_complex() || a.dtype().is_complex() {
        let [b, a] = [b, a].map(|c| c.astype(DType::C128)?.to_vec::<Complex64>());
        return super::filtfilt(&b?, &a?, x, &filter);
    }
    let [b, a] = [b, a].map(|c| c.astype(DType::F64)?.to_vec::<f64>());
    super::filtfilt(&b?, &a?, x, &filter)
}

fn sections<T: Copy + Default>(sos: &Array, numbers: &[T]) -> Result<Vec<[T; 6]>> {
    if sos.ndim() != 2 || sos.shape()[1] != 6 {
        let message = format!("sosfilt: sections have a row of 6 coefficients each, not the shape {:?}", sos.shape());
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(numbers.chunks_exact(6).map(|row| std::array::from_fn(|k| row[k])).collect())
}

/// Filters along an axis by a cascade of sections of order 2, whose coefficients are read: it synchronises.
///
/// The result has the shape of `x`. It corresponds to SciPy's `scipy.signal.sosfilt` without a state;
/// [`signal::sosfilt`](super::sosfilt) takes a state and coefficients from the host, and does not
/// synchronise.
///
/// The dtype is that of `x` if it is floating-point or complex, otherwise float64; complex coefficients
/// make it complex.
///
/// ```
/// use cuprum::{array, scipy::signal::named::sosfilt};
/// let section = array([[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]])?;
/// assert_eq!(sosfilt(&section, &array([1.0, 2.0, 3.0])?, ())?.to_vec::<f64>()?, [1.0, 3.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for sections of another shape, or whose fourth coefficient is not 1; [`ErrorKind::Axis`].
///
/// # Synchronization
///
/// Synchronises to read the coefficients.
#[routine(namespace = "scipy.signal", no_programs = "takes coefficients, which its conformance cases pass")]
pub fn sosfilt(sos: &Array, x: &Array, options: FilterAxisOptions) -> Result<Array> {
    let filter = LinearFilterOptions::new();
    if sos.dtype().is_complex() {
        let all = sections(sos, &sos.astype(DType::C128)?.to_vec::<Complex64>()?)?;
        return Ok(super::sosfilt(&all, x, options.axis, &filter)?.0);
    }
    let all = sections(sos, &sos.astype(DType::F64)?.to_vec::<f64>()?)?;
    Ok(super::sosfilt(&all, x, options.axis, &filter)?.0)
}

/// Filters between sampling rates by weights, which are read: it synchronises.
///
/// It corresponds to SciPy's `scipy.signal.upfirdn` with the constant 0 beyond the ends, or a mode;
/// [`signal::upfirdn`](super::upfirdn) takes another constant and weights from the host, and does not
/// synchronise.
///
/// The result has the floating-point or complex dtype of `x`, or float64 for integers.
///
/// ```
/// use cuprum::{array, scipy::signal::named::{RateOptions, upfirdn}};
/// let y = upfirdn(&array([1.0, 1.0])?, &array([1.0, 2.0])?, RateOptions::new().up(2))?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 1.0, 2.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] without weights, and for factors less than 1; [`ErrorKind::Axis`].
///
/// # Synchronization
///
/// Synchronises to read the weights.
#[routine(namespace = "scipy.signal", no_programs = "takes weights, which its conformance cases pass")]
pub fn upfirdn(h: &Array, x: &Array, options: RateOptions) -> Result<Array> {
    let h = h.astype(DType::F64)?.to_vec::<f64>()?;
    let factor = |n: isize| usize::try_from(n).unwrap_or(0);
    let border = UpfirdnOptions::new().axis(options.axis).mode(options.mode.rule(), 0.0);
    super::upfirdn(&h, x, factor(options.up), factor(options.down), &border)
}

/// Least properties of the peaks that are returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Options)]
pub struct PeakLimitOptions {
    /// The height.
    #[from]
    pub height: Option<f64>,
    /// The difference from each of the elements next to the peak.
    pub threshold: Option<f64>,
    /// The height above the higher one of the lowest elements between the peak and higher ones.
    pub prominence: Option<f64>,
    /// The width in elements, at half of the prominence.
    pub width: Option<f64>,
}

/// Positions of the local maxima of a signal whose properties are large enough.
///
/// The result is int64 and has one axis; of equal elements the middle is a position. It corresponds to SciPy's
/// `scipy.signal.find_peaks` with numbers as lower bounds, without the properties, which
/// [`signal::find_peaks`](super::find_peaks) returns.
///
/// ```
/// use cuprum::scipy::signal::named::{PeakLimitOptions, find_peaks};
/// let x = cuprum::array([0.0, 2.0, 1.0, 1.5, 0.0, 5.0, 0.0])?;
/// assert_eq!(find_peaks(&x, PeakLimitOptions::default().prominence(Some(1.0)))?.to_vec::<i64>()?, [1, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a signal that is not 1-D.
///
/// # Synchronization
///
/// Synchronises: the number of peaks is that of the elements of the result.
#[routine(namespace = "scipy.signal", no_programs = "takes a signal, which its conformance cases pass")]
pub fn find_peaks(x: &Array, options: PeakLimitOptions) -> Result<Array> {
    type Setter = fn(PeakOptions, PeakInterval) -> PeakOptions;
    let conditions: [(Option<f64>, Setter); 4] = [
        (options.height, PeakOptions::height),
        (options.threshold, PeakOptions::threshold),
        (options.prominence, PeakOptions::prominence),
        (options.width, PeakOptions::width),
    ];
    let all = conditions.into_iter().fold(PeakOptions::new(), |all, (least, set)| match least {
        Some(least) => set(all, [Some(PeakBound::Number(least)), None]),
        None => all,
    });
    Ok(super::find_peaks(x, &all)?.positions)
}
