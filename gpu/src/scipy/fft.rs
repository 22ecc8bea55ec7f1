//! Fourier, cosine and sine transforms of `scipy.fft`.
//!
//! The transforms of [`crate::fft`] with SciPy's rules: new arrays are in C order, float16 and bfloat16 give float32
//! precision, and axes must not be repeated. `overwrite_x` and `workers` are accepted and have no effect.

use cuprum_macros::{Options, routine};

use super::cosines::{Cosine, cosines};
use crate::array::{Array, Axes};
use crate::error::{Error, ErrorKind, Result};
use crate::fft::calls::{CallOptions, to_complex_anywhere, to_half, to_real};
use crate::fft::helpers;
use crate::fft::lengths::{Last, Lengths};
use crate::fft::transforms::{Like, spectrum_dtype};

pub use super::hankel::{FhtOptions, FhtoffsetOptions, fht, fhtoffset, ifht};
pub use crate::fft::{FftPlan, FftPlanOptions, FftPlanScope, Norm, ValueType, get_fft_plan};

/// Options of a transform along one axis.
///
/// ```
/// use cuprum::{array, scipy::fft::{FftOptions, fft}};
/// let a = array([[1.0, 2.0], [3.0, 4.0]])?;
/// assert_eq!(fft(&a, 4)?.shape(), [2, 4]);
/// assert_eq!(fft(&a, FftOptions::new().n(3).axis(0))?.shape(), [3, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct FftOptions {
    /// Length along the axis, which is cropped or padded with zeros; by default its own.
    #[from]
    pub n: Option<isize>,
    /// The axis; by default the last.
    pub axis: isize,
    /// Normalisation; by default [`Norm::Backward`].
    pub norm: Option<Norm>,
    /// Accepted for compatibility: the operand is never overwritten.
    pub overwrite_x: bool,
    /// Accepted for compatibility and ignored.
    pub workers: Option<isize>,
}

impl Default for FftOptions {
    fn default() -> Self {
        FftOptions { n: None, axis: -1, norm: None, overwrite_x: false, workers: None }
    }
}

/// Options of a transform along several axes.
#[derive(Clone, Debug, Default, Options)]
pub struct FftnOptions {
    /// Lengths along the axes; -1 keeps an axis as it is.
    #[from]
    pub s: Axes,
    /// The axes; by default all, or as many of the last ones as there are lengths.
    pub axes: Axes,
    /// Normalisation; by default [`Norm::Backward`].
    pub norm: Option<Norm>,
    /// Accepted for compatibility: the operand is never overwritten.
    pub overwrite_x: bool,
    /// Accepted for compatibility and ignored.
    pub workers: Option<isize>,
}

/// Options of a transform along two axes.
#[derive(Clone, Debug, Options)]
pub struct Fft2Options {
    /// Lengths along the axes; -1 keeps an axis as it is.
    #[from]
    pub s: Axes,
    /// The axes; by default the last two.
    pub axes: Axes,
    /// Normalisation; by default [`Norm::Backward`].
    pub norm: Option<Norm>,
    /// Accepted for compatibility: the operand is never overwritten.
    pub overwrite_x: bool,
    /// Accepted for compatibility and ignored.
    pub workers: Option<isize>,
}

impl Default for Fft2Options {
    fn default() -> Self {
        let axes = [-2, -1].into();
        Fft2Options { s: Axes::default(), axes, norm: None, overwrite_x: false, workers: None }
    }
}

/// Domain and range of a transform: complex to complex, real to half spectrum, or half spectrum to real.
#[derive(Clone, Copy)]
enum Kind {
    Complex { inverse: bool },
    Half { conjugated: bool },
    Real { conjugated: bool },
}

impl Kind {
    fn last(self) -> Last {
        if matches!(self, Kind::Real { .. }) { Last::OfHalf } else { Last::Whole }
    }

