//! Logits, entropies and losses: formulas whose terms may cancel, with enough digits.

use super::Real;
use crate::exact::big::Big;

const INFINITY: f64 = f64::INFINITY;

fn finite(x: &[f64]) -> bool {
    x.iter().all(|x| x.is_finite())
}

pub(super) fn logit(p: f64) -> Real {
    match p {
        0.0 => (-INFINITY).into(),
        1.0 => INFINITY.into(),
        0.5 => 0.0.into(),
        0.0..1.0 => (Big::new(p) / (Big::new(1.0) - p)).ln().into(),
        _ => f64::NAN.into(),
    }
}

pub(super) fn expit(x: f64) -> Real {
    if !x.is_finite() {
        return (if x.is_nan() { x } else { (x > 0.0) as u8 as f64 }).into();
    }
    (Big::new(1.0) / ((-Big::new(x)).exp() + 1.0)).into()
}

pub(super) fn log_expit(x: f64) -> Real {
    if !x.is_finite() {
        return (if x == INFINITY { -0.0 } else { x }).into();
    }
    let low = -(-Big::new(x.abs())).exp().ln_1p();
    if x < 0.0 { (low + x).into() } else { low.into() }
}

pub(super) fn entr(x: f64) -> Real {
    match x {
        _ if x.is_nan() => x.into(),
        0.0 => 0.0.into(),
        1.0 => (-0.0).into(),
        _ if x < 0.0 || x == INFINITY => (-INFINITY).into(),
        _ => (-(Big::new(x) * Big::new(x).ln())).into(),
    }
}

/// Computes x log(x / y) for positive finite numbers.
fn relative(x: f64, y: f64) -> Big {
    Big::new(x) * (Big::new(x) / Big::new(y)).ln()
}

pub(super) fn rel_entr(x: f64, y: f64) -> Real {
    match () {
        () if x.is_nan() || y.is_nan() => f64::NAN.into(),
        () if x > 0.0 && y > 0.0 && !finite(&[x, y]) => (x * (x.ln() - y.ln())).into(),
        () if x > 0.0 && y > 0.0 && x == y => 0.0.into(),
        () if x > 0.0 && y > 0.0 => relative(x, y).into(),
        () if x == 0.0 && y >= 0.0 => 0.0.into(),
        () => INFINITY.into(),
    }
}

pub(super) fn kl_div(x: f64, y: f64) -> Real {
    match () {
        () if x.is_nan() || y.is_nan() => f64::NAN.into(),
        () if x > 0.0 && y > 0.0 && !finite(&[x, y]) => f64::NAN.into(),
        () if x > 0.0 && y > 0.0 && x == y => 0.0.into(),
        () if x > 0.0 && y > 0.0 => (relative(x, y) - x + y).into(),
        () if x == 0.0 && y >= 0.0 => y.into(),
        () => INFINITY.into(),
    }
}

pub(super) fn huber(delta: f64, r: f64) -> Real {
    match () {
        () if delta < 0.0 => INFINITY.into(),
        () if !finite(&[delta, r]) || r == 0.0 || delta == 0.0 => {
            (if r.abs() <= delta { 0.5 * r * r } else { delta * (r.abs() - 0.5 * delta) }).into()
        }
        () if r.abs() <= delta => (Big::new(r) * r / 2.0).into(),
        () => ((Big::new(r.abs()) - Big::new(delta) / 2.0) * delta).into(),
    }
}

pub(super) fn pseudo_huber(delta: f64, r: f64) -> Real {
    match () {
        () if delta < 0.0 => INFINITY.into(),
        () if delta == 0.0 || r == 0.0 => 0.0.into(),
        () if r.is_nan() || !delta.is_finite() => f64::NAN.into(),
        () if !r.is_finite() => INFINITY.into(),
        () => {
            let (d, r) = (Big::new(delta), Big::new(r));
            let square = &r * &r;
            (&d * &square / ((&d * &d + square).sqrt() + &d)).into()
        }
    }
}

pub(super) fn xlogy(x: f64, y: f64) -> Real {
    match () {
        () if x == 0.0 && !y.is_nan() => 0.0.into(),
        () if !finite(&[x, y]) || y <= 0.0 || y == 1.0 => (x * y.ln()).into(),
        () => (Big::new(x) * Big::new(y).ln()).into(),
    }
}

pub(super) fn xlog1py(x: f64, y: f64) -> Real {
    match () {
        () if x == 0.0 && !y.is_nan() => 0.0.into(),
        () if !finite(&[x, y]) || y <= -1.0 || y == 0.0 => (x * y.ln_1p()).into(),
        () => (Big::new(x) * Big::new(y).ln_1p()).into(),
    }
}
