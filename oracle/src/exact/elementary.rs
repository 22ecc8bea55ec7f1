//! Elementary functions of floats beyond those of `real`, each rounded once.

use cuprum_kernels::DType;

use crate::core::value::round;
use crate::core::version::{self, Change};
use crate::exact::big::Big;
use crate::exact::real::{self, settled};

/// Evaluates a function by its name; a function of one operand ignores the second.
pub(crate) fn of_floats(name: &str, a: f64, b: f64, dtype: DType) -> f64 {
    match name {
        "tan" => of_one(a, f64::tan, Big::tan, dtype),
        "arcsin" => of_one(a, f64::asin, Big::asin, dtype),
        "arccos" => of_one(a, f64::acos, Big::acos, dtype),
        "arctan" => of_one(a, f64::atan, Big::atan, dtype),
        "sinh" => of_one(a, f64::sinh, Big::sinh, dtype),
        "cosh" => of_one(a, f64::cosh, Big::cosh, dtype),
        "arcsinh" => of_one(a, asinh, Big::asinh, dtype),
        "arccosh" => of_one(a, acosh, Big::acosh, dtype),
        "arctanh" => of_one(a, atanh, Big::atanh, dtype),
        "expm1" => of_one(a, f64::exp_m1, Big::exp_m1, dtype),
        "exp2" => of_one(a, f64::exp2, Big::exp2, dtype),
        "exp10" => of_one(a, |x| 10f64.powf(x), Big::exp10, dtype),
        "log2" => of_one(a, f64::log2, Big::log2, dtype),
        "log10" => of_one(a, f64::log10, Big::log10, dtype),
        "log1p" => of_one(a, f64::ln_1p, Big::ln_1p, dtype),
        "cbrt" => of_one(a, f64::cbrt, Big::cbrt, dtype),
        "rsqrt" => of_one(a, |x| 1.0 / x.sqrt(), |x| &Big::new(1.0) / &x.sqrt(), dtype),
        "degrees" | "rad2deg" => of_one(a, f64::to_degrees, |x| &(x * &Big::new(180.0)) / &Big::pi(), dtype),
        "radians" | "deg2rad" => of_one(a, f64::to_radians, |x| &(x * &Big::pi()) / &Big::new(180.0), dtype),
        "sinc" => sinc(a, dtype),
        "i0" => i0(a, dtype),
        "square" => round(a * a, dtype),
        "reciprocal" => round(1.0 / a, dtype),
        "arctan2" => arctan2(a, b, dtype),
        "hypot" => real::hypot(a, b, dtype),
        "logaddexp" => log_add(a, b, |m, d| m + (-d).exp().ln_1p(), |m, d| m + &d.exp().ln_1p(), dtype),
        "logaddexp2" => {
            let exact = |m: &Big, d: &Big| m + &(&d.exp2().ln_1p() / &Big::new(2.0).ln());
            log_add(a, b, |m, d| m + (-d).exp2().ln_1p() * std::f64::consts::LOG2_E, exact, dtype)
        }
        "float_power" => real::power(a, b, dtype),
        _ => unreachable!("{name} has no form for floats"),
    }
}

/// Computes 1 / a for an integer, rounded towards 0.
///
/// NumPy casts the quotient of floats: an infinity becomes the smallest 32-bit or 64-bit integer, of which narrower
/// dtypes keep the lowest bits and unsigned ones 0.
pub(crate) fn integer_reciprocal(a: i128, dtype: DType) -> i128 {
    match (a, dtype) {
        (0, DType::I32) => i32::MIN.into(),
        (0, DType::I64) => i64::MIN.into(),
        (1 | -1, _) => a,
        _ => 0,
    }
}

/// Evaluates a function by the C library where that decides the rounding, and with more digits otherwise.
fn of_one(x: f64, fast: impl Fn(f64) -> f64, exact: impl Fn(&Big) -> Big, dtype: DType) -> f64 {
    let y = fast(x);
    if !x.is_finite() || x == 0.0 || y.is_nan() {
        return round(y, dtype);
    }
    settled(y, 16.0, dtype).unwrap_or_else(|| exact(&Big::new(x)).round(dtype))
}

/// Computes the inverse hyperbolic sine; the standard library's is less exact near 0 (or 1).
fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let large = if a > 1e150 { a.ln() + std::f64::consts::LN_2 } else { (a + a * a / (1.0 + a.hypot(1.0))).ln_1p() };
    large.copysign(x)
}

fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    if x < 1.0 {
        f64::NAN
    } else if x > 1e150 {
        x.ln() + std::f64::consts::LN_2
    } else {
        (t + (t * (x + 1.0)).sqrt()).ln_1p()
    }
}

fn atanh(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * (2.0 * a / (1.0 - a)).ln_1p()).copysign(x)
}

/// Reduces x to [-1/2, 1/2] by adding or subtracting an integer so that sin πx keeps its value; exact.
fn half_turn(x: f64) -> f64 {
    let r = x - 2.0 * (x / 2.0).round();
    if r.abs() > 0.5 { 1f64.copysign(r) - r } else { r }
}

/// Computes sin πx, which is exactly 0 for integers.
pub(crate) fn sin_pi(x: f64) -> Big {
    (&Big::pi() * &Big::new(half_turn(x))).sin()
}

/// Computes cos πx as sin π(1/2 - x).
pub(crate) fn cos_pi(x: f64) -> Big {
    let r = x - 2.0 * (x / 2.0).round();
    // In 256 bits 1/2 - |r| is exact unless |r| is so small that the cosine is 1.
    (&Big::pi() * &(&Big::new(0.5) - &Big::new(r.abs()))).sin()
}

