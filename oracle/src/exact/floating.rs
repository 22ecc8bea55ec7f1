//! Floating-point manipulation: `frexp`, `modf`, `ldexp`, `sign`, `nextafter`, `spacing`.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::value::{Value, max_finite, round, ulp};
use crate::core::version::{self, Change};
use crate::exact::big::Big;
use crate::exact::complex;
use crate::exact::real;

/// Evaluates a function of one float whose result is of the same dtype.
pub(crate) fn unary(name: &str, x: f64, dtype: DType) -> Option<f64> {
    Some(match name {
        "rint" => x.round_ties_even(),
        "floor" => x.floor(),
        "ceil" => x.ceil(),
        "trunc" => x.trunc(),
        "positive" | "conjugate" => x,
        "fabs" => x.abs(),
        "sign" => sign(x),
        "spacing" => spacing(x, dtype),
        _ => return None,
    })
}

/// Evaluates a function of two floats whose result is of the same dtype.
pub(crate) fn binary(name: &str, x: f64, y: f64, dtype: DType) -> Option<f64> {
    Some(match name {
        "copysign" => x.copysign(y),
        "nextafter" => next_after(x, y, dtype),
        "heaviside" => match x {
            _ if x.is_nan() => x,
            _ if x == 0.0 => y,
            _ => (x > 0.0) as u8 as f64,
        },
        // Exact: the remainder has no more digits than the operands.
        "fmod" => x % y,
        "fmax" if x.is_nan() || y > x => y,
        "fmin" if x.is_nan() || y < x => y,
        "fmax" | "fmin" => x,
        _ => return None,
    })
}

/// Evaluates a function of complex numbers whose result is of the same dtype.
pub(crate) fn of_complex(name: &str, a: Complex64, b: Complex64, dtype: DType) -> Option<Complex64> {
    let larger_first = |x, y| complex::compare(x, y).is_some_and(|o| o.is_ge());
    Some(match name {
        "rint" => Complex64::new(a.re.round_ties_even(), a.im.round_ties_even()),
        "positive" => a,
        "conjugate" => a.conj(),
        "sign" if !version::has(Change::ComplexSign) => Complex64::new(first_sign(a), 0.0),
        "sign" => direction(a, dtype),
        "fmax" if complex::is_nan(b) || larger_first(a, b) => a,
        "fmin" if complex::is_nan(b) || larger_first(b, a) => a,
        "fmax" | "fmin" => b,
        _ => return None,
    })
}

/// Returns the sign: NaN for NaN, and +0 for either zero.
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x == 0.0 {
        0.0
    } else {
        x
    }
}

/// Returns the sign of the real part, or of the imaginary part where the real part is 0, as NumPy before 2.0.
fn first_sign(z: Complex64) -> f64 {
    match complex::compare(z, Complex64::default()) {
        Some(order) => f64::from(order as i8),
        None => f64::NAN,
    }
}

/// Divides the complex number by its modulus, as NumPy 2.
///
/// Where the modulus is infinite, the result is the sign of the infinite part on its axis; NumPy treats a modulus that
/// only overflows as an infinite imaginary part.
fn direction(z: Complex64, dtype: DType) -> Complex64 {
    let modulus = real::hypot(z.re, z.im, dtype);
    let nan = Complex64::new(f64::NAN, f64::NAN);
    if modulus.is_nan() || (z.re.is_infinite() && z.im.is_infinite()) {
        return nan;
    }
    if modulus.is_infinite() {
        return if z.re.is_infinite() {
            Complex64::new(sign(z.re), 0.0)
        } else {
            Complex64::new(0.0, if z.im > 0.0 { 1.0 } else { -1.0 })
        };
    }
    if z.re == 0.0 && z.im == 0.0 {
        return Complex64::new(0.0, 0.0);
    }
    let (re, im) = (Big::new(z.re), Big::new(z.im));
    let exact = (&(&re * &re) + &(&im * &im)).sqrt();
    // A zero keeps its sign; a quotient that rounds to zero has the sign of its part.
    let part = |whole: f64, big: &Big| if whole == 0.0 { whole } else { (big / &exact).round(dtype).copysign(whole) };
    Complex64::new(part(z.re, &re), part(z.im, &im))
}

/// Returns the neighbour farther from zero of a finite number: infinity after the largest.
fn outwards(x: f64, dtype: DType) -> f64 {
    let next = x.abs() + ulp(x, dtype);
    (if next > max_finite(dtype) { f64::INFINITY } else { next }).copysign(x)
}

/// Returns the neighbour nearer to zero of a number that is not zero.
fn inwards(x: f64, dtype: DType) -> f64 {
    if x.is_infinite() {
        return max_finite(dtype).copysign(x);
    }
    // Below a power of two the spacing is half, unless the numbers are subnormal.
    let half = x.abs() - ulp(x, dtype) / 2.0;
    let near = if half < x.abs() && round(half, dtype) == half { half } else { x.abs() - ulp(x, dtype) };
    near.copysign(x)
}

fn next_after(x: f64, y: f64, dtype: DType) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        // C returns the second operand; NumPy's float16 implementation returns the first. bfloat16 follows float16.
        return if matches!(dtype, DType::F16 | DType::BF16) { x } else { y };
    }
    if x == 0.0 {
        return ulp(0.0, dtype).copysign(y);
    }
    if (x < y) == (x > 0.0) { outwards(x, dtype) } else { inwards(x, dtype) }
}

/// Returns the distance to the neighbour farther from zero, signed; NumPy's float16 returns the distance to the one
/// above.
fn spacing(x: f64, dtype: DType) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x == 0.0 {
        return ulp(0.0, dtype);
    }
    let neighbour = if dtype == DType::F16 && x < 0.0 { inwards(x, dtype) } else { outwards(x, dtype) };
    neighbour - x
}

/// Splits into a fraction in [0.5, 1) and an exponent; zeros, infinities and NaN are unchanged, with exponent 0.
fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    const TWO_54: f64 = (1u64 << 54) as f64;
    if x.is_subnormal() {
        let (fraction, exponent) = frexp(x * TWO_54);
        return (fraction, exponent - 54);
    }
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    (f64::from_bits(x.to_bits() & !(0x7ff << 52) | 1022 << 52), exponent)
}

/// Returns the results of [`frexp`] as values.
pub(crate) fn frexp_values(x: f64) -> [Value; 2] {
    let (fraction, exponent) = frexp(x);
    [Value::Float(fraction), Value::Int(exponent.into())]
}

/// Computes `x` times 2 to the power of `n`, rounded once.
pub(crate) fn ldexp(x: f64, n: i128, dtype: DType) -> f64 {
    let (fraction, exponent) = frexp(x);
    if fraction == 0.0 || !fraction.is_finite() {
        return x;
    }
    let top = (i128::from(exponent) + n).clamp(-1200, 1200) as i32;
    // Every step but the last is exact: first to a normal number, then out of range on either side.
    let normal = top.clamp(-1021, 1024);
    let scaled = (fraction * 2.0) * 2f64.powi(normal - 1);
    round(scaled * 2f64.powi(top - normal), dtype)
}

/// Splits into fraction and integer part, each with the sign of the number.
pub(crate) fn modf(x: f64) -> [Value; 2] {
    let whole = x.trunc();
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    [Value::Float(fraction.copysign(x)), Value::Float(whole)]
}
