//! Runs golden cases with the library.

use cuprum::cuda::Device;
use cuprum::{Array, DType, Index, Operand, Result, Scalar, Slice};
use cuprum_conformance::Matrix;
use cuprum_conformance::outcome::Tensor;
use cuprum_conformance::subject;
use cuprum_oracle::{self as oracle, Value};
use cuprum_tests::golden::{self, Case};

use crate::golden_call;
use crate::golden_oracle;

/// Uploads an array with NumPy's strides.
fn upload(a: &golden::Array) -> Result<Array> {
    let elements = a.bytes.len() / a.dtype.size();
    let memory = subject::upload(&Tensor::packed(a.dtype, &[elements], a.bytes.clone()))?;
    let strides: Vec<i64> = a.strides.iter().map(|s| *s as i64).collect();
    if a.bytes.is_empty() {
        return memory.as_strided(&a.shape, &strides);
    }
    let start = (a.offset / a.dtype.size()) as i64;
    memory.index([Index::Slice(Slice { start: Some(start), stop: None, step: None })])?.as_strided(&a.shape, &strides)
}

/// Returns the text of the first operand.
pub(crate) fn text(case: &Case) -> std::result::Result<String, String> {
    let Some(golden::Operand::Array(a)) = case.operands.first() else { return Err("there is no array".into()) };
    let array = upload(a).map_err(|e| e.to_string())?;
    Ok(if case.function == "text:str" { array.to_string() } else { format!("{array:?}") })
}

fn scalar(value: &Value) -> Scalar {
    match *value {
        Value::Bool(b) => b.into(),
        Value::Int(i) => Scalar::Int(i),
        Value::Float(x) => x.into(),
        Value::Complex(z) => z.into(),
    }
}

/// The outcome of a call: its results or the library's error, or an error of the case itself.
pub(crate) type Called = std::result::Result<Result<Vec<Array>>, String>;

/// Calls the library.
pub(crate) fn call(case: &Case) -> Called {
    let arrays: Vec<Option<Array>> = case
        .operands
        .iter()
        .map(|o| match o {
            golden::Operand::Array(a) => upload(a).map(Some),
            golden::Operand::Scalar(_) => Ok(None),
        })
        .collect::<Result<_>>()
        .map_err(|e| e.to_string())?;
    let numbers: Vec<Scalar> = case
        .operands
        .iter()
        .filter_map(|o| match o {
            golden::Operand::Scalar(v) => Some(scalar(v)),
            golden::Operand::Array(_) => None,
        })
        .collect();
    let mut scalars = numbers.iter();
    let operands: Vec<Operand<'_>> = arrays
        .iter()
        .map(|a| match a {
            Some(a) => Operand::Array(a),
            None => Operand::Scalar(*scalars.next().expect("an operand is an array or a scalar")),
        })
        .collect();
    if let Some(call) = golden_call::call(case)? {
        return Ok(unwrapped(subject::invoke(&call, &operands)));
    }
    Err(format!("no function is called {}", case.function))
}

/// Returns the results of a call, or the errors that its kernels reported.
fn unwrapped(result: Result<Vec<Array>>) -> Result<Vec<Array>> {
    let rejected = Device::current().and_then(|device| device.synchronize());
    result.and_then(|result| rejected.map(|()| result))
}

/// Downloads a result as the oracle's array, with the library's strides.
pub(crate) fn download(a: &Array) -> std::result::Result<oracle::NdArray, String> {
    let (packed, size) = (a.to_bytes().map_err(|e| e.to_string())?, a.itemsize());
    let strides: Vec<isize> = a.strides().iter().map(|s| *s as isize).collect();
    let reach = |n: &usize, s: &isize| (*n as isize - 1).max(0) * s;
    let reaches: Vec<isize> = a.shape().iter().zip(&strides).map(|(n, s)| reach(n, s)).collect();
    let start: isize = reaches.iter().map(|r| -r.min(&0)).sum();
    let span = start + reaches.iter().map(|r| *r.max(&0)).sum::<isize>() + size as isize;
    let mut bytes = vec![0; if packed.is_empty() { 0 } else { span as usize }];
    for (i, element) in packed.chunks_exact(size).enumerate() {
        let (mut rest, mut at) = (i, start);
        for (n, s) in a.shape().iter().zip(&strides).rev() {
            at += (rest % n) as isize * s;
            rest /= n;
        }
        bytes[at as usize..][..size].copy_from_slice(element);
    }
    oracle::NdArray::from_bytes(a.dtype(), a.shape(), &strides, start as usize, bytes).map_err(|e| e.to_string())
}

/// Returns the tolerance of the device against NumPy: the sum of the tolerances of both against the exact value.
pub(crate) fn tolerances(
    matrix: &Matrix,
    case: &Case,
    right: &oracle::NdArray,
) -> std::result::Result<Vec<f64>, String> {
    let numpy = golden_oracle::tolerances(case, right)?;
    let (kind, name) = case.function.split_once(':').unwrap_or((&case.function, ""));
    let out = right.dtype();
    let arrays: Vec<oracle::NdArray> = case
        .operands
        .iter()
        .filter_map(|o| match o {
            golden::Operand::Array(a) => Some(a),
            golden::Operand::Scalar(_) => None,
        })
        .map(|a| oracle::NdArray::from_bytes(a.dtype, &a.shape, &a.strides, a.offset, a.bytes.clone()))
        .collect::<oracle::Result<_>>()
        .map_err(|e| e.to_string())?;
    let device: Vec<f64> = match (kind, name) {
        _ if !(out.is_float() || out.is_complex()) => return Ok(numpy),
        // The condition of a complex power bounds both in the same way.
        ("ufunc", "power" | "float_power") if out.is_complex() => golden_oracle::complex_power(case, right)?,
        // As above, for a sum that may cancel.
        ("ufunc", "logaddexp" | "logaddexp2") => golden_oracle::of_elementary(case, right)?.unwrap_or_default(),
        ("accumulate", "add" | "multiply") => {
            golden_oracle::of_call(case, right, oracle::Gathering::DEVICE)?.unwrap_or_else(|| numpy.clone())
        }
        // The bounds hold for any order of operations, whether the device proceeds in NumPy's order or another.
        ("made" | "reduce" | "accumulate" | "reduceat" | "at", _) => numpy.clone(),
        ("ufunc" | "call" | "outer", _) => {
            let own = cuprum::ufunc(name).map_or(name, |f| f.name());
            let op = matrix.op(own).ok_or_else(|| format!("matrix.yaml has no {own}"))?;
            let dtypes: Vec<DType> = arrays.iter().map(oracle::NdArray::dtype).collect();
            let ulps = matrix.tolerance(op).ulp(out, &dtypes) as f64;
            let unit = |x: f64| if x.is_finite() { ulps * oracle::ulp(x, out) } else { 0.0 };
            let size = |v: &Value| match v {
                Value::Complex(z) => z.re.hypot(z.im),
                v => v.float(),
            };
            right.values().iter().map(|v| unit(size(v))).collect()
        }
        _ => return Ok(numpy),
    };
    Ok(numpy.iter().zip(device).map(|(a, b)| a + b).collect())
}
