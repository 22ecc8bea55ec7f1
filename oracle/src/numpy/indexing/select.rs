//! Selection from several arrays (`choose`, `select`) and writes by mask or index (`put`, `place`, `putmask`,
//! `fill_diagonal`).

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{Order, broadcast_shapes};
use crate::core::promote::{Casting, can_cast, result_type};
use crate::core::value::Value;
use crate::table::counterparts;
use crate::ufunc::methods::strong;

/// Computes `choose`: the result, and the contents of `out`.
fn choose(a: &NdArray, choices: &[&NdArray], out: Option<&NdArray>, mode: &str) -> Result<NdArray> {
    if choices.is_empty() || choices.len() > 63 {
        return fail(ErrorKind::Value, "there are 1 to 63 arrays to choose from");
    }
    if !can_cast(a.dtype(), DType::I64, Casting::Safe) {
        return fail(ErrorKind::Type, "indices are cast safely to int64");
    }
    let dtype = result_type(&choices.iter().map(|c| Operand::Array(c)).collect::<Vec<_>>())?;
    let shapes: Vec<&[usize]> = [a.shape()].into_iter().chain(choices.iter().map(|c| c.shape())).collect();
    let shape = broadcast_shapes(&shapes)?;
    if out.is_some_and(|out| out.shape() != shape) {
        return fail(ErrorKind::Type, "out is not of the result's shape");
    }
    let broadcast: Vec<Vec<Value>> =
        choices.iter().map(|c| Ok(c.astype(dtype, Order::K).broadcast_to(&shape)?.values())).collect::<Result<_>>()?;
    let n = choices.len() as i128;
    let mut values = vec![];
    for (at, index) in a.broadcast_to(&shape)?.values().into_iter().enumerate() {
        let index = match mode {
            "wrap" => index.int().rem_euclid(n),
            "clip" => index.int().clamp(0, n - 1),
            _ if index.int() < 0 || index.int() >= n => return fail(ErrorKind::Value, "an index is out of bounds"),
            _ => index.int(),
        };
        values.push(broadcast[index as usize][at]);
    }
    let result = NdArray::from_values(dtype, &shape, values)?;
    match out {
        None => Ok(result),
        Some(out) => {
            let mut out = out.clone();
            out.assign(&[Index::Ellipsis], &Operand::Array(&result))?;
            Ok(out)
        }
    }
}

fn select(conditions: &[&NdArray], choices: &[Operand<'_>], default: &Operand<'_>) -> Result<NdArray> {
    if conditions.len() != choices.len() || conditions.is_empty() {
        return fail(ErrorKind::Value, "there is a choice for each condition, and one at least");
    }
    let all: Vec<Operand<'_>> = choices.iter().chain([default]).cloned().collect();
    let dtype = result_type(&all)?;
    let arrays: Vec<NdArray> = all.iter().map(strong).collect::<Result<_>>()?;
    let of_conditions = broadcast_shapes(&conditions.iter().map(|c| c.shape()).collect::<Vec<_>>())?;
    let of_choices = broadcast_shapes(&arrays.iter().map(NdArray::shape).collect::<Vec<_>>())?;
    if conditions.iter().any(|c| c.dtype() != DType::Bool) {
        return fail(ErrorKind::Type, "conditions are boolean");
    }
    let shape = broadcast_shapes(&[&of_conditions, &of_choices])?;
    if arrays[..choices.len()].iter().any(|a| !can_cast(a.dtype(), dtype, Casting::SameKind)) {
        return fail(ErrorKind::Type, "a choice is of another kind than the result");
    }
    let arrays: Vec<NdArray> = arrays.iter().map(|a| a.astype(dtype, Order::K)).collect();
    let seen = |a: &NdArray| a.broadcast_to(&shape).map(|a| a.values());
    let conditions: Vec<Vec<Value>> = conditions.iter().map(|c| seen(c)).collect::<Result<_>>()?;
    let arrays: Vec<Vec<Value>> = arrays.iter().map(seen).collect::<Result<_>>()?;
    let first = |at: usize| conditions.iter().position(|c| c[at].truth()).unwrap_or(conditions.len());
    let count = shape.iter().product();
    NdArray::from_values(dtype, &shape, (0..count).map(|at| arrays[first(at)][at]))
}

fn place(arr: &NdArray, mask: &NdArray, vals: &NdArray) -> Result<NdArray> {
    arr.check_writable()?;
    if mask.size() != arr.size() {
        return fail(ErrorKind::Value, "a mask has as many elements as the array");
    }
    if !can_cast(vals.dtype(), arr.dtype(), Casting::Safe) {
        return fail(ErrorKind::Type, "values are cast safely");
    }
    let vals = vals.values();
    let mut given = vals.iter().cycle();
    let mut elements = vec![];
    for v in mask.values() {
        if v.truth() && vals.is_empty() {
            return fail(ErrorKind::Value, "there are no values to place");
        }
        elements.push(if v.truth() { given.next().map(|v| (*v, Default::default())) } else { None });
    }
    Ok(arr.with_elements(&elements).copy(Order::K))
}

/// Computes `fill_diagonal`: values, repeated cyclically, at equal steps of the flat array.
fn fill_diagonal(a: &NdArray, val: &Operand<'_>, wrap: bool) -> Result<NdArray> {
    a.check_writable()?;
    let shape = a.shape();
    let step = match shape {
        [_, columns] => columns + 1,
        [n, _, _, ..] if shape.iter().all(|m| m == n) => {
            1 + (1..shape.len()).map(|axes| shape[..axes].iter().product::<usize>()).sum::<usize>()
        }
        _ => return fail(ErrorKind::Value, "there is no diagonal"),
    };
    let end = if shape.len() == 2 && !wrap { a.size().min(shape[1] * shape[1]) } else { a.size() };
    let values = match val {
        Operand::Array(values) => values.values(),
        Operand::Scalar(_) => {
            let mut one = NdArray::from_values(a.dtype(), &[], [Value::zero(a.dtype())])?;
            one.assign(&[], val)?;
            one.values()
        }
    };
    let mut given = values.iter().cycle();
    let new = |at: usize| {
        if at < end && at.is_multiple_of(step) { given.next().map(|v| (*v, Default::default())) } else { None }
    };
    Ok(a.with_elements(&(0..a.size()).map(new).collect::<Vec<_>>()).copy(Order::K))
}

counterparts! {
    "numpy.choose" = |t| {
        let choices: Vec<&NdArray> = t.get("choices")?;
        choose(t.get("a")?, &choices, t.get("out")?, t.or("mode", "raise")?)
    };
    "numpy.select" = |t| {
        let (conditions, choices) = (t.get::<Vec<&NdArray>>("condlist")?, t.get::<Vec<Operand<'_>>>("choicelist")?);
        select(&conditions, &choices, &t.or("default", Operand::Scalar(Value::Int(0)))?)
    };
    "numpy.place" = |t| place(t.get("arr")?, t.get("mask")?, t.get("vals")?);
    "numpy.fill_diagonal" = |t| fill_diagonal(t.get("a")?, &t.get("val")?, t.or("wrap", false)?);
}
