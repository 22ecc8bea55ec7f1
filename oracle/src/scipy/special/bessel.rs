//! Bessel functions of integer order, and modified Bessel functions of the first kind.

use super::Real;
use super::gamma::euler;
use super::ops::{asymptotic, series};
use crate::exact::big::Big;

/// The argument from which Hankel's expansions have 170 bits; below, the power series keep as many after cancellation.
const LARGE: f64 = 60.0;
/// The argument from which the modified functions overflow float64.
const OVERFLOWS: f64 = 800.0;

/// Computes `Σ sign^k (x/2)^(2k+ν) / (k! (k+ν)!)`: DLMF 10.2.2 for sign -1, 10.25.2 for 1.
pub(super) fn first_kind(order: f64, x: &Big, sign: f64) -> Big {
    let quarter = x * x * (sign / 4.0);
    let first = if order == 0.0 { Big::new(1.0) } else { x / &Big::new(2.0) };
    series(first, |k, term| term * &quarter / (k * (k + order)))
}

/// Computes DLMF 10.8.1 for the orders 0 and 1.
fn second_kind(order: f64, x: &Big) -> Big {
    let quarter = x * x * -0.25;
    // ψ(k + 1) and ψ(k + ν + 1) without Euler's constant, which is added to the logarithm.
    let (mut below, mut above) = (Big::new(0.0), Big::new(order));
    let mut factor = if order == 0.0 { Big::new(1.0) } else { x / &Big::new(2.0) };
    let sum = series(&factor * (&below + &above), |k, _| {
        factor = &factor * &quarter / (k * (k + order));
        below = &below + Big::new(1.0) / Big::new(k);
        above = &above + Big::new(1.0) / Big::new(k + order);
        &factor * (&below + &above)
    });
    let log = (x / &Big::new(2.0)).ln() + euler();
    let regular = (log * 2.0 * first_kind(order, x, -1.0) - sum) / Big::pi();
    if order == 0.0 { regular } else { regular - Big::new(2.0) / (Big::pi() * x) }
}

/// Computes DLMF 10.17.3 and 10.17.4: the functions of both kinds.
pub(super) fn hankel(order: f64, x: &Big) -> (Big, Big) {
    let coefficient = |j: f64| 4.0 * order * order - (2.0 * j - 1.0) * (2.0 * j - 1.0);
    // Every second term of a_k / x^k, with alternating signs.
    let step = |k: f64, term: &Big| {
        let ratio = Big::new(coefficient(k - 1.0)) * coefficient(k) / (64.0 * k * (k - 1.0));
        -(term * ratio / (x * x))
    };
    let even = asymptotic(Big::new(1.0), |n, term| step(2.0 * n, term));
    let odd = asymptotic(Big::new(coefficient(1.0) / 8.0) / x, |n, term| step(2.0 * n + 1.0, term));
    // The phase x - νπ/2 - π/4 by the addition theorem, because π/4 would be lost next to a large x.
    let (sine, cosine) = (x.sin(), x.cos());
    let (plus, minus) = (&cosine + &sine, &sine - &cosine);
    let (cos_phase, sin_phase) = match order % 4.0 {
        0.0 => (plus, minus),
        1.0 => (minus, -plus),
        2.0 => (-plus, -minus),
        _ => (-minus, plus),
    };
    let envelope = Big::new(1.0) / (Big::pi() * x).sqrt();
    let j = &envelope * (&even * &cos_phase - &odd * &sin_phase);
    (j, envelope * (even * sin_phase + odd * cos_phase))
}

fn j(order: f64, x: &Big) -> Big {
    if *x < LARGE { first_kind(order, x, -1.0) } else { hankel(order, x).0 }
}

pub(super) fn y(order: f64, x: &Big) -> Big {
    if *x < LARGE { second_kind(order, x) } else { hankel(order, x).1 }
}

pub(super) fn bessel_j(order: f64, x: f64) -> Real {
    match x {
        _ if !x.is_finite() => f64::NAN.into(),
        0.0 => (if order == 0.0 { 1.0 } else { x }).into(),
        _ => {
            let value = j(order, &Big::new(x.abs()));
            (if order == 1.0 { value.with_sign(x) } else { value }).into()
        }
    }
}

pub(super) fn bessel_y(order: f64, x: f64) -> Real {
    match x {
        0.0 => f64::NEG_INFINITY.into(),
        _ if !x.is_finite() || x < 0.0 => f64::NAN.into(),
        _ => y(order, &Big::new(x)).into(),
    }
}

pub(super) fn bessel_i(order: f64, x: f64) -> Real {
    let odd = |size: f64| if order == 1.0 { size.copysign(x) } else { size };
    match x {
        _ if !x.is_finite() => f64::NAN.into(),
        0.0 => (if order == 0.0 { 1.0 } else { x }).into(),
        _ if x.abs() > OVERFLOWS => odd(f64::INFINITY).into(),
        _ => {
            let value = first_kind(order, &Big::new(x.abs()), 1.0);
            (if order == 1.0 { value.with_sign(x) } else { value }).into()
        }
    }
}

/// Computes DLMF 10.31.2 or, for a large x, 10.40.2 times exp(x); and which of them.
pub(super) fn small_and_large(order: f64, x: &Big) -> (Big, bool) {
    const LARGEST: f64 = 30.0;
    if *x >= LARGEST {
        let four = 4.0 * order * order;
        let sum =
            asymptotic(Big::new(1.0), |k, term| term * (four - (2.0 * k - 1.0) * (2.0 * k - 1.0)) / (x * (8.0 * k)));
        return (sum * (Big::pi() / (x * 2.0)).sqrt(), true);
    }
    let quarter = x * x * 0.25;
    let (mut below, mut above) = (Big::new(0.0), Big::new(order));
    let mut factor = if order == 0.0 { Big::new(1.0) } else { x / &Big::new(2.0) };
    let sum = series(&factor * (&below + &above), |k, _| {
        factor = &factor * &quarter / (k * (k + order));
        below = &below + Big::new(1.0) / Big::new(k);
        above = &above + Big::new(1.0) / Big::new(k + order);
        &factor * (&below + &above)
    }) / 2.0;
    let log = ((x / &Big::new(2.0)).ln() + euler()) * first_kind(order, x, 1.0);
    (if order == 0.0 { sum - log } else { Big::new(1.0) / x + log - sum }, false)
}
