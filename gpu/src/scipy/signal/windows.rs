//! Window functions of `scipy.signal.windows`, evaluated on the device in float64.
//!
//! A window is one launch of one kernel for all kinds: the kind, the length and its parameters are
//! arguments, so that a new window compiles nothing. Definitions are those of SciPy; a window of one element
//! is 1.

use std::f64::consts::PI;

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;
use num_complex::Complex64;

use super::dpss;
pub use super::dpss::DpssNorm;
use super::window_kernel::{Case, evaluate};
use crate::array::{Array, IntoArgument};
use crate::cuda::Device;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::fft;
use crate::index::s;
use crate::routines::creation::{self, arange};
use crate::routines::manipulation::{concatenate, flip};
use crate::routines::math;
use crate::scan::cumsum;

/// Ends of a window.
///
/// ```
/// use cuprum::scipy::signal::windows::{Window, WindowEnds, get_window};
/// let hann = get_window(&Window::Hann, 4, WindowEnds::Periodic)?;
/// assert!(cuprum::allclose(&hann, &cuprum::array([0.0, 0.5, 1.0, 0.5])?, ())?);
/// // The functions of windows take `()` for symmetric ends.
/// assert_eq!(cuprum::scipy::signal::windows::bartlett(3, ())?.to_vec::<f64>()?, [0.0, 1.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowEnds {
    /// The first and the last element are the same, as for the design of filters.
    #[default]
    Symmetric,
    /// The element after the last one would be the first, as for spectra.
    Periodic,
}

/// Returns symmetric ends, SciPy's default of the functions of windows.
impl From<()> for WindowEnds {
    fn from((): ()) -> WindowEnds {
        WindowEnds::Symmetric
    }
}

/// Window function with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Window {
    /// A triangle and a cosine.
    Barthann,
    /// A triangle whose ends are 0.
    Bartlett,
    /// Three cosine terms.
    Blackman,
    /// Four cosine terms with the least side lobes.
    BlackmanHarris,
    /// Half a period of a cosine convolved with itself.
    Bohman,
    /// Ones.
    Boxcar,
    /// The transform of Chebyshev's polynomial, whose side lobes are all attenuated by this many decibels.
    Chebwin(f64),
    /// Half a period of a sine.
    Cosine,
    /// The first discrete prolate spheroidal sequence of this time and half bandwidth product.
    Dpss(f64),
    /// A decay to both sides of a centre, by default the middle, by this length.
    Exponential {
        /// The position of the maximum.
        center: Option<f64>,
        /// The length in which it decays by e.
        tau: f64,
    },
    /// Five cosine terms with a flat top.
    Flattop,
    /// A Gaussian of a standard deviation.
    Gaussian(f64),
    /// `a[0] + a[1] cos(t) + a[2] cos(2 t) + ...` for t from -pi to pi.
    GeneralCosine(Vec<f64>),
    /// `exp(-|n / sig|^(2 p) / 2)`.
    GeneralGaussian {
        /// The shape.
        p: f64,
        /// The standard deviation.
        sig: f64,
    },
    /// A constant and one cosine of weights alpha and 1 - alpha.
    GeneralHamming(f64),
    /// A raised cosine whose ends are 0.08.
    Hamming,
    /// A raised cosine whose ends are 0.
    Hann,
    /// A Kaiser window of a shape parameter.
    Kaiser(f64),
    /// Roots of the cumulative sums of a Kaiser window of a shape parameter; symmetric, and of even length.
    KaiserBesselDerived(f64),
    /// The main lobe of a sinc.
    Lanczos,
    /// Four cosine terms with the coefficients of Nuttall.
    Nuttall,
    /// A B-spline of order 3.
    Parzen,
    /// Side lobes of nearly constant level.
    Taylor {
        /// The number of side lobes.
        nbar: usize,
        /// Their level below the main lobe in decibels.
        sll: f64,
        /// Divide by the value in the middle.
        norm: bool,
    },
    /// A triangle whose ends are not 0.
    Triang,
    /// 1 in the middle, and cosines in this part of the length.
    Tukey(f64),
}

/// Returns the sum of cosines of coefficients over a period.
fn cosine_sum(weights: &[f64], m: usize, size: usize, period: f64) -> Result<Array> {
    evaluate(Case::CosineSum, m, size, &[period, weights.len() as f64], weights)
}

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

