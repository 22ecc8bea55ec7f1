//! Filters of Fourier transforms: products with the transform of a window.
//!
//! The factor of each frequency is computed as the transform is read: one pass, without an array of factors.
//!
//! Lower bound: the input is read and the result written once. The factors of one axis are an array of its
//! length, computed on the host in float64 and uploaded, and broadcast in the kernel.

use std::f64::consts::PI;

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};
use num_complex::Complex64;

use super::{for_axes, wrong};
use crate::array::Array;
use crate::element::Element;
use crate::engine::{copy, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{normalize_axis, shape_text};
use crate::routines::logic::equal;
use crate::routines::math;
use crate::routines::searching::where_;
use crate::ufunc::{apply, fuse};

/// Options of Fourier filters: the transform that the input is from, and the result.
///
/// By default the input is a complex transform of the length that its axis has.
///
/// ```
/// use cuprum::scipy::ndimage::{FourierOptions, fourier_shift};
/// let a = cuprum::array([1.0, 2.0, 3.0, 4.0])?;
/// let spectrum = cuprum::fft::rfft(&a, ())?;
/// let moved = fourier_shift(&spectrum, &[1.0], &FourierOptions::new().real(4, 0))?;
/// let back = cuprum::fft::irfft(&moved, 4)?;
/// assert!(cuprum::allclose(&back, &cuprum::array([4.0, 1.0, 2.0, 3.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FourierOptions {
    n: Option<usize>,
    axis: isize,
    out: Option<Array>,
}

crate::array::default_options!(FourierOptions);

impl Default for FourierOptions {
    fn default() -> Self {
        FourierOptions { n: None, axis: -1, out: None }
    }
}

impl FourierOptions {
    /// The input is a complex transform, and the result is new.
    pub fn new() -> FourierOptions {
        FourierOptions::default()
    }

    /// The input is a real transform, along an axis that had `n` elements before it.
    ///
    /// The transform is that of [`rfft`](crate::fft::rfft), whose axis has `n / 2 + 1` elements; SciPy's parameters `n`
    /// and `axis`.
    pub fn real(mut self, n: usize, axis: isize) -> FourierOptions {
        (self.n, self.axis) = (Some(n), axis);
        self
    }

    /// Writes the result to an array, which may be the input.
    ///
    /// It has the shape of the input, and a complex dtype if the result is complex; SciPy's parameter `output`.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{FourierOptions, fourier_gaussian};
    /// let spectrum = cuprum::ones([4], ())?;
    /// fourier_gaussian(&spectrum, &[1.0], &FourierOptions::new().out(&spectrum))?;
    /// assert!(spectrum.to_vec::<f64>()?[2] < 1.0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn out(mut self, out: &Array) -> FourierOptions {
        self.out = Some(out.clone());
        self
    }
}

/// The parameters of a filter, and the lengths of the axes before the transform.
struct Axes {
    /// Parameter of the filter for each axis.
    values: Vec<f64>,
    /// Length of each axis before the transform.
    lengths: Vec<f64>,
    /// Axis of a real transform, which has half of the frequencies.
    real: Option<usize>,
}

impl Axes {
    fn of(function: &str, input: &Array, argument: &str, values: &[f64], options: &FourierOptions) -> Result<Axes> {
        let real = match options.n {
            None => None,
            Some(_) => Some(normalize_axis(options.axis, input.ndim())?),
        };
        let length = |d: usize, n: usize| if real == Some(d) { options.n.unwrap_or(n) } else { n };
        Ok(Axes {
            values: for_axes(function, argument, values, input.ndim())?,
            lengths: input.shape().iter().enumerate().map(|(d, n)| length(d, *n) as f64).collect(),
            real,
        })
    }

    /// Returns the signed frequency of an index, in periods along the axis.
    fn frequency(&self, axis: usize, i: usize, n: usize) -> f64 {
        if self.real == Some(axis) || i < n.div_ceil(2) { i as f64 } else { i as f64 - n as f64 }
    }

    /// Returns an array that varies along one axis of the input only.
    fn along<T: Element>(&self, input: &Array, axis: usize, value: impl Fn(f64) -> T) -> Result<Array> {
        let n = input.shape()[axis];
        let elements: Vec<T> = (0..n).map(|i| value(self.frequency(axis, i, n))).collect();
        let mut shape = vec![1; input.ndim()];
        shape[axis] = n;
        make::of(input.device(), &elements, &shape)
    }
}

