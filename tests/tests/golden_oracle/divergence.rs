//! Where NumPy 1.22 is not NumPy 2.4.

use cuprum_kernels::DType;
use cuprum_oracle::Value;
use cuprum_tests::golden::{Case, Operand};

/// Why NumPy 1.22 differs from 2.4 in a case, if it is known to.
pub(crate) fn known_divergence(case: &Case) -> Option<&'static str> {
    let scalars = || case.operands.iter().filter_map(|o| if let Operand::Scalar(v) = o { Some(*v) } else { None });
    // Beyond int8 or float16, where a value can pick a dtype.
    let large = |v: Value| match v {
        Value::Int(i) => !(0..=127).contains(&i),
        Value::Float(x) => x.abs() > 65504.0,
        _ => false,
    };
    let is_0d = |o: &Operand| matches!(o, Operand::Array(a) if a.shape.is_empty());
    let is_complex = |o: &Operand| matches!(o, Operand::Array(a) if a.dtype.is_complex());
    let is = |d: DType| case.operands.iter().any(|o| matches!(o, Operand::Array(a) if a.dtype == d));
    let function = case.function.as_str();
    let has_dtype = !case.parameters["dtype"].is_null();
    let bool_dtype = case.parameters["dtype"] == "?";
    match function {
        _ if function.starts_with("text:") => text(case),
        _ if function.starts_with("ufunc:") && scalars().any(large) => {
            Some("the value of a scalar takes part in promotion")
        }
        "ufunc:add" if case.operands.iter().any(is_0d) => Some("the value of a scalar takes part in promotion"),
        "ufunc:power" | "ufunc:float_power" if case.operands.iter().any(is_complex) => {
            Some("zero to a complex power is NaN")
        }
        "ufunc:sinc" if is(DType::F16) => Some("sinc of a float16 zero is NaN"),
        "ufunc:arccosh" if case.operands.iter().any(is_complex) => {
            Some("the inverse hyperbolic cosine of zero and a NaN is NaN in both parts")
        }
        "ufunc:floor" | "ufunc:ceil" | "ufunc:trunc" | "ufunc:fix" => Some("roundings make floats of integers"),
        "ufunc:sign" => Some("the sign of a complex number is that of its real part"),
        "ufunc:less" if has_dtype => Some("comparisons take any dtype"),
        "arange" if bool_dtype => Some("a range of booleans that is too long is a ValueError"),
        "arange" | "full" | "assign" if scalars().any(|v| large(v) || v.float().abs() > 127.0 || v.float() < 0.0) => {
            Some("a scalar out of range wraps")
        }
        _ => None,
    }
}

/// Where NumPy 1.22 writes an array differently.
fn text(case: &Case) -> Option<&'static str> {
    let Some(Operand::Array(a)) = case.operands.first() else { return None };
    let narrow = a.dtype.is_float() || a.dtype.is_complex();
    if narrow && a.dtype.real() != DType::F64 {
        return Some("floats have an exponent from 10^8 on, on their own from 10^16, whatever their dtype");
    }
    let large = a.shape.iter().product::<usize>() > 1000;
    (large && case.function == "text:repr").then_some("the shape of a large array is not shown")
}
