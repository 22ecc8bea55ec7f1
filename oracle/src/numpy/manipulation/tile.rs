//! Repetition and rearrangement of elements: `roll`, `tile`, `repeat`, `resize`, `insert`, `delete`, `trim_zeros`.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index, axis_indices, c_order};
use crate::core::promote::{Casting, can_cast};
use crate::core::value::{Value, assigned_as};
use crate::numpy::manipulation::join::{Cell, cells, fortran_or_c, laid_out};
use crate::numpy::manipulation::split::part;
use crate::table::{Argument, Arguments, Fault, counterparts};

/// Returns all indices of a shape, in C order.
pub(crate) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for n in shape {
        all = all.into_iter().flat_map(|index| (0..*n).map(move |i| [&index[..], &[i]].concat())).collect();
    }
    all
}

/// Returns the flat index, in C order, of a multi-index.
pub(crate) fn flat_index(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |at, (n, i)| at * n + i)
}

/// Creates an array of the shape whose elements are the operand's at the indices that `source` returns.
pub(crate) fn gathered(
    a: &NdArray,
    shape: &[usize],
    axes: &[usize],
    source: impl Fn(&[usize]) -> Vec<usize>,
) -> NdArray {
    let all = cells(a, a.dtype());
    let picked: Vec<Cell> = indices(shape).iter().map(|index| all[flat_index(a.shape(), &source(index))]).collect();
    laid_out(a.dtype(), shape, axes, &picked)
}

pub(crate) fn roll(a: &NdArray, shift: &[isize], axes: Option<&[isize]>) -> Result<NdArray> {
    let Some(axes) = axes else {
        let line = a.reshape(&[-1], Order::C)?;
        let shape: Vec<isize> = a.shape().iter().map(|n| *n as isize).collect();
        return roll(&line, shift, Some(&[0]))?.reshape(&shape, Order::C);
    };
    let axes = axes.iter().map(|x| axis_index(*x, a.ndim())).collect::<Result<Vec<_>>>()?;
    let pairs: Vec<(usize, isize)> = match (axes.len(), shift.len()) {
        (m, n) if m == n => axes.into_iter().zip(shift.iter().copied()).collect(),
        (1, _) => shift.iter().map(|s| (axes[0], *s)).collect(),
        (_, 1) => axes.into_iter().map(|x| (x, shift[0])).collect(),
        _ => return fail(ErrorKind::Value, "shape mismatch: objects cannot be broadcast to a single shape"),
    };
    let source = |index: &[usize]| {
        let mut from: Vec<isize> = index.iter().map(|i| *i as isize).collect();
        for (axis, shift) in &pairs {
            from[*axis] -= shift;
        }
        from.iter().zip(a.shape()).map(|(i, n)| i.rem_euclid(*n as isize) as usize).collect()
    };
    Ok(gathered(a, a.shape(), &a.order_axes(Order::K), source))
}

fn tile(a: &NdArray, reps: &[isize]) -> Result<NdArray> {
    if reps.iter().any(|n| *n < 0) {
        return fail(ErrorKind::Value, "negative dimensions are not allowed");
    }
    let ndim = a.ndim().max(reps.len());
    let a = a.expand_dims(&(0..(ndim - a.ndim()) as isize).collect::<Vec<_>>())?;
    // A single repetition is a copy with the layout of the array.
    if reps.iter().all(|n| *n == 1) {
        return Ok(a.copy(Order::K));
    }
    let mut times = vec![1; ndim - reps.len()];
    times.extend(reps.iter().map(|n| *n as usize));
    let shape: Vec<usize> = a.shape().iter().zip(times).map(|(n, times)| n * times).collect();
    let source = |index: &[usize]| index.iter().zip(a.shape()).map(|(i, n)| i % n).collect();
    Ok(gathered(&a, &shape, &c_order(ndim), source))
}