    fn call(self, x: &Array, of: &Lengths, norm: Option<Norm>) -> Result<Array> {
        if of.repeats() {
            return Err(Error::new(ErrorKind::Value, "an axis is named twice: each is transformed once"));
        }
        let norm = norm.unwrap_or_default();
        let call_options = |inverse: bool, norm: Norm| CallOptions { inverse, norm, like: Like::C, out: None };
        let real = spectrum_dtype(x.dtype()).real();
        match self {
            Kind::Complex { inverse } => to_complex_anywhere(x, of, call_options(inverse, norm)),
            Kind::Half { conjugated: false } => to_half(x, of, false, call_options(false, norm)),
            Kind::Half { conjugated: true } => to_half(x, of, true, call_options(false, norm.swapped())),
            Kind::Real { conjugated: false } => to_real(x, of, false, real, call_options(true, norm)),
            Kind::Real { conjugated: true } => to_real(x, of, true, real, call_options(true, norm.swapped())),
        }
    }
}

/// Returns the axes and lengths of a transform along several axes. More lengths than axes raise [`ErrorKind::Value`],
/// as in SciPy; in NumPy they raise [`ErrorKind::Axis`].
fn several(x: &Array, s: &Axes, axes: &Axes, last: Last) -> Result<Lengths> {
    if let (Some(s), None) = (s.as_slice(), axes.as_slice())
        && s.len() > x.ndim()
    {
        let message = format!("`s` has {} lengths, more than the {} axes of the array", s.len(), x.ndim());
        return Err(Error::new(ErrorKind::Value, message));
    }
    Lengths::several(x, s, axes, last)
}

