//! Fast Hankel transform of logarithmically spaced samples (FFTLog), as a product in the Fourier domain.
//!
//! A. Hamilton, "Uncorrelated modes of the non-linear power spectrum", 2000, appendix B. The `n / 2 + 1` coefficients
//! of the spectrum are quotients of gamma functions, which the host computes and copies to the device. The device
//! computes two transforms and a product between them; the result is reversed by its strides.

use std::f64::consts::{LN_2, PI};

use cuprum_macros::{Options, routine};
use num_complex::Complex64;

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::fft::Norm;
use crate::fft::calls::{CallOptions, to_half, to_real};
use crate::fft::lengths::{Last, Lengths};
use crate::fft::transforms::{Like, spectrum_dtype};
use crate::index::{Ellipsis, s};
use crate::ufunc::{UfuncOptions, apply, ufunc};

/// Options of [`fht`] and [`ifht`].
///
/// ```
/// use cuprum::{array, scipy::fft::{FhtOptions, fht, ifht}};
/// let (a, biased) = (array([1.0, 2.0, 4.0, 3.0])?, || FhtOptions::new().bias(0.3));
/// assert!(cuprum::allclose(&ifht(&fht(&a, 0.1, 0.5, biased())?, 0.1, 0.5, biased())?, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Options)]
pub struct FhtOptions {
    /// The logarithm of the product of both central points; [`fhtoffset`] returns an optimal one. By default 0.
    #[from]
    pub offset: f64,
    /// The exponent of the power law by which the samples are divided before the transform. By default 0.
    pub bias: f64,
}

/// Fast Hankel transform of order `mu` along the last axis; SciPy's `scipy.fft.fht`. The samples are real and
/// logarithmically spaced by `dln`. A first coefficient at a pole is replaced by 0.
///
/// ```
/// use cuprum::{allclose, array, scipy::fft::{fht, ifht}};
/// let a = array([1.0, 4.0, 2.0, 0.5])?;
/// let back = ifht(fht(&a, 0.1, 2.0, ())?, 0.1, 2.0, ())?;
/// assert!(allclose(&back, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex operands, [`ErrorKind::Axis`] for 0-d arrays, [`ErrorKind::Value`] if the last axis
/// is empty.
#[routine(namespace = "scipy.fft")]
pub fn fht(a: &Array, dln: f64, mu: f64, options: FhtOptions) -> Result<Array> {
    transformed(a, Hankel { dln, mu, offset: options.offset, bias: options.bias }, false)
}

/// Inverse of [`fht`]; SciPy's `scipy.fft.ifht`. If the first coefficient is 0, the component that it multiplied is
/// lost and becomes 0.
///
/// The result has the shape of `a` and its floating-point dtype, float64 for integers.
///
/// ```
/// use cuprum::scipy::fft::{fht, ifht};
/// let a = cuprum::array([1.0, 2.0, 4.0, 3.0])?;
/// let there = fht(&a, 0.1, 0.5, ())?;
/// assert!(cuprum::allclose(&ifht(&there, 0.1, 0.5, ())?, &a, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`fht`].
#[routine(namespace = "scipy.fft", names = "A")]
pub fn ifht(a: &Array, dln: f64, mu: f64, options: FhtOptions) -> Result<Array> {
    transformed(a, Hankel { dln, mu, offset: options.offset, bias: options.bias }, true)
}

/// Options of [`fhtoffset`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Options)]
pub struct FhtoffsetOptions {
    /// The offset near which the optimal one is searched. By default 0.
    #[from]
    pub initial: f64,
    /// The exponent of the power law of the transform. By default 0.
    pub bias: f64,
}

