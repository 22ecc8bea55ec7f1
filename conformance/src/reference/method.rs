//! Ufuncs called with options, and their methods.

use cuprum_oracle::{
    self as oracle, Casting, Flag, FoldOptions, Gathering, NdArray, Order, ReduceOptions, UfuncOptions,
};

use super::{Refusal, Result, array, isizes, needed, order, tensor, value};
use crate::case::Case;
use crate::extra::{Target, parts};
use crate::matrix::Op;
use crate::operand::{Input, Placed};
use crate::outcome::{Freedom, Kind, Outcome, Tensor};
use crate::ulp;

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
pub(super) fn buffer(result: &NdArray, placed: &Placed) -> Tensor {
    let (dtype, shape) = (placed.base.dtype, &placed.base.shape);
    let mut whole = Tensor::packed(dtype, shape, result.buffer().to_vec());
    if !result.is_exact() {
        whole.freedom = vec![Freedom::Exact; whole.size()];
        for (place, flag) in places(result).into_iter().zip(result.flags()) {
            whole.freedom[place / dtype.size()] = match flag {
                Flag::Exact => Freedom::Exact,
                Flag::AnySign => Freedom::AnyZero,
                Flag::Any => Freedom::Any,
            };
        }
    }
    whole
}

/// The byte of the buffer at which each element lies, in C order.
pub(super) fn places(a: &NdArray) -> Vec<usize> {
    let mut places = vec![a.offset() as isize];
    for (n, stride) in a.shape().iter().zip(a.strides()) {
        places = places.iter().flat_map(|p| (0..*n as isize).map(move |i| p + i * stride)).collect();
    }
    places.into_iter().map(|p| p as usize).collect()
}

/// The axes that `reduce` goes along: the first, unless the parameters say more.
pub(super) fn how(case: &Case) -> Result<ReduceOptions> {
    let axis = match case.params.get("axis") {
        Some("None") => None,
        _ => Some(isizes(case, "axis")?.unwrap_or(vec![0])),
    };
    let keepdims = case.params.get("keepdims") == Some("1");
    Ok(ReduceOptions { axis, keepdims, dtype: case.params.parsed("dtype")? })
}

/// How far each result of a method may be off, where the order of the work or a formula decides.
///
/// What goes along the elements in their order is exact, but for products and quotients of complex numbers: a few units
/// of the modulus at each step. Sums and products on the way are combined in another order.
pub(super) fn bounds(op: &Op, case: &Case, inputs: &[Input], by: Gathering) -> Option<Vec<f64>> {
    let (name, method) = op.name.split_once('.')?;
    let reduction = match (name, method) {
        ("add", "reduce") => "sum",
        ("multiply", "reduce") => "prod",
        ("add" | "multiply", "accumulate") => return accumulate_bounds(name, op, case, inputs, by),
        _ => {
            let Ok(Outcome::Array(result)) = call(op, case, inputs) else { return None };
            let Input::Array(operand) = &inputs[0] else { return None };
            let steps = if result.dtype.is_complex() && name != "subtract" { operand.logical.size() } else { 0 };
            let modulus = |i| {
                let (re, im) = result.get(i).parts();
                re.hypot(im)
            };
            let bound = |i| 8.0 * steps as f64 * ulp::unit(result.dtype, modulus(i));
            return Some((0..result.size()).map(bound).collect());
        }
    };
    let a = array(inputs.first()?).ok()?;
    oracle::reduction_bound(reduction, &a, &how(case).ok()?, by).ok()
}

/// The bounds of results on the way: those of the elements of `out` in its buffer.
fn accumulate_bounds(name: &str, op: &Op, case: &Case, inputs: &[Input], by: Gathering) -> Option<Vec<f64>> {
    let parts = parts(op, case, inputs);
    let a = array(inputs.first()?).ok()?;
    let placed = match (parts.out, parts.operands.first()) {
        (Target::Shifted(placed) | Target::Given(placed), _) => Some(placed),
        (Target::Own, Some(Input::Array(placed))) => Some(placed.as_ref()),
        _ => None,
    };
    let out = placed.map(|placed| array(&Input::Array(Box::new(placed.clone())))).transpose().ok()?;
    let axis = isizes(case, "axis").ok()?.map_or(0, |axes| axes[0]);
    let dtypes = (out.as_ref().map(NdArray::dtype), case.params.parsed("dtype").ok()?);
    let rows = oracle::accumulate_bounds(name, &a, axis, dtypes, by).ok()?;
    let (Some(out), Some(placed)) = (out, placed) else { return Some(rows) };
    let mut whole = vec![0.0; placed.base.size()];
    for (place, bound) in places(&out).into_iter().zip(rows) {
        whole[place / placed.base.dtype.size()] = bound;
    }
    Some(whole)
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
    let first = || match arrays.first() {
        Some(Ok(a)) => Ok(a),
        _ => Err(Refusal(Kind::Broken, "an array was expected".into())),
    };
    let axis = || -> Result<isize> { Ok(isizes(case, "axis")?.map_or(0, |axes| axes[0])) };
    let (name, method) = op.name.split_once('.').unwrap_or((&op.name, "call"));
    let result = match method {
        "call" => oracle::ufunc(name, &operands, &options)?,
        "outer" => match &operands[..] {
            [a, b] => oracle::outer(name, a, b, &options)?,
            _ => return Err(Refusal(Kind::Broken, "two operands were expected".into())),
        },
        "reduce" => {
            let no_identity = case.params.get("initial") == Some("None");
            let initial = if no_identity { None } else { case.params.parsed("initial")?.map(value) };
            let told = FoldOptions { out: options.out, where_: options.where_, initial, no_identity };
            oracle::fold_reduce(name, first()?, &how(case)?, &told)?
        }
        "accumulate" => oracle::fold_accumulate(name, first()?, axis()?, options.dtype, options.out.as_ref())?,
        "reduceat" => {
            let indices = needed(isizes(case, "indices")?, "indices")?;
            oracle::fold_reduceat(name, first()?, &indices, axis()?, options.dtype, options.out.as_ref())?
        }
        other => return Err(Refusal(Kind::Broken, format!("a ufunc has no {other}"))),
    };
    Ok(Outcome::Array(placed.map_or_else(|| tensor(&result), |placed| buffer(&result, placed))))
}
