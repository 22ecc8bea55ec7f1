//! Error budgets of NumPy itself relative to the correctly rounded value.
//!
//! Functions that are not listed here are compared to the bit, or, where sums are computed in any order, by the bound
//! that the oracle derives from the operands.

use std::f64::consts::{LN_2, PI};

use cuprum_kernels::DType;

use crate::case::Case;
use crate::judge::Allowance;
use crate::matrix::{ComplexRule, Matrix, Model, Op};
use crate::operand::Input;
use crate::outcome::{Number, Tensor};
use crate::reference::Reference;
use crate::ulp;

/// The budget of some functions in units in the last place.
struct Budget {
    /// Their names, separated by blanks.
    ops: &'static str,
    /// The budget for float32 and float64. The 16-bit types are computed in float32 and rounded once more: one unit
    /// where this is not 0.
    real: u64,
    /// The budget for each part of a complex number, in units in the last place of the modulus.
    complex: u64,
    reason: &'static str,
}

const BUDGETS: &[Budget] = &[
    Budget {
        ops: " exp log sin cos tan tanh arcsin arccos arctan sinh cosh arcsinh arccosh arctanh expm1 exp2 log2 log10 log1p cbrt \
              arctan2 hypot power float_power exp10 ",
        real: 4,
        complex: 6,
        reason: "NumPy's vectorised functions are tested against 4 units (numpy/_core/tests/data/umath-validation-set-*); its \
                 complex ones are C's, a few rounded steps.",
    },
    Budget {
        ops: " angle ",
        real: 5,
        complex: 5,
        reason: "The arctangent of two sides, and a product with a constant that is rounded itself.",
    },
    Budget {
        ops: " degrees radians rad2deg deg2rad ",
        real: 1,
        complex: 0,
        reason: "A product with a constant that is rounded itself.",
    },
    Budget {
        ops: " multiply square ",
        real: 0,
        complex: 3,
        reason: "Two products and a sum: the square root of 5 in unit roundoffs of the modulus.",
    },
    Budget {
        ops: " true_divide reciprocal companion fiedler_companion ",
        real: 0,
        complex: 4,
        reason: "Smith's division: some six rounded operations.",
    },
    Budget {
        ops: " polynomial polyint polydiv ",
        real: 0,
        complex: 16,
        reason: "A few quotients and products of complex numbers, and their differences.",
    },
    Budget { ops: " sqrt ", real: 0, complex: 3, reason: "A hypot and two roots." },
    Budget {
        ops: " sign absolute fiedler ",
        real: 0,
        complex: 2,
        reason: "The modulus is rounded, then the quotient.",
    },
    Budget {
        ops: " floor_divide divmod ",
        real: 1,
        complex: 0,
        reason: "NumPy rounds the quotient before it rounds it down.",
    },
];

/// Returns the name under which an operation is listed.
fn listed(op: &Op) -> &str {
    let name = op.name.strip_prefix("operator_").unwrap_or(&op.name);
    let name = name.split_once('.').map_or(name, |(function, _)| function);
    match name {
        "divide" => "true_divide",
        other => other,
    }
}

fn budget(op: &Op) -> Option<&'static Budget> {
    let name = format!(" {} ", listed(op));
    BUDGETS.iter().find(|b| b.ops.contains(&name))
}

/// Returns the reason why a function may be off by some units.
pub fn reason(op: &Op) -> Option<&'static str> {
    budget(op).map(|b| b.reason)
}

/// Returns the budget of NumPy in array `want` of a result of this case.
pub fn allowance(matrix: &Matrix, op: &Op, case: &Case, inputs: &[Input], want: &Tensor) -> Allowance {
    let tolerance = matrix.tolerance(op);
    if tolerance.model == Model::Truncated {
        return Allowance { bounds: Reference::numpy_bounds(op, case, inputs), ..Allowance::default() };
    }
    if !(want.dtype.is_float() || want.dtype.is_complex()) {
        return Allowance::default();
    }
    let (mut allowance, any_infinity) = (Allowance::default(), tolerance.any_infinity);
    if let Some(budget) = budget(op) {
        let complex = want.dtype.is_complex() || case.dtypes().iter().any(|d| d.is_complex());
        allowance.ulp = match want.dtype {
            _ if complex => budget.complex,
            DType::F16 | DType::BF16 => budget.real.min(1),
            _ => budget.real,
        };
        allowance.complex = ComplexRule::Modulus;
    }
    // NumPy multiplies the overflowing exponential.
    allowance.any_infinity = any_infinity || op.name == "expm1";
    allowance.bounds = match listed(op) {
        name @ ("sinc" | "i0" | "logaddexp" | "logaddexp2" | "log1p" | "exp2" | "power" | "float_power" | "sign"
        | "true_divide" | "reciprocal") => formula(name, inputs, want),
        _ => None,
    };
    if op.family == "sets" {
        // Either of two equal zeros may be returned: everything but the sign is compared.
        allowance.any_zero = true;
    }
    if allowance.bounds.is_none() && tolerance.model == Model::Derived {
        allowance.bounds = Reference::numpy_bounds(op, case, inputs);
    }
    allowance
}