/// Optimal offset of a fast Hankel transform, nearest to an initial one: the last coefficient is real, which reduces
/// ringing; SciPy's `scipy.fft.fhtoffset`.
///
/// It is computed on the host.
///
/// ```
/// let offset = cuprum::scipy::fft::fhtoffset(0.1, 2.0, 0.5)?;
/// assert!((offset - 0.5454581477676637).abs() < 1e-14);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Never.
#[routine(
    namespace = "scipy.fft",
    no_cases = "returns a host scalar, compared in its own tests",
    no_programs = "takes host scalars only, which its conformance cases pass"
)]
pub fn fhtoffset(dln: f64, mu: f64, options: FhtoffsetOptions) -> Result<f64> {
    let FhtoffsetOptions { initial, bias } = options;
    let (up, down) = ends(mu, bias);
    let y = PI / (2.0 * dln);
    let angle = log_gamma(Complex64::new(up, y)).im + log_gamma(Complex64::new(down, y)).im;
    let turns = (LN_2 - initial) / dln + angle / PI;
    Ok(initial + (turns - turns.round_ties_even()) * dln)
}

/// Returns the real parts of both arguments of gamma functions.
fn ends(mu: f64, bias: f64) -> (f64, f64) {
    ((mu + 1.0 + bias) / 2.0, (mu + 1.0 - bias) / 2.0)
}

/// Parameters of a Hankel transform.
#[derive(Clone, Copy, Debug)]
struct Hankel {
    /// Step of the logarithms of the coordinates.
    dln: f64,
    /// Order of the Bessel function.
    mu: f64,
    /// Offset of the logarithms of the output's coordinates.
    offset: f64,
    /// Exponent of the power law.
    bias: f64,
}

fn transformed(a: &Array, of: Hankel, inverse: bool) -> Result<Array> {
    if a.dtype().is_complex() {
        let message = format!("elements of {} are not real: transform both parts, each by itself", a.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let lengths = Lengths::one(a, None, -1, Last::Whole)?;
    let n = lengths.n[0];
    // Power laws that weight the samples before and after the transform.
    let middle = (n as f64 - 1.0) / 2.0;
    let power = |sign: f64, shift: f64, j: usize| (sign * of.bias * ((j as f64 - middle) * of.dln + shift)).exp();
    let with = |x: &Array, factor: &dyn Fn(usize) -> f64| -> Result<Array> {
        let factors: Vec<f64> = (0..n).map(factor).collect();
        apply("multiply", [x.into(), (&Array::from_slice(&factors, [n])?).into()])
    };
    let weighted = match (of.bias == 0.0, inverse) {
        (true, _) => None,
        (false, false) => Some(with(a, &|j| power(-1.0, 0.0, j))?),
        (false, true) => Some(with(a, &|j| power(1.0, of.offset, j))?),
    };
    let a = weighted.as_ref().unwrap_or(a);
    let call_options = |inverse: bool| CallOptions { inverse, norm: Norm::Backward, like: Like::C, out: None };
    let half = to_half(a, &lengths, false, call_options(false))?;
    let factors = Array::from_slice(&of.factors(n, inverse), [n / 2 + 1])?.astype(half.dtype())?;
    ufunc("multiply")?.called(&[(&half).into(), (&factors).into()], &UfuncOptions::new().out(&half))?;
    let real = to_real(&half, &lengths, false, spectrum_dtype(a.dtype()).real(), call_options(true))?;
    if of.bias != 0.0 {
        // The result is reversed below.
        let behind: Vec<f64> = (0..n)
            .map(|j| if inverse { power(1.0, 0.0, n - 1 - j) } else { power(-1.0, of.offset, n - 1 - j) })
            .collect();
        let behind = Array::from_slice(&behind, [n])?;
        ufunc("multiply")?.called(&[(&real).into(), (&behind).into()], &UfuncOptions::new().out(&real))?;
    }
    real.index(s![Ellipsis, ..;-1])
}

impl Hankel {
    /// Returns the coefficients by which the half spectrum of `n` points is multiplied.
    fn factors(&self, n: usize, inverse: bool) -> Vec<Complex64> {
        let (up, down) = ends(self.mu, self.bias);
        let factor = |k: usize| {
            let y = PI * k as f64 / (n as f64 * self.dln);
            let (one, two) = (log_gamma(Complex64::new(up, y)), log_gamma(Complex64::new(down, y)));
            let size = one.re - two.re + LN_2 * self.bias;
            let angle = one.im + two.im + 2.0 * (LN_2 - self.offset) * y;
            let mut u = Complex64::from_polar(size.exp(), angle);
            if 2 * k == n {
                u.im = 0.0;
            }
            if k == 0 {
                u = Complex64::from(2f64.powf(self.bias) * gamma_quotient(up, down));
                if u.re.is_infinite() && !inverse {
                    u = Complex64::default();
                }
            }
            match inverse {
                false => u,
                true if u == Complex64::default() || u.re.is_infinite() => Complex64::default(),
                true => 1.0 / u.conj(),
            }
        };
        (0..n / 2 + 1).map(factor).collect()
    }
}

/// Real or imaginary part above which the terms of Stirling's series give full precision.
const LARGE: f64 = 7.0;

/// Logarithm of the gamma function up to multiples of 2πi, away from the poles: DLMF 5.11.1 after 5.5.1.
fn log_gamma(z: Complex64) -> Complex64 {
    // B_2k / (2k (2k - 1)).
    const TERMS: [f64; 12] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360360.0,
        1.0 / 156.0,
        -3617.0 / 122400.0,
        43867.0 / 244188.0,
        -174611.0 / 125400.0,
        77683.0 / 5796.0,
        -236364091.0 / 1506960.0,
    ];
    let (mut z, mut down) = (z, Complex64::default());
    while z.re < 0.0 || (z.re < LARGE && z.im.abs() < LARGE) {
        down += z.ln();
        z.re += 1.0;
    }
    let inverse = 1.0 / z;
    let square = inverse * inverse;
    let rest = TERMS.iter().rev().fold(Complex64::default(), |sum, term| sum * square + term);
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * PI).ln() + rest * inverse - down
}

