//! Exponential, sine and cosine integrals, modified Bessel functions of the second kind, and functions of a
//! formula: series and asymptotic expansions of 256 bits.

use super::Real;
use super::bessel::{first_kind, small_and_large};
use super::erf::{complement, erfcinv};
use super::gamma::{euler, gamma_of, is_pole, log_gamma, sin_pi};
use super::ops::{asymptotic, series};
use super::zeta::positive as zeta_positive;
use crate::exact::big::Big;

const INFINITY: f64 = f64::INFINITY;
/// The argument from which asymptotic expansions have 80 bits and more; below, series keep as many after cancellation.
const LARGE: f64 = 60.0;

fn one() -> Big {
    Big::new(1.0)
}

/// Sums `x^k / (k k!)` from k of 1, DLMF 6.6.1.
fn exponential_series(x: &Big) -> Big {
    let mut power = x.clone();
    series(x.clone(), |n, _| {
        power = &power * x / (n + 1.0);
        &power / (n + 1.0)
    })
}

/// Computes E1 for x > 0.
fn e1(x: &Big) -> Big {
    if *x < LARGE {
        return -(euler() + x.ln() + exponential_series(&-x.clone()));
    }
    (-x.clone()).exp() / x * asymptotic(one(), |n, term| -(term * n / x))
}

/// Computes Ei for x > 0.
fn ei(x: &Big) -> Big {
    euler() + x.ln() + exponential_series(x)
}

/// The argument from which Ei overflows.
const OVERFLOWS: f64 = 800.0;

pub(super) fn exp1(x: f64) -> Real {
    match x {
        _ if x.is_nan() || x < 0.0 => f64::NAN.into(),
        0.0 => INFINITY.into(),
        INFINITY => 0.0.into(),
        _ => e1(&Big::new(x)).into(),
    }
}

pub(super) fn expi(x: f64) -> Real {
    match x {
        _ if x.is_nan() => x.into(),
        0.0 => (-INFINITY).into(),
        f64::NEG_INFINITY => (-0.0).into(),
        _ if x > OVERFLOWS => INFINITY.into(),
        _ if x < 0.0 => (-e1(&Big::new(-x))).into(),
        _ => ei(&Big::new(x)).into(),
    }
}

/// Computes the generalised exponential integral by the continued fraction DLMF 8.19.17 from its tail, or for a small x
/// by the recurrence DLMF 8.19.12.
pub(super) fn expn(n: f64, x: f64) -> Real {
    let n = n.trunc();
    match () {
        () if n.is_nan() || x.is_nan() || n < 0.0 || x < 0.0 || n.is_infinite() => f64::NAN.into(),
        () if x == 0.0 => (if n < 2.0 { INFINITY } else { 1.0 / (n - 1.0) }).into(),
        () if x.is_infinite() => 0.0.into(),
        () if n == 0.0 => ((-Big::new(x)).exp() / x).into(),
        () if n == 1.0 => e1(&Big::new(x)).into(),
        () if x < 4.0 && n < 3000.0 => {
            let (x, front) = (Big::new(x), (-Big::new(x)).exp());
            (1..n as usize).fold(e1(&x), |y, k| (&front - &x * &y) / k as f64).into()
        }
        () => {
            let x = Big::new(x);
            let tail = (1..400)
                .rev()
                .map(f64::from)
                .fold(Big::new(0.0), |tail, k| Big::new(k) * (n + k - 1.0) / (&x + &Big::new(n + 2.0 * k) - tail));
            ((-x.clone()).exp() / (x + n - tail)).into()
        }
    }
}

/// Computes the series DLMF 6.6.4 to 6.6.6 with powers of x² times `sign`: the odd terms, and the even ones with a
/// logarithm.
fn by_series(x: &Big, sign: f64) -> (Big, Big) {
    let square = x * x * sign;
    let (mut odd, mut even) = (x.clone(), one());
    let first = series(x.clone(), |k, _| {
        odd = &odd * &square / (2.0 * k * (2.0 * k + 1.0));
        &odd / (2.0 * k + 1.0)
    });
    let second = series(Big::new(0.0), |k, _| {
        even = &even * &square / (2.0 * k * (2.0 * k - 1.0));
        &even / (2.0 * k)
    });
    (first, second + x.ln() + euler())
}

/// Returns the value of a cosine integral. Next to its zeros the error is that of the operand, which a comparison in units
/// of the value does not count.
fn cosine_integral(value: Big, x: f64) -> Real {
    if value.abs() < 0.2 * x.recip().min(1.0) { Real::Unknown } else { value.into() }
}

