//! Sums and products on the way, and differences.

use cuprum::{Array, DType, DiffOptions, Ediff1dOptions, GradientOptions, Operand, ScanOptions, TrapezoidOptions};

use super::super::{Refusal, Result, list, scalar};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;
use crate::text::positions;

fn array<'a>(operands: &[Operand<'a>], k: usize) -> Result<&'a Array> {
    match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(Refusal(Kind::Broken, "an array was expected".into())),
    }
}

/// A parameter that is a scalar, or `self`.
fn operand<'a>(case: &Case, name: &str, a: &'a Array) -> Result<Option<Operand<'a>>> {
    Ok(match case.params.get(name) {
        Some("self") => Some(a.into()),
        _ => case.params.parsed(name)?.map(|s| Operand::Scalar(scalar(s))),
    })
}

/// Positions of elements, one for each place of an axis.
fn places(dtype: DType, even: bool, length: usize) -> Result<Array> {
    Ok(Array::from_slice(&positions(even, length), length)?.astype(dtype)?)
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let a = array(operands, 0)?;
    let axes = list(case, "axis")?;
    let axis = axes.as_ref().map(|axes| axes[0]);
    let length = |axis: isize| a.shape().get(axis.rem_euclid(a.ndim().max(1) as isize) as usize).copied().unwrap_or(1);
    let scan = || -> Result<ScanOptions<'_>> {
        Ok(ScanOptions {
            axis,
            dtype: case.params.parsed("dtype")?,
            // It stands behind the operands that the operation takes.
            out: case.params.get("out").map(|_| array(operands, op.operands)).transpose()?,
            include_initial: case.params.get("include_initial") == Some("1"),
        })
    };
    let one = match op.name.as_str() {
        "cumsum" => cuprum::cumsum(a, scan()?)?,
        "cumprod" => cuprum::cumprod(a, scan()?)?,
        "nancumsum" => cuprum::nancumsum(a, scan()?)?,
        "nancumprod" => cuprum::nancumprod(a, scan()?)?,
        "cumulative_sum" => cuprum::cumulative_sum(a, scan()?)?,
        "cumulative_prod" => cuprum::cumulative_prod(a, scan()?)?,
        "diff" => {
            let n = case.params.parsed("n")?.unwrap_or(1);
            let (prepend, append) = (operand(case, "prepend", a)?, operand(case, "append", a)?);
            cuprum::diff(a, &DiffOptions { n, axis: axis.unwrap_or(-1), prepend, append })?
        }
        "ediff1d" => {
            let (to_begin, to_end) = (operand(case, "to_begin", a)?, operand(case, "to_end", a)?);
            cuprum::ediff1d(a, &Ediff1dOptions { to_begin, to_end })?
        }
        "trapezoid" => {
            let axis = axis.unwrap_or(-1);
            let x = match case.params.get("x") {
                None => None,
                Some("self") => Some(a.clone()),
                Some(dtype) => {
                    Some(places(dtype.parse().map_err(|_| format!("{dtype} is no dtype"))?, false, length(axis))?)
                }
            };
            let dx = case.params.parsed("dx")?.map_or(1.0.into(), scalar);
            cuprum::trapezoid(a, &TrapezoidOptions { x: x.as_ref(), dx, axis })?
        }
        "gradient" => {
            let along: Vec<isize> = axes.clone().unwrap_or((0..a.ndim() as isize).collect());
            let told = case.params.get("spacing").map_or(vec![], |text| text.split(',').collect());
            let mut made = vec![];
            for (k, text) in told.iter().enumerate() {
                made.push(match (text.parse(), *text) {
                    (Ok(s), _) => Err(scalar(s)),
                    (_, "even") => Ok(places(DType::F64, true, length(*along.get(k).unwrap_or(&0)))?),
                    (_, dtype) => {
                        let dtype = dtype.parse().map_err(|_| format!("{dtype} is no dtype"))?;
                        Ok(places(dtype, false, length(*along.get(k).unwrap_or(&0)))?)
                    }
                });
            }
            let spacing: Vec<Operand<'_>> =
                made.iter().map(|m| m.as_ref().map_or_else(|s| Operand::Scalar(*s), Operand::Array)).collect();
            let edge_order = case.params.parsed("edge_order")?.unwrap_or(1);
            return Ok(cuprum::gradient(a, &GradientOptions { spacing: &spacing, axes: axes.as_deref(), edge_order })?);
        }
        other => return Err(Refusal(Kind::Broken, format!("the library has no {other}"))),
    };
    Ok(vec![one])
}
