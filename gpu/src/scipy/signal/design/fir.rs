//! FIR filters by the window method.

use std::f64::consts::PI;

use cuprum_macros::{Options, unrecorded};

use super::wrong;
use crate::error::Result;

/// Options of [`firwin`].
///
/// ```
/// use cuprum::scipy::signal::design::{FirwinOptions, firwin};
/// let highpass = firwin(&[1.0; 5], &[0.5], FirwinOptions::new().pass_zero(false))?;
/// assert!(highpass.iter().sum::<f64>().abs() < 0.2);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct FirwinOptions {
    /// Pass the frequency 0. By default true.
    pub pass_zero: bool,
    /// Scale the coefficients so that the gain in the middle of the first band is 1. By default true.
    pub scale: bool,
}

impl Default for FirwinOptions {
    fn default() -> Self {
        FirwinOptions { pass_zero: true, scale: true }
    }
}

/// Returns the modified Bessel function of the first kind and order 0, by its series, whose terms are positive.
fn bessel_i0(x: f64) -> f64 {
    let square = x * x / 4.0;
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > sum * f64::EPSILON / 4.0 {
        term *= square / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

/// Kaiser window on the host; SciPy's `scipy.signal.windows.kaiser` (J. F. Kaiser, "Nonrecursive Digital Filter Design Using the I0-Sinh Window Function",
/// 1974).
///
/// ```
/// use cuprum::scipy::signal::design::kaiser_weights;
/// let window = kaiser_weights(5, 8.0);
/// assert!(window[2] == 1.0 && window[0] < 0.01 && window[1] == window[3]);
/// assert_eq!(kaiser_weights(1, 8.0), [1.0]);
/// ```
#[unrecorded(
    "is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`, in filters of `firwin`"
)]
pub fn kaiser_weights(count: usize, beta: f64) -> Vec<f64> {
    let half = (count.max(2) - 1) as f64 / 2.0;
    let weight = |i: usize| {
        let distance = if count < 2 { 0.0 } else { (i as f64 - half) / half };
        bessel_i0(beta * (1.0 - distance * distance).max(0.0).sqrt()) / bessel_i0(beta)
    };
    (0..count).map(weight).collect()
}

/// Coefficients of a linear-phase filter by the window method, as many as the window has; SciPy's `scipy.signal.firwin`.
///
/// Cutoffs are parts of half the sampling rate in ascending order: bands between them are passed and stopped in turn. SciPy takes the number of coefficients and the
/// name of a window.
///
/// ```
/// use cuprum::scipy::signal::design::{firwin, kaiser_weights};
/// let lowpass = firwin(&kaiser_weights(31, 5.0), &[0.3], ())?;
/// assert!((lowpass.iter().sum::<f64>() - 1.0).abs() < 1e-15 && lowpass[0] == lowpass[30]);
/// assert!(firwin(&[1.0; 4], &[1.5], ()).is_err());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for no coefficients, no cutoffs, cutoffs that are not between 0 and 1 or not in ascending order, and an even number
/// of coefficients of a filter that passes half the sampling rate.
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn firwin(window: &[f64], cutoff: &[f64], options: impl Into<FirwinOptions>) -> Result<Vec<f64>> {
    let FirwinOptions { pass_zero, scale } = options.into();
    let count = window.len();
    if count == 0 {
        return wrong("firwin: the window is empty: it must have a coefficient".into());
    }
    if cutoff.is_empty() {
        return wrong("firwin: cutoff is empty: there must be a frequency".into());
    }
    if cutoff.iter().any(|c| !(*c > 0.0 && *c < 1.0)) {
        return wrong(format!("firwin: cutoff has frequencies that are not between 0 and half the rate: {cutoff:?}"));
    }
    if cutoff.windows(2).any(|pair| pair[0] >= pair[1]) {
        return wrong(format!("firwin: cutoff is not in ascending order: {cutoff:?}"));
    }
    let pass_end = (cutoff.len() % 2 == 1) != pass_zero;
    if pass_end && count.is_multiple_of(2) {
        return wrong(format!("firwin: {count} coefficients: a filter that passes half the rate needs an odd number"));
    }
    let edges: Vec<f64> =
        pass_zero.then_some(0.0).into_iter().chain(cutoff.iter().copied()).chain(pass_end.then_some(1.0)).collect();
    let bands = edges.chunks_exact(2).map(|band| (band[0], band[1]));
    let middle = 0.5 * (count - 1) as f64;
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
    let coefficient = |(i, weight): (usize, &f64)| {
        let m = i as f64 - middle;
        weight * bands.clone().map(|(left, right)| right * sinc(right * m) - left * sinc(left * m)).sum::<f64>()
    };
    let mut h: Vec<f64> = window.iter().enumerate().map(coefficient).collect();
    if scale {
        let (left, right) = (edges[0], edges[1]);
        let at = if left == 0.0 {
            0.0
        } else if right == 1.0 {
            1.0
        } else {
            0.5 * (left + right)
        };
        let gain: f64 = h.iter().enumerate().map(|(i, h)| h * (PI * (i as f64 - middle) * at).cos()).sum();
        h.iter_mut().for_each(|h| *h /= gain);
    }
    Ok(h)
}
