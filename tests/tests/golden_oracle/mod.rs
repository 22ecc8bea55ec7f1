//! Runs golden cases with the oracle, and compares their outcomes.

pub(crate) mod divergence;
mod elementary;
pub(crate) mod options;
mod special;

use cuprum_conformance::reference;
use cuprum_kernels::{DType, Kind};
use cuprum_oracle::{
    ErrorKind, Flag, Gathering, NdArray, Operand, OracleError, Value, array_repr, array_str, finfo, iinfo,
    min_scalar_type, ulp,
};
use cuprum_tests::golden::{self, Case};

use crate::golden_call;

const KINDS: [ErrorKind; 7] = [
    ErrorKind::Value,
    ErrorKind::Type,
    ErrorKind::Index,
    ErrorKind::Axis,
    ErrorKind::Overflow,
    ErrorKind::ZeroDivision,
    ErrorKind::LinAlg,
];

type Called = Result<Result<Vec<NdArray>, OracleError>, String>;

/// Returns the text of the first operand.
pub(crate) fn text(case: &Case) -> Result<String, String> {
    let Some(golden::Operand::Array(a)) = case.operands.first() else { return Err("there is no array".into()) };
    let array = NdArray::from_bytes(a.dtype, &a.shape, &a.strides, a.offset, a.bytes.clone());
    let array = array.map_err(|e| e.to_string())?;
    Ok(if case.function == "text:str" { array_str(&array) } else { array_repr(&array) })
}

/// Returns the array operands.
fn arrays(case: &Case) -> Result<Vec<Option<NdArray>>, String> {
    case.operands
        .iter()
        .map(|o| match o {
            golden::Operand::Array(a) => {
                NdArray::from_bytes(a.dtype, &a.shape, &a.strides, a.offset, a.bytes.clone()).map(Some)
            }
            golden::Operand::Scalar(_) => Ok(None),
        })
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())
}

fn operands<'a>(case: &Case, arrays: &'a [Option<NdArray>]) -> Vec<Operand<'a>> {
    case.operands
        .iter()
        .zip(arrays)
        .map(|(o, a)| match (o, a) {
            (golden::Operand::Scalar(v), _) => Operand::Scalar(*v),
            (_, Some(a)) => Operand::Array(a),
            _ => unreachable!("the arrays are those of the operands"),
        })
        .collect()
}

/// Calls the oracle. The outer error is an error of the case itself.
pub(crate) fn call(case: &Case) -> Called {
    let arrays = arrays(case)?;
    let operands = operands(case, &arrays);
    if let Some(call) = golden_call::call(case)? {
        return match reference::invoke(&call, &operands) {
            Ok(results) => Ok(Ok(results)),
            Err((kind, message)) => match KINDS.into_iter().find(|k| k.numpy_name() == kind.to_string()) {
                Some(kind) => Ok(Err(OracleError::new(kind, message))),
                None => Err(message),
            },
        };
    }
    let first = || arrays.first().and_then(|a| a.as_ref()).ok_or("the first operand is no array");
    let (kind, name) = case.function.split_once(':').unwrap_or((&case.function, ""));
    let one = match kind {
        "finfo" => finfo(first()?.dtype(), name).and_then(|v| {
            let dtype = if matches!(v, Value::Int(_)) { DType::I64 } else { first_dtype(case).real() };
            NdArray::from_values(dtype, &[], [v])
        }),
        "iinfo" => iinfo(first()?.dtype()).and_then(|(min, max)| match name {
            "min" => NdArray::from_values(first_dtype(case), &[], [Value::Int(min)]),
            "max" => NdArray::from_values(first_dtype(case), &[], [Value::Int(max)]),
            _ => NdArray::from_values(DType::I64, &[], [Value::Int((max - min + 1).ilog2().into())]),
        }),
        "min_scalar_type" => min_scalar_type(&operands[0]).and_then(|d| NdArray::from_values(d, &[], [Value::zero(d)])),
        other => return Err(format!("no function is called {other}")),
    };
    Ok(one.map(|result| vec![result]))
}

fn first_dtype(case: &Case) -> DType {
    match case.operands.first() {
        Some(golden::Operand::Array(a)) => a.dtype,
        _ => DType::F64,
    }
}

