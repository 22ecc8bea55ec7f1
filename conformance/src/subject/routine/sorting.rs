//! The family `sorting`.

use cuprum::{Array, Operand, Order, SortOptions};

use super::super::{list, needed};
use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

/// The arrays among the operands.
pub(super) fn arrays<'a>(operands: &[Operand<'a>]) -> Result<Vec<&'a Array>> {
    let array = |operand: &Operand<'a>| match operand {
        Operand::Array(a) => Ok(*a),
        Operand::Scalar(_) => Err(Refusal(Kind::Broken, "an array was expected".into())),
    };
    operands.iter().map(array).collect()
}

/// The axis of a case, `axis=None` being all elements; the last where none is given.
fn how(case: &Case) -> Result<SortOptions> {
    let axis = match case.params.get("axis") {
        Some("None") => None,
        _ => Some(list(case, "axis")?.map_or(-1, |axes| axes[0])),
    };
    let kind = case.params.get("kind").map_or(Ok(Default::default()), str::parse)?;
    Ok(SortOptions { axis, kind })
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let operands = arrays(operands)?;
    let (a, how) = (operands[0], how(case)?);
    let kth = || needed(list(case, "kth")?, "kth");
    let axis = || needed(how.axis, "axis");
    Ok(vec![match op.name.as_str() {
        "sort" => cuprum::sort(a, how)?,
        "argsort" => cuprum::argsort(a, how)?,
        "ndarray.sort" => {
            a.sort(axis()?)?;
            a.copy(Order::K)?
        }
        "partition" => cuprum::partition(a, kth()?, how)?,
        "argpartition" => cuprum::argpartition(a, kth()?, how)?,
        "ndarray.partition" => {
            a.partition(kth()?, axis()?)?;
            a.copy(Order::K)?
        }
        "msort" => cuprum::msort(a)?,
        "sort_complex" => cuprum::sort_complex(a)?,
        "lexsort" => cuprum::lexsort(&operands, axis()?)?,
        other => return Err(Refusal(Kind::Broken, format!("the library has no {other}"))),
    }])
}
