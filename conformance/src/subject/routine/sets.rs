//! The family `sets`.

use cuprum::{Array, Operand, SetOptions, UniqueOptions};

use super::super::list;
use super::sorting::arrays;
use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let operands = arrays(operands)?;
    let on = |name: &str| case.params.get(name) == Some("1");
    let how = SetOptions { assume_unique: on("assume_unique"), invert: on("invert") };
    let (a, b) = (operands[0], operands[operands.len() - 1]);
    Ok(match op.name.as_str() {
        "unique" => {
            let options = UniqueOptions {
                index: on("index"),
                inverse: on("inverse"),
                counts: on("counts"),
                axis: list(case, "axis")?.map(|axes| axes[0]),
                equal_nan: case.params.get("equal_nan") != Some("0"),
            };
            let u = cuprum::unique(a, &options)?;
            [Some(u.values), u.index, u.inverse, u.counts].into_iter().flatten().collect()
        }
        "union1d" => vec![cuprum::union1d(a, b)?],
        "intersect1d" if on("indices") => {
            let (values, first, second) = cuprum::intersect1d_indices(a, b, how)?;
            vec![values, first, second]
        }
        "intersect1d" => vec![cuprum::intersect1d(a, b, how)?],
        "setxor1d" => vec![cuprum::setxor1d(a, b, how)?],
        "setdiff1d" => vec![cuprum::setdiff1d(a, b, how)?],
        "isin" => vec![cuprum::isin(a, b, how)?],
        "in1d" => vec![cuprum::in1d(a, b, how)?],
        other => return Err(Refusal(Kind::Broken, format!("the library has no {other}"))),
    })
}
