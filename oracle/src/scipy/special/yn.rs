//! The Bessel function of the second kind of integer order.

use std::sync::OnceLock;

use super::Real;
use super::bessel::{hankel, y};
use crate::exact::big::Big;

/// Up to this order the recurrence from the orders 0 and 1 is used.
const SMALL: f64 = 2000.0;
/// The product of the order and the cube of the tangent above which Debye's expansions with [`TERMS`] terms have 140
/// bits.
const FAR: f64 = 4000.0;
const TERMS: usize = 14;
/// Largest order: beyond, no expansion applies near the argument, and the recurrence has too many steps.
const LARGEST: f64 = 2147483648.0;

/// Returns the coefficients of `U_k(p) / p^k` by powers of p², DLMF 10.41.9.
fn coefficients() -> &'static [Vec<Big>] {
    static TABLE: OnceLock<Vec<Vec<Big>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = vec![vec![Big::new(1.0)]];
        for k in 0..TERMS {
            let mut next = vec![Big::new(0.0); k + 2];
            for (i, a) in table[k].iter().enumerate() {
                let j = (k + 2 * i) as f64;
                next[i] = &next[i] + a * (j / 2.0) + a / 8.0 / (j + 1.0);
                next[i + 1] = &next[i + 1] - a * (j / 2.0) - a * 5.0 / 8.0 / (j + 3.0);
            }
            table.push(next);
        }
        table
    })
}

/// Computes the sums of `U_k(p) / n^k` over even and over odd k. For an imaginary p its magnitude is passed, and `sign`
/// is -1; for odd k, i is left out.
fn sums(n: &Big, p: &Big, sign: f64) -> (Big, Big) {
    let square = p * p * sign;
    let ratio = p / n;
    let (mut sums, mut power) = ([Big::new(0.0), Big::new(0.0)], Big::new(1.0));
    for (k, u) in coefficients().iter().enumerate() {
        let value = u.iter().rev().fold(Big::new(0.0), |sum, a| sum * &square + a);
        sums[k % 2] = &sums[k % 2] + value * &power;
        power = &power * &ratio;
        if k % 2 == 1 {
            power = power * sign;
        }
    }
    let [even, odd] = sums;
    (even, odd)
}

/// Computes DLMF 10.19.6, for an order below x, or Hankel's expansion, whose phase is exact.
fn oscillating(n: f64, x: &Big) -> Big {
    let order = Big::new(n);
    if *x >= n * n / 2.0 {
        return hankel(n, x).1;
    }
    let tangent = ((x - &order) * (x + &order)).sqrt() / &order;
    let (even, odd) = sums(&order, &(Big::new(1.0) / &tangent), -1.0);
    let angle = (&tangent - &tangent.atan()) * &order - Big::pi() / 4.0;
    (Big::new(2.0) / (Big::pi() * order * tangent)).sqrt() * (angle.sin() * even - angle.cos() * odd)
}

/// Computes DLMF 10.19.3, for an order above x.
fn growing(n: f64, x: &Big) -> Big {
    let order = Big::new(n);
    let t = ((&order - x) * (&order + x)).sqrt() / &order;
    let (even, odd) = sums(&order, &(Big::new(1.0) / &t), 1.0);
    let exponent = ((&order / x).ln() + (&t + 1.0).ln() - &t) * &order;
    -(exponent.exp() * (even - odd) / (Big::pi() * order * t / 2.0).sqrt())
}

/// Computes the recurrence DLMF 10.6.1 upwards, which is stable for the second kind.
fn upwards(mut k: f64, n: f64, x: &Big, mut before: Big, mut value: Big) -> Big {
    // Such a large value is beyond every dtype, and further orders are larger still.
    while k < n && !Big::new(f64::MAX).is_below(64, &value) {
        let next = &value * (2.0 * k) / x - before;
        (before, value) = (value, next);
        k += 1.0;
    }
    value
}

/// Computes the value for n >= 2 and x > 0; `None` where neither an expansion nor the recurrence applies.
fn positive(n: f64, argument: f64) -> Option<Big> {
    let x = Big::new(argument);
    if n <= SMALL {
        return Some(upwards(1.0, n, &x, y(0.0, &x), y(1.0, &x)));
    }
    let tangent = ((argument - n).abs() / n * ((argument + n) / n)).sqrt();
    if argument > n && argument >= n * n / 2.0 {
        return Some(oscillating(n, &x));
    }
    if n * tangent.powi(3) >= FAR {
        return Some(if argument > n { oscillating(n, &x) } else { growing(n, &x) });
    }
    if n > LARGEST {
        return None;
    }
    let start = (argument - 140.0 * argument.cbrt()).floor();
    if start < 1.0 {
        return Some(upwards(1.0, n, &x, y(0.0, &x), y(1.0, &x)));
    }
    Some(upwards(start + 1.0, n, &x, oscillating(start, &x), oscillating(start + 1.0, &x)))
}

/// Computes the function; an order between integers is truncated.
pub(super) fn bessel_yn(n: f64, x: f64) -> Real {
    let n = n.trunc();
    if n.is_nan() { f64::NAN.into() } else { of_order(n.abs(), n % 2.0 == -1.0, x) }
}

/// Computes the function for an integer order, whose parity is known however large it is.
pub(super) fn bessel_yn_of_integer(n: i128, x: f64) -> Real {
    of_order(n.unsigned_abs() as f64, n < 0 && n % 2 != 0, x)
}

fn of_order(size: f64, negative: bool, x: f64) -> Real {
    if !x.is_finite() || x < 0.0 {
        return f64::NAN.into();
    }
    let value = match size {
        _ if x == 0.0 => return (if negative { f64::INFINITY } else { f64::NEG_INFINITY }).into(),
        0.0 | 1.0 => y(size, &Big::new(x)),
        f64::INFINITY => return f64::NEG_INFINITY.into(),
        _ => match positive(size, x) {
            Some(value) => value,
            None => return Real::Unknown,
        },
    };
    (if negative { -value } else { value }).into()
}
