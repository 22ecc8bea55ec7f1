//! Runs golden cases through the library.

mod options;
mod routine;
mod scans;
mod searching;
mod statistics;

use cuprum::{Array, DType, Index, Operand, Order, Reduce, Result, Scalar, Slice, UfuncOptions};
use cuprum_conformance::Matrix;
use cuprum_conformance::outcome::Tensor;
use cuprum_conformance::subject;
use cuprum_oracle::{self as oracle, Value};
use cuprum_tests::golden::{self, Case, dtype, integers};
use serde_json::Value as Json;

use crate::golden_oracle::{self, number, optional, shape};

/// The array as NumPy held it, with its strides.
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

/// The text of the first operand.
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

/// What a call gave: its results, the library's error, or a fault of the case itself.
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
    let p = &case.parameters;
    let first = || arrays.first().and_then(Option::as_ref).ok_or("the first operand is no array");
    let (kind, name) = case.function.split_once(':').unwrap_or((&case.function, ""));
    if let Some(called) = scans::call(kind, name, &operands, p) {
        return called;
    }
    let dtype_or = |default: DType| Ok::<_, String>(optional(&p["dtype"], dtype)?.unwrap_or(default));
    let filled = |value: Scalar, dtype: DType| -> std::result::Result<Result<Array>, String> {
        let made = cuprum::empty_in(shape(p)?, dtype, order(p)?.unwrap_or(Order::C));
        Ok(made.and_then(|out| out.assign(&cuprum::full([0; 0], value, dtype)?).map(|()| out)))
    };
    let one = match kind {
        "ufunc" => {
            let options =
                UfuncOptions { dtype: optional(&p["dtype"], dtype)?, order: order(p)?, ..UfuncOptions::default() };
            return Ok(cuprum::ufunc(name).and_then(|f| match f.nout() {
                2 => f.call_pair(&operands, &options).map(|(first, second)| vec![first, second]),
                _ => f.call(&operands, &options).map(|result| vec![result]),
            }));
        }
        "searching" => return searching::call(name, &operands, p),
        "routine" => return routine::call(name, &operands, p),
        "statistic" => return statistics::call(name, &operands, p),
        "call" | "accumulate" | "reduceat" | "outer" => options::call(kind, name, &operands, p)?,
        "reduce" if !oracle::REDUCTIONS.contains(&name) => options::call(kind, name, &operands, p)?,
        "reduce" => {
            let axes = optional(&p["axis"], integers)?;
            let how = axes.as_deref().map_or_else(Reduce::all, Reduce::axes).keepdims(p["keepdims"] == true);
            let how = match optional(&p["dtype"], dtype)? {
                Some(dtype) => how.dtype(dtype),
                None => how,
            };
            let a = first()?;
            cuprum::reduction(name).and_then(|f| f.call(a, &how))
        }
        "at" => {
            let count = p["indices"].as_u64().ok_or("no number of indices")? as usize;
            let all: Vec<&Array> = arrays.iter().flatten().collect();
            let with = operands.get(1).filter(|_| operands.len() > 1 + count).copied();
            let a = first()?.copy(Order::K).map_err(|e| e.to_string())?;
            cuprum::ufunc(name).and_then(|f| f.at(&a, &all[all.len() - count..], with)).map(|()| a)
        }
        "matmul" => cuprum::matmul(first()?, arrays[1].as_ref().ok_or("no second array")?),
        "arange" => cuprum::arange_of(numbers[0], numbers[1], numbers[2], optional(&p["dtype"], dtype)?),
        "zeros" => filled(0.into(), dtype_or(DType::F64)?)?,
        "ones" => filled(1.into(), dtype_or(DType::F64)?)?,
        "full" => {
            let natural = match numbers[0] {
                Scalar::Bool(_) => DType::Bool,
                Scalar::Int(n) if n > i64::MAX.into() => DType::U64,
                Scalar::Int(_) => DType::I64,
                Scalar::Float(_) => DType::F64,
                Scalar::Complex(_) => DType::C128,
            };
            filled(numbers[0], dtype_or(natural)?)?
        }
        "reshape" => first()?.reshape_in(integers(&p["shape"])?, order(p)?.unwrap_or(Order::C)),
        "transpose" => match optional(&p["axes"], integers)? {
            Some(axes) => first()?.transpose(&axes),
            None => Ok(first()?.t()),
        },
        "swapaxes" => first()?.swapaxes(number(&p["a"])?, number(&p["b"])?),
        "moveaxis" => first()?.moveaxis(&integers(&p["source"])?, &integers(&p["destination"])?),
        "expand_dims" => first()?.expand_dims(&integers(&p["axes"])?),
        "squeeze" => first()?.squeeze(optional(&p["axes"], integers)?.as_deref()),
        "broadcast_to" => first()?.broadcast_to(&shape(p)?),
        "copy" => first()?.copy(order(p)?.unwrap_or(Order::K)),
        "ascontiguousarray" => cuprum::ascontiguousarray(first()?),
        "asfortranarray" => cuprum::asfortranarray(first()?),
        "astype" => {
            let order = order(p)?.unwrap_or(Order::K);
            first()?.astype(dtype(&p["dtype"])?).and_then(|a| if order == Order::K { Ok(a) } else { a.copy(order) })
        }
        "angle" => cuprum::angle(first()?, p["deg"] == true),
        "index" => first()?.index(index(p)?),
        "assign" => {
            let target = first()?;
            target.set(index(p)?, operands[1]).map(|()| target.clone())
        }
        other => return Err(format!("no function is called {other}")),
    };
    Ok(one.map(|result| vec![result]))
}

