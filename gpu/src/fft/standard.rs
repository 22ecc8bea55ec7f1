//! NumPy's discrete Fourier transforms.
//!
//! The dtype of a result follows from that of the operand: complex64 for float16, float32 and complex64, complex128 for
//! float64, complex128, integers and booleans; real results keep the operand's floating-point dtype. NumPy's `norm` is
//! `"backward"` by default.
//!
//! With the default norm, element `k` of the forward transform of `n` numbers `x` is the sum of `x[j] exp(-2πi j k /
//! n)` over `j`; the inverse has the opposite sign in the exponent, and the factor `1 / n`. The transforms of real
//! numbers return the elements from 0 to `n / 2`, since element `n - k` is the conjugate of element `k`. Along several
//! axes the transform of one axis is applied to each.

use cuprum_macros::{Options, routine};

use super::calls::{CallOptions, real_dtype, to_complex_anywhere, to_half, to_real};
use super::lengths::{Last, Lengths};
use super::transforms::{Like, Norm};
use crate::array::{Array, Axes};
use crate::error::{Error, ErrorKind, Result};

/// Options of transforms along one axis.
///
/// An integer converts to options that set the length alone; the axis is the last by default.
///
/// ```
/// use cuprum::fft::{FftOptions, Norm, fft};
/// let a = cuprum::array([1.0, 1.0, 1.0, 1.0])?;
/// let x = fft(&a, FftOptions::new().norm(Norm::Ortho))?;
/// assert_eq!(x.real().to_vec::<f64>()?, [2.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct FftOptions<'a> {
    /// The length of the transformed axis: the operand is truncated, or zero-padded. By default that of the operand, or
    /// `2 * (m - 1)` for a half spectrum of `m` elements.
    #[from]
    pub n: Option<isize>,
    /// The axis. By default the last one.
    pub axis: isize,
    /// The normalisation; by default the forward transform has no factor.
    pub norm: Option<Norm>,
    /// The output array; by default a new one.
    pub out: Option<&'a Array>,
}

impl Default for FftOptions<'_> {
    fn default() -> Self {
        FftOptions { n: None, axis: -1, norm: None, out: None }
    }
}

/// Options of transforms along several axes.
///
/// A list of lengths converts to options that set `s` alone.
///
/// ```
/// use cuprum::{array, fft::{FftnOptions, Norm, fftn}};
/// let a = array([[1.0, 1.0], [1.0, 1.0]])?;
/// let rows = fftn(&a, FftnOptions::new().axes(-1).norm(Norm::Forward))?;
/// assert_eq!(cuprum::real(&rows).to_vec::<f64>()?, [1.0, 0.0, 1.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, Options)]
pub struct FftnOptions<'a> {
    /// The length along each axis, see `n` of [`FftOptions`]; -1 for that of the operand.
    #[from]
    pub s: Axes,
    /// The axes; by default all, or as many of the last ones as there are lengths.
    pub axes: Axes,
    /// The normalisation.
    pub norm: Option<Norm>,
    /// The output array; by default a new one.
    pub out: Option<&'a Array>,
}

/// Options of transforms along two axes.
///
/// A list of lengths converts to options that set `s` alone.
///
/// ```
/// use cuprum::{array, fft::{Fft2Options, fft2}};
/// let a = array([[1.0, 2.0], [3.0, 5.0]])?;
/// assert_eq!(fft2(&a, Fft2Options::new().s((4, 4)))?.shape(), [4, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Options)]
pub struct Fft2Options<'a> {
    /// The length along each axis, see `n` of [`FftOptions`]; -1 for that of the operand.
    #[from]
    pub s: Axes,
    /// The axes; by default the last two.
    pub axes: Axes,
    /// The normalisation.
    pub norm: Option<Norm>,
    /// The output array; by default a new one.
    pub out: Option<&'a Array>,
}

impl Default for Fft2Options<'_> {
    fn default() -> Self {
        Fft2Options { s: Axes::default(), axes: [-2, -1].into(), norm: None, out: None }
    }
}

impl<'a> From<Fft2Options<'a>> for FftnOptions<'a> {
    fn from(two: Fft2Options<'a>) -> FftnOptions<'a> {
        FftnOptions { s: two.s, axes: two.axes, norm: two.norm, out: two.out }
    }
}

fn call_options(norm: Option<Norm>, inverse: bool, out: Option<&Array>) -> CallOptions<'_> {
    CallOptions { inverse, norm: norm.unwrap_or_default(), like: Like::Operand, out }
}