/// Repeats elements, by one number of repetitions for all, or one for each.
fn repeat(a: &NdArray, repeats: &Operand<'_>, axis: Option<isize>) -> Result<NdArray> {
    let (a, axis) = match axis {
        None => (a.reshape(&[-1], Order::C)?, 0),
        Some(axis) if a.ndim() == 0 => (a.reshape(&[-1], Order::C)?, axis_index(axis, 1)?),
        Some(axis) => (a.clone(), axis_index(axis, a.ndim())?),
    };
    let n = a.shape()[axis];
    let counts: Vec<i128> = match repeats {
        Operand::Scalar(v) => vec![v.int(); n],
        Operand::Array(r) if !can_cast(r.dtype(), DType::I64, Casting::Safe) => {
            return fail(ErrorKind::Type, "the repeats cannot be cast to int64 according to the rule 'safe'");
        }
        Operand::Array(r) if r.ndim() > 1 => return fail(ErrorKind::Value, "object too deep for desired array"),
        Operand::Array(r) if r.size() == 1 => vec![r.values()[0].int(); n],
        Operand::Array(r) if r.size() != n => {
            return fail(ErrorKind::Value, "operands could not be broadcast together");
        }
        Operand::Array(r) => r.values().into_iter().map(Value::int).collect(),
    };
    let given = if let Operand::Scalar(v) = repeats { v.int() } else { 0 };
    if given < 0 || counts.iter().any(|c| *c < 0) {
        return fail(ErrorKind::Value, "repeats may not contain negative values.");
    }
    let from: Vec<usize> = (0..n).flat_map(|i| vec![i; counts[i] as usize]).collect();
    let mut shape = a.shape().to_vec();
    shape[axis] = from.len();
    let source = |index: &[usize]| {
        let mut index = index.to_vec();
        index[axis] = from[index[axis]];
        index
    };
    Ok(gathered(&a, &shape, &c_order(shape.len()), source))
}

fn resize(a: &NdArray, shape: &[isize]) -> Result<NdArray> {
    if shape.iter().any(|n| *n < 0) {
        return fail(ErrorKind::Value, "all elements of `new_shape` must be non-negative");
    }
    let shape: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
    if a.size() == 0 {
        return crate::numpy::creation::basic::zeros(&shape, a.dtype(), Order::C);
    }
    let line = a.reshape(&[-1], Order::C)?;
    let source = |index: &[usize]| vec![flat_index(&shape, index) % line.size()];
    Ok(gathered(&line, &shape, &c_order(shape.len()), source))
}

/// Reads positions; true if it is a single one and not a list.
fn positions(t: &Arguments) -> std::result::Result<(Vec<isize>, bool), Fault> {
    match t.get("obj")? {
        Argument::Scalar(Value::Int(at)) => Ok((vec![at as isize], true)),
        Argument::Integers(all) => Ok((all, false)),
        Argument::Array(a) => Ok((a.values().into_iter().map(|v| v.int() as isize).collect(), a.ndim() == 0)),
        other => Err(Fault::Misuse(format!("{other:?} are no indices"))),
    }
}

fn lines(a: &NdArray, axis: Option<isize>) -> Result<(NdArray, usize)> {
    match axis {
        None => Ok((a.reshape(&[-1], Order::C)?, 0)),
        Some(axis) => Ok((a.clone(), axis_index(axis, a.ndim())?)),
    }
}

fn insert(arr: &NdArray, (at, one): (Vec<isize>, bool), values: &Operand<'_>, axis: Option<isize>) -> Result<NdArray> {
    let (a, axis) = lines(arr, axis)?;
    let n = a.shape()[axis] as isize;
    let mut positions = vec![];
    for p in &at {
        if *p < -n || *p > n {
            return fail(ErrorKind::Index, format!("index {p} is out of bounds for axis {axis} with size {n}"));
        }
        positions.push(if *p < 0 { (*p + n) as usize } else { *p as usize });
    }
    let values = match values {
        Operand::Array(v) => v.astype(a.dtype(), Order::K),
        Operand::Scalar(v) => NdArray::from_values(a.dtype(), &[], [assigned_as(*v, a.dtype())?])?,
    };
    // The number of elements inserted at one position follows from the values.
    let mut count = positions.len();
    let values = if let [_] = positions[..] {
        let new: Vec<isize> = (0..a.ndim().saturating_sub(values.ndim()) as isize).collect();
        let values = values.expand_dims(&new)?;
        let values = if one { values.moveaxis(&[0], &[axis as isize])? } else { values };
        count = values.shape()[axis];
        positions = vec![positions[0]; count];
        values
    } else {
        values
    };
    let mut inserted = a.shape().to_vec();
    inserted[axis] = count;
    let spare = values.ndim().saturating_sub(inserted.len());
    let values = if values.shape()[..spare].iter().all(|n| *n == 1) {
        let axes: Vec<isize> = (0..spare as isize).collect();
        values.squeeze(Some(&axes))?
    } else {
        values
    };
    let values = values.broadcast_to(&inserted)?;
    // Equal positions keep their order.
    let mut order: Vec<(usize, bool, usize)> = positions.iter().enumerate().map(|(k, p)| (*p, false, k)).collect();
    order.extend((0..n as usize).map(|i| (i, true, i)));
    order.sort();
    let mut shape = a.shape().to_vec();
    shape[axis] += count;
    let (old, new) = (cells(&a, a.dtype()), cells(&values, a.dtype()));
    let pick = |index: Vec<usize>| {
        let (_, own, from) = order[index[axis]];
        let mut index = index;
        index[axis] = from;
        if own { old[flat_index(a.shape(), &index)] } else { new[flat_index(&inserted, &index)] }
    };
    let all: Vec<Cell> = indices(&shape).into_iter().map(pick).collect();
    Ok(laid_out(a.dtype(), &shape, &fortran_or_c(&a), &all))
}

