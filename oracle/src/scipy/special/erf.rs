//! The error function, its complements and its inverses.

use std::f64::consts::PI;

use super::Real;
use super::ops::{asymptotic, series};
use crate::exact::big::Big;

/// The argument from which the asymptotic series has 140 bits; below, the complement has as many.
const LARGE: f64 = 10.0;

fn root_pi() -> Big {
    Big::pi().sqrt()
}

/// Computes DLMF 7.6.2: `erf x = 2x/√π exp(-x²) Σ (2x²)^n / (1·3···(2n+1))`.
fn by_series(x: &Big) -> Big {
    let square = x * x;
    let sum = series(Big::new(1.0), |n, term| term * &square * 2.0 / (2.0 * n + 1.0));
    x * sum * 2.0 / root_pi() * (-square).exp()
}

/// Computes DLMF 7.12.1: `exp(x²) erfc x ~ Σ (-1)^n 1·3···(2n-1) / (2x²)^n / (x√π)`.
fn scaled(x: &Big) -> Big {
    let double = x * x * 2.0;
    asymptotic(Big::new(1.0), |n, term| -(term * (2.0 * n - 1.0) / &double)) / (x * root_pi())
}

/// Computes the complementary error function of a number of 256 bits.
pub(super) fn complement(x: &Big) -> Big {
    if *x > LARGE {
        scaled(x) * (-(x * x)).exp()
    } else if *x < -LARGE {
        Big::new(2.0) - complement(&-x.clone())
    } else {
        Big::new(1.0) - by_series(x)
    }
}

pub(super) fn erf(x: f64) -> Real {
    if x.is_nan() || x == 0.0 {
        return x.into();
    }
    if x.abs() > LARGE {
        return (Big::new(1.0) - complement(&Big::new(x.abs()))).with_sign(x).into();
    }
    by_series(&Big::new(x)).into()
}

pub(super) fn erfc(x: f64) -> Real {
    match x {
        _ if x.is_nan() => x.into(),
        f64::INFINITY => 0.0.into(),
        f64::NEG_INFINITY => 2.0.into(),
        _ => complement(&Big::new(x)).into(),
    }
}

pub(super) fn erfcx(x: f64) -> Real {
    match x {
        _ if x.is_nan() => x.into(),
        f64::INFINITY => 0.0.into(),
        f64::NEG_INFINITY => f64::INFINITY.into(),
        _ => {
            let x = Big::new(x);
            if x > LARGE { scaled(&x).into() } else { (complement(&x) * (&x * &x).exp()).into() }
        }
    }
}

pub(super) fn ndtr(x: f64) -> Real {
    match x {
        _ if x.is_nan() => x.into(),
        f64::INFINITY => 1.0.into(),
        f64::NEG_INFINITY => 0.0.into(),
        _ => (complement(&-(Big::new(x) / Big::new(2.0).sqrt())) / 2.0).into(),
    }
}

pub(super) fn erfinv(y: f64) -> Real {
    match y.abs() {
        0.0 => 0.0.into(),
        1.0 => (f64::INFINITY * y).into(),
        0.0..0.5 => small_inverse(y).into(),
        0.5..1.0 => tail_inverse(&(Big::new(1.0) - y.abs())).with_sign(y).into(),
        _ => f64::NAN.into(),
    }
}

pub(super) fn erfcinv(q: f64) -> Real {
    match q {
        0.0 => f64::INFINITY.into(),
        1.0 => Real::Zero,
        2.0 => f64::NEG_INFINITY.into(),
        0.0..=0.5 => tail_inverse(&Big::new(q)).into(),
        // 1 - q is exact.
        0.5..1.5 => small_inverse(1.0 - q).into(),
        1.5..2.0 => (-tail_inverse(&(Big::new(2.0) - q))).into(),
        _ => f64::NAN.into(),
    }
}

/// Computes the inverse of erf where it is not steep: Newton's iteration from the first terms of its series.
fn small_inverse(y: f64) -> Big {
    let square = PI * y * y / 4.0;
    let mut x = Big::new(y) * root_pi() / 2.0 * (1.0 + square / 3.0 + 7.0 * square * square / 30.0);
    let y = Big::new(y);
    loop {
        let step = (by_series(&x) - &y) * root_pi() / 2.0 * (&x * &x).exp();
        x = &x - &step;
        // The next error is the square of this step.
        if step.is_zero() || step.is_below(80, &x) {
            return x;
        }
    }
}

/// Computes the inverse of erfc for a positive result: Newton's iteration on its logarithm, which is nearly a parabola.
fn tail_inverse(q: &Big) -> Big {
    let log = q.ln();
    let size = -log.to_f64();
    // From erfc x ~ exp(-x²) / (x√π).
    let guess = |x: f64| (size - (x * PI.sqrt()).ln()).max(0.1).sqrt();
    let mut x = Big::new(guess(guess(size.sqrt())));
    loop {
        let value = complement(&x);
        let slope = (-(&x * &x)).exp() * 2.0 / (root_pi() * &value);
        let step = (value.ln() - &log) / slope;
        x = &x + &step;
        if step.is_zero() || step.is_below(80, &x) {
            return x;
        }
    }
}
