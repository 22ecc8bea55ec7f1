//! Functions of arrays and parameters: a module for each family of `matrix.yaml`.

mod histograms;
mod indexing;
mod searching;

use cuprum::{Array, Operand};

use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

/// Calls the function of the case.
pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    match op.family.as_str() {
        "histograms" => histograms::call(op, case, operands),
        "indexing" => indexing::call(op, case, operands),
        "searching" => searching::call(op, case, operands),
        other => Err(Refusal(Kind::Broken, format!("no module has the routines of the family {other}"))),
    }
}
