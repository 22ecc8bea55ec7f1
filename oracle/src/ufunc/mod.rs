//! Elementwise functions (ufuncs).

pub(crate) mod at;
pub(crate) mod elementwise;
mod known;
pub(crate) mod loops;
pub(crate) mod methods;
pub(crate) mod reduce;
pub(crate) mod scan;

use std::cmp::Ordering;

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::result_type;
use crate::core::value::{Flag, Value, cast, int_range, round, scalar_as};
use crate::core::version::{self, Change};
use crate::exact::complex;
use crate::exact::complex_elementary;
use crate::exact::elementary;
use crate::exact::floating;
use crate::exact::integer;
use crate::exact::real;
use crate::scipy::special;
use crate::table::counterparts;
use crate::ufunc::elementwise::{UfuncOptions, map};
use crate::ufunc::known::Known;
use crate::ufunc::loops::Form;

/// Calls an elementwise function by its NumPy name; `where` takes a condition and two values.
///
/// # Errors
///
/// `TypeError` for dtypes that the function does not take, `ValueError` for shapes that do not broadcast (and for
/// negative integer exponents), `OverflowError` for a weak integer that the dtype cannot hold.
pub fn ufunc(name: &str, operands: &[Operand<'_>], options: &UfuncOptions) -> Result<NdArray> {
    let mut results = ufunc_all(name, operands, options)?;
    if results.len() > 1 {
        return fail(ErrorKind::Type, format!("{name} has {} results", results.len()));
    }
    Ok(results.remove(0))
}

/// Calls an elementwise function with several results (`frexp`, `modf`, `divmod`), or one.
///
/// # Errors
///
/// As [`ufunc`].
pub fn ufunc_all(name: &str, operands: &[Operand<'_>], options: &UfuncOptions) -> Result<Vec<NdArray>> {
    options.check()?;
    if name == "where" {
        return Ok(vec![choose(operands, options)?]);
    }
    let spec = loops::find(name)?;
    let form = spec.resolve(operands, options.dtype)?;
    if spec.is_comparison()
        && version::has(Change::Promotion)
        && let Some(out) = beyond(spec.name, operands, &form, options)
    {
        return Ok(vec![out?]);
    }
    // Every dtype can be converted to booleans: casts to bool are never checked.
    let logical = spec.name.starts_with("logical");
    // Casts of scalars are rejected before shapes that do not match, and those before other casts.
    options.check_scalars(operands, &form, logical)?;
    let scalars: Vec<Option<Value>> = operands
        .iter()
        .zip(&form.inputs)
        .map(|(o, t)| match o {
            Operand::Array(_) => Ok(None),
            Operand::Scalar(v) if logical => truth_of(*v, *t).map(Some),
            Operand::Scalar(v) => scalar_as(*v, *t).map(Some),
        })
        .collect::<Result<_>>()?;
    options.check_casts(operands, &form, logical)?;
    if let (Some(first), Some(second)) = (&options.out, &options.second_out)
        && first.shape() != second.shape()
    {
        return fail(ErrorKind::Value, "the results have one shape, and so do both outs");
    }
    // If the operand whose sign is used is a NaN, its sign depends on the cast, which NumPy leaves to the processor.
    let signed = match spec.name {
        "signbit" => Some(0),
        "copysign" => Some(1),
        _ => None,
    };
    let is_cast = |k: usize| matches!(&operands[k], Operand::Array(a) if a.dtype() != form.inputs[k]);
    let lost = signed.filter(|k| is_cast(*k));
    let result = |k: usize| {
        let known = Known::default();
        map(operands, &options.of_result(k), form.outputs[k], |args| {
            let open = lost.is_some_and(|k| args[k].is_nan());
            let (args, flags): (Vec<Value>, Vec<Flag>) = args
                .iter()
                .zip(&scalars)
                .zip(&form.inputs)
                .map(|((v, scalar), t)| scalar.map_or_else(|| cast(*v, *t), |scalar| (scalar, Flag::Exact)))
                .unzip();
            if spec.name == "power" && form.output().is_integer() && args[1].int() < 0 {
                return fail(ErrorKind::Value, "an integer to a negative integer power is not an integer");
            }
            let (value, flag) = known.get_or_evaluate(&args, || match spec.name {
                "frexp" => (floating::frexp_values(args[0].float())[k], Flag::Exact),
                "modf" => (floating::modf(args[0].float())[k], Flag::Exact),
                "sici" | "shichi" => special::pair(spec.name, &args, k, form.outputs[k]),
                "divmod" => apply(["floor_divide", "remainder"][k], &form, &args),
                name => apply(name, &form, &args),
            });
            let flag = if open { Flag::Any } else { flag };
            Ok((value, flag.max(Flag::carried(flags))))
        })
    };
    (0..form.outputs.len()).map(result).collect()
}

/// Converts a weak scalar to a boolean operand: an integer need not fit the other operand's dtype, but `int64`.
fn truth_of(v: Value, dtype: DType) -> Result<Value> {
    if matches!(v, Value::Int(_)) {
        scalar_as(v, DType::I64)?;
    }
    Ok(cast(Value::Bool(v.truth()), dtype).0)
}

/// Computes `where(condition, a, b)`: the condition is true where it is not zero.
fn choose(operands: &[Operand<'_>], options: &UfuncOptions) -> Result<NdArray> {
    let [_, rest @ ..] = operands else { return fail(ErrorKind::Type, "where takes three operands") };
    if rest.len() != 2 {
        return fail(ErrorKind::Type, "where takes three operands");
    }
    let dtype = result_type(rest)?;
    // Weak integers out of range wrap here, unlike anywhere else, except those beyond 64 bits.
    let words = i64::MIN as i128..=u64::MAX as i128;
    if let Some(Operand::Scalar(Value::Int(i))) =
        rest.iter().find(|o| matches!(o, Operand::Scalar(Value::Int(i)) if !words.contains(i)))
        && dtype.is_integer()
    {
        return fail(ErrorKind::Overflow, format!("{i} is no integer of 64 bits"));
    }
    map(operands, options, dtype, |args| Ok(cast(if args[0].truth() { args[1] } else { args[2] }, dtype)))
}

/// Compares with a weak integer that the array's dtype cannot hold: the result does not depend on the elements.
fn beyond(name: &str, operands: &[Operand<'_>], form: &Form, options: &UfuncOptions) -> Option<Result<NdArray>> {
    let is_integers = |o: &Operand<'_>| matches!(o, Operand::Array(a) if a.dtype().is_integer());
    if !form.inputs[0].is_integer() || !operands.iter().any(is_integers) {
        return None;
    }
    let (low, high) = int_range(form.inputs[0]);
    let out_of_range = |o: &Operand<'_>| matches!(o, Operand::Scalar(Value::Int(i)) if *i < low || *i > high);
    if !operands.iter().any(out_of_range) {
        return None;
    }
    let holds = |args: &[Value]| Ok((Value::Bool(holds(name, Some(args[0].int().cmp(&args[1].int())))), Flag::Exact));
    // The array is not cast.
    let casts = options.check_casts(operands, form, true);
    Some(casts.and_then(|()| map(operands, options, DType::Bool, holds)))
}

/// Evaluates a comparison from the ordering of its operands (`None`: unordered).
fn holds(name: &str, order: Option<Ordering>) -> bool {
    match name {
        "equal" => order == Some(Ordering::Equal),
        "not_equal" => order != Some(Ordering::Equal),
        "less" => order == Some(Ordering::Less),
        "less_equal" => order.is_some_and(Ordering::is_le),
        "greater" => order == Some(Ordering::Greater),
        _ => order.is_some_and(Ordering::is_ge),
    }
}

/// Applies one loop of a function to elements of that loop's dtypes.
pub(crate) fn apply(name: &str, form: &Form, args: &[Value]) -> (Value, Flag) {
    let input = form.inputs[0];
    let mut flag = Flag::Exact;
    if special::has(name) {
        return special::value(name, args, form.output());
    }
    let value = match name {
        "equal" | "not_equal" | "less" | "less_equal" | "greater" | "greater_equal" => {
            let order = match (args[0], args[1]) {
                (Value::Complex(a), Value::Complex(b)) => complex_order(name, a, b),
                (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
                (a, b) => Some(a.int().cmp(&b.int())),
            };
            Value::Bool(holds(name, order))
        }
        "logical_and" => Value::Bool(args[0].truth() && args[1].truth()),
        "logical_or" => Value::Bool(args[0].truth() || args[1].truth()),
        "logical_xor" => Value::Bool(args[0].truth() != args[1].truth()),
        "logical_not" => Value::Bool(!args[0].truth()),
        "isnan" => Value::Bool(args[0].is_nan()),
        "isfinite" => Value::Bool(match args[0] {
            Value::Float(v) => v.is_finite(),
            Value::Complex(v) => v.re.is_finite() && v.im.is_finite(),
            _ => true,
        }),
        "sinc" | "i0" if !input.is_float() && !input.is_complex() => {
            Value::Float(elementary::of_floats(name, args[0].float(), 0.0, form.output()))
        }
        "reciprocal" if input.is_integer() => Value::Int(elementary::integer_reciprocal(args[0].int(), form.output())),
        "isinf" => Value::Bool(match args[0] {
            Value::Float(v) => v.is_infinite(),
            Value::Complex(v) => v.re.is_infinite() || v.im.is_infinite(),
            _ => false,
        }),
        "signbit" => Value::Bool(args[0].float().is_sign_negative()),
        "ldexp" => Value::Float(floating::ldexp(args[0].float(), args[1].int(), form.output())),
        _ if input == DType::Bool => Value::Bool(of_bools(name, args)),
        _ if input.is_integer() => Value::Int(of_integers(name, args, input)),
        _ if input.is_float() => {
            let v = of_floats(name, args, form.output());
            if matches!(name, "maximum" | "minimum" | "fmax" | "fmin") && v == 0.0 {
                flag = Flag::AnySign;
            }
            if name == "power" && v == 0.0 && args[1].float() == 0.5 {
                // A square root, where the exponent is a scalar: that of -0 is -0.
                flag = Flag::OurSign;
            }
            Value::Float(v)
        }
        "absolute" => {
            let v = args[0].complex();
            Value::Float(real::hypot(v.re, v.im, form.output()))
        }
        _ => {
            let z = of_complex(name, args, form.output());
            let finite = args.iter().map(|v| v.complex()).all(|v| v.re.is_finite() && v.im.is_finite());
            let function = !matches!(
                name,
                "add"
                    | "subtract"
                    | "multiply"
                    | "true_divide"
                    | "negative"
                    | "positive"
                    | "conjugate"
                    | "rint"
                    | "sign"
                    | "fmax"
                    | "fmin"
                    | "square"
            );
            if matches!(name, "maximum" | "minimum") || function && !finite && (z.re == 0.0 || z.im == 0.0) {
                // C leaves the sign of a zero next to an infinity undefined.
                flag = Flag::AnySign;
            }
            if matches!(name, "power" | "float_power") && finite && !(z.re.is_finite() && z.im.is_finite()) {
                // The formula overflows in an intermediate step, whatever the exact result is.
                flag = Flag::Any;
            }
            let unsure = matches!(name, "sin" | "sinh" | "arcsin" | "arccos" | "arcsinh") && complex::is_nan(z);
            if unsure && (z.re.is_infinite() || z.im.is_infinite()) {
                // C leaves the sign of an infinity next to a NaN undefined.
                flag = Flag::Any;
            }
            if name == "exp2" && finite && args[0].complex().im.abs() > complex_elementary::MANY_TURNS {
                // The angle y log 2 has no accurate digit in float64.
                flag = Flag::Any;
            }
            if matches!(name, "multiply" | "square" | "reciprocal" | "expm1") && (z.re == 0.0 || z.im == 0.0) {
                // For underflow or cancellation the steps matter: NumPy's vector loops take others than its scalar
                // ones.
                flag = flag.max(Flag::OurSign);
            }
            if matches!(name, "sinc" | "power" | "float_power" | "true_divide") && (z.re == 0.0 || z.im == 0.0) {
                // A difference that cancels, or an angle whose sine is determined by the rounding of a logarithm.
                flag = flag.max(Flag::AnySign);
            }
            Value::Complex(z)
        }
    };
    (value, flag)
}

/// Compares complex numbers. Equality compares both parts; the order is lexicographic.
fn complex_order(name: &str, a: Complex64, b: Complex64) -> Option<Ordering> {
    match name {
        "equal" | "not_equal" => (a == b).then_some(Ordering::Equal),
        _ => complex::compare(a, b),
    }
}

fn of_bools(name: &str, args: &[Value]) -> bool {
    let a = args[0].truth();
    let b = args.get(1).is_some_and(|b| b.truth());
    match name {
        "add" | "maximum" | "fmax" | "bitwise_or" => a || b,
        "multiply" | "minimum" | "fmin" | "bitwise_and" => a && b,
        "bitwise_xor" => a != b,
        "invert" => !a,
        "absolute" | "floor" | "ceil" | "trunc" => a,
        _ => unreachable!("{name} has no form for booleans"),
    }
}

fn of_integers(name: &str, args: &[Value], dtype: DType) -> i128 {
    let width = dtype.size() as u32 * 8;
    let a = args[0].int();
    let b = args.get(1).map_or(0, |b| b.int());
    match name {
        "add" => a + b,
        "subtract" => a - b,
        "multiply" => a.wrapping_mul(b),
        "floor_divide" if b == -1 && a == int_range(dtype).0 && !version::has(Change::DivisionOverflow) => 0,
        "floor_divide" => integer::floor_divide(a, b),
        "remainder" => integer::remainder(a, b),
        "power" => integer::power(a, b),
        "negative" => -a,
        "absolute" => a.abs(),
        "maximum" | "fmax" => a.max(b),
        "minimum" | "fmin" => a.min(b),
        "floor" | "ceil" | "trunc" | "positive" | "conjugate" => a,
        "sign" => a.signum(),
        "fmod" => integer::fmod(a, b),
        "gcd" => integer::gcd(a, b),
        "lcm" => integer::lcm(a, b),
        "left_shift" => integer::left_shift(a, b, width),
        "right_shift" => integer::right_shift(a, b, width),
        "bitwise_count" => i128::from(a.unsigned_abs().count_ones()),
        "bitwise_and" => a & b,
        "bitwise_or" => a | b,
        "bitwise_xor" => a ^ b,
        "invert" => !a,
        "square" => a.wrapping_mul(a),
        _ => unreachable!("{name} has no form for integers"),
    }
}

/// Evaluates a function of floats. Sums, products, quotients and roots of at most 24-bit floats are rounded twice, over
/// float64, with the same result as once, because float64 has more than twice as many bits.
fn of_floats(name: &str, args: &[Value], dtype: DType) -> f64 {
    let a = args[0].float();
    let b = args.get(1).map_or(0.0, |b| b.float());
    match name {
        "add" => round(a + b, dtype),
        "subtract" => round(a - b, dtype),
        "multiply" => round(a * b, dtype),
        "true_divide" => round(a / b, dtype),
        "floor_divide" => real::floor_divide(a, b, dtype),
        "remainder" => real::remainder(a, b, dtype),
        "power" => real::power(a, b, dtype),
        "negative" => -a,
        "absolute" => a.abs(),
        "maximum" => real::maximum(a, b),
        "minimum" => real::minimum(a, b),
        "sqrt" => round(a.sqrt(), dtype),
        "exp" => real::exp(a, dtype),
        "log" => real::log(a, dtype),
        "sin" => real::sin(a, dtype),
        "cos" => real::cos(a, dtype),
        "tanh" => real::tanh(a, dtype),
        _ => floating::unary(name, a, dtype)
            .or_else(|| floating::binary(name, a, b, dtype))
            .unwrap_or_else(|| elementary::of_floats(name, a, b, dtype)),
    }
}

fn of_complex(name: &str, args: &[Value], dtype: DType) -> Complex64 {
    let a = args[0].complex();
    let b = args.get(1).map_or(Complex64::default(), |b| b.complex());
    let rounded = |z: Complex64| Complex64::new(round(z.re, dtype), round(z.im, dtype));
    match name {
        "add" => rounded(Complex64::new(a.re + b.re, a.im + b.im)),
        "subtract" => rounded(Complex64::new(a.re - b.re, a.im - b.im)),
        "multiply" => complex::multiply(a, b, dtype),
        "true_divide" => complex::divide(a, b, dtype),
        "power" => complex::power(a, b, dtype),
        "negative" => Complex64::new(-a.re, -a.im),
        "maximum" => complex::maximum(a, b),
        "minimum" => complex::minimum(a, b),
        "sqrt" => complex::sqrt(a, dtype),
        "exp" => complex::exp(a, dtype),
        "log" => complex::log(a, dtype),
        "sin" => complex::sin(a, dtype),
        "cos" => complex::cos(a, dtype),
        "tanh" => complex::tanh(a, dtype),
        _ => {
            floating::of_complex(name, a, b, dtype).unwrap_or_else(|| complex_elementary::of_complex(name, a, b, dtype))
        }
    }
}

counterparts! {
    // A function of three operands, and not a ufunc of NumPy.
    "numpy.where" = |t| {
        ufunc("where", &[t.get("condition")?, t.get("x")?, t.get("y")?], &UfuncOptions::default())
    };
}
