//! Changes of the sampling rate by a rational factor, with a lowpass filter between.
//!
//! The weights of the filter, a sinc function times a Kaiser window, are computed on the host; the filter is the polyphase one of [`upfirdn`].
//!
//! Lower bound: the input read and the result written once; 20 products for each result of a rate that grows, and more for one that falls.

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};

use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, divisor, normalize_axis};
use crate::reduction::Reduce;
use crate::routines::statistics::MedianOptions;
use crate::routines::{math, statistics};
use crate::scipy::ndimage::BorderRule;
use crate::scipy::resampling::{UpfirdnOptions, upfirdn};
use crate::scipy::signal::design::{firwin, kaiser_weights};

/// Continuation of a signal beyond its ends for [`resample_poly`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum ResamplePadding {
    /// Zeros.
    #[default]
    Constant,
    /// The mean of the signal.
    Mean,
    /// The median of the signal.
    Median,
    /// The minimum of the signal.
    Minimum,
    /// The maximum of the signal.
    Maximum,
    /// Mirrored about the edge of the last element.
    Symmetric,
    /// Mirrored about the centre of the last element.
    Reflect,
    /// The nearest element.
    Edge,
    /// Periodic.
    Wrap,
}

impl ResamplePadding {
    /// Returns true for a continuation by one number for each line, which follows from the line.
    fn is_level(self) -> bool {
        use ResamplePadding::{Maximum, Mean, Median, Minimum};
        matches!(self, Mean | Median | Minimum | Maximum)
    }
}

/// Options of [`resample_poly`].
///
/// ```
/// use cuprum::scipy::signal::{ResamplePadding, ResamplePolyOptions, resample_poly};
/// let level = cuprum::full([8], 3.0, ())?;
/// let options = ResamplePolyOptions::new().padtype(ResamplePadding::Mean);
/// assert!(resample_poly(&level, 2, 1, options)?.to_vec::<f64>()?.iter().all(|x| (x - 3.0).abs() < 1e-12));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct ResamplePolyOptions {
    /// The axis. By default the first one.
    #[from]
    pub axis: isize,
    /// The parameter of the Kaiser window. By default 5.
    pub beta: f64,
    /// The continuation beyond the ends. By default zeros.
    pub padtype: ResamplePadding,
}

impl Default for ResamplePolyOptions {
    fn default() -> Self {
        ResamplePolyOptions { axis: 0, beta: 5.0, padtype: ResamplePadding::Constant }
    }
}

/// Multiplies the sampling rate along an axis by `up` and divides it by `down`, with a lowpass filter between; SciPy's
/// `scipy.signal.resample_poly`.
///
/// The length along the axis becomes that times `up / down`, rounded up. The result has the dtype of `x` if that is floating-point or complex,
/// otherwise float64; sums are computed in float64. The filter has the Kaiser window of SciPy's default; other weights are those of
/// [`upfirdn`](super::upfirdn) with [`shift`](super::UpfirdnOptions::shift).
///
/// ```
/// use cuprum::scipy::signal::resample_poly;
/// let wave: Vec<f64> = (0..200).map(|i| (f64::from(i) / 20.0).sin()).collect();
/// let finer = resample_poly(&cuprum::array(wave)?, 3, 2, ())?.to_vec::<f64>()?;
/// assert!(finer.len() == 300 && (finer[150] - 5f64.sin()).abs() < 1e-3);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for `up` or `down` below 1; [`ErrorKind::Axis`].
#[routine(namespace = "scipy.signal", no_programs = "its filter is as long as its factors require")]
pub fn resample_poly(x: &Array, up: isize, down: isize, options: ResamplePolyOptions) -> Result<Array> {
    let axis = normalize_axis(options.axis, x.ndim())?;
    if up < 1 || down < 1 {
        let message = format!("up and down must be >= 1, not {up} and {down}");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let common = divisor(up as i128, down as i128) as usize;
    let (up, down) = (up as usize / common, down as usize / common);
    let dtype = if x.dtype().is_float() || x.dtype().is_complex() { x.dtype() } else { DType::F64 };
    if up == down {
        return x.astype(dtype);
    }
    // A level is subtracted in a dtype that holds the differences.
    let wide = if dtype.is_complex() { DType::C128 } else { DType::F64 };
    let keep = || Reduce::axis(axis as isize).keepdims(true);
    let x = &if options.padtype.is_level() { x.astype(wide)? } else { x.clone() };
    let level = match options.padtype {
        ResamplePadding::Mean => Some(statistics::mean(x, keep())?),
        ResamplePadding::Median => {
            let median = MedianOptions::new().axis(axis as isize).keepdims(true);
            Some(statistics::median(x, median)?)
        }
        ResamplePadding::Minimum => Some(statistics::min(x, keep())?),
        ResamplePadding::Maximum => Some(statistics::max(x, keep())?),
        _ => None,
    };
    let rule = match options.padtype {
        ResamplePadding::Symmetric => BorderRule::Reflect,
        ResamplePadding::Reflect => BorderRule::Mirror,
        ResamplePadding::Edge => BorderRule::Nearest,
        ResamplePadding::Wrap => BorderRule::Wrap,
        _ => BorderRule::Constant,
    };
    let signal = match &level {
        Some(level) => math::subtract(x, level)?,
        None => x.clone(),
    };
    let half = 10 * up.max(down);
    let lowpass = firwin(&kaiser_weights(2 * half + 1, options.beta), &[1.0 / up.max(down) as f64], ())?;
    let weights: Vec<f64> = lowpass.iter().map(|h| h * up as f64).collect();
    let mut shape: Dims = x.shape().into();
    shape[axis] = (shape[axis] * up).div_ceil(down);
    let out = make::empty(x.device(), &shape, if level.is_some() { wide } else { dtype })?;
    let rates = UpfirdnOptions::new().axis(axis as isize).mode(rule, 0.0).shift(half).out(&out);
    let y = upfirdn(&weights, &signal, up, down, &rates)?;
    match &level {
        Some(level) => math::add(&y, level)?.astype(dtype),
        None => Ok(y),
    }
}