/// Computes the sine and the cosine integral, and for a `sign` of 1 the hyperbolic ones.
pub(super) fn integrals(x: f64, sign: f64) -> [Real; 2] {
    let size = x.abs();
    let odd = |v: Big| if x < 0.0 { -v } else { v };
    match () {
        () if x.is_nan() => [x.into(), x.into()],
        () if x == 0.0 => [Real::Zero, (-INFINITY).into()],
        () if x.is_infinite() && sign < 0.0 => {
            let quarter = Big::pi() / 2.0;
            [odd(quarter).into(), if x > 0.0 { 0.0.into() } else { f64::NAN.into() }]
        }
        () if sign > 0.0 && size > OVERFLOWS => [(INFINITY * x.signum()).into(), INFINITY.into()],
        () if sign > 0.0 || size < LARGE => {
            let (first, second) = by_series(&Big::new(size), sign);
            [odd(first).into(), cosine_integral(second, size)]
        }
        () => {
            // DLMF 6.12.3 and 6.12.4.
            let x = Big::new(size);
            let square = &x * &x;
            let f = asymptotic(one(), |n, term| -(term * (2.0 * n) * (2.0 * n - 1.0) / &square)) / &x;
            let g = asymptotic(one(), |n, term| -(term * (2.0 * n) * (2.0 * n + 1.0) / &square)) / &square;
            let (sine, cosine) = (x.sin(), x.cos());
            let first = Big::pi() / 2.0 - &f * &cosine - &g * &sine;
            [odd(first).into(), cosine_integral(f * sine - g * cosine, size)]
        }
    }
}

pub(super) fn bessel_k(order: f64, x: f64, scaled: bool) -> Real {
    match x {
        _ if x.is_nan() || x < 0.0 => f64::NAN.into(),
        0.0 => INFINITY.into(),
        INFINITY => 0.0.into(),
        _ => {
            let x = Big::new(x);
            let (value, is_scaled) = small_and_large(order, &x);
            match (is_scaled, scaled) {
                (false, true) => (value * x.exp()).into(),
                (true, false) => (value * (-x).exp()).into(),
                _ => value.into(),
            }
        }
    }
}

pub(super) fn bessel_ie(order: f64, x: f64) -> Real {
    let odd = order == 1.0;
    match x {
        _ if x.is_nan() => x.into(),
        0.0 => (if odd { 0.0 } else { 1.0 }).into(),
        _ if x.is_infinite() => (if odd { 0.0f64.copysign(x) } else { 0.0 }).into(),
        _ => {
            let size = Big::new(x.abs());
            let value = if size < LARGE {
                first_kind(order, &size, 1.0) * (-size.clone()).exp()
            } else {
                // DLMF 10.40.1.
                let four = 4.0 * order * order;
                let sum = asymptotic(one(), |k, term| {
                    -(term * (four - (2.0 * k - 1.0) * (2.0 * k - 1.0)) / (&size * (8.0 * k)))
                });
                sum / (Big::pi() * 2.0 * &size).sqrt()
            };
            (if odd { value.with_sign(x) } else { value }).into()
        }
    }
}

pub(super) fn zetac(x: f64) -> Real {
    match x {
        _ if x.is_nan() => x.into(),
        1.0 | INFINITY => (if x == 1.0 { INFINITY } else { 0.0 }).into(),
        f64::NEG_INFINITY => f64::NAN.into(),
        _ if x > 1100.0 => 0.0.into(),
        _ if x >= 0.0 => (zeta_positive(x, &one()) - 1.0).into(),
        _ if x % 2.0 == 0.0 => (-1.0).into(),
        _ => {
            // DLMF 25.4.1.
            let above = one() - x;
            let front = ((Big::pi() * 2.0).ln() * (x - 1.0) + log_gamma(&above)).exp() * 2.0;
            // 1 - x is rounded, which matters only where the zeta function is 1.
            (front * sin_pi(&(Big::new(x) / 2.0)) * zeta_positive(above.to_f64(), &one()) - 1.0).into()
        }
    }
}

