//! Sums and products on the way, and differences.

use cuprum_kernels::DType;
use cuprum_oracle::{
    self as oracle, DiffOptions, Gathering, GradientOptions, NdArray, Operand, Order, ScanOptions, TrapezoidOptions,
    Value,
};

use super::super::{Refusal, Result, isizes, value};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;
use crate::text::positions;
use crate::ulp;

fn array<'a>(operands: &[Operand<'a>], k: usize) -> Result<&'a NdArray> {
    match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(Refusal(Kind::Broken, "an array was expected".into())),
    }
}

/// A parameter that is a scalar, or `self`.
fn operand<'a>(case: &Case, name: &str, a: &'a NdArray) -> Result<Option<Operand<'a>>> {
    Ok(match case.params.get(name) {
        Some("self") => Some(a.into()),
        _ => case.params.parsed(name)?.map(|s| Operand::Scalar(value(s))),
    })
}

/// Positions of elements, one for each place of an axis.
fn places(dtype: DType, even: bool, length: usize) -> Result<NdArray> {
    let values = positions(even, length).into_iter().map(Value::Float);
    Ok(NdArray::from_values(DType::F64, &[length], values)?.astype(dtype, Order::K))
}

fn length(a: &NdArray, axis: isize) -> usize {
    a.shape().get(axis.rem_euclid(a.ndim().max(1) as isize) as usize).copied().unwrap_or(1)
}

fn scan_options(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<ScanOptions> {
    Ok(ScanOptions {
        axis: isizes(case, "axis")?.map(|axes| axes[0]),
        dtype: case.params.parsed("dtype")?,
        out: case.params.get("out").map(|_| array(operands, op.operands).cloned()).transpose()?,
        include_initial: case.params.get("include_initial") == Some("1"),
    })
}

/// Does something with what `trapezoid` is told.
fn trapezoid<T>(case: &Case, a: &NdArray, f: impl Fn(&TrapezoidOptions<'_>) -> oracle::Result<T>) -> Result<T> {
    let axis = isizes(case, "axis")?.map_or(-1, |axes| axes[0]);
    let x = match case.params.get("x") {
        None => None,
        Some("self") => Some(a.clone()),
        Some(dtype) => {
            Some(places(dtype.parse().map_err(|_| format!("{dtype} is no dtype"))?, false, length(a, axis))?)
        }
    };
    let dx = case.params.parsed("dx")?.map_or(Value::Float(1.0), value);
    Ok(f(&TrapezoidOptions { x: x.as_ref(), dx, axis })?)
}

fn gradient(case: &Case, a: &NdArray) -> Result<Vec<NdArray>> {
    let axes = isizes(case, "axis")?;
    let along: Vec<isize> = axes.clone().unwrap_or((0..a.ndim() as isize).collect());
    let told = case.params.get("spacing").map_or(vec![], |text| text.split(',').collect());
    let mut made = vec![];
    for (k, text) in told.iter().enumerate() {
        let n = length(a, *along.get(k).unwrap_or(&0));
        made.push(match (text.parse(), *text) {
            (Ok(s), _) => Err(value(s)),
            (_, "even") => Ok(places(DType::F64, true, n)?),
            (_, dtype) => Ok(places(dtype.parse().map_err(|_| format!("{dtype} is no dtype"))?, false, n)?),
        });
    }
    let spacing = made.iter().map(|m| m.as_ref().map_or_else(|v| Operand::Scalar(*v), Operand::Array)).collect();
    let edge_order = case.params.parsed("edge_order")?.unwrap_or(1);
    Ok(oracle::gradient(a, &GradientOptions { spacing, axes, edge_order })?)
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let a = array(operands, 0)?;
    let one = match op.name.as_str() {
        name if name.contains("cum") => oracle::scan(name, a, &scan_options(op, case, operands)?)?,
        "diff" => {
            let (prepend, append) = (operand(case, "prepend", a)?, operand(case, "append", a)?);
            let axis = isizes(case, "axis")?.map_or(-1, |axes| axes[0]);
            oracle::diff(a, &DiffOptions { n: case.params.parsed("n")?.unwrap_or(1), axis, prepend, append })?
        }
        "ediff1d" => {
            let (before, after) = (operand(case, "to_begin", a)?, operand(case, "to_end", a)?);
            oracle::ediff1d(a, before.as_ref(), after.as_ref())?
        }
        "trapezoid" => trapezoid(case, a, |told| oracle::trapezoid(a, told))?,
        "gradient" => return gradient(case, a),
        other => return Err(Refusal(Kind::Broken, format!("the oracle has no {other}"))),
    };
    Ok(vec![one])
}

pub(super) fn bounds(op: &Op, case: &Case, operands: &[Operand<'_>], by: Gathering) -> Option<Vec<f64>> {
    /// Units of the modulus of each product and quotient that a complex slope is made of: those are never larger than the
    /// slope, or the terms that cancel in it, by more than the distances are apart.
    const STEPS: f64 = 16.0;
    let a = array(operands, 0).ok()?;
    match op.name.as_str() {
        name if name.contains("cum") => oracle::scan_bound(name, a, &scan_options(op, case, operands).ok()?, by).ok(),
        "trapezoid" => trapezoid(case, a, |told| oracle::trapezoid_bound(a, told, by)).ok(),
        "gradient" if a.dtype().is_complex() => {
            let size = |v: &Value| v.complex().norm();
            let largest = a.values().iter().map(size).filter(|x| x.is_finite()).fold(0.0, f64::max);
            let slopes = gradient(case, a).ok()?;
            let limit = ulp::max(a.dtype());
            let bound = STEPS * ulp::unit(a.dtype(), (4.0 * largest).min(limit));
            Some(slopes.iter().flat_map(|s| vec![bound; s.size()]).collect())
        }
        _ => None,
    }
}
