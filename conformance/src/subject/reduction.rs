//! Reductions, with their options.

use cuprum::{Array, DType, Reduce};

use super::method::{Seated, seat};
use super::{Refusal, Result, list, poison, scalar, tensor, view};
use crate::case::Case;
use crate::extra::{Target, parts};
use crate::matrix::Op;
use crate::operand::Input;
use crate::outcome::{Kind, Outcome};

/// The axes and options that the parameters name.
pub(super) fn how(case: &Case) -> Result<Reduce> {
    let keepdims = case.params.get("keepdims") == Some("1");
    let axes = list(case, "axis")?;
    let mut how = axes.as_deref().map_or_else(Reduce::all, Reduce::axes).keepdims(keepdims);
    if let Some(dtype) = case.params.parsed("dtype")? {
        how = how.dtype(dtype);
    }
    if let Some(ddof) = case.params.parsed("ddof")? {
        how = how.ddof(ddof);
    }
    if let Some(initial) = case.params.parsed("initial")? {
        how = how.initial(scalar(initial));
    }
    Ok(how)
}

pub(super) fn call(op: &Op, case: &Case, inputs: &[Input]) -> Result<Outcome> {
    let parts = parts(op, case, inputs);
    let Some(Input::Array(placed)) = parts.operands.first() else {
        return Err(Refusal(Kind::Broken, "an array was expected".into()));
    };
    let operand = seat(placed)?;
    let a = &operand.array;
    let out = match parts.out {
        Target::New => None,
        Target::Own => Some(operand.clone()),
        Target::Shifted(placed) => {
            Some(Seated { array: view(operand.base.clone(), placed)?, base: operand.base.clone() })
        }
        Target::Given(placed) => Some(seat(placed)?),
    };
    let mut how = how(case)?;
    if let Some(out) = &out {
        how = how.out(&out.array);
    }
    if let Some(mask) = parts.mask {
        how = how.where_(&seat(mask)?.array);
    }
    if let Some(mean) = case.params.parsed("mean")? {
        let dtype = if a.dtype().is_float() || a.dtype().is_complex() { a.dtype() } else { DType::F64 };
        how = how.mean(&cuprum::full((), scalar(mean), dtype)?);
    }
    poison(a.nbytes())?;
    let result: Array = cuprum::reduction(&op.name)?.call(a, &how)?;
    let Some(out) = out else { return tensor(&result).map(Outcome::Array) };
    if result.shape() != out.array.shape() || result.strides() != out.array.strides() {
        return Err(Refusal(Kind::Broken, "what is given back is not out".into()));
    }
    tensor(&out.base).map(Outcome::Array)
}
