//! Fourier transforms of the legacy module `scipy.fftpack`.
//!
//! Complex transforms are those of [`super::fft`]. The half spectrum of `n` real numbers is packed into `n` real
//! numbers: the first, then the real and the imaginary part of each of the next, and the real part of the last if `n`
//! is even.

use cuprum_macros::{Options, routine};

use crate::array::{Array, Axes};
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::fft::calls::{CallOptions, to_complex, to_half, to_real};
use crate::fft::lengths::{Last, Lengths};
use crate::fft::transforms::{Like, Norm, spectrum_dtype};
use crate::layout::{Dims, Order};
use crate::scan::part;

pub use crate::fft::{FftPlan, FftPlanOptions, FftPlanScope, ValueType, get_fft_plan};

/// Options of a transform along one axis.
#[derive(Clone, Copy, Debug, Options)]
pub struct FftOptions {
    /// Length along the axis, which is cropped or padded with zeros; by default its own.
    #[from]
    pub n: Option<isize>,
    /// The axis; by default the last.
    pub axis: isize,
    /// Accepted for compatibility: the operand is never overwritten.
    pub overwrite_x: bool,
}

impl Default for FftOptions {
    fn default() -> Self {
        FftOptions { n: None, axis: -1, overwrite_x: false }
    }
}

/// Options of a transform along several axes.
#[derive(Clone, Debug, Default, Options)]
pub struct FftnOptions {
    /// Lengths along the axes.
    #[from]
    pub shape: Axes,
    /// The axes; by default all.
    pub axes: Axes,
    /// Accepted for compatibility: the operand is never overwritten.
    pub overwrite_x: bool,
}

/// Options of a transform along two axes.
#[derive(Clone, Debug, Options)]
pub struct Fft2Options {
    /// Lengths along the axes.
    #[from]
    pub shape: Axes,
    /// The axes; by default the last two.
    pub axes: Axes,
    /// Accepted for compatibility: the operand is never overwritten.
    pub overwrite_x: bool,
}

impl Default for Fft2Options {
    fn default() -> Self {
        Fft2Options { shape: Axes::default(), axes: [-2, -1].into(), overwrite_x: false }
    }
}

const fn call_options(inverse: bool) -> CallOptions<'static> {
    CallOptions { inverse, norm: Norm::Backward, like: Like::C, out: None }
}

fn several(x: &Array, shape: &Axes, axes: &Axes, inverse: bool) -> Result<Array> {
    let given = shape.as_slice().map(<[isize]>::len);
    if let (Some(lengths), None) = (given, axes.as_slice())
        && lengths != x.ndim()
    {
        let message = format!("{lengths} lengths are not those of the {} axes of the array: name the axes", x.ndim());
        return Err(Error::new(ErrorKind::Value, message));
    }
    let of = Lengths::several(x, shape, axes, Last::Whole)?;
    if of.repeats() {
        return Err(Error::new(ErrorKind::Value, "an axis is named twice: each is transformed once"));
    }
    to_complex(x, &of, call_options(inverse))
}

