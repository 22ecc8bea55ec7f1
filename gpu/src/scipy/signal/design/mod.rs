//! Filter design on the host, in float64: prototypes, transformations of frequencies, sections of order 2, and FIR filters.
//!
//! An IIR filter is its zeros, poles and gain, [`Zpk`]. The functions are plain arithmetic: none uses a device.

mod elliptic;
mod fir;
mod prototypes;
mod sections;
mod transforms;

use num_complex::Complex64;

use crate::error::{Error, ErrorKind, Result};

pub use elliptic::ellipk;
pub use fir::{FirwinOptions, firwin, kaiser_weights};
pub use prototypes::{buttap, cheb1ap, cheb2ap, ellipap};
pub use sections::{SectionPairing, coefficients_of_roots, zpk2sos};
pub use transforms::{Band, Prototype, bilinear_zpk, iirfilter, lp2bp_zpk, lp2bs_zpk, lp2hp_zpk, lp2lp_zpk};

/// Zeros, poles and gain of a filter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Zpk {
    /// Zeros.
    pub zeros: Vec<Complex64>,
    /// Poles.
    pub poles: Vec<Complex64>,
    /// Gain.
    pub gain: f64,
}

impl Zpk {
    /// Returns the number of poles without a zero.
    fn degree(&self) -> Result<usize> {
        self.poles.len().checked_sub(self.zeros.len()).ok_or_else(|| {
            let (zeros, poles) = (self.zeros.len(), self.poles.len());
            let message = format!(
                "Improper transfer function. Must have at least as many poles as zeros: {zeros} zeros, {poles} poles"
            );
            Error::new(ErrorKind::Value, message)
        })
    }

    fn map(&self, f: impl Fn(Complex64) -> Complex64) -> (Vec<Complex64>, Vec<Complex64>) {
        (self.zeros.iter().map(|z| f(*z)).collect(), self.poles.iter().map(|p| f(*p)).collect())
    }

    /// Returns the real part of the quotient of the products of a function of the zeros and of the poles.
    fn ratio(&self, f: impl Fn(Complex64) -> Complex64) -> f64 {
        let product = |all: &[Complex64]| all.iter().map(|v| f(*v)).product::<Complex64>();
        (product(&self.zeros) / product(&self.poles)).re
    }
}

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}
