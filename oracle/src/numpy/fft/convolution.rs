//! Convolutions by sums of products. SciPy's `fftconvolve` and `oaconvolve` compute them by transforms, `convolve` and
//! `correlate` either way.

use cuprum_kernels::DType;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index};
use crate::core::promote::promote_types;
use crate::core::value::Value;
use crate::numpy::linalg::matmul::{matmul, matmul_bound};
use crate::numpy::statistics::{Bounded, CorrelateMode};
use crate::table::{Arguments, CallResult, counterparts};

use super::spectrum;

/// The function that convolves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Face {
    /// `fftconvolve`, whose results have the dtype of spectra.
    Transforms,
    /// `convolve`, whose results have the dtype of the operands: by sums of products alone, or possibly by transforms.
    Either { direct: bool },
}

fn parse_options(t: &Arguments) -> CallResult<Bounded> {
    let axes: Option<Vec<isize>> = t.get("axes")?;
    let mode = t.or("mode", CorrelateMode::Full)?;
    Ok(convolved(t.get("in1")?, t.get("in2")?, mode, axes, Face::Transforms)?)
}

fn either(t: &Arguments, conjugates: bool) -> CallResult<Bounded> {
    let (a, b): (&NdArray, &NdArray) = (t.get("in1")?, t.get("in2")?);
    let mode = t.or("mode", CorrelateMode::Full)?;
    let direct = match t.or("method", "auto")? {
        "auto" | "fft" => false,
        "direct" => true,
        _ => return Ok(fail(ErrorKind::Value, "Acceptable method flags are 'auto', 'direct', or 'fft'.")?),
    };
    if a.ndim() == b.ndim() && (a.size() == 0 || b.size() == 0) {
        return Ok(fail(ErrorKind::Value, "an operand cannot be empty")?);
    }
    let conjugate = |v: Value| if let Value::Complex(z) = v { Value::Complex(z.conj()) } else { v };
    let reversed;
    let b = if conjugates {
        reversed = NdArray::from_values(b.dtype(), b.shape(), b.values().into_iter().rev().map(conjugate))?;
        &reversed
    } else {
        b
    };
    Ok(convolved(a, b, mode, None, Face::Either { direct })?)
}

fn lags(n: isize, k: isize, mode: CorrelateMode) -> Result<NdArray> {
    if n < 1 || k < 1 {
        return fail(ErrorKind::Value, "sequences have an element");
    }
    let all: Vec<isize> = (1 - k..n).collect();
    let lags = match mode {
        CorrelateMode::Full => all,
        CorrelateMode::Same => {
            let first = all.len() / 2 - n as usize / 2;
            all[first..(first + n as usize).min(all.len())].to_vec()
        }
        CorrelateMode::Valid if n >= k => (0..=n - k).collect(),
        CorrelateMode::Valid => (n - k..=0).collect(),
    };
    NdArray::from_values(DType::I64, &[lags.len()], lags.iter().map(|lag| Value::Int(*lag as i128)))
}

/// Returns the axes along which there is something to sum.
fn summed(a: &NdArray, b: &NdArray, axes: Option<Vec<isize>>) -> Result<Vec<usize>> {
    let axes: Vec<usize> = match axes {
        None => (0..a.ndim()).collect(),
        Some(named) if named.is_empty() => return fail(ErrorKind::Value, "when provided, axes cannot be empty"),
        Some(named) => {
            let one = |axis: isize| match axis_index(axis, a.ndim()) {
                Ok(axis) => Ok(axis),
                Err(_) => fail(ErrorKind::Value, "axes exceeds dimensionality of input"),
            };
            named.into_iter().map(one).collect::<Result<_>>()?
        }
    };
    if (1..axes.len()).any(|k| axes[..k].contains(&axes[k])) {
        return fail(ErrorKind::Value, "all axes must be unique");
    }
    let axes: Vec<usize> = axes.into_iter().filter(|k| a.shape()[*k] != 1 && b.shape()[*k] != 1).collect();
    let alone = |k: &usize| !axes.contains(k);
    if (0..a.ndim()).filter(alone).any(|k| a.shape()[k] != b.shape()[k] && a.shape()[k] != 1 && b.shape()[k] != 1) {
        return fail(ErrorKind::Value, "incompatible shapes");
    }
    Ok(axes)
}

