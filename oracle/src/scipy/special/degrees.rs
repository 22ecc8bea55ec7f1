//! Trigonometric functions of degrees.

use super::Real;
use crate::exact::big::Big;

/// SciPy returns 0 beyond this angle.
const LOST: f64 = 1e14;

fn radians(degrees: f64) -> Big {
    Big::new(degrees) * Big::pi() / 180.0
}

/// Computes the sine of an angle from 0 to 180 degrees.
fn sine(degrees: f64) -> Real {
    match degrees {
        0.0 | 180.0 => 0.0.into(),
        90.0 => 1.0.into(),
        30.0 | 150.0 => 0.5.into(),
        _ => radians(degrees).sin().into(),
    }
}

fn negated(v: Real, negative: bool) -> Real {
    match v {
        Real::Float(v) if negative => Real::Float(-v),
        Real::Big(v) if negative => Real::Big(-v),
        other => other,
    }
}

pub(super) fn sindg(x: f64) -> Real {
    if x.is_nan() || x.abs() > LOST {
        return (if x.is_nan() { x } else { 0.0 }).into();
    }
    let turn = x.abs() % 360.0;
    negated(sine(turn % 180.0), (x < 0.0) != (turn >= 180.0))
}

pub(super) fn cosdg(x: f64) -> Real {
    if x.is_nan() || x.abs() > LOST {
        return (if x.is_nan() { x } else { 0.0 }).into();
    }
    let turn = x.abs() % 360.0;
    let half = turn % 180.0;
    // cos t = sin(90 - t), whose sign is that of the quadrant, even for a zero.
    let size = (90.0 - half).abs();
    let value = if size < 45.0 {
        sine(size)
    } else if half == 0.0 {
        1.0.into()
    } else {
        cosine(half.min(180.0 - half))
    };
    negated(value, (turn >= 180.0) != (half >= 90.0))
}

/// Computes the cosine of an angle of at most 45 degrees: the angle keeps all its digits.
fn cosine(degrees: f64) -> Real {
    radians(degrees).cos().into()
}

pub(super) fn tandg(x: f64, cotangent: bool) -> Real {
    if x.is_nan() || x.abs() > LOST {
        return (if x.is_nan() { x } else { 0.0 }).into();
    }
    let half = x.abs() % 180.0;
    let (pole, zero) = if cotangent { (0.0, 90.0) } else { (90.0, 0.0) };
    if half == pole {
        return f64::INFINITY.into();
    }
    if half == zero {
        return 0.0.into();
    }
    if half == 45.0 || half == 135.0 {
        return (if (x < 0.0) != (half > 90.0) { -1.0 } else { 1.0 }).into();
    }
    let angle = radians(half);
    let (sine, cosine) = (angle.sin(), angle.cos());
    let value = if cotangent { cosine / sine } else { sine / cosine };
    negated(value.into(), x < 0.0)
}

pub(super) fn radian(d: f64, m: f64, s: f64) -> Real {
    if !(d.is_finite() && m.is_finite() && s.is_finite()) {
        return (d + m + s).into();
    }
    let seconds = (Big::new(d) * 60.0 + m) * 60.0 + s;
    if seconds.is_zero() {
        let negative = [d, m, s].iter().all(|v| v.is_sign_negative());
        return (if negative { -0.0 } else { 0.0 }).into();
    }
    (seconds * Big::pi() / 648_000.0).into()
}
