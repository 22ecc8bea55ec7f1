//! Indices in arrays.

use cuprum::{Array, IndexMode, Operand, TakeOptions};

use super::super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;
use crate::subject::list;

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let [Operand::Array(a), Operand::Array(indices)] = operands else {
        return Err(Refusal(Kind::Broken, format!("{} takes two arrays", op.name)));
    };
    let mode = match case.params.get("mode") {
        Some("wrap") => IndexMode::Wrap,
        Some("clip") => IndexMode::Clip,
        _ => IndexMode::Raise,
    };
    Ok(vec![cuprum::take(a, indices, TakeOptions { axis: list(case, "axis")?.map(|axes| axes[0]), mode })?])
}
