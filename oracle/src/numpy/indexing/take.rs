//! Indexing along an axis: `take`, `put`, `take_along_axis`, `put_along_axis`, `putmask`.

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{Order, axis_index, broadcast_shapes};
use crate::core::promote::{Casting, can_cast};
use crate::core::value::{Value, cast};
use crate::numpy::creation::basic::zeros;
use crate::numpy::searching::multi_indices;
use crate::table::counterparts;

/// Computes NumPy's `take`; the mode is `raise`, `wrap` or `clip`.
///
/// # Errors
///
/// `AxisError` for an axis that does not exist, `TypeError` for indices that are not integers, `IndexError` for those
/// out of bounds.
pub fn take(a: &NdArray, indices: &NdArray, axis: Option<isize>, mode: &str) -> Result<NdArray> {
    let (a, axis) = match axis {
        None => (a.reshape(&[-1], Order::C)?, 0),
        Some(axis) if a.ndim() == 0 => (a.reshape(&[-1], Order::C)?, axis_index(axis, 1)?),
        Some(axis) => (a.clone(), axis_index(axis, a.ndim())?),
    };
    if indices.dtype().is_float() || indices.dtype().is_complex() {
        return fail(ErrorKind::Type, "indices are integers");
    }
    let n = a.shape()[axis] as i128;
    let (outer, inner): (usize, usize) = (a.shape()[..axis].iter().product(), a.shape()[axis + 1..].iter().product());
    let shape = [&a.shape()[..axis], indices.shape(), &a.shape()[axis + 1..]].concat();
    if n == 0 && shape.iter().product::<usize>() > 0 {
        return fail(ErrorKind::Index, "there is nothing to take");
    }
    let elements = a.values();
    let mut values: Vec<Value> = vec![];
    for o in 0..outer {
        for index in indices.values() {
            let index = cast(index, cuprum_kernels::DType::I64).0.int();
            let index = match mode {
                _ if n == 0 => continue,
                "wrap" => index.rem_euclid(n),
                "clip" => index.clamp(0, n - 1),
                _ if index < -n || index >= n => return fail(ErrorKind::Index, format!("{index} is out of bounds")),
                _ => index.rem_euclid(n),
            };
            let first = (o * n as usize + index as usize) * inner;
            values.extend(&elements[first..first + inner]);
        }
    }
    NdArray::from_values(a.dtype(), &shape, values)
}

/// Writes the result of `take` into `out`, if passed.
pub(crate) fn into(result: Result<NdArray>, a: &NdArray, out: Option<&NdArray>) -> Result<NdArray> {
    let result = result?;
    let Some(out) = out else { return Ok(result) };
    if !can_cast(out.dtype(), a.dtype(), Casting::Safe) {
        return fail(ErrorKind::Type, format!("{} cannot be cast to {} safely", out.dtype(), a.dtype()));
    }
    if out.shape() != result.shape() {
        return fail(ErrorKind::Value, "the out has another shape");
    }
    out.check_writable()?;
    let elements: Vec<_> = result.values().into_iter().zip(result.flags()).map(Some).collect();
    Ok(out.with_elements(&elements))
}

/// Returns the shape and the multi-indices, in C order, that an index array selects along an axis.
fn along_axis(a: &NdArray, indices: &NdArray, axis: usize) -> Result<(Vec<usize>, Vec<Vec<usize>>)> {
    if !indices.dtype().is_integer() {
        return fail(ErrorKind::Index, "the indices must be integers");
    }
    if indices.ndim() != a.ndim() {
        return fail(ErrorKind::Value, "the indices have another number of axes");
    }
    let mut others = a.shape().to_vec();
    others[axis] = 1;
    let Ok(shape) = broadcast_shapes(&[&others, indices.shape()]) else {
        return fail(ErrorKind::Index, "the indices do not go with the other axes");
    };
    let n = a.shape()[axis] as i128;
    let numbers = indices.broadcast_to(&shape)?.values();
    let found = multi_indices(&shape).into_iter().zip(numbers).map(|(mut position, index)| {
        let index = i128::from(index.int() as i64);
        if index < -n || index >= n {
            return fail(ErrorKind::Index, format!("{index} is out of bounds"));
        }
        // An axis of length 1 is broadcast.
        position.iter_mut().zip(a.shape()).for_each(|(at, n)| *at = (*at).min(n.saturating_sub(1)));
        position[axis] = index.rem_euclid(n) as usize;
        Ok(position)
    });
    Ok((shape.clone(), found.collect::<Result<_>>()?))
}

/// Returns the array and the axis that is indexed: the operand, or the flattened array.
fn lines(a: &NdArray, axis: Option<isize>) -> Result<(NdArray, usize)> {
    match axis {
        None => Ok((a.reshape(&[-1], Order::C)?, 0)),
        Some(axis) => Ok((a.clone(), axis_index(axis, a.ndim())?)),
    }
}

/// Computes NumPy's `take_along_axis`.
///
/// # Errors
///
/// `AxisError` for an axis that does not exist, `ValueError` for indices with another number of axes, `IndexError` for
/// those that are not integers, do not broadcast with the other axes or are out of bounds.
pub fn take_along_axis(a: &NdArray, indices: &NdArray, axis: Option<isize>) -> Result<NdArray> {
    let (a, axis) = lines(a, axis)?;
    let (shape, found) = along_axis(&a, indices, axis)?;
    NdArray::from_values(a.dtype(), &shape, found.iter().map(|position| a.get(position)))
}