/// Defines the transforms along one axis, along several and along two.
macro_rules! transforms {
    (one { $($(#[$one:meta])* $name:ident = $kind:expr;)+ } several { $($(#[$several:meta])* $n:ident $two:ident = $nkind:expr;)+ }) => {
        $(
            $(#[$one])*
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Axis`]; [`ErrorKind::Value`] for a length less than one; [`ErrorKind::Type`] for complex
            /// operands of transforms of real numbers.
            #[routine(namespace = "scipy.fft")]
            pub fn $name(x: &Array, options: FftOptions) -> Result<Array> {
                $kind.call(x, &Lengths::one(x, options.n, options.axis, $kind.last())?, options.norm)
            }
        )+
        $(
            $(#[$several])*
            ///
            /// # Errors
            ///
            /// Same as for [`fft`], and [`ErrorKind::Value`] if the number of lengths is not that of the axes or an
            /// axis is repeated.
            #[routine(namespace = "scipy.fft", python(returns_same))]
            pub fn $n(x: &Array, options: FftnOptions) -> Result<Array> {
                $nkind.call(x, &several(x, &options.s, &options.axes, $nkind.last())?, options.norm)
            }

            $(#[$several])*
            /// By default along the last two axes.
            ///
            /// # Errors
            ///
            /// Same as for the function of several axes.
            #[routine(namespace = "scipy.fft", python(returns_same))]
            pub fn $two(x: &Array, options: Fft2Options) -> Result<Array> {
                $nkind.call(x, &several(x, &options.s, &options.axes, $nkind.last())?, options.norm)
            }
        )+
    };
}

transforms! {
    one {
    /// Discrete Fourier transform along one axis; SciPy's `scipy.fft.fft`. The result is complex64 for float16,
    /// bfloat16, float32 and complex64, otherwise complex128.
    ///
    /// ```
    /// use cuprum::{array, scipy::fft};
    /// assert_eq!(fft::fft(array([1.0, 3.0])?, ())?.real().to_vec::<f64>()?, [4.0, -2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    fft = Kind::Complex { inverse: false };
    /// Inverse of [`fft`]; SciPy's `scipy.fft.ifft`. The result is complex.
    ifft = Kind::Complex { inverse: true };
    /// Discrete Fourier transform of real numbers along one axis, as its half spectrum; SciPy's `scipy.fft.rfft`. The
    /// result is complex and has `n / 2 + 1` elements along the axis.
    rfft = Kind::Half { conjugated: false };
    /// Inverse of [`rfft`]; SciPy's `scipy.fft.irfft`. The result is float32 or float64; by default its length is twice
    /// that of the operand, minus 2, so that an odd length must be passed.
    irfft = Kind::Real { conjugated: false };
    /// Discrete Fourier transform of a Hermitian-symmetric array, given by its half; SciPy's `scipy.fft.hfft`. The
    /// result is float32 or float64, with the length of [`irfft`].
    hfft = Kind::Real { conjugated: true };
    /// Inverse of [`hfft`]; SciPy's `scipy.fft.ihfft`. The result is a half spectrum, as of [`rfft`].
    ihfft = Kind::Half { conjugated: true };
    }
    several {
    /// Discrete Fourier transform along several axes; SciPy's `scipy.fft.fftn` and `scipy.fft.fft2`. The result is
    /// complex.
    fftn fft2 = Kind::Complex { inverse: false };
    /// Inverse discrete Fourier transform along several axes; SciPy's `scipy.fft.ifftn` and `scipy.fft.ifft2`.
    ifftn ifft2 = Kind::Complex { inverse: true };
    /// Discrete Fourier transform of real numbers along several axes, a half spectrum along the last; SciPy's
    /// `scipy.fft.rfftn` and `scipy.fft.rfft2`.
    rfftn rfft2 = Kind::Half { conjugated: false };
    /// Inverse of the transform of real numbers along several axes; SciPy's `scipy.fft.irfftn` and `scipy.fft.irfft2`.
    /// The result is real.
    irfftn irfft2 = Kind::Real { conjugated: false };
    /// Discrete Fourier transform of a Hermitian-symmetric array along several axes, given by its half; SciPy's
    /// `scipy.fft.hfftn` and `scipy.fft.hfft2`. The result is real.
    hfftn hfft2 = Kind::Real { conjugated: true };
    /// Inverse of the Hermitian-symmetric transform along several axes; SciPy's `scipy.fft.ihfftn` and
    /// `scipy.fft.ihfft2`. The result is a half spectrum along the last axis.
    ihfftn ihfft2 = Kind::Half { conjugated: true };
    }
}

/// Options of a cosine or sine transform along one axis.
///
/// ```
/// use cuprum::{array, fft::Norm, scipy::fft::{DctOptions, dct, idct}};
/// let a = array([1.0, 2.0, 3.0])?;
/// let ortho = || DctOptions::new().norm(Norm::Ortho);
/// assert!(cuprum::allclose(&idct(&dct(&a, 2, ortho())?, 2, ortho())?, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct DctOptions {
    /// Length along the axis, which is cropped or padded with zeros; by default its own.
    #[from]
    pub n: Option<isize>,
    /// The axis; by default the last.
    pub axis: isize,
    /// Normalisation; by default [`Norm::Backward`].
    pub norm: Option<Norm>,
    /// Accepted for compatibility: the operand is never overwritten.
    pub overwrite_x: bool,
    /// Accepted for compatibility and ignored.
    pub workers: Option<isize>,
    /// Weights the ends so that the matrix of the transform is orthogonal; by default with [`Norm::Ortho`].
    pub orthogonalize: Option<bool>,
}

impl Default for DctOptions {
    fn default() -> Self {
        DctOptions { n: None, axis: -1, norm: None, overwrite_x: false, workers: None, orthogonalize: None }
    }
}

/// Options of a cosine or sine transform along several axes.
#[derive(Clone, Debug, Default, Options)]
pub struct DctnOptions {
    /// Lengths along the axes; -1 keeps an axis as it is.
    #[from]
    pub s: Axes,
    /// The axes; by default all, or as many of the last ones as there are lengths.
    pub axes: Axes,
    /// Normalisation; by default [`Norm::Backward`].
    pub norm: Option<Norm>,
    /// Accepted for compatibility: the operand is never overwritten.
    pub overwrite_x: bool,
    /// Accepted for compatibility and ignored.
    pub workers: Option<isize>,
    /// Weights the ends so that the matrix of the transform is orthogonal; by default with [`Norm::Ortho`].
    pub orthogonalize: Option<bool>,
}

fn cosine(
    x: &Array,
    of: &Lengths,
    (kind, sine, inverse): (isize, bool, bool),
    norm: Option<Norm>,
    orthogonalize: Option<bool>,
) -> Result<Array> {
    let norm = norm.unwrap_or_default();
    let kind = match (kind, inverse) {
        (2, true) => 3,
        (3, true) => 2,
        (1..=4, _) => kind as u8,
        _ => {
            return Err(Error::new(
                ErrorKind::Value,
                format!("there is no transform of type {kind}: there are 1 to 4"),
            ));
        }
    };
    let orthogonal = orthogonalize.unwrap_or(norm == Norm::Ortho);
    cosines(x, of, Cosine { kind, sine, norm: if inverse { norm.swapped() } else { norm }, orthogonal })
}

/// Defines the transforms along one axis and along several.
macro_rules! cosine_transforms {
    ($($(#[$doc:meta])* $one:ident $several:ident $((keyword_only = $keyword_only:literal))? = $sine:literal, $inverse:literal;)+) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Axis`]; [`ErrorKind::Value`] for a type other than 1 to 4, for a length less than one, and for
        /// a length less than two of the first type of the cosine transform.
        #[routine(namespace = "scipy.fft", names = "x type", kind = 2)]
        pub fn $one(x: &Array, kind: isize, options: DctOptions) -> Result<Array> {
            let of = Lengths::one(x, options.n, options.axis, Last::Whole)?;
            cosine(x, &of, (kind, $sine, $inverse), options.norm, options.orthogonalize)
        }

        $(#[$doc])*
        /// By default along all axes.
        ///
        /// # Errors
        ///
        /// Same as for one axis, and [`ErrorKind::Value`] if the number of lengths is not that of the axes or an axis
        /// is repeated.
        #[routine(
            namespace = "scipy.fft", names = "x type", kind = 2,
            python(returns_same $(, keyword_only = $keyword_only)?)
        )]
        pub fn $several(x: &Array, kind: isize, options: DctnOptions) -> Result<Array> {
            let of = several(x, &options.s, &options.axes, Last::Whole)?;
            cosine(x, &of, (kind, $sine, $inverse), options.norm, options.orthogonalize)
        }
    )+};
}

cosine_transforms! {
    /// Discrete cosine transform of type 1 to 4; SciPy's `scipy.fft.dct` and `scipy.fft.dctn`. The result is float32 or
    /// float64, and of complex operands complex64 or complex128, whose two parts are transformed separately.
    dct dctn (keyword_only = 1) = false, false;
    /// Inverse discrete cosine transform; SciPy's `scipy.fft.idct` and `scipy.fft.idctn`. The dtype is that of the
    /// forward transform.
    idct idctn = false, true;
    /// Discrete sine transform of type 1 to 4; SciPy's `scipy.fft.dst` and `scipy.fft.dstn`. The dtype is that of the
    /// cosine transform.
    dst dstn = true, false;
    /// Inverse discrete sine transform; SciPy's `scipy.fft.idst` and `scipy.fft.idstn`. The dtype is that of the
    /// forward transform.
    idst idstn = true, true;
}

/// Sample frequencies of a discrete Fourier transform; SciPy's `scipy.fft.fftfreq`. The result is a 1-D array of `n`
/// float64.
///
/// It is [`numpy.fft`](crate::fft)'s function.
///
/// ```
/// use cuprum::scipy::fft::fftfreq;
/// assert_eq!(fftfreq(4, 0.25)?.to_vec::<f64>()?, [0.0, 1.0, -2.0, -1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] if `n` is less than one or the spacing is 0.
#[routine(
    namespace = "scipy.fft", d = 1.0,
    python(keyword_only = 0, extras = [("xp", Extra::Granted), ("device", Extra::Device)])
)]
pub fn fftfreq(n: isize, d: f64) -> Result<Array> {
    helpers::of_all(n, d)
}

/// Sample frequencies of a half spectrum; SciPy's `scipy.fft.rfftfreq`. The result is a 1-D array of `n / 2 + 1`
/// float64.
///
/// It is [`numpy.fft`](crate::fft)'s function.
///
/// ```
/// use cuprum::scipy::fft::rfftfreq;
/// assert_eq!(rfftfreq(4, 0.25)?.to_vec::<f64>()?, [0.0, 1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`fftfreq`].
#[routine(
    namespace = "scipy.fft", d = 1.0,
    python(keyword_only = 0, extras = [("xp", Extra::Granted), ("device", Extra::Device)])
)]
pub fn rfftfreq(n: isize, d: f64) -> Result<Array> {
    helpers::of_half(n, d)
}

