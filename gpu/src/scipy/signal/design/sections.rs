//! Polynomials from roots, and sections of order 2.

use cuprum_macros::unrecorded;
use num_complex::Complex64;

use super::{Zpk, wrong};
use crate::error::Result;

/// Sections that have the zeros of a filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SectionPairing {
    /// Each pole has the nearest zero; a filter of odd order gets a zero and a pole at 0.
    #[default]
    Nearest,
    /// A filter of odd order has a section of order 1.
    KeepOdd,
    /// No zeros and poles are added, as for analog filters.
    Minimal,
}

/// Coefficients of the polynomial of these roots, the highest power first, whose coefficient is 1; NumPy's `poly`.
///
/// ```
/// use cuprum::scipy::signal::design::coefficients_of_roots;
/// assert_eq!(coefficients_of_roots(&[1.0.into(), 2.0.into()]), [1.0.into(), (-3.0).into(), 2.0.into()]);
/// ```
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn coefficients_of_roots(roots: &[Complex64]) -> Vec<Complex64> {
    let mut all = vec![Complex64::new(1.0, 0.0)];
    for root in roots {
        all.push(Complex64::default());
        for k in (1..all.len()).rev() {
            let step = all[k - 1] * root;
            all[k] -= step;
        }
    }
    all
}

/// Returns numbers as pairs of conjugates, of which those with a positive imaginary part are kept, and then the real
/// ones.
fn pairs(all: &[Complex64], what: &str) -> Result<Vec<Complex64>> {
    let tolerance = 100.0 * f64::EPSILON;
    let mut sorted = all.to_vec();
    sorted.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.abs().total_cmp(&b.im.abs())));
    let (real, complex): (Vec<_>, Vec<_>) = sorted.into_iter().partition(|v| v.im.abs() <= tolerance * v.norm());
    let (mut above, mut below): (Vec<_>, Vec<_>) = complex.into_iter().partition(|v| v.im > 0.0);
    let unpaired =
        || wrong(format!("zpk2sos: the {what} are no pairs of conjugates: each complex one needs its conjugate"));
    if above.len() != below.len() {
        return unpaired();
    }
    // Real parts that differ by rounding are one, and ordered by the imaginary part.
    for list in [&mut above, &mut below] {
        let mut begin = 0;
        for k in 1..=list.len() {
            if k == list.len() || list[k].re - list[k - 1].re > tolerance * list[k - 1].norm() {
                list[begin..k].sort_by(|a, b| a.im.abs().total_cmp(&b.im.abs()));
                begin = k;
            }
        }
    }
    let mut found = vec![];
    for (a, b) in above.iter().zip(&below) {
        if (a - b.conj()).norm() > tolerance * b.norm() {
            return unpaired();
        }
        found.push((a + b.conj()) / 2.0);
    }
    found.extend(real.iter().map(|v| Complex64::new(v.re, 0.0)));
    Ok(found)
}

fn is_real(v: &Complex64) -> bool {
    v.im == 0.0
}

/// Removes and returns the number of a list that is nearest to another, of all or of those that are real or not.
fn take_nearest(list: &mut Vec<Complex64>, to: Complex64, real: Option<bool>) -> Option<Complex64> {
    let fits = |v: &Complex64| real.is_none_or(|real| is_real(v) == real);
    let nearest = (0..list.len())
        .filter(|k| fits(&list[*k]))
        .min_by(|a, b| (list[*a] - to).norm().total_cmp(&(list[*b] - to).norm()));
    nearest.map(|k| list.remove(k))
}

