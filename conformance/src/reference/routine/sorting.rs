//! The family `sorting`.

use cuprum_oracle::{self as oracle, NdArray, Operand};

use super::super::{isizes, needed};
use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

/// The arrays among the operands.
pub(super) fn arrays<'a>(operands: &[Operand<'a>]) -> Result<Vec<&'a NdArray>> {
    let array = |operand: &Operand<'a>| match operand {
        Operand::Array(a) => Ok(*a),
        Operand::Scalar(_) => Err(Refusal(Kind::Broken, "an array was expected".into())),
    };
    operands.iter().map(array).collect()
}

/// The axis of a case, `axis=None` being all elements; the last where none is given.
pub(super) fn axis(case: &Case) -> Result<Option<isize>> {
    Ok(match case.params.get("axis") {
        Some("None") => None,
        _ => Some(isizes(case, "axis")?.map_or(-1, |axes| axes[0])),
    })
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let operands = arrays(operands)?;
    let (a, axis) = (operands[0], axis(case)?);
    let kth = || needed(isizes(case, "kth")?, "kth");
    if case.params.get("kind").is_some_and(|kind| !"qhms".contains(&kind[..1])) {
        return Err(Refusal(Kind::Value, "there is no such kind".into()));
    }
    Ok(vec![match op.name.as_str() {
        "sort" | "ndarray.sort" => oracle::sort(a, axis)?,
        "argsort" => oracle::argsort(a, axis)?,
        "partition" | "ndarray.partition" => oracle::partition(a, &kth()?, axis)?,
        "argpartition" => oracle::argpartition(a, &kth()?, axis)?,
        "msort" => oracle::sort(a, Some(0))?,
        "sort_complex" => oracle::sort_complex(a)?,
        "lexsort" => oracle::lexsort(&operands, needed(axis, "axis")?)?,
        other => return Err(Refusal(Kind::Broken, format!("the oracle has no {other}"))),
    }])
}