/// Computes sin πx / πx. NumPy's function multiplies by a rounded π, so that it is not quite 0 for integers.
fn sinc(x: f64, dtype: DType) -> f64 {
    use std::f64::consts::PI;
    if !x.is_finite() {
        return f64::NAN;
    }
    if x == 0.0 && dtype == DType::F16 && !version::has(Change::HalfSinc) {
        return f64::NAN;
    }
    if x == 0.0 || x.fract() == 0.0 {
        return if x == 0.0 { 1.0 } else { 0.0 };
    }
    let y = (PI * half_turn(x)).sin() / (PI * x);
    // Near the smallest numbers πx is not within a few roundings.
    let ordinary = x.abs() > 1e-300;
    settled(y, 16.0, dtype)
        .filter(|_| ordinary)
        .unwrap_or_else(|| (&sin_pi(x) / &(&Big::pi() * &Big::new(x))).round(dtype))
}

/// Computes I0 as the sum of (x/2)^2k / k!^2, whose terms are all non-negative. From 714 on it exceeds every dtype.
fn i0(x: f64, dtype: DType) -> f64 {
    if x.is_nan() || x.abs() > 720.0 {
        return x.abs() * f64::INFINITY;
    }
    let square = x * x / 4.0;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 0.0);
    while term > sum * 1e-18 {
        k += 1.0;
        term *= square / (k * k);
        sum += term;
    }
    // Each term carries three roundings for each previous one.
    let exact = || {
        let square = &(&Big::new(x) * &Big::new(x)) / &Big::new(4.0);
        let (mut term, mut sum, mut k) = (Big::new(1.0), Big::new(1.0), 0.0);
        while term.is_above(&sum, -256) {
            k += 1.0;
            term = &(&term * &square) / &Big::new(k * k);
            sum = &sum + &term;
        }
        sum.round(dtype)
    };
    settled(sum, 4.0 * k + 4.0, dtype).filter(|y| y.is_finite() || dtype != DType::F64).unwrap_or_else(exact)
}

fn arctan2(y: f64, x: f64, dtype: DType) -> f64 {
    let fast = y.atan2(x);
    if !(y.is_finite() && x.is_finite()) || y == 0.0 || x == 0.0 {
        return round(fast, dtype);
    }
    settled(fast, 16.0, dtype).unwrap_or_else(|| Big::atan2(&Big::new(y), &Big::new(x)).round(dtype))
}

/// Computes the logarithm of a sum of powers from the larger operand and the distance of the other, which `fast` takes
/// as it is and `exact` as a negative number.
fn log_add(a: f64, b: f64, fast: impl Fn(f64, f64) -> f64, exact: impl Fn(&Big, &Big) -> Big, dtype: DType) -> f64 {
    if !(a.is_finite() && b.is_finite()) {
        // The added logarithm is 0: the sum is never a negative zero.
        return if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) + 0.0 };
    }
    let (large, small) = (a.max(b), a.min(b));
    let y = fast(large, large - small);
    // Where the sum cancels, the float64 roundings are large relative to it.
    if y.abs() > 0.5 * large.abs()
        && let Some(y) = settled(y, 16.0, dtype)
    {
        return y;
    }
    let large = Big::new(large);
    exact(&large, &(&Big::new(small) - &large)).round(dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from published tables (Abramowitz and Stegun, 4.2 and 9.8; i0 of 1 and 10 to 16 digits).
    #[test]
    fn values_are_those_of_tables() {
        let f = |name, x| of_floats(name, x, 0.0, DType::F64);
        assert_eq!(f("i0", 1.0), 1.266_065_877_752_008_4);
        assert_eq!(f("i0", 10.0), 2_815.716_628_466_254_5);
        assert_eq!(f("i0", -714.0), f64::INFINITY);
        assert_eq!(f("arcsinh", 1.0), 0.881_373_587_019_543);
        assert_eq!(of_floats("logaddexp", 0.0, 0.0, DType::F64), std::f64::consts::LN_2);
    }

    #[test]
    fn sinc_is_exact_at_integers_and_next_to_them() {
        let f = |x| of_floats("sinc", x, 0.0, DType::F64);
        assert_eq!([f(0.0), f(1.0), f(-2.0), f(1e300)], [1.0, 0.0, 0.0, 0.0]);
        // sin π(1 + h) / π(1 + h) is -h to the first order.
        assert!((f(1.0 + 1e-12) + 1e-12).abs() < 1e-15);
        assert!(f(f64::INFINITY).is_nan());
    }

    #[test]
    fn sums_of_exponentials_keep_digits_where_they_cancel() {
        // e^a + e^b with both near log 1/2: the logarithm is half the difference.
        let half = -std::f64::consts::LN_2;
        let y = of_floats("logaddexp", half, half + 1e-10, DType::F64);
        assert!((y - 5e-11).abs() < 1e-16, "{y}");
    }

    #[test]
    fn integers_have_numpys_reciprocals() {
        let f = integer_reciprocal;
        assert_eq!(
            [f(0, DType::I8), f(0, DType::U32), f(0, DType::U64), f(5, DType::I16), f(-1, DType::I8)],
            [0, 0, 0, 0, -1]
        );
        assert_eq!([f(0, DType::I32), f(0, DType::I64)], [i32::MIN.into(), i64::MIN.into()]);
    }
}
