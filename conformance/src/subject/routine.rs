//! Functions of arrays and parameters: a module for each family of `matrix.yaml`.

mod angle;

use cuprum::{Array, Operand};

use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

/// Calls the function of the case.
pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    match op.family.as_str() {
        "angle" => angle::call(case, operands),
        _ => Err(Refusal(Kind::Broken, format!("no module has the routines of the family {}", op.family))),
    }
}
