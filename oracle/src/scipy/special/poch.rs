//! The Pochhammer symbol (rising factorial), a quotient of gamma functions.

use super::Real;
use super::gamma::{LARGE, is_pole, log_gamma, sin_pi, sin_pi_of_sum, stirling_rest};
use crate::exact::big::Big;

/// Computes `Γ(b) / Γ(a)` for positive a and `b = a + m`: Stirling's logarithms are subtracted term by term, so that
/// the difference of large ones keeps its digits.
fn ratio(a: &Big, b: &Big, m: &Big) -> Big {
    if (a / &Big::new(2.0) + m) < 0.0 {
        // From far above, the quotient is inverted.
        return Big::new(1.0) / ratio(b, a, &-m.clone());
    }
    let (mut a, mut b, mut product) = (a.clone(), b.clone(), Big::new(1.0));
    while a < LARGE || b < LARGE {
        product = product * &a / &b;
        (a, b) = (a + 1.0, b + 1.0);
    }
    let log = (&a - &Big::new(0.5)) * (m / &a).ln_1p() + m * (b.ln() - 1.0);
    // The exponential is clamped beyond the range of every dtype: the product belongs inside.
    (log + stirling_rest(&b) - stirling_rest(&a) + product.ln()).exp()
}

/// Handles operands that are NaN or infinite: the limit, if there is one.
fn at_the_ends(a: f64, m: f64) -> Real {
    match (a > 0.0, m > 0.0) {
        _ if a.is_nan() || m.is_nan() => f64::NAN.into(),
        (true, true) => f64::INFINITY.into(),
        (true, false) if a == f64::INFINITY && m.is_finite() => 0.0.into(),
        (false, true) if a.is_finite() => (if a.floor() % 2.0 == 0.0 { m } else { -m }).into(),
        // The factors are all equal.
        (false, _) if a.is_infinite() && m.is_finite() && m == m.floor() => {
            let size = if m > 0.0 { f64::INFINITY } else { 0.0 };
            (if m % 2.0 == 0.0 { size } else { -size }).into()
        }
        _ => f64::NAN.into(),
    }
}

pub(super) fn poch(a: f64, m: f64) -> Real {
    if m == 0.0 {
        return 1.0.into();
    }
    let pole = a.is_finite() && is_pole(a);
    if pole && !(m.is_finite() && m == m.floor()) {
        return 0.0.into();
    }
    if !(a.is_finite() && m.is_finite()) {
        return at_the_ends(a, m);
    }
    if m == m.floor() && a != a.floor() && m.abs() > 1e30 {
        // So far away only the sign of m matters; the sum of such numbers would be rounded to an integer.
        let size = if m > 0.0 { f64::INFINITY } else { 0.0 };
        let negative = if m > 0.0 { a < 0.0 && a.floor() % 2.0 != 0.0 } else { a > 0.0 && a.floor() % 2.0 != 0.0 };
        return (if negative { -size } else { size }).into();
    }
    let (a, m) = (Big::new(a), Big::new(m));
    let one = || Big::new(1.0);
    let b = &a + &m;
    let (sine, sine_above) = (sin_pi(&a), sin_pi_of_sum(&a, &m));
    let pole_above = b <= 0.0 && sine_above.is_zero();
    match () {
        () if pole && !pole_above => 0.0.into(),
        () if pole_above && !pole => f64::INFINITY.into(),
        () if pole => {
            // The factors are negative integers.
            let size = ratio(&(one() - &b), &(one() - &a), &m);
            (if m.to_f64() % 2.0 == 0.0 { size } else { -size }).into()
        }
        () if a > 0.0 && b > 0.0 => ratio(&a, &b, &m).into(),
        // DLMF 5.5.3 on one side or both.
        () if a < 0.0 && b < 0.0 => (sine / sine_above * ratio(&(one() - &b), &(one() - &a), &m)).into(),
        () if a < 0.0 => ((log_gamma(&b) + log_gamma(&(one() - a))).exp() * sine / Big::pi()).into(),
        () => {
            let size = (-(log_gamma(&(one() - b)) + log_gamma(&a))).exp() * Big::pi();
            (size / sine_above).into()
        }
    }
}