/// Discrete Fourier transform along one axis; NumPy's `fft.fft`: `sum(a[m] * exp(-2πi m k / n))`. The result is
/// complex64 for float16, bfloat16, float32 and complex64, otherwise complex128. Any length is supported, including
/// primes.
///
/// ```
/// use cuprum::{array, fft};
/// let x = fft::fft(array([1.0, 2.0, 3.0, 4.0])?, ())?;
/// assert_eq!(x.real().to_vec::<f64>()?, [10.0, -2.0, -2.0, -2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis); [`ErrorKind::Value`](crate::ErrorKind::Value) for a length below one
/// and for an `out` of another shape; [`ErrorKind::Type`](crate::ErrorKind::Type) for an `out` of another kind of
/// dtype.
#[routine(namespace = "numpy.fft")]
pub fn fft(a: &Array, options: FftOptions<'_>) -> Result<Array> {
    to_complex_anywhere(
        a,
        &Lengths::one(a, options.n, options.axis, Last::Whole)?,
        call_options(options.norm, false, options.out),
    )
}

/// Inverse of [`fft`]; NumPy's `fft.ifft`: with the opposite sign in the exponent, and divided by the length.
///
/// The result is complex, of the shape of `a` with `n` elements along the axis.
///
/// ```
/// use cuprum::{array, fft};
/// let x = fft::ifft(array([10.0, 0.0])?, ())?;
/// assert_eq!(x.real().to_vec::<f64>()?, [5.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fft`].
#[routine(namespace = "numpy.fft")]
pub fn ifft(a: &Array, options: FftOptions<'_>) -> Result<Array> {
    to_complex_anywhere(
        a,
        &Lengths::one(a, options.n, options.axis, Last::Whole)?,
        call_options(options.norm, true, options.out),
    )
}

/// Discrete Fourier transform of real numbers: the first half of the spectrum, `n / 2 + 1` elements; NumPy's
/// `fft.rfft`. The other half is its conjugate mirror image.
///
/// The result is complex, of the shape of `a` with `n / 2 + 1` elements along the axis. A complex operand is rejected.
///
/// ```
/// use cuprum::{array, fft};
/// let x = fft::rfft(array([1.0, 2.0, 3.0, 4.0])?, ())?;
/// assert_eq!(x.real().to_vec::<f64>()?, [10.0, -2.0, -2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fft`], and [`ErrorKind::Type`](crate::ErrorKind::Type) for complex numbers.
#[routine(namespace = "numpy.fft")]
pub fn rfft(a: &Array, options: FftOptions<'_>) -> Result<Array> {
    to_half(
        a,
        &Lengths::one(a, options.n, options.axis, Last::Whole)?,
        false,
        call_options(options.norm, false, options.out),
    )
}

/// Inverse of [`rfft`]: real numbers from the first half of their spectrum; NumPy's `fft.irfft`. An odd length must be
/// passed, as a half spectrum does not determine it.
///
/// The result is real, of the shape of `a` with `n` elements along the axis.
///
/// ```
/// use cuprum::{array, fft};
/// let a = array([1.0, 2.0, 4.0])?;
/// let back = fft::irfft(fft::rfft(&a, ())?, 3)?;
/// assert!((back.to_vec::<f64>()?[2] - 4.0).abs() < 1e-15);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fft`].
#[routine(namespace = "numpy.fft")]
pub fn irfft(a: &Array, options: FftOptions<'_>) -> Result<Array> {
    let of = Lengths::one(a, options.n, options.axis, Last::OfHalf)?;
    to_real(a, &of, false, real_dtype(a.dtype()), call_options(options.norm, true, options.out))
}

/// Transform of a Hermitian-symmetric signal, given by its first half, to real numbers; NumPy's `fft.hfft`.
///
/// The result is real, of the shape of `a` with `n` elements along the axis, by default `2 * (m - 1)`.
///
/// ```
/// use cuprum::{array, fft};
/// assert_eq!(fft::hfft(array([1.0, 2.0, 3.0])?, ())?.to_vec::<f64>()?, [8.0, -2.0, 0.0, -2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fft`].
#[routine(namespace = "numpy.fft")]
pub fn hfft(a: &Array, options: FftOptions<'_>) -> Result<Array> {
    let of = Lengths::one(a, options.n, options.axis, Last::OfHalf)?;
    let norm = options.norm.unwrap_or_default().swapped();
    let call_options = CallOptions { inverse: true, norm, like: Like::Elements, out: options.out };
    to_real(a, &of, true, real_dtype(a.dtype()), call_options)
}

