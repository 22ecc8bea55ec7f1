//! The regularized incomplete gamma functions and their inverses.

use super::Real;
use super::gamma::{log_gamma, log_gamma_1p};
use super::ops::series;
use crate::exact::big::Big;

/// The parameter from which Temme's expansion with two terms has an error below 2^-64; below, the series is short
/// enough.
const UNIFORM: f64 = 1e7;
/// The parameter from which the normal distribution's quantile has an error below 2^-64.
const NORMAL: f64 = 1e30;
/// Number of standard deviations from the mean at which the smaller function underflows float64.
const FAR: f64 = 45.0;

/// Computes `x^a exp(-x) / Γ(a + 1)`.
fn front(a: &Big, x: &Big) -> Big {
    (a * &x.ln() - x - log_gamma(&(a + &Big::new(1.0)))).exp()
}

/// Computes P by DLMF 8.11.4.
fn lower(a: &Big, x: &Big) -> Big {
    series(Big::new(1.0), |n, term| term * x / (a + &Big::new(n))) * front(a, x)
}

/// Computes `1 - P` for a small a: DLMF 8.7.3 less its first term 1.
fn complement_of_small(a: &Big, x: &Big) -> Big {
    let log_front = a * &x.ln() - log_gamma_1p(a);
    let mut power = Big::new(1.0);
    let first = -x.clone() / (a + &Big::new(1.0));
    let sum = series(first, |n, _| {
        power = -(&power * x) / n;
        -(&power * x) / (n + 1.0) / (a + &Big::new(n + 1.0))
    });
    -log_front.exp_m1() - log_front.exp() * a * sum
}

/// Computes Q for a large x: the even part of the continued fraction DLMF 8.9.2, evaluated from the tail.
fn upper(a: &Big, x: &Big, terms: u32) -> Big {
    let mut tail = Big::new(0.0);
    for n in (1..=terms).rev() {
        let n = f64::from(n);
        let numerator = (a - &Big::new(n)) * n;
        tail = numerator / (x - a + (2.0 * n + 1.0) + tail);
    }
    front(a, x) * a / (x - a + 1.0 + tail)
}

/// Computes Temme's expansion, DLMF 8.12.3, 8.12.4, 8.12.9 and 8.12.10.
fn uniform(a: &Big, x: &Big) -> (Big, Big) {
    let m = (x - a) / a;
    // So near to the mean the differences below cancel; the error of the first terms of their series is m^2 of
    // themselves.
    let near = m.to_f64().abs() < 1e-12;
    let half_square = if near { &m * &m / 2.0 - m.powi(3) / 3.0 + m.powi(4) / 4.0 } else { &m - &m.ln_1p() };
    let root = (a * &half_square).sqrt();
    let rest = if near {
        Big::new(-1.0) / 3.0 + &m / 12.0 - Big::new(1.0) / 540.0 / a
    } else {
        let eta = (&half_square * 2.0).sqrt().with_sign(m.to_f64());
        let (r, s) = (Big::new(1.0) / &m, Big::new(1.0) / eta);
        let c1 = s.powi(3) - r.powi(3) - r.powi(2) - &r / 12.0;
        r - s + c1 / a
    };
    let rest = rest * (-(a * &half_square)).exp() / (Big::pi() * a * 2.0).sqrt();
    let half = super::erf::complement(&root) / 2.0;
    if m < 0.0 {
        let p = half - rest;
        (p.clone(), Big::new(1.0) - p)
    } else {
        let q = half + rest;
        (Big::new(1.0) - &q, q)
    }
}

/// Computes P and Q for positive finite operands.
fn both(a: &Big, x: &Big) -> (Big, Big) {
    let (a64, x64) = (a.to_f64(), x.to_f64());
    if (x64 - a64).abs() > FAR * (a64.sqrt() + 1.0) + FAR * FAR {
        let p = if x64 > a64 { 1.0 } else { 0.0 };
        if x64 > a64 || a64 > UNIFORM {
            return (Big::new(p), Big::new(1.0 - p));
        }
    }
    if a64 > UNIFORM {
        return uniform(a, x);
    }
    // For a small a the complement is as small: the series keeps it, with the bits of 256 that e^2x leaves.
    if a64 < 0.5 && x64 < 40.0 {
        let q = complement_of_small(a, x);
        return (lower(a, x), q);
    }
    // Beyond, 1 - P would leave too few bits of Q.
    if (x64 > 60.0 || a64 < 0.5) && x64 > a64 + 6.0 * a64.sqrt() {
        let q = upper(a, x, (60.0 + 8000.0 / (x64 - a64) + 2.0 * a64.sqrt()) as u32 + 40);
        return (Big::new(1.0) - &q, q);
    }
    let p = lower(a, x);
    (p.clone(), Big::new(1.0) - p)
}