/// Returns the dtype of a result, and checks an output.
fn output(function: &str, input: &Array, options: &FourierOptions, complex: bool) -> Result<Array> {
    let dtype = match input.dtype() {
        kept @ (DType::C64 | DType::C128) => kept,
        _ if complex => DType::C128,
        DType::F32 => DType::F32,
        _ => DType::F64,
    };
    let Some(out) = &options.out else { return make::empty(input.device(), input.shape(), dtype) };
    if out.shape() != input.shape() {
        let (one, two) = (shape_text(out.shape()), shape_text(input.shape()));
        return wrong(format!("{function}: output of shape {one} does not fit the input of shape {two}"));
    }
    if (complex || input.dtype().is_complex()) && !out.dtype().is_complex() {
        let message = format!("{function}: the result is complex, and does not fit an output of {}", out.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    Ok(out.clone())
}

/// Multiplies the input with arrays that broadcast to it, in one kernel.
fn multiplied(input: &Array, out: &Array, factors: impl FnOnce() -> Result<Vec<Array>>) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let product = fuse(|| {
        let mut product: Option<Array> = None;
        for factor in factors()? {
            product = Some(match product {
                None => factor,
                Some(product) => math::multiply(product, factor)?,
            });
        }
        let product = match product {
            None => input.clone(),
            Some(product) => math::multiply(input, product)?,
        };
        product.astype(out.dtype())
    })?;
    copy(&product, out)
}

/// Multiplies a Fourier transform with that of a Gaussian; SciPy's `scipy.ndimage.fourier_gaussian`. `sigma` has one
/// standard deviation for all axes or one for each. The result has the dtype of the input if that is float32 or
/// complex, otherwise float64.
///
/// ```
/// use cuprum::scipy::ndimage::{FourierOptions, fourier_gaussian};
/// let transform = cuprum::ones([8], ())?;
/// let filtered = fourier_gaussian(&transform, &[1.0], &FourierOptions::new())?;
/// assert_eq!(filtered.to_vec::<f64>()?[0], 1.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a list that does not fit the axes and an output of another shape, [`ErrorKind::Axis`], and
/// [`ErrorKind::Type`] for a complex result with a real output.
#[unrecorded("takes options of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_interpolation.py`")]
#[signature]
pub fn fourier_gaussian(input: &Array, sigma: &[f64], options: &FourierOptions) -> Result<Array> {
    let axes = Axes::of("fourier_gaussian", input, "sigma", sigma, options)?;
    let out = output("fourier_gaussian", input, options, false)?;
    let factor = |d: usize| {
        let scale = axes.values[d] * PI / axes.lengths[d];
        axes.along(input, d, |f| {
            let exponent = -2.0 * scale * scale * f * f;
            // SciPy's table ends there.
            if exponent.abs() > 50.0 { 0.0 } else { exponent.exp() }
        })
    };
    multiplied(input, &out, || (0..input.ndim()).map(factor).collect())?;
    Ok(out)
}

/// Multiplies a Fourier transform with that of a box; SciPy's `scipy.ndimage.fourier_uniform`.
///
/// `size` has one length for all axes or one for each; a length that is not positive leaves the frequency 0
/// only. The result has the shape of the input, and its dtype if that is float32 or complex, otherwise
/// float64. The factor of the frequency `f` along an axis is the sinc function at `f * size`.
///
/// ```
/// use cuprum::scipy::ndimage::{FourierOptions, fourier_uniform};
/// let spectrum = cuprum::ones([4], ())?;
/// let filtered = fourier_uniform(&spectrum, &[2.0], &FourierOptions::new())?.to_vec::<f64>()?;
/// assert!(filtered[0] == 1.0 && filtered[2].abs() < 1e-15);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`fourier_gaussian`].
#[unrecorded("takes options of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_interpolation.py`")]
#[signature]
pub fn fourier_uniform(input: &Array, size: &[f64], options: &FourierOptions) -> Result<Array> {
    let axes = Axes::of("fourier_uniform", input, "size", size, options)?;
    let out = output("fourier_uniform", input, options, false)?;
    let factor = |d: usize| {
        let scale = PI * axes.values[d] / axes.lengths[d];
        axes.along(input, d, |f| match f {
            0.0 => 1.0,
            _ if scale <= 0.0 => 0.0,
            _ => (scale * f).sin() / (scale * f),
        })
    };
    multiplied(input, &out, || (0..input.ndim()).map(factor).collect())?;
    Ok(out)
}

/// Multiplies a Fourier transform of one, two or three axes with that of an ellipsoid; SciPy's
/// `scipy.ndimage.fourier_ellipsoid`.
///
/// `size` has one diameter for all axes or one for each. The result has the shape of the input, and its
/// dtype if that is float32 or complex, otherwise float64. The factor is a sinc function for one axis, a
/// Bessel function of the first kind and order 1 for two, and the spherical one of order 1 for three.
///
/// ```
/// use cuprum::scipy::ndimage::{FourierOptions, fourier_ellipsoid};
/// let spectrum = cuprum::ones([4, 4], ())?;
/// let filtered = fourier_ellipsoid(&spectrum, &[2.0], &FourierOptions::new())?.to_vec::<f64>()?;
/// assert!(filtered[0] == 1.0 && filtered[1] < 1.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::NotImplemented`] for more than three axes, and same as for [`fourier_gaussian`].
#[unrecorded("takes options of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_interpolation.py`")]
#[signature]
pub fn fourier_ellipsoid(input: &Array, size: &[f64], options: &FourierOptions) -> Result<Array> {
    if input.ndim() > 3 {
        let message =
            format!("fourier_ellipsoid: the input has {} axes, and at most three are supported", input.ndim());
        return Err(Error::new(ErrorKind::NotImplemented, message));
    }
    let axes = Axes::of("fourier_ellipsoid", input, "size", size, options)?;
    let out = output("fourier_ellipsoid", input, options, false)?;
    let square = |d: usize| {
        let scale = PI * axes.values[d] / axes.lengths[d];
        axes.along(input, d, |f| (scale * f) * (scale * f))
    };
    let factor = || {
        let mut sum = square(0)?;
        for d in 1..input.ndim() {
            sum = math::add(sum, square(d)?)?;
        }
        let r = math::sqrt(&sum)?;
        let transform = match input.ndim() {
            1 => math::divide(math::sin(&r)?, &r)?,
            2 => math::divide(math::multiply(apply("j1", [(&r).into()])?, 2.0)?, &r)?,
            _ => {
                let above = math::subtract(math::sin(&r)?, math::multiply(&r, math::cos(&r)?)?)?;
                math::divide(math::multiply(above, 3.0)?, math::multiply(&sum, &r)?)?
            }
        };
        let nothing = equal(&r, 0.0)?;
        Ok(vec![where_(&nothing, 1.0, &transform)?])
    };
    if input.ndim() == 0 {
        copy(input, &out)?;
    } else {
        multiplied(input, &out, factor)?;
    }
    Ok(out)
}

/// Multiplies a Fourier transform with that of a shift by numbers of elements; SciPy's
/// `scipy.ndimage.fourier_shift`.
///
/// `shift` has one number for all axes or one for each; it need not be whole. The result has the shape of
/// the input and is complex128, or complex64 if the input is. The factor of the frequency `f` along an axis
/// is exp(-2πi `f` `shift`).
///
/// ```
/// use cuprum::scipy::ndimage::{FourierOptions, fourier_shift};
/// let spectrum = cuprum::fft::fft(&cuprum::array([1.0, 0.0, 0.0, 0.0])?, ())?;
/// let moved = cuprum::fft::ifft(&fourier_shift(&spectrum, &[1.0], &FourierOptions::new())?, ())?;
/// let want = cuprum::array([0.0, 1.0, 0.0, 0.0])?;
/// assert!(cuprum::allclose(&moved, &want, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`fourier_gaussian`].
#[unrecorded("takes options of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_interpolation.py`")]
#[signature]
pub fn fourier_shift(input: &Array, shift: &[f64], options: &FourierOptions) -> Result<Array> {
    let axes = Axes::of("fourier_shift", input, "shift", shift, options)?;
    let out = output("fourier_shift", input, options, true)?;
    let factor = |d: usize| {
        let periods = axes.values[d] / axes.lengths[d];
        axes.along(input, d, |f| {
            let phase = periods * f;
            Complex64::from_polar(1.0, -2.0 * PI * (phase - phase.round()))
        })
    };
    multiplied(input, &out, || (0..input.ndim()).map(factor).collect())?;
    Ok(out)
}
