//! Transformations of the frequencies of filters, and filters from prototypes.

use std::f64::consts::PI;

use cuprum_macros::unrecorded;
use num_complex::Complex64;

use super::prototypes::{buttap, cheb1ap, cheb2ap, ellipap};
use super::{Zpk, wrong};
use crate::error::Result;

/// Frequencies that a filter passes or stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Band {
    /// Passes frequencies below one.
    Lowpass(f64),
    /// Passes frequencies above one.
    Highpass(f64),
    /// Passes frequencies between two.
    Bandpass(f64, f64),
    /// Stops frequencies between two.
    Bandstop(f64, f64),
}

/// Kind of an IIR filter, with its ripple in the passband and its attenuation in the stopband in decibels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prototype {
    /// Butterworth.
    Butter,
    /// Chebyshev's first kind: ripple.
    Cheby1(f64),
    /// Chebyshev's second kind: attenuation.
    Cheby2(f64),
    /// Elliptic: ripple and attenuation.
    Ellip(f64, f64),
}

/// Lowpass filter of another cutoff, from a prototype; SciPy's `scipy.signal.lp2lp_zpk`.
///
/// ```
/// use cuprum::scipy::signal::design::{buttap, lp2lp_zpk};
/// assert_eq!(lp2lp_zpk(&buttap(2), 3.0)?.gain, 9.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for more zeros than poles.
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn lp2lp_zpk(filter: &Zpk, wo: f64) -> Result<Zpk> {
    let degree = filter.degree()?;
    let (zeros, poles) = filter.map(|v| v * wo);
    Ok(Zpk { zeros, poles, gain: filter.gain * wo.powi(degree as i32) })
}

/// Highpass filter of a cutoff, from a lowpass prototype; SciPy's `scipy.signal.lp2hp_zpk`.
///
/// ```
/// use cuprum::scipy::signal::design::{buttap, lp2hp_zpk};
/// assert_eq!(lp2hp_zpk(&buttap(2), 3.0)?.zeros.len(), 2);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for more zeros than poles.
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn lp2hp_zpk(filter: &Zpk, wo: f64) -> Result<Zpk> {
    let degree = filter.degree()?;
    let (mut zeros, poles) = filter.map(|v| inverse(wo, v));
    zeros.extend(std::iter::repeat_n(Complex64::default(), degree));
    Ok(Zpk { zeros, poles, gain: filter.gain * filter.ratio(|v| -v) })
}

/// Returns a number divided by v. The sign of a zero imaginary part, which decides on the order of roots, is that of
/// complex division.
fn inverse(number: f64, v: Complex64) -> Complex64 {
    Complex64::new(number, 0.0) / v
}

/// Returns both roots `v ± sqrt(v² - wo²)` of all v.
fn both_roots(all: &[Complex64], wo: f64) -> Vec<Complex64> {
    let root = |v: &Complex64| (v * v - wo * wo).sqrt();
    all.iter().map(|v| v + root(v)).chain(all.iter().map(|v| v - root(v))).collect()
}

/// Bandpass filter of a centre and a width, from a lowpass prototype; SciPy's `scipy.signal.lp2bp_zpk`.
///
/// ```
/// use cuprum::scipy::signal::design::{buttap, lp2bp_zpk};
/// assert_eq!(lp2bp_zpk(&buttap(2), 3.0, 1.0)?.poles.len(), 4);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for more zeros than poles.
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn lp2bp_zpk(filter: &Zpk, wo: f64, bw: f64) -> Result<Zpk> {
    let degree = filter.degree()?;
    let (zeros, poles) = filter.map(|v| v * (bw / 2.0));
    let mut zeros = both_roots(&zeros, wo);
    zeros.extend(std::iter::repeat_n(Complex64::default(), degree));
    Ok(Zpk { zeros, poles: both_roots(&poles, wo), gain: filter.gain * bw.powi(degree as i32) })
}