/// Computes P and Q with SciPy's values at the ends; `None` for NaN.
fn pair(a: f64, x: f64) -> Option<(Real, Real)> {
    match () {
        () if a.is_nan() || x.is_nan() || a < 0.0 || x < 0.0 => None,
        () if a == 0.0 && x == 0.0 || a.is_infinite() && x.is_infinite() => None,
        () if a == 0.0 || x.is_infinite() => Some((1.0.into(), 0.0.into())),
        () if x == 0.0 || a.is_infinite() => Some((0.0.into(), 1.0.into())),
        () => {
            let (p, q) = both(&Big::new(a), &Big::new(x));
            Some((p.into(), q.into()))
        }
    }
}

pub(super) fn gammainc(a: f64, x: f64) -> Real {
    pair(a, x).map_or(f64::NAN.into(), |(p, _)| p)
}

pub(super) fn gammaincc(a: f64, x: f64) -> Real {
    pair(a, x).map_or(f64::NAN.into(), |(_, q)| q)
}

pub(super) fn gammaincinv(a: f64, p: f64) -> Real {
    match p {
        _ if !(a >= 0.0 && (0.0..=1.0).contains(&p)) => f64::NAN.into(),
        0.0 => 0.0.into(),
        1.0 => f64::INFINITY.into(),
        _ if a == 0.0 || a.is_infinite() => f64::NAN.into(),
        _ if a > NORMAL => (Big::new(a) - quantile(a, p)).into(),
        _ => inverse(a, &Big::new(p), &(Big::new(1.0) - p)),
    }
}

pub(super) fn gammainccinv(a: f64, q: f64) -> Real {
    match q {
        _ if !(a >= 0.0 && (0.0..=1.0).contains(&q)) => f64::NAN.into(),
        0.0 => f64::INFINITY.into(),
        1.0 => 0.0.into(),
        _ if a == 0.0 || a.is_infinite() => f64::NAN.into(),
        _ if a > NORMAL => (Big::new(a) + quantile(a, q)).into(),
        _ => inverse(a, &(Big::new(1.0) - q), &Big::new(q)),
    }
}

/// Computes the distance above the mean `a` at which the normal approximation of the gamma distribution has the tail
/// `q`.
fn quantile(a: f64, q: f64) -> Big {
    let standard = match super::erf::erfcinv(2.0 * q) {
        Real::Big(v) => v,
        Real::Float(v) => Big::new(v),
        Real::Zero | Real::Unknown => Big::new(0.0),
    };
    standard * (Big::new(a) * 2.0).sqrt()
}

/// Iterates Newton's method on the logarithm of the smaller function as a function of log x, within the known bounds.
fn inverse(a: f64, p: &Big, q: &Big) -> Real {
    let lower = p.to_f64() <= q.to_f64();
    let target = if lower { p } else { q };
    let size = a;
    let a = Big::new(a);
    // A number that is small relative to 1 must not be lost in a sum: the terms of both logarithms may cancel.
    let ln_p = if lower { p.ln() } else { (-q.clone()).ln_1p() };
    // Where the series of P is its first term, that is the solution.
    let first = (ln_p + log_gamma_1p(&a)) / &a;
    if first < -400.0 {
        return first.exp().into();
    }
    let goal = target.ln();
    // P is at most its series' first term, and Q vanishes so far above.
    let (mut low, mut high) = (first.to_f64(), (size + 60.0 * size.sqrt() + 1000.0).ln());
    let mut t = if size > 1.0 { a.ln() } else { first };
    for _ in 0..200 {
        let x = t.exp();
        let (p, q) = both(&a, &x);
        let value = if lower { p } else { q };
        let beyond = value.is_zero();
        let error = if beyond { Big::new(0.0) } else { value.ln() - &goal };
        if (beyond || error < 0.0) == lower {
            low = t.to_f64();
        } else {
            high = t.to_f64();
        }
        let slope = if beyond { Big::new(0.0) } else { front(&a, &x) * &a / &value };
        let middle = Big::new((low + high) / 2.0);
        let mut next = match lower {
            _ if slope.is_zero() => middle.clone(),
            true => &t - &(error / slope),
            false => &t + &(error / slope),
        };
        // The bounds are rounded.
        const SLACK: f64 = 1e-9;
        if next < low - SLACK || next > high + SLACK {
            next = middle;
        }
        let step = &next - &t;
        t = next;
        if step.is_zero() || step.abs().to_f64() < 1e-22 {
            break;
        }
    }
    t.exp().into()
}