fn delete(arr: &NdArray, (at, _): (Vec<isize>, bool), axis: Option<isize>) -> Result<NdArray> {
    let (a, axis) = lines(arr, axis)?;
    let n = a.shape()[axis];
    let mut keep = vec![true; n];
    for p in &at {
        match axis_index(*p, n) {
            Ok(p) => keep[p] = false,
            Err(_) => {
                return fail(ErrorKind::Index, format!("index {p} is out of bounds for axis {axis} with size {n}"));
            }
        }
    }
    let kept: Vec<usize> = (0..n).filter(|i| keep[*i]).collect();
    let mut shape = a.shape().to_vec();
    shape[axis] = kept.len();
    // With a list of positions the remaining elements are selected by a mask, whose axis is the outermost in memory.
    let axes = if at.len() == 1 {
        fortran_or_c(&a)
    } else {
        let mut axes = crate::core::layout::sorted_by_stride(a.strides());
        axes.retain(|x| *x != axis);
        axes.insert(0, axis);
        axes
    };
    let source = |index: &[usize]| {
        let mut index = index.to_vec();
        index[axis] = kept[index[axis]];
        index
    };
    Ok(gathered(&a, &shape, &axes, source))
}

fn trim_zeros(a: &NdArray, trim: &str, axes: Option<&[isize]>) -> Result<NdArray> {
    let axes = match axes {
        None => c_order(a.ndim()),
        Some(axes) => axis_indices(axes, a.ndim(), "axis")?,
    };
    let values = a.values();
    let all = indices(a.shape());
    let filled: Vec<&Vec<usize>> = all.iter().zip(&values).filter(|(_, v)| v.truth()).map(|(index, _)| index).collect();
    let mut left = a.clone();
    for axis in axes {
        let ends = filled.iter().map(|index| index[axis]);
        let bounds = ends.clone().min().zip(ends.max());
        left = match bounds {
            None => part(&left, axis, Some(0), Some(0))?,
            Some((first, last)) => {
                let first = trim.contains('f').then_some(first as isize);
                let end = trim.contains('b').then_some(last as isize + 1);
                part(&left, axis, first, end)?
            }
        };
    }
    Ok(left)
}

/// Returns true if an element of one array and one of the other have a byte in common.
fn shares_memory(a: &NdArray, b: &NdArray) -> bool {
    let bytes = |a: &NdArray| -> Vec<usize> {
        let starts = crate::core::layout::offsets(a.shape(), a.strides(), a.offset());
        starts.into_iter().flat_map(|at| at..at + a.dtype().size()).collect()
    };
    let own: std::collections::HashSet<usize> = bytes(a).into_iter().collect();
    std::ptr::eq(a.buffer(), b.buffer()) && bytes(b).iter().any(|at| own.contains(at))
}

counterparts! {
    "numpy.roll" = |t| {
        let shift: Vec<isize> = t.get("shift")?;
        roll(t.get("a")?, &shift, t.get::<Option<Vec<isize>>>("axis")?.as_deref())
    };
    "numpy.tile" = |t| tile(t.get("A")?, &t.get::<Vec<isize>>("reps")?);
    "numpy.repeat" = |t| repeat(t.get("a")?, &t.get("repeats")?, t.get("axis")?);
    "numpy.resize" = |t| resize(t.get("a")?, &t.get::<Vec<isize>>("new_shape")?);
    "numpy.insert" = |t| insert(t.get("arr")?, positions(t)?, &t.get("values")?, t.get("axis")?);
    "numpy.delete" = |t| delete(t.get("arr")?, positions(t)?, t.get("axis")?);
    "numpy.trim_zeros" = |t| {
        trim_zeros(t.get("filt")?, t.or("trim", "fb")?, t.get::<Option<Vec<isize>>>("axis")?.as_deref())
    };
    "numpy.shares_memory" = |t| shares_memory(t.get("a")?, t.get("b")?);
}
