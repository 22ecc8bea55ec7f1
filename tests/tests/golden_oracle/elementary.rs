//! Tolerances of NumPy's elementary functions against their correctly rounded values.

use std::f64::consts::PI;

use cuprum_kernels::DType;
use cuprum_oracle::{NdArray, Value, max_finite, ulp};

/// Returns the tolerance of each element of a result of the function `name`, whose operands are broadcast to the shape
/// of the result; `None` for other functions.
pub(crate) fn tolerances(name: &str, operands: &[Vec<Value>], got: &NdArray) -> Option<Vec<f64>> {
    let out = got.dtype();
    let name = match name {
        "asin" | "acos" | "atan" | "atan2" | "asinh" | "acosh" | "atanh" => &name.replacen('a', "arc", 1),
        other => other,
    };
    let operand = |i: usize, k: usize| operands.get(k).map_or(Value::Float(0.0), |o| o[i]);
    let bound = |(i, v): (usize, &Value)| {
        let (a, b) = (operand(i, 0), operand(i, 1));
        if out.is_complex() { complex(name, a.complex().norm(), a, v, out) } else { real(name, a, b, v.float(), out) }
    };
    got.values().iter().enumerate().map(bound).collect()
}

fn unit(x: f64, dtype: DType) -> f64 {
    if x.is_finite() { ulp(x, dtype) } else { 0.0 }
}

fn real(name: &str, a: Value, b: Value, value: f64, out: DType) -> Option<f64> {
    let (a, b, own, one) = (a.float(), b.float(), unit(value, out), unit(1.0, out));
    Some(match name {
        // One operation, or a product with a rounded constant.
        "square" | "reciprocal" => 0.0,
        "degrees" | "radians" | "rad2deg" | "deg2rad" => own,
        // The C library's functions have an error of a unit or two.
        "tan" | "arcsin" | "arccos" | "arctan" | "sinh" | "cosh" | "arcsinh" | "arccosh" | "arctanh" | "expm1"
        | "exp2" | "log2" | "log10" | "log1p" | "cbrt" | "arctan2" | "hypot" | "float_power" => 2.0 * own,
        // NumPy rounds πx in the dtype of the operand, with an error of the last place of 1 in the quotient. A product
        // that is too large gives NaN.
        "sinc" if PI * a.abs() > max_finite(out) => f64::INFINITY,
        "sinc" => own + 2.0 * one,
        // NumPy multiplies by the exponential, which overflows first, and gives NaN for an infinity.
        "i0" if a.is_infinite() || a.abs().exp() > max_finite(out) => f64::INFINITY,
        // A polynomial of 30 terms in the dtype of the operand.
        "i0" => 8.0 * own,
        // The sum of an operand and of a logarithm below 1, which may cancel.
        "logaddexp" | "logaddexp2" => own + unit(a.max(b), out).max(one),
        _ => return None,
    })
}

fn complex(name: &str, size: f64, a: Value, value: &Value, out: DType) -> Option<f64> {
    let z = value.complex();
    // If one part is infinite or NaN, the other is compared separately.
    let modulus = if z.re.is_finite() && z.im.is_finite() { z.norm() } else { z.re.abs().min(z.im.abs()) };
    let (own, one) = (unit(modulus, out), unit(1.0, out));
    Some(match name {
        // Formulas of a few rounded steps, with an error of a few units of the modulus.
        "tan" | "arcsin" | "arccos" | "arctan" | "sinh" | "cosh" | "arcsinh" | "arccosh" | "arctanh" | "expm1"
        | "log2" | "log10" | "square" | "reciprocal" => 3.0 * own,
        // 1 + z is rounded before its logarithm is computed.
        "log1p" => 3.0 * own + one,
        // exp(z log 2): the rounding error of the product rotates the result.
        "exp2" if size * one > 0.1 => f64::INFINITY,
        "exp2" => (3.0 + 2.0 * size) * own,
        // The rounding error of πz is multiplied by the cosine.
        "sinc" => 4.0 * own + 2.0 * one * (PI * a.complex().im).cosh(),
        _ => return None,
    })
}