/// Returns the tolerance of NumPy against the oracle for each element.
pub(crate) fn tolerances(case: &Case, got: &NdArray) -> Result<Vec<f64>, String> {
    let values = got.values();
    let (kind, name) = case.function.split_once(':').unwrap_or((&case.function, ""));
    let out = got.dtype();
    let unit = |x: f64| if x.is_finite() { ulp(x, out) } else { 0.0 };
    let inexact = out.is_float() || out.is_complex();
    if !inexact || case.parameters["exact"] == true {
        return Ok(vec![0.0; values.len()]);
    }
    let array = |i: usize| match &case.operands[i] {
        golden::Operand::Array(a) => {
            NdArray::from_bytes(a.dtype, &a.shape, &a.strides, a.offset, a.bytes.clone()).map_err(|e| e.to_string())
        }
        golden::Operand::Scalar(_) => Err("not an array".into()),
    };
    match kind {
        _ if kind == "made" || kind == "accumulate" && matches!(name, "add" | "multiply") => {
            return of_call(case, got, Gathering::NUMPY)?.ok_or_else(|| "the oracle knows no bounds".into());
        }
        "reduce" | "accumulate" | "reduceat" | "at" => {
            // A rounding error of at most one unit at each element; a complex product or quotient has a few.
            let steps = array(0)?.size() as f64 * if out.is_complex() { 3.0 } else { 1.0 };
            let rounds = matches!(name, "add" | "multiply" | "true_divide" | "power");
            let size = |v: Value| v.complex().norm();
            return Ok(values.iter().map(|v| if rounds { steps * unit(size(*v)) } else { 0.0 }).collect());
        }
        "special" => return special::bounds(name, case, got),
        "ufunc" if name == "float_power" && out.is_complex() => return complex_power(case, got),
        "call" | "outer" => {}
        "ufunc" => {
            if let Some(tolerances) = of_elementary(case, got)? {
                return Ok(tolerances);
            }
        }
        _ => return Ok(vec![0.0; values.len()]),
    }
    let ulps = match (name, out.kind()) {
        // The C library's functions have an error of a unit or two.
        ("exp" | "log" | "sin" | "cos" | "tanh" | "power", Kind::Float) => 2.0,
        // Formulas of a few rounded steps, with an error of a few units of the modulus.
        ("multiply" | "true_divide" | "exp" | "log" | "sin" | "cos" | "tanh" | "sqrt", Kind::Complex) => 3.0,
        // The modulus is rounded, then the quotient.
        ("sign", Kind::Complex) => 2.0,
        ("absolute", _) => 1.0,
        ("power", Kind::Complex) => return complex_power(case, got),
        _ => 0.0,
    };
    let absolute_of_reals = name == "absolute" && array(0).is_ok_and(|a| !a.dtype().is_complex());
    Ok(values
        .iter()
        .map(|v| match v {
            _ if absolute_of_reals => 0.0,
            Value::Complex(z) if z.re.is_finite() && z.im.is_finite() => ulps * unit(z.re.hypot(z.im)),
            v => ulps * unit(v.float()),
        })
        .collect())
}

/// Returns the tolerance of NumPy against the oracle for an elementary function.
pub(crate) fn of_elementary(case: &Case, got: &NdArray) -> Result<Option<Vec<f64>>, String> {
    let operands = (0..case.operands.len()).map(|i| operand(case, i, got)).collect::<Result<Vec<_>, _>>()?;
    let name = case.function.trim_start_matches("ufunc:");
    Ok(elementary::tolerances(name, &operands, got))
}

/// Returns the oracle's tolerance of NumPy or the device for one of the results of a call.
pub(crate) fn of_call(case: &Case, got: &NdArray, by: Gathering) -> Result<Option<Vec<f64>>, String> {
    let Some(call) = golden_call::call(case)? else { return Ok(None) };
    let arrays = arrays(case)?;
    let operands = operands(case, &arrays);
    let Some(bounds) = reference::invoked_bounds(&call, &operands, by).map_err(|(_, message)| message)? else {
        return Ok(None);
    };
    let mut from = 0;
    for result in reference::invoke(&call, &operands).map_err(|(_, message)| message)? {
        if result.to_c_bytes() == got.to_c_bytes() && result.shape() == got.shape() {
            return Ok(Some(bounds[from..][..result.size()].to_vec()));
        }
        from += result.size();
    }
    Err("the result is none of the case's".into())
}