/// Window of `m` elements; SciPy's `scipy.signal.get_window`, which takes the name of a function of
/// `scipy.signal.windows` and its parameters.
///
/// The result is float64. The elements are computed on the device, but for the coefficients of Taylor's window and the
/// sequences of [`dpss`].
///
/// ```
/// use cuprum::scipy::signal::windows::{Window, WindowEnds, get_window};
/// let hann = get_window(&Window::Hann, 4, WindowEnds::Periodic)?;
/// assert!(cuprum::allclose(&hann, cuprum::array([0.0, 0.5, 1.0, 0.5])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an odd length or periodic ends of a Kaiser-Bessel derived window, a centre of a symmetric
/// exponential, and parameters that [`dpss`] rejects.
#[unrecorded(
    "returns a window of an enum: compared with SciPy's in `gpu/python/tests/test_signal_window_functions.py`"
)]
pub fn get_window(window: &Window, m: usize, ends: WindowEnds) -> Result<Array> {
    let symmetric = ends == WindowEnds::Symmetric;
    // A periodic window is a symmetric one of one element more, without the last.
    let n = if symmetric { m } else { m + 1 };
    let ones = || make::full(Device::current()?, &[m], 1.0, DType::F64);
    let cosines = |weights: &[f64]| evaluate(Case::Cosines, n, m, weights, &[]);
    let of = |case: Case, numbers: &[f64]| evaluate(case, n, m, numbers, &[]);
    match *window {
        Window::KaiserBesselDerived(beta) => return kaiser_bessel_derived_of(m, beta, symmetric),
        Window::Exponential { center: Some(center), .. } if symmetric => {
            return wrong(format!("exponential: a symmetric window has its centre in the middle, not at {center}"));
        }
        _ if m <= 1 => return ones(),
        _ => {}
    }
    match window {
        Window::Barthann => of(Case::Barthann, &[]),
        Window::Bartlett => of(Case::Bartlett, &[]),
        Window::Blackman => cosines(&[0.42, 0.5, 0.08]),
        Window::BlackmanHarris => cosines(&[0.35875, 0.48829, 0.14128, 0.01168]),
        Window::Bohman => of(Case::Bohman, &[]),
        Window::Boxcar => ones(),
        Window::Chebwin(at) => chebyshev(*at, n, m),
        Window::Cosine => of(Case::Sine, &[]),
        Window::Dpss(nw) => dpss(m, *nw, 1, ends, DpssNorm::Approximate)?.0.reshape([m]),
        Window::Exponential { center, tau } => {
            let middle = (n - 1) as f64 / 2.0;
            of(Case::Exponential, &[center.unwrap_or(middle), *tau])
        }
        Window::Flattop => cosines(&[0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368]),
        Window::Gaussian(std) => of(Case::Gaussian, &[*std]),
        Window::GeneralCosine(weights) => cosine_sum(weights, n, m, (n - 1) as f64),
        Window::GeneralGaussian { p, sig } => of(Case::Power, &[*p, *sig]),
        Window::GeneralHamming(alpha) => cosines(&[*alpha, 1.0 - alpha]),
        Window::Hamming => cosines(&[0.54, 1.0 - 0.54]),
        Window::Hann => cosines(&[0.5, 0.5]),
        Window::Kaiser(beta) => creation::kaiser(n as isize, *beta)?.index(s![..m as i64]),
        Window::KaiserBesselDerived(beta) => kaiser_bessel_derived_of(m, *beta, symmetric),
        Window::Lanczos => of(Case::Lanczos, &[]),
        Window::Nuttall => cosines(&[0.3635819, 0.4891775, 0.1365995, 0.0106411]),
        Window::Parzen => of(Case::Parzen, &[]),
        Window::Taylor { nbar, sll, norm } => cosine_sum(&taylor_weights(*nbar, *sll, *norm), n, m, n as f64),
        Window::Triang => of(Case::Triangle, &[]),
        Window::Tukey(alpha) if *alpha <= 0.0 => ones(),
        Window::Tukey(alpha) if *alpha >= 1.0 => cosines(&[0.5, 0.5]),
        Window::Tukey(alpha) => of(Case::Tukey, &[*alpha]),
    }
}

