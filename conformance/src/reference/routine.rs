//! Functions of arrays and parameters: a module for each family of `matrix.yaml`.

mod angle;

use cuprum_oracle::{NdArray, Operand};

use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

/// Calls the function of the case.
pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    match op.family.as_str() {
        "angle" => angle::call(case, operands),
        _ => Err(Refusal(Kind::Broken, format!("no module has the routines of the family {}", op.family))),
    }
}

/// How far each element may be off, of one result after the other, where the operands decide it.
pub(super) fn bounds(_: &Op, _: &Case, _: &[Operand<'_>]) -> Option<Vec<f64>> {
    None
}
