//! Ufuncs called with options.

use cuprum_oracle::{self as oracle, Casting, Flag, NdArray, Order, UfuncOptions};

use super::{Refusal, Result, array, order, tensor, value};
use crate::case::Case;
use crate::extra::{Target, parts};
use crate::matrix::Op;
use crate::operand::{Input, Placed};
use crate::outcome::{Freedom, Kind, Outcome, Tensor};

fn casting(case: &Case) -> Casting {
    match case.params.get("casting") {
        Some("no") => Casting::No,
        Some("equiv") => Casting::Equiv,
        Some("safe") => Casting::Safe,
        Some("unsafe") => Casting::Unsafe,
        _ => Casting::SameKind,
    }
}

/// The whole buffer of `out`, so that what is written beside it is seen.
fn buffer(result: &NdArray, placed: &Placed) -> Outcome {
    let (dtype, shape) = (placed.base.dtype, &placed.base.shape);
    let mut whole = Tensor::packed(dtype, shape, result.buffer().to_vec());
    if !result.is_exact() {
        whole.freedom = vec![Freedom::Exact; whole.size()];
        let mut places = vec![result.offset() as isize];
        for (n, stride) in result.shape().iter().zip(result.strides()) {
            places = places.iter().flat_map(|p| (0..*n as isize).map(move |i| p + i * stride)).collect();
        }
        for (place, flag) in places.into_iter().zip(result.flags()) {
            whole.freedom[place as usize / dtype.size()] = match flag {
                Flag::Exact => Freedom::Exact,
                Flag::AnySign => Freedom::AnyZero,
                Flag::Any => Freedom::Any,
            };
        }
    }
    Outcome::Array(whole)
}

pub(super) fn call(op: &Op, case: &Case, inputs: &[Input]) -> Result<Outcome> {
    let parts = parts(op, case, inputs);
    let mut arrays = vec![];
    for input in parts.operands {
        arrays.push(match input {
            Input::Array(_) => Ok(array(input)?),
            Input::Scalar(s) => Err(value(*s)),
        });
    }
    let placed = match (parts.out, parts.operands.first()) {
        (Target::New, _) => None,
        (Target::Shifted(placed) | Target::Given(placed), _) => Some(placed),
        (Target::Own, Some(Input::Array(placed))) => Some(placed.as_ref()),
        (Target::Own, _) => return Err(Refusal(Kind::Broken, "an array was expected".into())),
    };
    let seat = |placed: &Placed| array(&Input::Array(Box::new(placed.clone())));
    let options = UfuncOptions {
        dtype: case.params.parsed("dtype")?,
        order: order(case).unwrap_or(Order::K),
        casting: casting(case),
        out: placed.map(seat).transpose()?,
        where_: parts.mask.map(seat).transpose()?,
    };
    let operands: Vec<oracle::Operand<'_>> = arrays
        .iter()
        .map(|a| a.as_ref().map_or_else(|v| oracle::Operand::Scalar(*v), oracle::Operand::Array))
        .collect();
    let (name, method) = op.name.split_once('.').unwrap_or((&op.name, "call"));
    let result = match method {
        "call" => oracle::ufunc(name, &operands, &options)?,
        other => return Err(Refusal(Kind::Broken, format!("a ufunc has no {other}"))),
    };
    Ok(placed.map_or_else(|| tensor(&result), |placed| buffer(&result, placed)))
}