/// Bandstop filter of a centre and a width, from a lowpass prototype; SciPy's `scipy.signal.lp2bs_zpk`.
///
/// ```
/// use cuprum::scipy::signal::design::{buttap, lp2bs_zpk};
/// assert_eq!(lp2bs_zpk(&buttap(2), 3.0, 1.0)?.zeros.len(), 4);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for more zeros than poles.
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn lp2bs_zpk(filter: &Zpk, wo: f64, bw: f64) -> Result<Zpk> {
    let degree = filter.degree()?;
    let (zeros, poles) = filter.map(|v| inverse(bw / 2.0, v));
    let mut zeros = both_roots(&zeros, wo);
    zeros.extend(std::iter::repeat_n(Complex64::new(0.0, wo), degree));
    zeros.extend(std::iter::repeat_n(Complex64::new(0.0, -wo), degree));
    Ok(Zpk { zeros, poles: both_roots(&poles, wo), gain: filter.gain * filter.ratio(|v| -v) })
}

/// Digital filter of a sampling rate, from an analog one by the bilinear transform; SciPy's
/// `scipy.signal.bilinear_zpk`.
///
/// ```
/// use cuprum::scipy::signal::design::{bilinear_zpk, buttap};
/// assert_eq!(bilinear_zpk(&buttap(2), 1.0)?.zeros[0].re, -1.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for more zeros than poles.
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn bilinear_zpk(filter: &Zpk, fs: f64) -> Result<Zpk> {
    let (degree, twice) = (filter.degree()?, 2.0 * fs);
    let (mut zeros, poles) = filter.map(|v| (twice + v) / (twice - v));
    zeros.extend(std::iter::repeat_n(Complex64::new(-1.0, 0.0), degree));
    Ok(Zpk { zeros, poles, gain: filter.gain * filter.ratio(|v| twice - v) })
}

/// IIR filter of an order, a kind and a band; SciPy's `scipy.signal.iirfilter` with the output `zpk`. Frequencies of a
/// digital filter are parts of half the sampling rate, those of an analog one are angular.
///
/// ```
/// use cuprum::scipy::signal::design::{Band, Prototype, iirfilter};
/// let filter = iirfilter(4, Prototype::Butter, Band::Lowpass(0.25), false)?;
/// assert_eq!(filter.poles.len(), 4);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for frequencies that are not above 0 and, of a digital filter, below
/// 1, two that are not in order, and those of [`ellipap`].
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn iirfilter(n: usize, prototype: Prototype, band: Band, analog: bool) -> Result<Zpk> {
    let filter = match prototype {
        Prototype::Butter => buttap(n),
        Prototype::Cheby1(rp) => cheb1ap(n, rp),
        Prototype::Cheby2(rs) => cheb2ap(n, rs),
        Prototype::Ellip(rp, rs) => ellipap(n, rp, rs)?,
    };
    let edges = match band {
        Band::Lowpass(w) | Band::Highpass(w) => [w, w],
        Band::Bandpass(low, high) | Band::Bandstop(low, high) if low >= high => {
            return wrong(format!("Wn[0] must be less than Wn[1], not {low} and {high}"));
        }
        Band::Bandpass(low, high) | Band::Bandstop(low, high) => [low, high],
    };
    if edges.iter().any(|w| !(*w > 0.0 && (analog || *w < 1.0))) {
        let of = if analog { "greater than 0" } else { "between 0 and 1, as parts of half the sampling rate" };
        return wrong(format!("filter critical frequencies must be {of}, not {edges:?}"));
    }
    // The bilinear transform of rate 2 maps these frequencies to the digital ones.
    let [low, high] = if analog { edges } else { edges.map(|w| 4.0 * (PI * w / 2.0).tan()) };
    let (centre, width) = ((low * high).sqrt(), high - low);
    let filter = match band {
        Band::Lowpass(_) => lp2lp_zpk(&filter, low)?,
        Band::Highpass(_) => lp2hp_zpk(&filter, low)?,
        Band::Bandpass(..) => lp2bp_zpk(&filter, centre, width)?,
        Band::Bandstop(..) => lp2bs_zpk(&filter, centre, width)?,
    };
    if analog { Ok(filter) } else { bilinear_zpk(&filter, 2.0) }
}