fn convolved(a: &NdArray, b: &NdArray, mode: CorrelateMode, axes: Option<Vec<isize>>, face: Face) -> Result<Bounded> {
    if a.ndim() != b.ndim() {
        return fail(ErrorKind::Value, "in1 and in2 should have the same dimensionality");
    }
    if a.ndim() > 0 && (a.size() == 0 || b.size() == 0) {
        return Ok(Bounded { result: NdArray::from_values(DType::F64, &[0], [])?, bounds: vec![] });
    }
    // For 0-d operands the axes are ignored.
    let axes = if a.ndim() == 0 { vec![] } else { summed(a, b, axes)? };
    // Axes of one element count where all axes are convolved.
    let along: Vec<usize> = if face == Face::Transforms { axes.clone() } else { (0..a.ndim()).collect() };
    let covers = |x: &NdArray, y: &NdArray| along.iter().all(|k| x.shape()[*k] >= y.shape()[*k]);
    let (a, b) = match mode {
        CorrelateMode::Valid if !covers(a, b) && !covers(b, a) => {
            return fail(ErrorKind::Value, "one must be at least as large as the other in every dimension");
        }
        CorrelateMode::Valid if !covers(a, b) => (b, a),
        _ => (a, b),
    };
    // Where nothing is summed, the product has its own dtype.
    let work = match axes.is_empty() {
        true => promote_types(a.dtype(), b.dtype()),
        false => promote_types(spectrum(a.dtype()), spectrum(b.dtype())),
    };
    let is_complex = a.dtype().is_complex() || b.dtype().is_complex();
    let dtype = match face {
        Face::Either { .. } => promote_types(a.dtype(), b.dtype()),
        Face::Transforms if is_complex || axes.is_empty() => work,
        Face::Transforms => work.real(),
    };
    let ndim = a.ndim();
    let full: Vec<usize> = (0..ndim)
        .map(|k| if axes.contains(&k) { a.shape()[k] + b.shape()[k] - 1 } else { a.shape()[k].max(b.shape()[k]) })
        .collect();
    let shape: Vec<usize> = (0..ndim)
        .map(|k| match mode {
            CorrelateMode::Same => a.shape()[k],
            CorrelateMode::Valid if axes.contains(&k) => a.shape()[k] - b.shape()[k] + 1,
            _ => full[k],
        })
        .collect();
    let (x, y) = (a.astype(dtype, Order::C).values(), b.astype(dtype, Order::C).values());
    let multi_indices = |shape: &[usize]| -> Vec<Vec<usize>> {
        (0..shape.iter().product())
            .map(|number: usize| {
                let mut rest = number;
                let mut at: Vec<usize> = shape
                    .iter()
                    .rev()
                    .map(|n| {
                        let k = rest % n;
                        rest /= n;
                        k
                    })
                    .collect();
                at.reverse();
                at
            })
            .collect()
    };
    let number = |at: &[usize], shape: &[usize]| at.iter().zip(shape).fold(0, |sum, (k, n)| sum * n + k);
    let (mut values, mut exact) = (vec![], vec![]);
    for out in multi_indices(&shape) {
        let out: Vec<usize> = out.iter().zip(&shape).zip(&full).map(|((k, n), full)| k + (full - n) / 2).collect();
        let mut pairs: Vec<(Value, Value)> = vec![];
        for (j, at) in multi_indices(b.shape()).into_iter().enumerate() {
            // The element of the first operand that is multiplied with this one.
            let other: Option<Vec<usize>> = (0..ndim)
                .map(|k| match axes.contains(&k) {
                    true => out[k].checked_sub(at[k]).filter(|i| *i < a.shape()[k]),
                    false if b.shape()[k] != 1 && at[k] != out[k] => None,
                    false => Some(if a.shape()[k] == 1 { 0 } else { out[k] }),
                })
                .collect();
            if let Some(other) = other {
                pairs.push((x[number(&other, a.shape())], y[j]));
            }
        }
        let row = NdArray::from_values(dtype, &[pairs.len()], pairs.iter().map(|p| p.0))?;
        let column = NdArray::from_values(dtype, &[pairs.len()], pairs.iter().map(|p| p.1))?;
        values.push(matmul(&row, &column)?.values()[0]);
        exact.push(matmul_bound(&row, &column)?[0]);
    }
    let result = NdArray::from_values(dtype, &shape, values)?;
    // Integers are exact to the last bit by either method.
    let whole = !(dtype.is_float() || dtype.is_complex());
    if axes.is_empty() || whole || face == (Face::Either { direct: true }) {
        return Ok(Bounded { result, bounds: exact });
    }
    // Each transform errs by some units for each halving, relative to the norm of all its numbers; so does the product
    // of two spectra, whose elements are at most the product of both norms.
    let single = [a, b].iter().any(|x| spectrum(x.dtype()) == DType::C64);
    let unit = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let length = |x: &[Value]| x.iter().map(|v| v.complex().norm_sqr()).sum::<f64>().sqrt();
    let halvings = (full.iter().product::<usize>() as f64).log2() + 2.0;
    let bound = 4.0 * unit * halvings * length(&x) * length(&y);
    // An intermediate overflow gives an infinity, and NaN where it is multiplied by a zero.
    let most = if single { f64::from(f32::MAX) } else { f64::MAX };
    let mass = |x: &[Value]| x.iter().map(|v| v.complex().norm()).sum::<f64>();
    let beyond = |x: &[Value]| x.iter().all(|v| v.complex().is_finite()) && mass(x) > most / 2.0;
    let bound = if beyond(&x) || beyond(&y) { f64::INFINITY } else { bound };
    // float16 and bfloat16 results are rounded once more.
    let bounds = exact.iter().map(|own| if face == Face::Transforms { bound } else { bound + own }).collect();
    Ok(Bounded { bounds, result })
}

counterparts! {
    "scipy.signal.fftconvolve" = |t| parse_options(t)?;
    "scipy.signal.oaconvolve" = |t| parse_options(t)?;
    "scipy.signal.convolve" = |t| either(t, false)?;
    "scipy.signal.correlate" = |t| either(t, true)?;
    "scipy.signal.correlation_lags" = |t| lags(t.get("in1_len")?, t.get("in2_len")?, t.or("mode", CorrelateMode::Full)?)?;
}