/// Inverse of [`hfft`]: the first half of a Hermitian-symmetric signal; NumPy's `fft.ihfft`.
///
/// The result is complex, of the shape of `a` with `n / 2 + 1` elements along the axis.
///
/// ```
/// use cuprum::{array, fft};
/// let x = fft::ihfft(array([8.0, -2.0, 0.0, -2.0])?, ())?;
/// assert_eq!(x.real().to_vec::<f64>()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`rfft`].
#[routine(namespace = "numpy.fft")]
pub fn ihfft(a: &Array, options: FftOptions<'_>) -> Result<Array> {
    let norm = Some(options.norm.unwrap_or_default().swapped());
    to_half(a, &Lengths::one(a, options.n, options.axis, Last::Whole)?, true, call_options(norm, false, options.out))
}

/// Discrete Fourier transform along several axes; NumPy's `fft.fftn`.
///
/// The result is complex, of the shape of `a` with the lengths `s` along the axes.
///
/// ```
/// use cuprum::{array, fft};
/// let x = fft::fftn(array([[1.0, 2.0], [3.0, 4.0]])?, ())?;
/// assert_eq!(x.real().to_vec::<f64>()?, [10.0, -2.0, -4.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fft`], and [`ErrorKind::Value`](crate::ErrorKind::Value) unless there is one length for each axis.
#[routine(namespace = "numpy.fft", python(returns_same))]
pub fn fftn(a: &Array, options: FftnOptions<'_>) -> Result<Array> {
    to_complex_anywhere(
        a,
        &Lengths::several(a, &options.s, &options.axes, Last::Whole)?,
        call_options(options.norm, false, options.out),
    )
}

/// Inverse of [`fftn`]; NumPy's `fft.ifftn`.
///
/// The result is complex, of the shape of `a` with the lengths `s` along the axes, and divided by their product.
///
/// ```
/// use cuprum::{array, fft};
/// let a = array([[1.0, 2.0], [3.0, 4.0]])?;
/// let back = fft::ifftn(fft::fftn(&a, ())?, ())?;
/// assert!(cuprum::allclose(back, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fftn`].
#[routine(namespace = "numpy.fft", python(returns_same))]
pub fn ifftn(a: &Array, options: FftnOptions<'_>) -> Result<Array> {
    to_complex_anywhere(
        a,
        &Lengths::several(a, &options.s, &options.axes, Last::Whole)?,
        call_options(options.norm, true, options.out),
    )
}

/// Discrete Fourier transform of real numbers along several axes, with the first half of the spectrum along the last;
/// NumPy's `fft.rfftn`.
///
/// The result is complex, of the shape of `a` with the lengths `s` along the axes but `n / 2 + 1` along the last of
/// them.
///
/// ```
/// use cuprum::{array, fft};
/// let spectrum = fft::rfftn(array([[1.0, 1.0, 1.0, 1.0]])?, ())?;
/// assert_eq!((spectrum.shape(), spectrum.real().to_vec::<f64>()?), ([1, 3].as_slice(), vec![4.0, 0.0, 0.0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fftn`] and [`rfft`], and [`ErrorKind::Index`] for an empty list of axes.
#[routine(namespace = "numpy.fft")]
pub fn rfftn(a: &Array, options: FftnOptions<'_>) -> Result<Array> {
    half(a, &options)
}

fn half(a: &Array, options: &FftnOptions<'_>) -> Result<Array> {
    let of = with_an_axis(Lengths::several(a, &options.s, &options.axes, Last::Whole)?)?;
    to_half(a, &of, false, call_options(options.norm, false, options.out))
}

/// Rejects an empty list of axes with an index error, which NumPy raises when it indexes the last axis.
fn with_an_axis(of: Lengths) -> Result<Lengths> {
    if of.axes.is_empty() {
        let message = "`axes` names no axis: a transform of real numbers needs at least one";
        return Err(Error::new(ErrorKind::Index, message));
    }
    Ok(of)
}

