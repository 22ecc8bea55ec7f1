//! Functions of arrays and parameters: a module for each family of `matrix.yaml`.

use cuprum::{Array, Operand};

use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

/// Calls the function of the case.
pub(super) fn call(op: &Op, _: &Case, _: &[Operand<'_>]) -> Result<Vec<Array>> {
    Err(Refusal(Kind::Broken, format!("no module has the routines of the family {}", op.family)))
}
