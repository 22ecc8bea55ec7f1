//! Sums and products on the way, and differences.

use cuprum::{Array, Operand, ScanOptions};

use super::super::{Refusal, Result, list};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

fn array<'a>(operands: &[Operand<'a>], k: usize) -> Result<&'a Array> {
    match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(Refusal(Kind::Broken, "an array was expected".into())),
    }
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let a = array(operands, 0)?;
    let axis = list(case, "axis")?.map(|axes| axes[0]);
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
        other => return Err(Refusal(Kind::Broken, format!("the library has no {other}"))),
    };
    Ok(vec![one])
}
