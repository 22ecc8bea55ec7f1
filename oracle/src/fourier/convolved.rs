//! Convolutions: sums of products, which SciPy's `fftconvolve` and `oaconvolve` make by transforms.

use cuprum_kernels::DType;

use crate::array::NdArray;
use crate::error::{ErrorKind, Result, fail};
use crate::layout::{Order, axis_index};
use crate::matmul::{matmul, matmul_bound};
use crate::promote::promote_types;
use crate::statistics::{Bounded, CorrelateMode};
use crate::table::{Arguments, Called, twins};
use crate::value::Value;

use super::spectrum;

fn told(t: &Arguments) -> Called<Bounded> {
    let axes: Option<Vec<isize>> = t.get("axes")?;
    let mode = t.or("mode", CorrelateMode::Full)?;
    Ok(convolved(t.get("in1")?, t.get("in2")?, mode, axes)?)
}

/// The axes along which there is something to sum.
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

fn convolved(a: &NdArray, b: &NdArray, mode: CorrelateMode, axes: Option<Vec<isize>>) -> Result<Bounded> {
    if a.ndim() != b.ndim() {
        return fail(ErrorKind::Value, "in1 and in2 should have the same dimensionality");
    }
    if a.ndim() > 0 && (a.size() == 0 || b.size() == 0) {
        return Ok(Bounded { result: NdArray::from_values(DType::F64, &[0], [])?, bounds: vec![] });
    }
    // Of numbers, axes are not looked at.
    let axes = if a.ndim() == 0 { vec![] } else { summed(a, b, axes)? };
    let covers = |x: &NdArray, y: &NdArray| axes.iter().all(|k| x.shape()[*k] >= y.shape()[*k]);
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
    let dtype = if is_complex || axes.is_empty() { work } else { work.real() };
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
    let places = |shape: &[usize]| -> Vec<Vec<usize>> {
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
    for out in places(&shape) {
        let out: Vec<usize> = out.iter().zip(&shape).zip(&full).map(|((k, n), full)| k + (full - n) / 2).collect();
        let mut pairs: Vec<(Value, Value)> = vec![];
        for (j, at) in places(b.shape()).into_iter().enumerate() {
            // The element of the first operand that meets this one.
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
    if axes.is_empty() {
        return Ok(Bounded { result, bounds: exact });
    }
    // Each transform errs by some units for each halving, relative to the length of all its numbers; so does the product of
    // two spectra, whose elements are at most the product of both lengths.
    let single = [a, b].iter().any(|x| spectrum(x.dtype()) == DType::C64);
    let unit = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let length = |x: &[Value]| x.iter().map(|v| v.complex().norm_sqr()).sum::<f64>().sqrt();
    let halvings = (full.iter().product::<usize>() as f64).log2() + 2.0;
    let bound = 4.0 * unit * halvings * length(&x) * length(&y);
    Ok(Bounded { bounds: vec![bound; result.size()], result })
}

twins! {
    "scipy.signal.fftconvolve" = |t| told(t)?;
    "scipy.signal.oaconvolve" = |t| told(t)?;
}