fn order(p: &Json) -> std::result::Result<Option<Order>, String> {
    Ok(match p["order"].as_str() {
        None => None,
        Some("C") => Some(Order::C),
        Some("F") => Some(Order::F),
        Some("A") => Some(Order::A),
        Some(_) => Some(Order::K),
    })
}

fn index(p: &Json) -> std::result::Result<Vec<Index>, String> {
    let part = |part| match part {
        oracle::Index::At(i) => Index::At(i as i64),
        oracle::Index::Slice(start, stop, step) => {
            let [start, stop, step] = [start, stop, step].map(|v| v.map(|v| v as i64));
            Index::Slice(Slice { start, stop, step })
        }
        oracle::Index::NewAxis => Index::NewAxis,
        oracle::Index::Ellipsis => Index::Ellipsis,
    };
    Ok(golden_oracle::index(&p["index"])?.into_iter().map(part).collect())
}

/// The result as the oracle's array, with the strides that the library gave it.
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

/// How far the device may be from NumPy: each as far as it may be from the right value.
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
        ("reduce", "sum" | "prod" | "mean") => {
            let options = golden_oracle::reduce_options(&case.parameters)?;
            oracle::reduction_bound(name, &arrays[0], &options, oracle::Gathering::DEVICE).map_err(|e| e.to_string())?
        }
        ("matmul", _) => oracle::matmul_bound(&arrays[0], &arrays[1]).map_err(|e| e.to_string())?,
        // The condition of a complex power bounds both in the same way.
        ("ufunc", "power" | "float_power") if out.is_complex() => golden_oracle::complex_power(case, right)?,
        // So does the sum that may cancel.
        ("ufunc", "logaddexp" | "logaddexp2") => golden_oracle::of_elementary(case, right)?.unwrap_or_default(),
        ("scan" | "trapezoid" | "gradient", _) | ("accumulate", "add" | "multiply") => {
            golden_oracle::of_scans(case, right, oracle::Gathering::DEVICE)?.unwrap_or_else(|| numpy.clone())
        }
        // The bounds are those of any order of the work.
        ("statistic", _) => numpy.clone(),
        // The device goes along the elements as NumPy does, or adds in another order: each errs as much.
        ("reduce" | "accumulate" | "reduceat" | "at", _) => numpy.clone(),
        ("ufunc" | "call" | "outer" | "angle", _) => {
            let own = if kind == "angle" { kind } else { cuprum::ufunc(name).map_or(name, |f| f.name()) };
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
