//! Fourier, cosine and sine transforms; SciPy's `scipy.fft`.
//!
//! The transforms of [`crate::fft`] with SciPy's rules: new arrays lie in C order, halves give float32, no axis is transformed
//! twice. `overwrite_x` and `workers` are taken and change nothing.

use cuprum_macros::{Options, routine};

use super::cosines::{Cosine, cosines};
use crate::array::{Array, Axes};
use crate::error::{Error, ErrorKind, Result};
use crate::fft::calls::{Told, to_complex_anywhere, to_half, to_real};
use crate::fft::helpers;
use crate::fft::lengths::{Last, Lengths};
use crate::fft::transforms::{Like, spectrum_dtype};

pub use super::hankel::{FhtOptions, FhtoffsetOptions, fht, fhtoffset, ifht};
pub use crate::fft::{FftPlan, FftPlanOptions, FftPlanScope, Norm, ValueType, get_fft_plan};

/// How an array is transformed along one axis.
#[derive(Clone, Copy, Debug, Options)]
pub struct FftOptions {
    /// How many elements along the axis: it is cut, or followed by zeros.
    #[from]
    pub n: Option<isize>,
    /// The axis.
    pub axis: isize,
    /// Which factor there is.
    pub norm: Option<Norm>,
    /// Whether the operand may be overwritten, which it never is.
    pub overwrite_x: bool,
    /// Threads of the host, of which there is one.
    pub workers: Option<isize>,
}

impl Default for FftOptions {
    fn default() -> Self {
        FftOptions { n: None, axis: -1, norm: None, overwrite_x: false, workers: None }
    }
}

/// How an array is transformed along several axes.
#[derive(Clone, Debug, Default, Options)]
pub struct FftnOptions {
    /// How many elements along each axis; -1 for as many as there are.
    #[from]
    pub s: Axes,
    /// The axes: all unless said, or as many of the last ones as there are lengths.
    pub axes: Axes,
    /// Which factor there is.
    pub norm: Option<Norm>,
    /// Whether the operand may be overwritten, which it never is.
    pub overwrite_x: bool,
    /// Threads of the host, of which there is one.
    pub workers: Option<isize>,
}

/// How an array is transformed along two axes.
#[derive(Clone, Debug, Options)]
pub struct Fft2Options {
    /// How many elements along each axis; -1 for as many as there are.
    #[from]
    pub s: Axes,
    /// The axes: the last two unless said.
    pub axes: Axes,
    /// Which factor there is.
    pub norm: Option<Norm>,
    /// Whether the operand may be overwritten, which it never is.
    pub overwrite_x: bool,
    /// Threads of the host, of which there is one.
    pub workers: Option<isize>,
}

impl Default for Fft2Options {
    fn default() -> Self {
        let axes = [-2, -1].into();
        Fft2Options { s: Axes::default(), axes, norm: None, overwrite_x: false, workers: None }
    }
}

/// What a function of a family makes of what.
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
        let told = |inverse: bool, norm: Norm| Told { inverse, norm, like: Like::C, out: None };
        let real = spectrum_dtype(x.dtype()).real();
        match self {
            Kind::Complex { inverse } => to_complex_anywhere(x, of, told(inverse, norm)),
            Kind::Half { conjugated: false } => to_half(x, of, false, told(false, norm)),
            Kind::Half { conjugated: true } => to_half(x, of, true, told(false, norm.swapped())),
            Kind::Real { conjugated: false } => to_real(x, of, false, real, told(true, norm)),
            Kind::Real { conjugated: true } => to_real(x, of, true, real, told(true, norm.swapped())),
        }
    }
}

/// The axes and lengths of a transform along several axes. More lengths than axes are an error of the value, as SciPy's; NumPy's is
/// one of the axis.
fn several(x: &Array, s: &Axes, axes: &Axes, last: Last) -> Result<Lengths> {
    if let (Some(s), None) = (s.as_slice(), axes.as_slice())
        && s.len() > x.ndim()
    {
        let message = format!("`s` has {} lengths, more than the {} axes of the array", s.len(), x.ndim());
        return Err(Error::new(ErrorKind::Value, message));
    }
    Lengths::several(x, s, axes, last)
}