/// Shifts the zero frequency to the middle of each axis; SciPy's `scipy.fft.fftshift`.
///
/// The result has the shape and the dtype of `x`; by default all axes are shifted, by half of their length
/// rounded down. It is one copy, as of [`fft::fftshift`](crate::fft::fftshift).
///
/// ```
/// use cuprum::scipy::fft::{fftfreq, fftshift};
/// assert_eq!(fftshift(&fftfreq(4, 0.25)?, ())?.to_vec::<f64>()?, [-2.0, -1.0, 0.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`].
#[routine(namespace = "scipy.fft")]
pub fn fftshift(x: &Array, axes: Axes) -> Result<Array> {
    helpers::shifted(x, &axes, |n| n / 2)
}

/// Inverse of [`fftshift`]; SciPy's `scipy.fft.ifftshift`.
///
/// The result has the shape and the dtype of `x`. It differs from [`fftshift`] for axes of odd length.
///
/// ```
/// use cuprum::scipy::fft::{fftshift, ifftshift};
/// let a = cuprum::array([0, 1, 2])?;
/// assert_eq!(fftshift(&a, ())?.to_vec::<i32>()?, [2, 0, 1]);
/// assert_eq!(ifftshift(fftshift(&a, ())?, ())?.to_vec::<i32>()?, [0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`].
#[routine(namespace = "scipy.fft")]
pub fn ifftshift(x: &Array, axes: Axes) -> Result<Array> {
    helpers::shifted(x, &axes, |n| n - n / 2)
}