/// Sections of order 2 of a filter, the one with the pole nearest to instability last; SciPy's `scipy.signal.zpk2sos`.
/// A section has the coefficients of its numerator and its denominator; the gain is in the first one. Complex zeros and
/// poles are pairs of conjugates.
///
/// ```
/// use cuprum::scipy::signal::design::{Band, Prototype, SectionPairing, iirfilter, zpk2sos};
/// let filter = iirfilter(4, Prototype::Butter, Band::Lowpass(0.25), false)?;
/// assert_eq!(zpk2sos(&filter, SectionPairing::Nearest, false)?.len(), 2);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for complex zeros or poles without their conjugates, and for an analog
/// filter of more zeros than poles, or of another pairing than [`SectionPairing::Minimal`].
#[unrecorded("is of the host: compared with SciPy's in `gpu/python/tests/test_signal_design.py`")]
pub fn zpk2sos(filter: &Zpk, pairing: SectionPairing, analog: bool) -> Result<Vec<[f64; 6]>> {
    if analog && pairing != SectionPairing::Minimal {
        return wrong("zpk2sos: for analog zpk2sos conversion, pairing must be \"minimal\"".into());
    }
    let (mut zeros, mut poles) = (filter.zeros.clone(), filter.poles.clone());
    if zeros.is_empty() && poles.is_empty() {
        let gain = filter.gain;
        return Ok(vec![if analog { [0.0, 0.0, gain, 0.0, 0.0, 1.0] } else { [gain, 0.0, 0.0, 1.0, 0.0, 0.0] }]);
    }
    if pairing == SectionPairing::Minimal {
        if poles.len() < zeros.len() {
            return wrong("zpk2sos: for analog zpk2sos conversion, must have len(p)>=len(z)".into());
        }
    } else {
        let size = zeros.len().max(poles.len());
        let size = if pairing == SectionPairing::Nearest { size.next_multiple_of(2) } else { size };
        zeros.resize(size, Complex64::default());
        poles.resize(size, Complex64::default());
    }
    let count = poles.len().div_ceil(2);
    let (mut zeros, mut poles) = (pairs(&zeros, "zeros")?, pairs(&poles, "poles")?);
    let distance = |p: &Complex64| if analog { p.re.abs() } else { (1.0 - p.norm()).abs() };
    let worst = |poles: &mut Vec<Complex64>, real: bool| -> Option<Complex64> {
        let found = (0..poles.len())
            .filter(|k| !real || is_real(&poles[*k]))
            .min_by(|a, b| distance(&poles[*a]).total_cmp(&distance(&poles[*b])))?;
        Some(poles.remove(found))
    };
    let mut sections = vec![[0.0; 6]; count];
    let reals = |list: &[Complex64]| list.iter().filter(|v| is_real(v)).count();
    for section in sections.iter_mut().rev() {
        let Some(pole) = worst(&mut poles, false) else { break };
        let (mut top, mut bottom) = (vec![], vec![pole]);
        if is_real(&pole) && reals(&poles) == 0 {
            // The last real pole: a section of order 1, written as one of order 2 where other pairings allow it.
            top.extend(take_nearest(&mut zeros, pole, Some(true)));
            if pairing != SectionPairing::Minimal {
                top.push(Complex64::default());
                bottom.push(Complex64::default());
            }
        } else if poles.len() + 1 == zeros.len() && !is_real(&pole) && reals(&poles) == 1 && reals(&zeros) == 1 {
            // The real zero remains for the real pole.
            bottom.push(pole.conj());
            top.extend(take_nearest(&mut zeros, pole, Some(false)).into_iter().flat_map(|z| [z, z.conj()]));
        } else {
            bottom.extend(if is_real(&pole) { worst(&mut poles, true) } else { Some(pole.conj()) });
            if let Some(zero) = take_nearest(&mut zeros, pole, None) {
                top.push(zero);
                top.extend(if is_real(&zero) { take_nearest(&mut zeros, pole, Some(true)) } else { Some(zero.conj()) });
            }
        }
        let (b, a) = (coefficients_of_roots(&top), coefficients_of_roots(&bottom));
        b.iter().rev().enumerate().for_each(|(k, v)| section[2 - k] = v.re);
        a.iter().rev().enumerate().for_each(|(k, v)| section[5 - k] = v.re);
    }
    sections[0][..3].iter_mut().for_each(|b| *b *= filter.gain);
    Ok(sections)
}
