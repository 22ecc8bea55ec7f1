//! Analog lowpass prototypes with the cutoff 1 (T. W. Parks and C. S. Burrus, "Digital Filter Design", Wiley, 1987,
//! chapter 7).

use std::f64::consts::PI;

use cuprum_macros::unrecorded;
use num_complex::Complex64;

use super::elliptic::{ellipdeg, ellipf, ellipj, ellipk};
use super::{Zpk, wrong};
use crate::error::Result;

/// Returns -n + 1, -n + 3, ..., n - 1.
fn steps(n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(move |k| 2.0 * k as f64 + 1.0 - n as f64)
}

fn product(all: &[Complex64]) -> Complex64 {
    all.iter().map(|p| -p).product()
}

/// 10^x - 1, exact for small x.
fn power_less_one(x: f64) -> f64 {
    (x * std::f64::consts::LN_10).exp_m1()
}

/// Butterworth prototype of order n; SciPy's `scipy.signal.buttap`. The poles are on the unit circle.
///
/// ```
/// use cuprum::scipy::signal::design::buttap;
/// assert_eq!(buttap(1).poles[0].re, -1.0);
/// ```
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn buttap(n: usize) -> Zpk {
    let poles = steps(n).map(|m| -Complex64::from_polar(1.0, PI * m / (2.0 * n as f64)));
    let real = |p: Complex64| if p.im.abs() < 1e-17 { p.re.into() } else { p };
    Zpk { zeros: vec![], poles: poles.map(real).collect(), gain: 1.0 }
}

/// Prototype of Chebyshev's first kind of order n, with a ripple of `rp` decibels in the passband; SciPy's
/// `scipy.signal.cheb1ap`.
///
/// ```
/// use cuprum::scipy::signal::design::cheb1ap;
/// assert_eq!(cheb1ap(3, 1.0).poles.len(), 3);
/// ```
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn cheb1ap(n: usize, rp: f64) -> Zpk {
    if n == 0 {
        return Zpk { gain: 10f64.powf(-rp / 20.0), ..Zpk::default() };
    }
    let epsilon = power_less_one(0.1 * rp).sqrt();
    let mu = (1.0 / epsilon).asinh() / n as f64;
    let poles: Vec<Complex64> = steps(n)
        .map(|m| {
            let (s, c) = (PI * m / (2.0 * n as f64)).sin_cos();
            // -sinh(mu + j theta)
            -Complex64::new(mu.sinh() * c, mu.cosh() * s)
        })
        .collect();
    let gain = product(&poles).re / if n.is_multiple_of(2) { (1.0 + epsilon * epsilon).sqrt() } else { 1.0 };
    Zpk { zeros: vec![], poles, gain }
}

/// Prototype of Chebyshev's second kind of order n, with an attenuation of `rs` decibels in the stopband; SciPy's
/// `scipy.signal.cheb2ap`.
///
/// ```
/// use cuprum::scipy::signal::design::cheb2ap;
/// assert_eq!(cheb2ap(3, 40.0).zeros.len(), 2);
/// ```
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn cheb2ap(n: usize, rs: f64) -> Zpk {
    if n == 0 {
        return Zpk { gain: 1.0, ..Zpk::default() };
    }
    let of = |m: f64| PI * m / (2.0 * n as f64);
    let mu = power_less_one(0.1 * rs).sqrt().asinh() / n as f64;
    let zeros: Vec<_> = steps(n).filter(|m| *m != 0.0).map(|m| Complex64::new(0.0, 1.0 / of(m).sin())).collect();
    let poles: Vec<_> = steps(n)
        .map(|m| {
            let (s, c) = of(m).sin_cos();
            Complex64::new(1.0, 0.0) / -Complex64::new(mu.sinh() * c, mu.cosh() * s)
        })
        .collect();
    let gain = (product(&poles) / product(&zeros)).re;
    Zpk { zeros, poles, gain }
}

/// Elliptic prototype of order n, with a ripple of `rp` decibels in the passband and an attenuation of `rs` decibels in
/// the stopband; SciPy's `scipy.signal.ellipap`. The poles are those of S. J. Orfanidis, "Lecture Notes on Elliptic
/// Filter Design", 2006.
///
/// ```
/// use cuprum::scipy::signal::design::ellipap;
/// assert_eq!(ellipap(4, 1.0, 40.0)?.zeros.len(), 4);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a ripple so small, or an attenuation so large, that their ratio
/// vanishes.
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn ellipap(n: usize, rp: f64, rs: f64) -> Result<Zpk> {
    if n == 0 {
        return Ok(Zpk { gain: 10f64.powf(-rp / 20.0), ..Zpk::default() });
    }
    let square = power_less_one(0.1 * rp);
    if n == 1 {
        let pole = -(1.0 / square).sqrt();
        return Ok(Zpk { zeros: vec![], poles: vec![pole.into()], gain: -pole });
    }
    let m1 = square / power_less_one(0.1 * rs);
    if m1 == 0.0 || m1.is_nan() {
        return wrong(format!("Cannot design a filter with given rp and rs specifications: rp {rp}, rs {rs}."));
    }
    let m = ellipdeg(n, m1);
    let k = ellipk(m);
    let (root, order) = (m.sqrt(), n as f64);
    let arguments: Vec<[f64; 3]> =
        (0..n).filter(|j| j % 2 != n % 2).map(|j| ellipj(j as f64 * k / order, m, 1.0 - m)).collect();
    let mut zeros: Vec<_> =
        arguments.iter().filter(|a| a[0].abs() > 2e-16).map(|a| Complex64::new(0.0, 1.0 / (root * a[0]))).collect();
    zeros.extend(zeros.clone().iter().map(Complex64::conj));
    let v = k * ellipf((1.0 / square.sqrt()).atan(), m1) / (order * ellipk(m1));
    let [sv, cv, dv] = ellipj(v, 1.0 - m, m);
    let mut poles: Vec<_> =
        arguments.iter().map(|[s, c, d]| -Complex64::new(c * d * sv * cv, s * dv) / (1.0 - (d * sv).powi(2))).collect();
    let size = poles.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
    let twice: Vec<_> =
        poles.iter().filter(|p| n.is_multiple_of(2) || p.im.abs() > 2e-16 * size).map(Complex64::conj).collect();
    poles.extend(twice);
    let mut gain = (product(&poles) / product(&zeros)).re;
    if n.is_multiple_of(2) {
        gain /= (1.0 + square).sqrt();
    }
    Ok(Zpk { zeros, poles, gain })
}