/// Returns the array with new values at indices.
fn with_values(a: &NdArray, found: &[Vec<usize>], values: &NdArray) -> NdArray {
    let mut elements = vec![None; a.size()];
    for ((position, value), flag) in found.iter().zip(values.values()).zip(values.flags()) {
        elements[position.iter().zip(a.shape()).fold(0, |at, (i, n)| at * n + i)] = Some((value, flag));
    }
    a.with_elements(&elements)
}

/// Casts the assigned value to the dtype of an array, as an assignment does.
pub(crate) fn assigned(a: &NdArray, value: &Operand<'_>) -> Result<NdArray> {
    match value {
        Operand::Array(v) => Ok(v.astype(a.dtype(), Order::C)),
        Operand::Scalar(_) => {
            let mut one = zeros(&[], a.dtype(), Order::C)?;
            one.assign(&[Index::Ellipsis], value)?;
            Ok(one)
        }
    }
}

/// Computes NumPy's `put_along_axis`, and returns the changed array.
///
/// # Errors
///
/// As [`take_along_axis`]; `ValueError` for values that do not broadcast; as an assignment for a scalar.
pub fn put_along_axis(arr: &NdArray, indices: &NdArray, values: &Operand<'_>, axis: Option<isize>) -> Result<NdArray> {
    arr.check_writable()?;
    let (a, axis) = lines(arr, axis)?;
    let shape = along_axis(&a, &zeros(indices.shape(), indices.dtype(), Order::C)?, axis)?.0;
    let mut from = assigned(&a, values)?;
    while from.ndim() > shape.len() && from.shape()[0] == 1 {
        from = from.index(&[Index::At(0)])?;
    }
    let from = from.broadcast_to(&shape)?;
    let found = along_axis(&a, indices, axis)?.1;
    let changed = with_values(&a, &found, &from);
    if changed.shape() == arr.shape() {
        return Ok(changed.copy(Order::K));
    }
    // The flattened elements are written back.
    let elements: Vec<_> = changed.values().into_iter().zip(changed.flags()).map(Some).collect();
    Ok(arr.with_elements(&elements).copy(Order::K))
}

/// Computes NumPy's `put`, and returns the changed array.
///
/// # Errors
///
/// `TypeError` for indices that are not integers, `IndexError` for those out of bounds and for an array without
/// elements; as an assignment for a scalar.
pub fn put(a: &NdArray, ind: &NdArray, v: &Operand<'_>, mode: &str) -> Result<NdArray> {
    a.check_writable()?;
    if ind.dtype().is_float() || ind.dtype().is_complex() {
        return fail(ErrorKind::Type, "indices are integers");
    }
    let values = assigned(a, v)?.reshape(&[-1], Order::C)?;
    let (n, count) = (a.size() as i128, values.size());
    if ind.size() == 0 || count == 0 {
        return Ok(a.copy(Order::K));
    }
    if n == 0 {
        return fail(ErrorKind::Index, "there are no elements");
    }
    let all = multi_indices(a.shape());
    let found: Vec<Vec<usize>> = ind
        .values()
        .into_iter()
        .map(|index| {
            let index = i128::from(index.int() as i64);
            Ok(all[match mode {
                "wrap" => index.rem_euclid(n),
                "clip" => index.clamp(0, n - 1),
                _ if index < -n || index >= n => return fail(ErrorKind::Index, format!("{index} is out of bounds")),
                _ => index.rem_euclid(n),
            } as usize]
                .clone())
        })
        .collect::<Result<_>>()?;
    Ok(with_values(a, &found, &over_and_over(&values, found.len())?).copy(Order::K))
}

/// Repeats the elements cyclically up to a count.
fn over_and_over(values: &NdArray, count: usize) -> Result<NdArray> {
    let (all, flags) = (values.values(), values.flags());
    let repeated = NdArray::from_values(values.dtype(), &[count], (0..count).map(|k| all[k % all.len()]))?;
    Ok(repeated.with_flags((0..count).map(|k| flags[k % flags.len()]).collect()))
}

/// Computes NumPy's `putmask`, and returns the changed array.
///
/// # Errors
///
/// `ValueError` for a mask of another size; as an assignment for a scalar.
pub fn putmask(a: &NdArray, mask: &NdArray, values: &Operand<'_>) -> Result<NdArray> {
    a.check_writable()?;
    if mask.size() != a.size() {
        return fail(ErrorKind::Value, "the mask has another size");
    }
    if matches!(values, Operand::Array(v) if !can_cast(v.dtype(), a.dtype(), Casting::Safe)) {
        return fail(ErrorKind::Type, "the values are not cast safely");
    }
    let values = assigned(a, values)?.reshape(&[-1], Order::C)?;
    if values.size() == 0 || a.size() == 0 {
        return Ok(a.copy(Order::K));
    }
    let values = over_and_over(&values, a.size())?;
    let elements = values.values().into_iter().zip(values.flags()).zip(mask.values());
    let elements: Vec<_> = elements.map(|(element, m)| m.truth().then_some(element)).collect();
    Ok(a.with_elements(&elements).copy(Order::K))
}

counterparts! {
    "numpy.take" = |t| {
        let a: &NdArray = t.get("a")?;
        into(take(a, t.get("indices")?, t.get("axis")?, t.or("mode", "raise")?), a, t.get("out")?)
    };
    "numpy.take_along_axis" = |t| take_along_axis(t.get("arr")?, t.get("indices")?, t.or("axis", Some(-1))?);
    "numpy.put_along_axis" = |t| put_along_axis(t.get("arr")?, t.get("indices")?, &t.get("values")?, t.or("axis", Some(-1))?);
    "numpy.put" = |t| put(t.get("a")?, t.get("ind")?, &t.get("v")?, t.or("mode", "raise")?);
    "numpy.putmask" = |t| putmask(t.get("a")?, t.get("mask")?, &t.get("values")?);
}