/// Returns the elements of an operand, broadcast to the shape of the result.
fn operand(case: &Case, i: usize, got: &NdArray) -> Result<Vec<Value>, String> {
    match &case.operands[i] {
        golden::Operand::Scalar(v) => Ok(vec![*v; got.size()]),
        golden::Operand::Array(a) => NdArray::from_bytes(a.dtype, &a.shape, &a.strides, a.offset, a.bytes.clone())
            .and_then(|a| a.broadcast_to(got.shape()))
            .map(|a| a.values())
            .map_err(|e| e.to_string()),
    }
}

/// Returns the tolerance of NumPy's complex power, exp(b log a) in the result's dtype: the rounding error of the
/// product is absolute, so that it grows with the product. If the angle of a product has no correct digits, the
/// tolerance is infinite.
pub(crate) fn complex_power(case: &Case, got: &NdArray) -> Result<Vec<f64>, String> {
    let rows = operand(case, 0, got)?.into_iter().zip(operand(case, 1, got)?).zip(got.values());
    Ok(rows
        .map(|((a, b), z)| {
            let (a, b, z) = (a.complex(), b.complex(), z.complex());
            let product = b.norm() * (a.norm().ln().abs() + std::f64::consts::PI);
            let size = z.norm();
            match product.is_finite() {
                true if product * ulp(1.0, got.dtype()) > 0.1 => f64::INFINITY,
                true if size.is_finite() => (4.0 + 4.0 * product) * ulp(size, got.dtype()),
                _ => 0.0,
            }
        })
        .collect())
}

/// Compares the oracle's result with NumPy's.
pub(crate) fn compare(case: &Case, got: &NdArray, want: &golden::Array) -> Result<usize, String> {
    compare_within(got, want, &tolerances(case, got)?, &got.flags())
}

/// Compares dtype, shape, strides and elements, and returns the number of elements compared (1 for an empty array,
/// whose form is compared). Elements that NumPy leaves undefined are ignored.
pub(crate) fn compare_within(
    got: &NdArray,
    want: &golden::Array,
    tolerances: &[f64],
    flags: &[Flag],
) -> Result<usize, String> {
    if got.dtype() != want.dtype || got.shape() != want.shape {
        let (g, w) = ((got.dtype(), got.shape()), (want.dtype, &want.shape));
        return Err(format!("NumPy gives {w:?}, not {g:?}"));
    }
    // The stride of an axis of length 1 is never used, nor is any of an empty array.
    let strides = |s: &[isize]| -> Vec<isize> { (0..s.len()).filter(|i| want.shape[*i] != 1).map(|i| s[i]).collect() };
    if got.size() > 0 && strides(got.strides()) != strides(&want.strides) {
        return Err(format!("NumPy's strides are {:?}, not {:?}", want.strides, got.strides()));
    }
    let want = NdArray::from_bytes(want.dtype, &want.shape, &want.strides, want.offset, want.bytes.clone())
        .map_err(|e| e.to_string())?;
    let mut compared = 0;
    for (i, (g, w)) in got.values().into_iter().zip(want.values()).enumerate() {
        if flags[i] >= Flag::Ours || tolerances[i].is_infinite() {
            continue;
        }
        if !agree(g, w, tolerances[i], matches!(flags[i], Flag::AnySign | Flag::OurSign)) {
            return Err(format!("element {i}: NumPy {w:?}, not {g:?}, tolerance {:e}", tolerances[i]));
        }
        compared += 1;
    }
    Ok(if got.size() == 0 { 1 } else { compared })
}

fn agree(got: Value, want: Value, tolerance: f64, any_sign: bool) -> bool {
    let float = |g: f64, w: f64| {
        let same = g.is_nan() && w.is_nan()
            || g == w && (g != 0.0 || any_sign || g.is_sign_negative() == w.is_sign_negative());
        same || g.is_finite() && w.is_finite() && tolerance > 0.0 && (g - w).abs() <= tolerance
    };
    match (got, want) {
        (Value::Float(g), Value::Float(w)) => float(g, w),
        (Value::Complex(g), Value::Complex(w)) => float(g.re, w.re) && float(g.im, w.im),
        (g, w) => g == w,
    }
}