/// Functions of one axis, of several and of two.
macro_rules! transforms {
    (one { $($(#[$one:meta])* $name:ident = $kind:expr;)+ } several { $($(#[$several:meta])* $n:ident $two:ident = $nkind:expr;)+ }) => {
        $(
            $(#[$one])*
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Axis`]; [`ErrorKind::Value`] for a length of less than one; of functions of real numbers
            /// [`ErrorKind::Type`] for complex ones.
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
            /// As [`fft`], and [`ErrorKind::Value`] for other than one length for each axis and for an axis that is named
            /// twice.
            #[routine(namespace = "scipy.fft")]
            pub fn $n(x: &Array, options: FftnOptions) -> Result<Array> {
                $nkind.call(x, &several(x, &options.s, &options.axes, $nkind.last())?, options.norm)
            }

            $(#[$several])*
            /// Along the last two axes unless others are named.
            ///
            /// # Errors
            ///
            /// As the function of all axes.
            #[routine(namespace = "scipy.fft")]
            pub fn $two(x: &Array, options: Fft2Options) -> Result<Array> {
                $nkind.call(x, &several(x, &options.s, &options.axes, $nkind.last())?, options.norm)
            }
        )+
    };
}

transforms! {
    one {
    /// The discrete Fourier transform along one axis; SciPy's `scipy.fft.fft`.
    ///
    /// ```
    /// use cuprum::{array, scipy::fft};
    /// assert_eq!(fft::fft(array([1.0, 3.0])?, ())?.real().to_vec::<f64>()?, [4.0, -2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    fft = Kind::Complex { inverse: false };
    /// The inverse of [`fft`]; SciPy's `scipy.fft.ifft`.
    ifft = Kind::Complex { inverse: true };
    /// The first half of the transform of real numbers; SciPy's `scipy.fft.rfft`.
    rfft = Kind::Half { conjugated: false };
    /// Real numbers of the first half of their transform; SciPy's `scipy.fft.irfft`.
    irfft = Kind::Real { conjugated: false };
    /// The real transform of symmetric numbers, of which there is the first half; SciPy's `scipy.fft.hfft`.
    hfft = Kind::Real { conjugated: true };
    /// The inverse of [`hfft`]; SciPy's `scipy.fft.ihfft`.
    ihfft = Kind::Half { conjugated: true };
    }
    several {
    /// The transform along several axes; SciPy's `scipy.fft.fftn` and `scipy.fft.fft2`.
    fftn fft2 = Kind::Complex { inverse: false };
    /// The inverse of the transform along several axes; SciPy's `scipy.fft.ifftn` and `scipy.fft.ifft2`.
    ifftn ifft2 = Kind::Complex { inverse: true };
    /// The transform of real numbers along several axes, half of the last one; SciPy's `scipy.fft.rfftn` and `scipy.fft.rfft2`.
    rfftn rfft2 = Kind::Half { conjugated: false };
    /// Real numbers of the half of their transform; SciPy's `scipy.fft.irfftn` and `scipy.fft.irfft2`.
    irfftn irfft2 = Kind::Real { conjugated: false };
    /// The real transform of symmetric numbers, of which there is a half; SciPy's `scipy.fft.hfftn` and `scipy.fft.hfft2`.
    hfftn hfft2 = Kind::Real { conjugated: true };
    /// The half of the symmetric numbers whose transform is this; SciPy's `scipy.fft.ihfftn` and `scipy.fft.ihfft2`.
    ihfftn ihfft2 = Kind::Half { conjugated: true };
    }
}

/// How cosine and sine transforms are made along one axis.
#[derive(Clone, Copy, Debug, Options)]
pub struct DctOptions {
    /// How many elements along the axis: it is cut, or followed by zeros.
    #[from]
    pub n: Option<isize>,
    /// The axis.
    pub axis: isize,
    /// Which factor there is.
    pub norm: Option<Norm>,
    /// Whether the operand may be overwritten, which it never is.
    pub overwrite_x: bool,
    /// Threads of the host, of which there is one.
    pub workers: Option<isize>,
    /// Whether ends are weighted so that the matrix of the transform is orthogonal: with [`Norm::Ortho`] unless said.
    pub orthogonalize: Option<bool>,
}

impl Default for DctOptions {
    fn default() -> Self {
        DctOptions { n: None, axis: -1, norm: None, overwrite_x: false, workers: None, orthogonalize: None }
    }
}

/// How cosine and sine transforms are made along several axes.
#[derive(Clone, Debug, Default, Options)]
pub struct DctnOptions {
    /// How many elements along each axis; -1 for as many as there are.
    #[from]
    pub s: Axes,
    /// The axes: all unless said, or as many of the last ones as there are lengths.
    pub axes: Axes,
    /// Which factor there is.
    pub norm: Option<Norm>,
    /// Whether the operand may be overwritten, which it never is.
    pub overwrite_x: bool,
    /// Threads of the host, of which there is one.
    pub workers: Option<isize>,
    /// Whether ends are weighted so that the matrix of the transform is orthogonal: with [`Norm::Ortho`] unless said.
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

/// Functions of one axis and of several.
macro_rules! cosine_transforms {
    ($($(#[$doc:meta])* $one:ident $several:ident = $sine:literal, $inverse:literal;)+) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Axis`]; [`ErrorKind::Value`] for another type than 1 to 4, for a length of less than one, and for one
        /// of less than two of the first type of cosines.
        #[routine(namespace = "scipy.fft", names = "x type", kind = 2)]
        pub fn $one(x: &Array, kind: isize, options: DctOptions) -> Result<Array> {
            let of = Lengths::one(x, options.n, options.axis, Last::Whole)?;
            cosine(x, &of, (kind, $sine, $inverse), options.norm, options.orthogonalize)
        }

        $(#[$doc])*
        /// Along all axes unless some are named.
        ///
        /// # Errors
        ///
        /// As of one axis, and [`ErrorKind::Value`] for other than one length for each axis and for an axis that is named
        /// twice.
        #[routine(namespace = "scipy.fft", names = "x type", kind = 2)]
        pub fn $several(x: &Array, kind: isize, options: DctnOptions) -> Result<Array> {
            let of = several(x, &options.s, &options.axes, Last::Whole)?;
            cosine(x, &of, (kind, $sine, $inverse), options.norm, options.orthogonalize)
        }
    )+};
}

cosine_transforms! {
    /// The cosine transform of a type from 1 to 4; SciPy's `scipy.fft.dct` and `scipy.fft.dctn`.
    dct dctn = false, false;
    /// The inverse cosine transform; SciPy's `scipy.fft.idct` and `scipy.fft.idctn`.
    idct idctn = false, true;
    /// The sine transform of a type from 1 to 4; SciPy's `scipy.fft.dst` and `scipy.fft.dstn`.
    dst dstn = true, false;
    /// The inverse sine transform; SciPy's `scipy.fft.idst` and `scipy.fft.idstn`.
    idst idstn = true, true;
}

/// The frequencies of a transform; SciPy's `scipy.fft.fftfreq`.
///
/// # Errors
///
/// [`ErrorKind::Value`] for no samples, and for a distance of 0.
#[routine(namespace = "scipy.fft", d = 1.0)]
pub fn fftfreq(n: isize, d: f64) -> Result<Array> {
    helpers::of_all(n, d)
}

/// The frequencies of the first half of a transform; SciPy's `scipy.fft.rfftfreq`.
///
/// # Errors
///
/// As [`fftfreq`].
#[routine(namespace = "scipy.fft", d = 1.0)]
pub fn rfftfreq(n: isize, d: f64) -> Result<Array> {
    helpers::of_half(n, d)
}

/// The elements turned so that the zero frequency stands in the middle; SciPy's `scipy.fft.fftshift`.
///
/// # Errors
///
/// [`ErrorKind::Axis`].
#[routine(namespace = "scipy.fft")]
pub fn fftshift(x: &Array, axes: Axes) -> Result<Array> {
    helpers::shifted(x, &axes, |n| n / 2)
}

/// The inverse of [`fftshift`]; SciPy's `scipy.fft.ifftshift`.
///
/// # Errors
///
/// [`ErrorKind::Axis`].
#[routine(namespace = "scipy.fft")]
pub fn ifftshift(x: &Array, axes: Axes) -> Result<Array> {
    helpers::shifted(x, &axes, |n| n - n / 2)
}

/// The next number, from a target up or down, that has small factors alone: 2, 3 and 5, and of complex numbers 7 and 11.
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

/// The least length from `target` on that is transformed fast; SciPy's `scipy.fft.next_fast_len`.
///
/// ```
/// assert_eq!(cuprum::scipy::fft::next_fast_len(7919, false)?, 7920);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative one.
#[routine(namespace = "scipy.fft", real = false)]
pub fn next_fast_len(target: isize, real: bool) -> Result<isize> {
    fast(target, real, 1)
}

/// The largest length up to `target` that is transformed fast; SciPy's `scipy.fft.prev_fast_len`.
///
/// ```
/// assert_eq!(cuprum::scipy::fft::prev_fast_len(7919, true)?, 7776);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative one.
#[routine(namespace = "scipy.fft", real = false)]
pub fn prev_fast_len(target: isize, real: bool) -> Result<isize> {
    fast(target, real, -1)
}
