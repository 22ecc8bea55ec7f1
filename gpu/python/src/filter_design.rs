//! Filter design of `cuprum.scipy.signal.design`, whose Python functions read SciPy's arguments.

use cuprum::num_complex::Complex64;
use cuprum::scipy::signal::design::{
    Band, FirwinOptions, Prototype, SectionPairing, Zpk, bilinear_zpk, buttap, cheb1ap, cheb2ap, coefficients_of_roots,
    ellipap, firwin, iirfilter, lp2bp_zpk, lp2bs_zpk, lp2hp_zpk, lp2lp_zpk, zpk2sos,
};
use pyo3::prelude::*;

use crate::errors::OrRaise;

type Parts = (f64, f64);
/// Zeros, poles and gain.
type Numbers = (Vec<Parts>, Vec<Parts>, f64);

fn complex(all: Vec<Parts>) -> Vec<Complex64> {
    all.into_iter().map(|(re, im)| Complex64::new(re, im)).collect()
}

fn parts(all: &[Complex64]) -> Vec<Parts> {
    all.iter().map(|v| (v.re, v.im)).collect()
}

fn numbers(filter: &Zpk) -> Numbers {
    (parts(&filter.zeros), parts(&filter.poles), filter.gain)
}

fn zpk((zeros, poles, gain): Numbers) -> Zpk {
    Zpk { zeros: complex(zeros), poles: complex(poles), gain }
}

#[pyfunction]
fn design_prototype(kind: &str, n: usize, rp: f64, rs: f64) -> PyResult<Numbers> {
    let filter = match kind {
        "butter" => buttap(n),
        "cheby1" => cheb1ap(n, rp),
        "cheby2" => cheb2ap(n, rs),
        _ => ellipap(n, rp, rs).or_raise()?,
    };
    Ok(numbers(&filter))
}

#[pyfunction]
fn design_transform(kind: &str, filter: Numbers, wo: f64, bw: f64) -> PyResult<Numbers> {
    let filter = zpk(filter);
    let found = match kind {
        "lowpass" => lp2lp_zpk(&filter, wo),
        "highpass" => lp2hp_zpk(&filter, wo),
        "bandpass" => lp2bp_zpk(&filter, wo, bw),
        "bandstop" => lp2bs_zpk(&filter, wo, bw),
        _ => bilinear_zpk(&filter, wo),
    };
    Ok(numbers(&found.or_raise()?))
}

#[pyfunction]
fn design_iir(n: usize, kind: &str, ripples: Parts, band: &str, edges: Parts, analog: bool) -> PyResult<Numbers> {
    let (rp, rs) = ripples;
    let prototype = match kind {
        "butter" => Prototype::Butter,
        "cheby1" => Prototype::Cheby1(rp),
        "cheby2" => Prototype::Cheby2(rs),
        _ => Prototype::Ellip(rp, rs),
    };
    let (low, high) = edges;
    let band = match band {
        "lowpass" => Band::Lowpass(low),
        "highpass" => Band::Highpass(low),
        "bandpass" => Band::Bandpass(low, high),
        _ => Band::Bandstop(low, high),
    };
    Ok(numbers(&iirfilter(n, prototype, band, analog).or_raise()?))
}

#[pyfunction]
fn design_sections(filter: Numbers, pairing: &str, analog: bool) -> PyResult<Vec<[f64; 6]>> {
    let pairing = match pairing {
        "nearest" => SectionPairing::Nearest,
        "keep_odd" => SectionPairing::KeepOdd,
        _ => SectionPairing::Minimal,
    };
    zpk2sos(&zpk(filter), pairing, analog).or_raise()
}

#[pyfunction]
fn design_poly(roots: Vec<Parts>) -> Vec<Parts> {
    parts(&coefficients_of_roots(&complex(roots)))
}

#[pyfunction]
fn design_firwin(window: Vec<f64>, cutoff: Vec<f64>, pass_zero: bool, scale: bool) -> PyResult<Vec<f64>> {
    firwin(&window, &cutoff, FirwinOptions { pass_zero, scale }).or_raise()
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(design_prototype, module)?)?;
    module.add_function(wrap_pyfunction!(design_transform, module)?)?;
    module.add_function(wrap_pyfunction!(design_iir, module)?)?;
    module.add_function(wrap_pyfunction!(design_sections, module)?)?;
    module.add_function(wrap_pyfunction!(design_poly, module)?)?;
    module.add_function(wrap_pyfunction!(design_firwin, module)?)
}
