//! Indices in arrays.

use cuprum_oracle::{self as oracle, NdArray, Operand};

use super::super::{Refusal, Result, isizes};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let [Operand::Array(a), Operand::Array(indices)] = operands else {
        return Err(Refusal(Kind::Broken, format!("{} takes two arrays", op.name)));
    };
    let axis = isizes(case, "axis")?.map(|axes| axes[0]);
    Ok(vec![oracle::take(a, indices, axis, case.params.get("mode").unwrap_or("raise"))?])
}
