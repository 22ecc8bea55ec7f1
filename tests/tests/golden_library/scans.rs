//! Scans, differences, slopes and areas.

use cuprum::{Array, DiffOptions, Ediff1dOptions, GradientOptions, Operand, ScanOptions, TrapezoidOptions};
use cuprum_tests::golden::{dtype, integers};
use serde_json::Value as Json;

use super::Called;
use crate::golden_oracle::{number, optional};

fn given<'a>(operands: &[Operand<'a>], p: &Json, key: &str) -> Option<Operand<'a>> {
    p[key].as_u64().map(|k| operands[k as usize])
}

fn array<'a>(operand: Option<Operand<'a>>) -> Result<Option<&'a Array>, String> {
    match operand {
        Some(Operand::Array(a)) => Ok(Some(a)),
        Some(Operand::Scalar(_)) => Err("an array was expected".into()),
        None => Ok(None),
    }
}

/// Calls the library; `None` for a function of others.
pub(crate) fn call(kind: &str, name: &str, operands: &[Operand<'_>], p: &Json) -> Option<Called> {
    let go = || -> Called {
        let a = array(operands.first().copied())?.ok_or("the first operand is no array")?;
        let axis = || optional(&p["axis"], number).map(|axis| axis.unwrap_or(-1));
        Ok(match kind {
            "scan" => {
                let how = ScanOptions {
                    axis: optional(&p["axis"], number)?,
                    dtype: optional(&p["dtype"], dtype)?,
                    out: array(given(operands, p, "out"))?,
                    include_initial: p["include_initial"] == true,
                };
                match name {
                    "cumsum" => cuprum::cumsum(a, how),
                    "cumprod" => cuprum::cumprod(a, how),
                    "nancumsum" => cuprum::nancumsum(a, how),
                    "nancumprod" => cuprum::nancumprod(a, how),
                    "cumulative_sum" => cuprum::cumulative_sum(a, how),
                    _ => cuprum::cumulative_prod(a, how),
                }
                .map(|one| vec![one])
            }
            "diff" => {
                let n = match optional(&p["n"], number)?.unwrap_or(1) {
                    // An order below 0 cannot be said in Rust.
                    n if n < 0 => return Ok(cuprum::zeros([-1], cuprum::DType::F64).map(|a| vec![a])),
                    n => n as usize,
                };
                let (prepend, append) = (given(operands, p, "prepend"), given(operands, p, "append"));
                cuprum::diff(a, &DiffOptions { n, axis: axis()?, prepend, append }).map(|one| vec![one])
            }
            "ediff1d" => {
                let (to_begin, to_end) = (given(operands, p, "to_begin"), given(operands, p, "to_end"));
                cuprum::ediff1d(a, &Ediff1dOptions { to_begin, to_end }).map(|one| vec![one])
            }
            "trapezoid" => {
                let dx = match given(operands, p, "dx") {
                    Some(Operand::Scalar(s)) => s,
                    _ => 1.0.into(),
                };
                let x = array(given(operands, p, "x"))?;
                cuprum::trapezoid(a, &TrapezoidOptions { x, dx, axis: axis()? }).map(|one| vec![one])
            }
            _ => {
                let numbers = optional(&p["spacing"], integers)?.unwrap_or_default();
                let spacing: Vec<Operand<'_>> = numbers.iter().map(|k| operands[*k as usize]).collect();
                let axes = optional(&p["axis"], integers)?;
                let edge_order = optional(&p["edge_order"], number)?.unwrap_or(1) as usize;
                cuprum::gradient(a, &GradientOptions { spacing: &spacing, axes: axes.as_deref(), edge_order })
            }
        })
    };
    matches!(kind, "scan" | "diff" | "ediff1d" | "trapezoid" | "gradient").then(go)
}