/// Defines the transforms of one direction along one axis, along several and along two.
macro_rules! transforms {
    ($($(#[$doc:meta])* $one:ident $n:ident $two:ident = $inverse:literal;)+) => {$(
        $(#[$doc])*
        /// It is taken along one axis.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Axis`]; [`ErrorKind::Value`] for a length less than one.
        #[routine(namespace = "scipy.fftpack")]
        pub fn $one(x: &Array, options: FftOptions) -> Result<Array> {
            to_complex(x, &Lengths::one(x, options.n, options.axis, Last::Whole)?, call_options($inverse))
        }

        $(#[$doc])*
        /// By default along all axes.
        ///
        /// # Errors
        ///
        /// Same as for one axis, and [`ErrorKind::Value`] if the number of lengths is not that of the axes or an axis
        /// is repeated.
        #[routine(namespace = "scipy.fftpack", python(returns_same))]
        pub fn $n(x: &Array, options: FftnOptions) -> Result<Array> {
            several(x, &options.shape, &options.axes, $inverse)
        }

        $(#[$doc])*
        /// By default along the last two axes.
        ///
        /// # Errors
        ///
        /// Same as for several axes.
        #[routine(namespace = "scipy.fftpack", python(returns_same))]
        pub fn $two(x: &Array, options: Fft2Options) -> Result<Array> {
            several(x, &options.shape, &options.axes, $inverse)
        }
    )+};
}

transforms! {
    /// Discrete Fourier transform; SciPy's `scipy.fftpack.fft`, `fftn` and `fft2`.
    fft fftn fft2 = false;
    /// Inverse discrete Fourier transform; SciPy's `scipy.fftpack.ifft`, `ifftn` and `ifft2`.
    ifft ifftn ifft2 = true;
}

fn reject_complex(x: &Array) -> Result<()> {
    if x.dtype().is_complex() {
        let message = format!("a packed spectrum is of real numbers, not of {}: take fft or ifft", x.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    Ok(())
}

/// Discrete Fourier transform of real numbers, packed into real numbers; SciPy's `scipy.fftpack.rfft`.
///
/// ```
/// use cuprum::{array, scipy::fftpack::rfft};
/// assert_eq!(rfft(array([1.0, 0.0, 0.0, 0.0])?, ())?.to_vec::<f64>()?, [1.0, 1.0, 0.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex operands, [`ErrorKind::Axis`], [`ErrorKind::Value`] for a length less than one.
#[routine(namespace = "scipy.fftpack")]
pub fn rfft(x: &Array, options: FftOptions) -> Result<Array> {
    reject_complex(x)?;
    let of = Lengths::one(x, options.n, options.axis, Last::Whole)?;
    let (axis, n) = (of.axes[0], of.n[0]);
    let moved = x.moveaxis(axis as isize, -1)?;
    let last = moved.ndim() - 1;
    let half = to_half(&moved, &Lengths::alone(last, n), false, call_options(false))?;
    let parts = half.view(half.dtype().real())?;
    // The packed form begins at the imaginary part of the first number, which is overwritten by its real part.
    part(&parts, last, 1..2)?.assign(part(&parts, last, ..1)?)?;
    let packed = part(&parts, last, 1..n as i64 + 1)?.moveaxis(-1, axis as isize)?;
    if packed.is_c_contiguous() { Ok(packed) } else { packed.copy(Order::C) }
}

/// Inverse of [`rfft`]: real numbers from their packed spectrum; SciPy's `scipy.fftpack.irfft`.
///
/// The result has the shape of `x`, or `n` elements along the axis, and dtype float32 or float64.
///
/// ```
/// use cuprum::{allclose, array, scipy::fftpack::{irfft, rfft}};
/// let a = array([3.0, 1.0, 4.0])?;
/// assert!(allclose(irfft(rfft(&a, ())?, ())?, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`rfft`].
#[routine(namespace = "scipy.fftpack")]
pub fn irfft(x: &Array, options: FftOptions) -> Result<Array> {
    reject_complex(x)?;
    let of = Lengths::one(x, options.n, options.axis, Last::Whole)?;
    let (axis, n) = (of.axes[0], of.n[0]);
    let moved = x.moveaxis(axis as isize, -1)?;
    let last = moved.ndim() - 1;
    let (dtype, given) = (spectrum_dtype(x.dtype()), moved.shape()[last].min(n) as i64);
    let mut shape: Dims = moved.shape().into();
    shape[last] = n / 2 + 1;
    let half = make::zeros(x.device(), &shape, dtype)?;
    let parts = half.view(dtype.real())?;
    if given > 0 {
        part(&parts, last, ..1)?.assign(part(&moved, last, ..1)?)?;
    }
    if given > 1 {
        part(&parts, last, 2..given + 1)?.assign(part(&moved, last, 1..given)?)?;
    }
    let real = to_real(&half, &Lengths::alone(last, n), false, dtype.real(), call_options(true))?
        .moveaxis(-1, axis as isize)?;
    if real.is_c_contiguous() { Ok(real) } else { real.copy(Order::C) }
}
