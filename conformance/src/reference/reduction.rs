//! Reductions, with their options.

use cuprum_kernels::DType;
use cuprum_oracle::{self as oracle, FoldOptions, Gathering, NdArray, StatisticOptions, Value};

use super::method::{buffer, places};
use super::{Result, array, reduce_options, tensor, value};
use crate::case::Case;
use crate::extra::{Target, parts};
use crate::matrix::Op;
use crate::operand::{Input, Placed};
use crate::outcome::Outcome;

/// The operand, where the result goes, and the options that the parameters name.
fn told<'a>(op: &Op, case: &Case, inputs: &'a [Input]) -> Result<(NdArray, Option<&'a Placed>, StatisticOptions)> {
    let parts = parts(op, case, inputs);
    let first = parts.operands.first().ok_or_else(|| "an array was expected".to_string())?;
    let a = array(first)?;
    let placed = match (parts.out, first) {
        (Target::New, _) => None,
        (Target::Shifted(placed) | Target::Given(placed), _) => Some(placed),
        (Target::Own, Input::Array(placed)) => Some(placed.as_ref()),
        (Target::Own, _) => None,
    };
    let seat = |placed: &Placed| array(&Input::Array(Box::new(placed.clone())));
    let mean = |v: Value| -> Result<NdArray> {
        let inexact = a.dtype().is_float() || a.dtype().is_complex();
        Ok(NdArray::from_values(if inexact { a.dtype() } else { DType::F64 }, &[], [v])?)
    };
    let options = StatisticOptions {
        how: reduce_options(case)?,
        told: FoldOptions {
            out: placed.map(seat).transpose()?,
            where_: parts.mask.map(seat).transpose()?,
            initial: case.params.parsed("initial")?.map(value),
            no_identity: false,
        },
        ddof: case.params.parsed("ddof")?.unwrap_or(0.0),
        mean: case.params.parsed("mean")?.map(value).map(mean).transpose()?,
    };
    Ok((a, placed, options))
}

pub(super) fn call(op: &Op, case: &Case, inputs: &[Input]) -> Result<Outcome> {
    let (a, placed, options) = told(op, case, inputs)?;
    let result = oracle::statistic(&op.name, &a, &options)?;
    Ok(Outcome::Array(placed.map_or_else(|| tensor(&result), |placed| buffer(&result, placed))))
}

/// How far each element may be off; of `out`, each element of its whole buffer.
pub(super) fn bounds(op: &Op, case: &Case, inputs: &[Input], by: Gathering) -> Option<Vec<f64>> {
    let (a, placed, options) = told(op, case, inputs).ok()?;
    let bounds = oracle::statistic_bound(&op.name, &a, &options, by).ok()?;
    let Some(placed) = placed else { return Some(bounds) };
    let result = oracle::statistic(&op.name, &a, &options).ok()?;
    let mut whole = vec![0.0; placed.base.size()];
    for (place, bound) in places(&result).into_iter().zip(bounds) {
        whole[place / placed.base.dtype.size()] = bound;
    }
    Some(whole)
}
