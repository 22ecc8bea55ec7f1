//! The family `sets`.

use cuprum_oracle::{self as oracle, NdArray, Operand, Order, UniqueOptions};

use super::super::isizes;
use super::sorting::arrays;
use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let operands = arrays(operands)?;
    let on = |name: &str| case.params.get(name) == Some("1");
    let (assume_unique, invert) = (on("assume_unique"), on("invert"));
    let (a, b) = (operands[0], operands[operands.len() - 1]);
    Ok(match op.name.as_str() {
        "unique" => {
            let options = UniqueOptions {
                index: on("index"),
                inverse: on("inverse"),
                counts: on("counts"),
                axis: isizes(case, "axis")?.map(|axes| axes[0]),
                nan_differs: case.params.get("equal_nan") == Some("0"),
            };
            oracle::unique(a, &options)?
        }
        "union1d" => vec![oracle::union1d(a, b)?],
        "intersect1d" => {
            let mut results = oracle::intersect1d(a, b, assume_unique)?;
            results.truncate(if on("indices") { 3 } else { 1 });
            results
        }
        "setxor1d" => vec![oracle::setxor1d(a, b, assume_unique)?],
        "setdiff1d" => vec![oracle::setdiff1d(a, b, assume_unique)?],
        "isin" => vec![oracle::isin(a, b, invert)?],
        "in1d" => vec![oracle::isin(&a.reshape(&[-1], Order::C)?, b, invert)?],
        other => return Err(Refusal(Kind::Broken, format!("the oracle has no {other}"))),
    })
}
