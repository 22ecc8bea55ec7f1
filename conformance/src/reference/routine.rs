//! Functions of arrays and parameters: a module for each family of `matrix.yaml`.

mod angle;
mod at;
mod histograms;
mod indexing;
mod logic;
mod quantiles;
mod scans;
mod searching;
mod sets;
mod sorting;
mod statistics;

use cuprum_oracle::{Gathering, NdArray, Operand};

use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

/// Calls the function of the case.
pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    match op.family.as_str() {
        "at" => at::call(op, case, operands),
        "quantiles" => quantiles::call(op, case, operands),
        "sets" => sets::call(op, case, operands),
        "sorting" => sorting::call(op, case, operands),
        "histograms" => histograms::call(op, case, operands),
        "indexing" => indexing::call(op, case, operands),
        "logic" => logic::call(op, operands),
        "searching" => searching::call(op, case, operands),
        "scans" => scans::call(op, case, operands),
        "statistics" => statistics::call(op, case, operands),
        "angle" => angle::call(case, operands),
        other => Err(Refusal(Kind::Broken, format!("no module has the routines of the family {other}"))),
    }
}

/// How far each element may be off, of one result after the other, where the operands decide it.
pub(super) fn bounds(op: &Op, case: &Case, operands: &[Operand<'_>], by: Gathering) -> Option<Vec<f64>> {
    match op.family.as_str() {
        "histograms" => histograms::bounds(op, case, operands),
        "scans" => scans::bounds(op, case, operands, by),
        "statistics" => statistics::bounds(op, case, operands, by),
        _ => None,
    }
}