fn kaiser_bessel_derived_of(m: usize, beta: f64, symmetric: bool) -> Result<Array> {
    if !symmetric || !m.is_multiple_of(2) {
        return wrong(format!("kaiser_bessel_derived: the window is symmetric and of even length, not {m}"));
    }
    if m == 0 {
        return make::empty(Device::current()?, &[0], DType::F64);
    }
    let half = m / 2;
    let sums = cumsum(creation::kaiser(half as isize + 1, beta)?, ())?;
    let roots = math::sqrt(math::divide(sums.index(s![..half as i64])?, sums.index(s![-1])?)?)?;
    concatenate([&roots, &flip(&roots, ())?], ())
}

/// Returns the window whose spectrum is Chebyshev's polynomial, by a transform of that.
fn chebyshev(at: f64, n: usize, m: usize) -> Result<Array> {
    let beta = (10f64.powf(at.abs() / 20.0).acosh() / (n - 1) as f64).cosh();
    let p = evaluate(Case::Chebyshev, n, n, &[beta], &[])?;
    let window = if n % 2 == 1 {
        let half = fft::rfft(&p, ())?.real();
        concatenate([&flip(half.index(s![1..])?, ())?, &half], ())?
    } else {
        let angle = Complex64::new(0.0, PI / n as f64);
        let factors = math::exp(math::multiply(arange(0.0, n as f64, 1.0)?, angle)?)?;
        let half = fft::fft(math::multiply(&p, factors)?, ())?.real().index(s![1..(n / 2 + 1) as i64])?;
        concatenate([&flip(&half, ())?, &half], ())?
    };
    math::divide(window.index(s![..m as i64])?, window.max(())?)
}

/// Returns the weights of the cosines of Taylor's window (T. T. Taylor, "Design of Line-Source Antennas for Narrow
/// Beamwidth and Low Side Lobes", IRE Transactions on Antennas and Propagation 3(1), 1955).
fn taylor_weights(nbar: usize, sll: f64, norm: bool) -> Vec<f64> {
    let square = (10f64.powf(sll / 20.0).acosh() / PI).powi(2);
    let bar = nbar as f64;
    let sigma = bar * bar / (square + (bar - 0.5).powi(2));
    let mut weights = vec![1.0];
    for k in 1..nbar {
        let order = k as f64;
        let (mut top, mut bottom) = (1.0, 1.0);
        for j in 1..nbar {
            let other = j as f64;
            top *= 1.0 - order * order / sigma / (square + (other - 0.5).powi(2));
            if j != k {
                bottom *= 1.0 - order * order / (other * other);
            }
        }
        weights.push(if k % 2 == 1 { top / bottom } else { -top / bottom });
    }
    if norm {
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= sum);
    }
    weights
}

/// Discrete prolate spheroidal sequences of `m` elements, the first `count` of them, for multitaper spectra; SciPy's
/// `scipy.signal.windows.dpss`. `nw` is the product of the length and half of the bandwidth. Returns the sequences,
/// float64 of shape (count, m), and the part of the energy of each that is within the band.
///
/// They are computed on the host: see the sources of the algorithm in `dpss.rs`. Even ones have a positive mean, and
/// odd ones begin with a positive lobe.
///
/// ```
/// use cuprum::scipy::signal::windows::{DpssNorm, WindowEnds, dpss};
/// let (sequences, ratios) = dpss(64, 2.5, 4, WindowEnds::Symmetric, DpssNorm::Unit)?;
/// assert_eq!(sequences.shape(), [4, 64]);
/// assert!(ratios[0] > 0.999);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a product that is not between 0 and half the length, and no sequences or more than
/// elements.
#[unrecorded(
    "returns numbers of the host: compared with SciPy's in `gpu/python/tests/test_signal_window_functions.py`"
)]
pub fn dpss(m: usize, nw: f64, count: usize, ends: WindowEnds, norm: DpssNorm) -> Result<(Array, Vec<f64>)> {
    let device = Device::current()?;
    if !(nw > 0.0 && nw < m as f64 / 2.0) {
        return wrong(format!("dpss: nw is {nw}: it must be above 0 and below {}, half the length", m as f64 / 2.0));
    }
    if count == 0 || count > m {
        return wrong(format!("dpss: {count} sequences: there are from 1 to {m}, the length"));
    }
    let n = if ends == WindowEnds::Symmetric { m } else { m + 1 };
    let mut all = dpss::sequences(n, nw, count);
    let ratios = dpss::ratios(&all, nw);
    dpss::scale(&mut all, nw, norm);
    let elements: Vec<f64> = all.iter().flat_map(|v| &v[..m]).copied().collect();
    Ok((make::of(device, &elements, &[count, m])?, ratios))
}

