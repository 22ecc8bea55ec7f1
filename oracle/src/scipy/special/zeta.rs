//! The Hurwitz zeta function.

use super::Real;
use super::gamma::bernoulli;
use crate::exact::big::Big;

/// Minimum number of terms that are summed directly; with the terms of the formula below they give 140 bits.
const DIRECT: f64 = 20.0;
const CORRECTIONS: usize = 32;
/// Up to this exponent powers are computed by multiplication, whatever they overflow to in float64.
const EXACT: f64 = 1e4;

/// Computes `w^-x`, 0 where that is below every dtype; by multiplication for a small integer x.
fn power(w: &Big, x: f64) -> Big {
    if x * w.to_f64().ln() > 2000.0 {
        return Big::new(0.0);
    }
    if x == x.floor() && x < EXACT { Big::new(1.0) / w.powi(x as usize) } else { (-(w.ln() * x)).exp() }
}

/// Computes the Euler-Maclaurin formula, DLMF 25.11.7, for x > 1 and q > 0.
pub(super) fn positive(x: f64, q: &Big) -> Big {
    let (mut sum, mut w) = (Big::new(0.0), q.clone());
    while w < DIRECT + x {
        let term = power(&w, x);
        sum = sum + &term;
        if term.is_zero() || term.is_below(150, &sum) {
            return sum;
        }
        w = w + 1.0;
    }
    let base = power(&w, x);
    let mut total = &w / (Big::new(x) - 1.0) + 0.5;
    let square = &w * &w;
    let mut factor = Big::new(x) / &w;
    for j in 1..=CORRECTIONS {
        let n = 2.0 * j as f64;
        factor = factor / n;
        total = total + bernoulli(j) * &factor;
        factor = factor * (Big::new(x) + (n - 1.0)) * (Big::new(x) + n) / (&square * (n + 1.0));
    }
    sum + base * total
}

/// Computes the function for negative q and an integer x: terms below zero have the sign of the power.
fn below_zero(x: f64, q: f64) -> Real {
    let (above, below) = (Big::new(q) - q.floor(), Big::new(q.ceil()) - q);
    let rest = positive(x, &(Big::new(1.0) - q));
    let odd = x % 2.0 != 0.0;
    match PartialOrd::<f64>::partial_cmp(&(&above - &below), &0.0) {
        // All terms of an odd power but the rest cancel.
        Some(std::cmp::Ordering::Equal) if odd => rest.into(),
        // Such high powers of numbers below 1/2 are infinite, and so is their difference.
        Some(order) if x > EXACT => (if odd && order.is_gt() { -f64::INFINITY } else { f64::INFINITY }).into(),
        _ => {
            let (above, below) = (positive(x, &above), positive(x, &below) - rest);
            (if odd { above - below } else { above + below }).into()
        }
    }
}

pub(super) fn zeta(x: f64, q: f64) -> Real {
    let pole = q <= 0.0 && q == q.floor();
    match () {
        () if x == 1.0 => f64::INFINITY.into(),
        () if x < 1.0 => f64::NAN.into(),
        () if pole => f64::INFINITY.into(),
        () if x.is_nan() || q.is_nan() => f64::NAN.into(),
        () if x.is_infinite() && q == 1.0 => 1.0.into(),
        () if x.is_infinite() => (if q > 1.0 { 0.0 } else { f64::INFINITY }).into(),
        () if q.is_infinite() => 0.0.into(),
        () if q > 0.0 => positive(x, &Big::new(q)).into(),
        () if x != x.floor() => f64::NAN.into(),
        () => below_zero(x, q),
    }
}