/// Returns the bounds of functions with a formula in NumPy, whose rounding depends on the operands.
fn formula(name: &str, inputs: &[Input], want: &Tensor) -> Option<Vec<f64>> {
    let operands = Reference::operand_values(inputs, want)?;
    let part = |i: usize, k: usize| operands.get(k).map_or((0.0, 0.0), |column| column[i]);
    let bound = |i: usize| -> Option<f64> {
        let (a, b) = (part(i, 0), part(i, 1));
        match want.get(i) {
            Number::Complex(re, im) => of_complex(name, a, b, (re, im), want.dtype),
            Number::Float(value) => of_real(name, a.0, b.0, value, want.dtype),
            Number::Int(_) => None,
        }
    };
    (0..want.size()).map(bound).collect()
}

fn unit(x: f64, dtype: DType) -> f64 {
    ulp::unit(dtype, x.clamp(-ulp::max(dtype), ulp::max(dtype)))
}

fn of_real(name: &str, a: f64, b: f64, value: f64, out: DType) -> Option<f64> {
    let (own, one) = (if value.is_nan() { 0.0 } else { unit(value, out) }, unit(1.0, out));
    Some(match name {
        // NumPy rounds πx in the dtype of the operand, by as much as the last place of 1 in the quotient. A product
        // that overflows gives NaN.
        "sinc" if PI * a.abs() > ulp::max(out) => f64::INFINITY,
        "sinc" => own + 2.0 * one,
        // NumPy multiplies by the exponential, which overflows first, and gives NaN for an infinity.
        "i0" if a.is_infinite() || a.abs().exp() > ulp::max(out) => f64::INFINITY,
        // A polynomial of 30 terms in the dtype of the operand.
        "i0" => 8.0 * own,
        // The sum of an operand and of a logarithm below 1 that may cancel.
        "logaddexp" | "logaddexp2" => own + unit(a.max(b), out).max(one),
        _ => return None,
    })
}

fn of_complex(name: &str, a: (f64, f64), b: (f64, f64), value: (f64, f64), out: DType) -> Option<f64> {
    let size = a.0.hypot(a.1);
    // Next to an infinity or a NaN the other part counts on its own.
    let finite = value.0.is_finite() && value.1.is_finite();
    let modulus = if finite { value.0.hypot(value.1) } else { value.0.abs().min(value.1.abs()) };
    let (own, one) = (if modulus.is_nan() { 0.0 } else { unit(modulus, out) }, unit(1.0, out));
    Some(match name {
        // The modulus of 1 + z overflows; or 1 + z is rounded before its logarithm is taken.
        "log1p" if size > ulp::max(out) => f64::INFINITY,
        "log1p" => 3.0 * own + one,
        // exp(z log 2): the rounding of the product rotates the result.
        "exp2" if size * LN_2 * one > 0.1 => f64::INFINITY,
        // Near 0 the angle has the digits of a subnormal number.
        "exp2" => (3.0 + 2.0 * size) * own + a.0.min(1023.0).exp2() * unit(0.0, out),
        // The modulus has the precision of a subnormal number.
        "sign" => 2.0 * own + if size > 0.0 && size.is_finite() { unit(size, out) / size } else { 0.0 },
        "true_divide" => quotient(a, b, 4.0 * own, out),
        "reciprocal" => quotient((1.0, 0.0), a, 4.0 * own, out),
        // The sine of πz overflows before it is divided.
        "sinc" if PI * a.0.abs() > ulp::max(out) || PI * a.1.abs() > ulp::max(out).ln() - 1.0 => f64::INFINITY,
        // The rounding of πz changes the sine by its cosine.
        "sinc" => {
            let bound = 4.0 * own + 2.0 * one * (PI * a.1).cosh();
            quotient((0.0, 0.0), (PI * a.0, PI * a.1), bound, out)
        }
        // exp(b log a): the rounding of the product is absolute, so that it grows with the product.
        "power" | "float_power" => {
            let product = b.0.hypot(b.1) * (size.ln().abs() + PI);
            // NumPy multiplies where the exponent is a small integer, and divides 1 by the product where it is
            // negative.
            let multiplied = b.1 == 0.0 && b.0 < 0.0 && b.0.fract() == 0.0 && b.0 > -100.0;
            if [a.0, a.1, b.0, b.1].iter().any(|x| !x.is_finite()) {
                // C leaves these powers undefined, and NumPy has two results: (-inf+1j)**-1 is NaN by products, and
                // would be 0 by logarithms.
                f64::NAN
            } else if size == 0.0 {
                0.0
            } else if product * one > 0.1 {
                f64::INFINITY
            } else if multiplied {
                quotient((1.0, 0.0), (size.powf(-b.0), 0.0), (4.0 + 4.0 * product) * own, out)
            } else {
                (4.0 + 4.0 * product) * own
            }
        }
        _ => return None,
    })
}

/// Bounds Smith's division, which multiplies by the reciprocal of the divisor's larger part. Where that is no normal
/// number, or a sum overflows, the result is lost.
fn quotient(a: (f64, f64), b: (f64, f64), bound: f64, out: DType) -> f64 {
    let larger = b.0.abs().max(b.1.abs());
    let (least, most) = (ulp::least(out), ulp::max(out));
    let finite = [a.0, a.1, b.0, b.1].iter().all(|x| x.is_finite());
    if finite && larger > 0.0 && (larger * least > 0.25 || larger * most < 4.0 || a.0.abs() + a.1.abs() > most) {
        return f64::INFINITY;
    }
    // An underflowing product is divided, too.
    if larger > 0.0 { bound + unit(0.0, out) / larger } else { bound }
}
