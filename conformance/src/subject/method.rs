//! Ufuncs called with options, and their methods.

use cuprum::{AccumulateOptions, Array, Casting, FoldOptions, Reduce, UfuncOptions};

use super::{Refusal, Result, list, needed, order, poison, scalar, tensor, upload, view};
use crate::case::Case;
use crate::extra::{Target, parts};
use crate::matrix::Op;
use crate::operand::{Input, Placed};
use crate::outcome::{Kind, Outcome};

/// An operand in its buffer: the whole of it is looked at where something is written to it.
#[derive(Clone)]
pub(super) struct Seated {
    pub(super) base: Array,
    pub(super) array: Array,
}

pub(super) fn seat(placed: &Placed) -> Result<Seated> {
    let base = upload(&placed.base)?;
    Ok(Seated { array: view(base.clone(), placed)?, base })
}

fn casting(case: &Case) -> Casting {
    match case.params.get("casting") {
        Some("no") => Casting::No,
        Some("equiv") => Casting::Equiv,
        Some("safe") => Casting::Safe,
        Some("unsafe") => Casting::Unsafe,
        _ => Casting::SameKind,
    }
}

pub(super) fn call(op: &Op, case: &Case, inputs: &[Input]) -> Result<Outcome> {
    let parts = parts(op, case, inputs);
    let mut operands = vec![];
    for input in parts.operands {
        operands.push(match input {
            Input::Array(placed) => Ok(seat(placed)?),
            Input::Scalar(s) => Err(scalar(*s)),
        });
    }
    let Some(Ok(first)) = operands.first().cloned() else {
        return Err(Refusal(Kind::Broken, "an array was expected".into()));
    };
    let out = match parts.out {
        Target::New => None,
        Target::Own => Some(first.clone()),
        Target::Shifted(placed) => Some(Seated { array: view(first.base.clone(), placed)?, base: first.base.clone() }),
        Target::Given(placed) => Some(seat(placed)?),
    };
    let mask = parts.mask.map(seat).transpose()?;
    let options = UfuncOptions {
        out: out.as_ref().map(|o| &o.array),
        where_: mask.as_ref().map(|m| &m.array),
        dtype: case.params.parsed("dtype")?,
        casting: casting(case),
        order: order(case),
        ..UfuncOptions::default()
    };
    poison(first.array.nbytes())?;
    let given: Vec<cuprum::Operand<'_>> = operands
        .iter()
        .map(|o| o.as_ref().map_or_else(|s| cuprum::Operand::Scalar(*s), |o| cuprum::Operand::Array(&o.array)))
        .collect();
    let (name, method) = op.name.split_once('.').unwrap_or((&op.name, "call"));
    let ufunc = cuprum::ufunc(name)?;
    let axis = || -> Result<isize> { Ok(list(case, "axis")?.map_or(0, |axes| axes[0])) };
    let gathered = AccumulateOptions { dtype: options.dtype, out: options.out };
    let result = match method {
        "call" => ufunc.call(&given, &options)?,
        "outer" => match given[..] {
            [a, b] => ufunc.outer(a, b, &options)?,
            _ => return Err(Refusal(Kind::Broken, "two operands were expected".into())),
        },
        "reduce" => {
            let how = match case.params.get("axis") {
                Some("None") => Reduce::all(),
                _ => Reduce::axes(&list(case, "axis")?.unwrap_or(vec![0])),
            };
            let how = how.keepdims(case.params.get("keepdims") == Some("1"));
            let how = options.dtype.map_or(how.clone(), |dtype| how.dtype(dtype));
            let no_identity = case.params.get("initial") == Some("None");
            let initial = if no_identity { None } else { case.params.parsed("initial")?.map(scalar) };
            let told = FoldOptions { out: options.out, where_: options.where_, initial, no_identity };
            ufunc.reduce(&first.array, how, &told)?
        }
        "accumulate" => ufunc.accumulate(&first.array, axis()?, &gathered)?,
        "reduceat" => {
            let indices = needed(list(case, "indices")?, "indices")?;
            ufunc.reduceat(&first.array, &indices, axis()?, &gathered)?
        }
        other => return Err(Refusal(Kind::Broken, format!("a ufunc has no {other}"))),
    };
    let Some(out) = out else { return tensor(&result).map(Outcome::Array) };
    let a = &out.array;
    if result.shape() != a.shape() || result.strides() != a.strides() || result.dtype() != a.dtype() {
        return Err(Refusal(Kind::Broken, "what is given back is not out".into()));
    }
    tensor(&out.base).map(Outcome::Array)
}