/// Defines the functions of windows.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $kind:ty),*) = $window:expr;)+) => {$(
        $(#[$doc])*
        ///
        /// The result has `m` elements of float64, and is that of [`get_window`], whose errors it has.
        #[unrecorded("calls `get_window`: compared with SciPy's in `gpu/python/tests/test_signal_window_functions.py`")]
        pub fn $name(m: usize, $($parameter: $kind,)* ends: impl IntoArgument<WindowEnds>) -> Result<Array> {
            get_window(&$window, m, ends.into())
        }
    )+};
}
functions! {
    /// Bartlett-Hann window; SciPy's `scipy.signal.windows.barthann`.
    barthann() = Window::Barthann;
    /// Bartlett window, a triangle whose ends are 0; SciPy's `scipy.signal.windows.bartlett`.
    bartlett() = Window::Bartlett;
    /// Blackman window; SciPy's `scipy.signal.windows.blackman`.
    blackman() = Window::Blackman;
    /// Blackman-Harris window of four terms; SciPy's `scipy.signal.windows.blackmanharris`.
    blackmanharris() = Window::BlackmanHarris;
    /// Bohman window; SciPy's `scipy.signal.windows.bohman`.
    bohman() = Window::Bohman;
    /// Rectangular window; SciPy's `scipy.signal.windows.boxcar`.
    boxcar() = Window::Boxcar;
    /// Dolph-Chebyshev window; SciPy's `scipy.signal.windows.chebwin`.
    chebwin(at: f64) = Window::Chebwin(at);
    /// Window of half a period of a sine; SciPy's `scipy.signal.windows.cosine`.
    cosine() = Window::Cosine;
    /// Exponential window; SciPy's `scipy.signal.windows.exponential`.
    exponential(center: Option<f64>, tau: f64) = Window::Exponential { center, tau };
    /// Flat top window; SciPy's `scipy.signal.windows.flattop`.
    flattop() = Window::Flattop;
    /// Gaussian window; SciPy's `scipy.signal.windows.gaussian`.
    gaussian(std: f64) = Window::Gaussian(std);
    /// Sum of cosines; SciPy's `scipy.signal.windows.general_cosine`.
    general_cosine(a: &[f64]) = Window::GeneralCosine(a.to_vec());
    /// Generalized Gaussian window; SciPy's `scipy.signal.windows.general_gaussian`.
    general_gaussian(p: f64, sig: f64) = Window::GeneralGaussian { p, sig };
    /// Generalized Hamming window; SciPy's `scipy.signal.windows.general_hamming`.
    general_hamming(alpha: f64) = Window::GeneralHamming(alpha);
    /// Hamming window; SciPy's `scipy.signal.windows.hamming`.
    hamming() = Window::Hamming;
    /// Hann window; SciPy's `scipy.signal.windows.hann`.
    ///
    /// ```
    /// use cuprum::scipy::signal::windows::{WindowEnds, hann};
    /// assert!(cuprum::allclose(hann(3, WindowEnds::Symmetric)?, cuprum::array([0.0, 1.0, 0.0])?, ())?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    hann() = Window::Hann;
    /// Kaiser window of a shape parameter; SciPy's `scipy.signal.windows.kaiser`.
    kaiser(beta: f64) = Window::Kaiser(beta);
    /// Kaiser-Bessel derived window; SciPy's `scipy.signal.windows.kaiser_bessel_derived`.
    kaiser_bessel_derived(beta: f64) = Window::KaiserBesselDerived(beta);
    /// Lanczos window; SciPy's `scipy.signal.windows.lanczos`.
    lanczos() = Window::Lanczos;
    /// Nuttall's Blackman-Harris window; SciPy's `scipy.signal.windows.nuttall`.
    nuttall() = Window::Nuttall;
    /// Parzen window; SciPy's `scipy.signal.windows.parzen`.
    parzen() = Window::Parzen;
    /// Taylor window; SciPy's `scipy.signal.windows.taylor`.
    taylor(nbar: usize, sll: f64, norm: bool) = Window::Taylor { nbar, sll, norm };
    /// Triangular window whose ends are not 0; SciPy's `scipy.signal.windows.triang`.
    triang() = Window::Triang;
    /// Tukey window; SciPy's `scipy.signal.windows.tukey`.
    tukey(alpha: f64) = Window::Tukey(alpha);
}
