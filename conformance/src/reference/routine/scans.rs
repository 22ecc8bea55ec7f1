//! Sums and products on the way, and differences.

use cuprum_oracle::{self as oracle, NdArray, Operand, ScanOptions};

use super::super::{Refusal, Result, isizes};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

fn array<'a>(operands: &[Operand<'a>], k: usize) -> Result<&'a NdArray> {
    match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(Refusal(Kind::Broken, "an array was expected".into())),
    }
}

fn scan_options(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<ScanOptions> {
    Ok(ScanOptions {
        axis: isizes(case, "axis")?.map(|axes| axes[0]),
        dtype: case.params.parsed("dtype")?,
        out: case.params.get("out").map(|_| array(operands, op.operands).cloned()).transpose()?,
        include_initial: case.params.get("include_initial") == Some("1"),
    })
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let a = array(operands, 0)?;
    match op.name.as_str() {
        name if name.contains("cum") => Ok(vec![oracle::scan(name, a, &scan_options(op, case, operands)?)?]),
        other => Err(Refusal(Kind::Broken, format!("the oracle has no {other}"))),
    }
}

pub(super) fn bounds(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Option<Vec<f64>> {
    let a = array(operands, 0).ok()?;
    match op.name.as_str() {
        name if name.contains("cum") => oracle::scan_bound(name, a, &scan_options(op, case, operands).ok()?).ok(),
        _ => None,
    }
}
