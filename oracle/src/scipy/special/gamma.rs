//! The gamma function, its logarithm, its logarithmic derivative and its quotients.

use std::sync::OnceLock;

use super::Real;
use super::ops::series;
use crate::exact::big::Big;

/// The argument from which Stirling's series has 200 bits.
pub(super) const LARGE: f64 = 40.0;
/// Number of tabulated even Bernoulli numbers.
const BERNOULLI: usize = 60;

/// Computes the Bernoulli number `B_2k` from the tangent numbers (Knuth & Buckholtz 1967), which need no subtraction.
pub(super) fn bernoulli(k: usize) -> Big {
    static TABLE: OnceLock<Vec<Big>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut t: Vec<Big> = vec![Big::new(1.0)];
        for k in 1..BERNOULLI {
            t.push(&t[k - 1] * k as f64);
        }
        for k in 1..BERNOULLI {
            for j in k..BERNOULLI {
                t[j] = &t[j - 1] * (j - k) as f64 + &t[j] * (j - k + 2) as f64;
            }
        }
        let number = |(i, t): (usize, Big)| {
            let four = Big::new(4.0).powi(i + 1);
            let b = t * (2.0 * (i as f64 + 1.0)) / (&four * (&four - &Big::new(1.0)));
            if i % 2 == 0 { b } else { -b }
        };
        t.into_iter().enumerate().map(number).collect()
    });
    table[k - 1].clone()
}

/// Returns the distance to the nearest integer, and whether that is odd.
pub(super) fn fraction(x: &Big) -> (Big, bool) {
    let (mut rest, mut odd) = (x.clone(), false);
    if rest.to_f64().is_infinite() {
        return (Big::new(0.0), false);
    }
    // A number of more digits than float64 has takes more than one step.
    loop {
        let nearest = rest.to_f64().round();
        odd ^= nearest % 2.0 != 0.0;
        rest = rest - nearest;
        if rest.abs() <= 0.5 {
            return (rest, odd);
        }
    }
}

/// Computes `sin πx`, by the distance to the nearest integer.
pub(super) fn sin_pi(x: &Big) -> Big {
    let (rest, odd) = fraction(x);
    let sine = (rest * Big::pi()).sin();
    if odd { -sine } else { sine }
}

/// Computes `sin π(x + y)`, whose zeros are exact though the sum may need more digits than there are.
pub(super) fn sin_pi_of_sum(x: &Big, y: &Big) -> Big {
    let ((x, x_odd), (y, y_odd)) = (fraction(x), fraction(y));
    let sine = sin_pi(&(x + y));
    if x_odd != y_odd { -sine } else { sine }
}

/// Computes `Σ B_2k / (2k (2k-1) x^(2k-1))`, DLMF 5.11.1, for x of [`LARGE`] and more.
pub(super) fn stirling_rest(x: &Big) -> Big {
    let square = Big::new(1.0) / (x * x);
    let mut power = Big::new(1.0) / x;
    series(&power / 12.0, |n, _| {
        power = &power * &square;
        let k = n + 1.0;
        bernoulli(k as usize) * &power / (2.0 * k * (2.0 * k - 1.0))
    })
}

/// Shifts x to [`LARGE`] or more, and returns the product of the factors in between.
fn shifted(x: &Big) -> (Big, Big) {
    let (mut x, mut product) = (x.clone(), Big::new(1.0));
    while x < LARGE {
        product = product * &x;
        x = x + 1.0;
    }
    (x, product)
}

/// Computes the logarithm of the gamma function for x > 0.
pub(super) fn log_gamma(x: &Big) -> Big {
    let (w, product) = shifted(x);
    let half_log = (Big::pi() * 2.0).ln() / 2.0;
    (&w - &Big::new(0.5)) * w.ln() - &w + half_log + stirling_rest(&w) - product.ln()
}

/// Computes the gamma function away from its poles.
pub(super) fn gamma_of(x: &Big) -> Big {
    if *x > 0.0 {
        return log_gamma(x).exp();
    }
    Big::pi() / (sin_pi(x) * log_gamma(&(Big::new(1.0) - x)).exp())
}

/// Computes `log Γ(1 + a)` for a > 0, without cancellation for a small a: DLMF 5.7.3, whose further terms are 2^-128 of
/// the first.
pub(super) fn log_gamma_1p(a: &Big) -> Big {
    const SMALL: f64 = 1.0 / (1u64 << 63) as f64;
    if *a > SMALL {
        return log_gamma(&(a + 1.0));
    }
    let zeta_2 = Big::pi() * Big::pi() / 6.0;
    a * (zeta_2 / 2.0 * a - euler())
}

pub(super) fn is_pole(x: f64) -> bool {
    x <= 0.0 && x == x.floor()
}

pub(super) fn gamma(x: f64) -> Real {
    match x {
        0.0 => (1.0 / x).into(),
        f64::INFINITY => x.into(),
        _ if x.is_nan() || is_pole(x) => f64::NAN.into(),
        // Beyond the range on either side; only the sign of the reflection remains.
        _ if x > 200.0 => f64::INFINITY.into(),
        _ if x < -200.0 => (if x.floor() % 2.0 == 0.0 { 0.0 } else { -0.0 }).into(),
        _ => gamma_of(&Big::new(x)).into(),
    }
}

pub(super) fn gammaln(x: f64) -> Real {
    match x {
        _ if !x.is_finite() => x.into(),
        1.0 | 2.0 => 0.0.into(),
        _ if is_pole(x) => f64::INFINITY.into(),
        _ if x > 0.0 => log_gamma(&Big::new(x)).into(),
        _ => {
            let x = Big::new(x);
            ((Big::pi() / sin_pi(&x).abs()).ln() - log_gamma(&(Big::new(1.0) - x))).into()
        }
    }
}

/// Computes DLMF 5.11.2 after 5.5.2, for x > 0.
pub(super) fn psi_of(x: &Big) -> Big {
    let (mut x, mut sum) = (x.clone(), Big::new(0.0));
    while x < LARGE {
        sum = sum - Big::new(1.0) / &x;
        x = x + 1.0;
    }
    let square = Big::new(1.0) / (&x * &x);
    let mut power = square.clone();
    let rest = series(&square / 12.0, |n, _| {
        power = &power * &square;
        bernoulli(n as usize + 1) * &power / (2.0 * (n + 1.0))
    });
    sum + x.ln() - Big::new(0.5) / &x - rest
}

/// Returns Euler's constant.
pub(super) fn euler() -> Big {
    static EULER: OnceLock<Big> = OnceLock::new();
    EULER.get_or_init(|| -psi_of(&Big::new(1.0))).clone()
}

pub(super) fn psi(x: f64) -> Real {
    match x {
        0.0 => (-1.0 / x).into(),
        f64::INFINITY => x.into(),
        _ if x.is_nan() || is_pole(x) => f64::NAN.into(),
        _ if x > 0.0 => psi_of(&Big::new(x)).into(),
        _ => {
            let rest = Big::new(x - x.round()) * Big::pi();
            (psi_of(&(Big::new(1.0) - x)) - Big::pi() * rest.cos() / rest.sin()).into()
        }
    }
}