/// Finds the next length, from a target up or down, whose prime factors are 2, 3 and 5, and for complex transforms also
/// 7 and 11.
fn fast(target: isize, real: bool, step: isize) -> Result<isize> {
    if target < 0 {
        return Err(Error::new(ErrorKind::Value, format!("a length of {target} is less than none")));
    }
    let factors: &[isize] = if real { &[2, 3, 5] } else { &[2, 3, 5, 7, 11] };
    let is_fast = |n: isize| {
        let rest = factors.iter().fold(n, |mut rest, f| {
            while rest > 1 && rest % f == 0 {
                rest /= f;
            }
            rest
        });
        rest <= 1
    };
    let mut n = target;
    while !is_fast(n) {
        n += step;
    }
    Ok(n)
}

/// Smallest length not less than `target` that is transformed fast; SciPy's `scipy.fft.next_fast_len`.
///
/// Fast are lengths whose prime factors are small. The result is computed on the host.
///
/// ```
/// assert_eq!(cuprum::scipy::fft::next_fast_len(7919, false)?, 7920);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative target.
#[routine(
    namespace = "scipy.fft",
    real = false,
    no_cases = "returns a host scalar, compared in its own tests",
    no_programs = "takes host scalars only, which its conformance cases pass"
)]
pub fn next_fast_len(target: isize, real: bool) -> Result<isize> {
    fast(target, real, 1)
}

/// Largest length not greater than `target` that is transformed fast; SciPy's `scipy.fft.prev_fast_len`.
///
/// Fast are lengths whose prime factors are small. The result is computed on the host.
///
/// ```
/// assert_eq!(cuprum::scipy::fft::prev_fast_len(7919, true)?, 7776);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative target.
#[routine(
    namespace = "scipy.fft",
    real = false,
    no_cases = "returns a host scalar, compared in its own tests",
    no_programs = "takes host scalars only, which its conformance cases pass"
)]
pub fn prev_fast_len(target: isize, real: bool) -> Result<isize> {
    fast(target, real, -1)
}