/// Computes functions of a formula.
pub(super) fn formula(name: &str, x: &[f64]) -> Real {
    match (name, x) {
        ("cosm1", &[x]) if !x.is_finite() => f64::NAN.into(),
        ("cosm1", &[0.0]) => 0.0.into(),
        ("cosm1", &[x]) => {
            let half = (Big::new(x) / 2.0).sin();
            let value = &half * &half * -2.0;
            if value.to_f64() == 0.0 { Real::Zero } else { value.into() }
        }
        ("exprel", &[x]) if x.is_nan() || x == INFINITY => x.into(),
        ("exprel", &[f64::NEG_INFINITY]) => 0.0.into(),
        ("exprel", &[0.0]) => 1.0.into(),
        ("exprel", &[x]) => (Big::new(x).exp_m1() / x).into(),
        ("gammasgn", &[x]) => (match x {
            _ if x.is_nan() || x == -INFINITY => f64::NAN,
            0.0 => 1f64.copysign(x),
            _ if x > 0.0 => 1.0,
            _ if is_pole(x) => f64::NAN,
            _ if x.floor() % 2.0 == 0.0 => 1.0,
            _ => -1.0,
        })
        .into(),
        ("rgamma", &[x]) => match x {
            _ if x.is_nan() || x == 0.0 => x.into(),
            INFINITY => 0.0.into(),
            _ if is_pole(x) => 0.0.into(),
            _ if x > 300.0 => 0.0.into(),
            _ if x < -300.0 => (if x.floor() % 2.0 == 0.0 { INFINITY } else { -INFINITY }).into(),
            _ => (one() / gamma_of(&Big::new(x))).into(),
        },
        ("loggamma", &[x]) if x < 0.0 => f64::NAN.into(),
        ("loggamma", &[x]) => super::gamma::gammaln(x),
        ("ndtri", &[p]) => match (p, erfcinv(2.0 * p)) {
            (0.0..=1.0, Real::Big(x)) => (-(x * Big::new(2.0).sqrt())).into(),
            (0.0..=1.0, Real::Float(x)) => (-x).into(),
            (0.0..=1.0, other) => other,
            _ => f64::NAN.into(),
        },
        ("log_ndtr", &[x]) => match x {
            _ if x.is_nan() || x == -INFINITY => x.into(),
            INFINITY => 0.0.into(),
            _ => {
                let t = Big::new(x) / Big::new(2.0).sqrt();
                if x > 0.0 { (-(complement(&t) / 2.0)).ln_1p().into() } else { (complement(&-t) / 2.0).ln().into() }
            }
        },
        ("boxcox" | "boxcox1p", &[x, lambda]) => {
            let is_less = name == "boxcox1p";
            let base = Big::new(x) + if is_less { 1.0 } else { 0.0 };
            if !x.is_finite() || !lambda.is_finite() || base <= 0.0 {
                return if base < 0.0 { f64::NAN.into() } else { Real::Unknown };
            }
            let log = if is_less { Big::new(x).ln_1p() } else { base.ln() };
            let t = &log * &Big::new(lambda);
            match () {
                () if log.is_zero() => Real::Zero,
                () if lambda == 0.0 => log.into(),
                () if t > 1e5 => (INFINITY * lambda.signum()).into(),
                () => (t.exp_m1() / lambda).into(),
            }
        }
        ("inv_boxcox" | "inv_boxcox1p", &[y, lambda]) => {
            let is_less = name == "inv_boxcox1p";
            let finish = |t: Big| -> Real {
                match () {
                    () if t > 1e5 => INFINITY.into(),
                    () if t.is_zero() && is_less => Real::Zero,
                    () if is_less => t.exp_m1().into(),
                    () => t.exp().into(),
                }
            };
            if !y.is_finite() || !lambda.is_finite() {
                return Real::Unknown;
            }
            if lambda == 0.0 {
                return finish(Big::new(y));
            }
            let base = Big::new(y) * lambda + 1.0;
            match () {
                () if base < 0.0 => f64::NAN.into(),
                () if base.is_zero() => Real::Unknown,
                () => finish((Big::new(y) * lambda).ln_1p() / lambda),
            }
        }
        _ => unreachable!("{name} has no form of {} operands", x.len()),
    }
}

/// Computes Wright's function by its series.
pub(super) fn wright_bessel(a: f64, b: f64, x: f64) -> Real {
    match () {
        () if a.is_nan() || b.is_nan() || x.is_nan() || a < 0.0 || b < 0.0 || x < 0.0 => return f64::NAN.into(),
        () if !(a.is_finite() && b.is_finite() && x.is_finite()) => return Real::Unknown,
        () => {}
    }
    let (mut sum, mut power) = (Big::new(0.0), one());
    for k in 0..4000 {
        let w = Big::new(a) * f64::from(k) + b;
        if !w.is_zero() {
            let term = &power * (-log_gamma(&w)).exp();
            sum = sum + &term;
            // The terms decrease where k is beyond x.
            if f64::from(k) > x && term.is_below(150, &sum) {
                break;
            }
        }
        power = power * x / (f64::from(k) + 1.0);
        if power.is_zero() || sum > 1e308 {
            break;
        }
    }
    sum.into()
}

/// Computes the spherical function of the second kind by the recurrence DLMF 10.51.1, and its derivative.
pub(super) fn spherical_yn(n: i128, x: f64, derivative: bool) -> Real {
    match () {
        () if x.is_nan() || n < 0 => return f64::NAN.into(),
        () if x.is_infinite() => return Real::Zero,
        () if x == 0.0 && derivative => return Real::Unknown,
        () if x == 0.0 => return (-INFINITY).into(),
        () if n > 5000 => return Real::Unknown,
        () => {}
    }
    let size = Big::new(x.abs());
    let (mut before, mut value) = (size.sin() / &size, -(size.cos() / &size));
    for k in 0..n.max(i128::from(derivative)) {
        let next = &value * (2.0 * k as f64 + 1.0) / &size - before;
        (before, value) = (value, next);
    }
    if derivative {
        value = if n == 0 { -value } else { before - value * (n as f64 + 1.0) / &size };
    }
    // The parity of the order.
    (if x < 0.0 && ((n % 2 != 0) == derivative) { -value } else { value }).into()
}