/// Inverse of [`rfftn`]: real numbers from the first half of their spectrum along several axes; NumPy's `fft.irfftn`.
///
/// The result is real, of the shape of `a` with the lengths `s` along the axes. An odd length of the last axis must be
/// passed.
///
/// ```
/// use cuprum::{array, fft};
/// let a = array([[1.0, 2.0], [3.0, 4.0]])?;
/// assert!(cuprum::allclose(fft::irfftn(fft::rfftn(&a, ())?, ())?, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fftn`], and [`ErrorKind::Index`] for an empty list of axes.
#[routine(namespace = "numpy.fft")]
pub fn irfftn(a: &Array, options: FftnOptions<'_>) -> Result<Array> {
    real(a, &options)
}

fn real(a: &Array, options: &FftnOptions<'_>) -> Result<Array> {
    let of = with_an_axis(Lengths::several(a, &options.s, &options.axes, Last::OfHalf)?)?;
    // Only the last axis is transformed: the dtype follows from the operand, not from a spectrum.
    let dtype = if of.axes.len() > 1 {
        real_dtype(super::transforms::spectrum_dtype(a.dtype()))
    } else {
        real_dtype(a.dtype())
    };
    to_real(a, &of, false, dtype, call_options(options.norm, true, options.out))
}

/// Discrete Fourier transform along two axes; NumPy's `fft.fft2`.
///
/// The result is complex, of the shape of `a` with the lengths `s` along the axes.
///
/// ```
/// use cuprum::{array, fft};
/// let spectrum = fft::fft2(array([[1.0, 2.0], [3.0, 4.0]])?, ())?;
/// assert_eq!(spectrum.real().to_vec::<f64>()?, [10.0, -2.0, -4.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fftn`].
#[routine(namespace = "numpy.fft", python(returns_same))]
pub fn fft2(a: &Array, options: Fft2Options<'_>) -> Result<Array> {
    to_complex_anywhere(
        a,
        &Lengths::several(a, &options.s, &options.axes, Last::Whole)?,
        call_options(options.norm, false, options.out),
    )
}

/// Inverse of [`fft2`]; NumPy's `fft.ifft2`.
///
/// The result is complex, of the shape of `a`, and divided by the number of points. See [`fft2`] for an example of the
/// forward transform.
///
/// By default the last two axes are transformed.
///
/// ```
/// use cuprum::{array, fft::{fft2, ifft2}};
/// let a = array([[1.0, 2.0], [3.0, 5.0]])?;
/// assert!(cuprum::allclose(&ifft2(&fft2(&a, ())?, ())?, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fftn`].
#[routine(namespace = "numpy.fft", python(returns_same))]
pub fn ifft2(a: &Array, options: Fft2Options<'_>) -> Result<Array> {
    to_complex_anywhere(
        a,
        &Lengths::several(a, &options.s, &options.axes, Last::Whole)?,
        call_options(options.norm, true, options.out),
    )
}

/// Discrete Fourier transform of real numbers along two axes; NumPy's `fft.rfft2`.
///
/// The result is complex, with `n / 2 + 1` elements along the last of the axes.
///
/// ```
/// use cuprum::{array, fft};
/// let spectrum = fft::rfft2(array([[1.0, 2.0], [3.0, 4.0]])?, ())?;
/// assert_eq!(spectrum.real().to_vec::<f64>()?, [10.0, -2.0, -4.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`rfftn`].
#[routine(namespace = "numpy.fft")]
pub fn rfft2(a: &Array, options: Fft2Options<'_>) -> Result<Array> {
    half(a, &options.into())
}

/// Inverse of [`rfft2`]; NumPy's `fft.irfft2`.
///
/// The result is real. An odd length of the last of the axes must be passed.
///
/// By default the last two axes are transformed, and the last one has twice the elements less two.
///
/// ```
/// use cuprum::{array, fft::{irfft2, rfft2}};
/// let a = array([[1.0, 2.0], [3.0, 5.0]])?;
/// assert!(cuprum::allclose(&irfft2(&rfft2(&a, ())?, ())?, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`irfftn`].
#[routine(namespace = "numpy.fft")]
pub fn irfft2(a: &Array, options: Fft2Options<'_>) -> Result<Array> {
    real(a, &options.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, ones};

    #[test]
    fn no_axes_are_nothing_to_transform_or_an_index_error() -> Result<()> {
        let a = ones([2, 3], DType::F64)?;
        let none = || FftnOptions { axes: Vec::<isize>::new().into(), ..FftnOptions::default() };
        assert!(fftn(&a, none())?.is_same_view(&a));
        assert_eq!(rfftn(&a, none()).unwrap_err().kind(), ErrorKind::Index);
        assert_eq!(irfftn(&a, none()).unwrap_err().kind(), ErrorKind::Index);
        Ok(())
    }
}
