//! Real functions of floats: special values by the C library's rules, all else rounded once from many bits.

use cuprum_kernels::DType;

use crate::core::value::round;
use crate::exact::big::Big;

/// Rounds `y`, which is within some float64 roundings of the exact value, if all values within that distance round
/// alike.
///
/// `None` requires the caller to use more bits; always for float64.
pub(crate) fn settled(y: f64, roundings: f64, dtype: DType) -> Option<f64> {
    if !y.is_finite() || y == 0.0 {
        return Some(round(y, dtype));
    }
    if dtype.real() == DType::F64 {
        return None;
    }
    let margin = roundings * f64::EPSILON;
    let (low, high) = (round(y * (1.0 - margin), dtype), round(y * (1.0 + margin), dtype));
    (low == high).then_some(low)
}

macro_rules! functions {
    ($($name:ident, $fast:ident, $big:ident;)*) => {
        $(pub(crate) fn $name(x: f64, dtype: DType) -> f64 {
            let y = x.$fast();
            // The C library's results for infinities, NaN and zero are kept.
            if !x.is_finite() || x == 0.0 || y.is_nan() {
                return y;
            }
            settled(y, 4.0, dtype).unwrap_or_else(|| Big::new(x).$big().round(dtype))
        })*
    };
}

functions! {
    exp, exp, exp;
    log, ln, ln;
    sin, sin, sin;
    cos, cos, cos;
    tanh, tanh, tanh;
}

pub(crate) fn power(x: f64, y: f64, dtype: DType) -> f64 {
    let fast = x.powf(y);
    let ordinary = x.is_finite() && y.is_finite() && x != 0.0 && y != 0.0 && x != 1.0 && !fast.is_nan();
    if !ordinary {
        return round(fast, dtype);
    }
    settled(fast, 4.0, dtype).unwrap_or_else(|| {
        let magnitude = (&Big::new(y) * &Big::new(x.abs()).ln()).exp().round(dtype);
        magnitude.copysign(fast)
    })
}

/// Computes the length of the hypotenuse; infinite if one operand is, even if the other is NaN.
pub(crate) fn hypot(x: f64, y: f64, dtype: DType) -> f64 {
    let fast = x.hypot(y);
    if !(x.is_finite() && y.is_finite()) || x == 0.0 || y == 0.0 {
        return round(fast, dtype);
    }
    // Zeros and infinities may be the C library's alone.
    settled(fast, 4.0, dtype).filter(|size| size.is_normal()).unwrap_or_else(|| {
        let (x, y) = (Big::new(x), Big::new(y));
        (&(&x * &x) + &(&y * &y)).sqrt().round(dtype)
    })
}

/// Computes the quotient rounded down and the remainder with the divisor's sign, by NumPy's steps: each is rounded to
/// float32 (to float64 for float64), and the 16-bit types use those of float32.
///
/// A float64 operation on float32 operands, rounded once more, is each step's correctly rounded result.
fn divmod(a: f64, b: f64, dtype: DType) -> (f64, f64) {
    let step = |v: f64| if dtype.real() == DType::F64 { v } else { round(v, DType::F32) };
    let mut rest = a % b;
    if b == 0.0 {
        return (step(a / b), rest);
    }
    let mut quotient = step(step(a - rest) / b);
    if rest != 0.0 {
        if (b < 0.0) != (rest < 0.0) {
            rest = step(rest + b);
            quotient = step(quotient - 1.0);
        }
    } else {
        rest = 0f64.copysign(b);
    }
    if quotient == 0.0 {
        return (0f64.copysign(a / b), rest);
    }
    let floor = quotient.floor();
    (if quotient - floor > 0.5 { floor + 1.0 } else { floor }, rest)
}

pub(crate) fn floor_divide(a: f64, b: f64, dtype: DType) -> f64 {
    round(divmod(a, b, dtype).0, dtype)
}

pub(crate) fn remainder(a: f64, b: f64, dtype: DType) -> f64 {
    round(divmod(a, b, dtype).1, dtype)
}

pub(crate) fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

pub(crate) fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a <= b { a } else { b }
}