fn is_pole(x: f64) -> bool {
    x <= 0.0 && x == x.floor()
}

/// Quotient of two gamma functions of real arguments: at two poles its limit, at one pole 0 or infinity.
fn gamma_quotient(up: f64, down: f64) -> f64 {
    let signed = |x: f64| {
        let log = log_gamma(Complex64::from(x));
        (log.re, if log.im.cos() < 0.0 { -1.0 } else { 1.0 })
    };
    match (is_pole(up), is_pole(down)) {
        (true, false) => f64::INFINITY,
        (false, true) => 0.0,
        // The quotient of the residues, whose signs alternate from pole to pole.
        (true, true) => {
            let sign = if (up - down) % 2.0 == 0.0 { 1.0 } else { -1.0 };
            sign * (signed(1.0 - down).0 - signed(1.0 - up).0).exp()
        }
        (false, false) => {
            let ((one, a), (two, b)) = (signed(up), signed(down));
            a * b * (one - two).exp()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares `log_gamma` with known values, the recurrence and the reflection formula.
    #[test]
    fn logarithms_of_gamma_functions_are_right() {
        // The value is small against the terms, about 7, whose rounding errors remain.
        assert!((log_gamma(Complex64::from(0.5)).re - PI.sqrt().ln()).abs() < 8.0 * f64::EPSILON * 7.0);
        assert!((log_gamma(Complex64::from(11.0)).re - 3_628_800f64.ln()).abs() < 4e-15);
        for z in
            [Complex64::new(0.3, 0.2), Complex64::new(-3.4, 1.5), Complex64::new(2.0, 40.0), Complex64::new(-0.5, 9.0)]
        {
            let (next, this) = (log_gamma(z + 1.0).exp(), log_gamma(z).exp() * z);
            assert!((next - this).norm() <= 2e-14 * next.norm(), "{z}");
            let product = (log_gamma(z) + log_gamma(1.0 - z)).exp() * (PI * z).sin();
            assert!((product - PI).norm() <= 1e-12, "{z}: {product}");
        }
        assert_eq!(gamma_quotient(-1.0, 0.5), f64::INFINITY);
        assert_eq!(gamma_quotient(0.5, -1.0), 0.0);
        // (-3)(-2), and -3.
        assert!((gamma_quotient(-1.0, -3.0) - 6.0).abs() < 1e-13);
        assert!((gamma_quotient(-2.0, -3.0) + 3.0).abs() < 1e-13);
        assert!((gamma_quotient(-0.5, 0.5) + 2.0).abs() < 1e-14);
    }
}
