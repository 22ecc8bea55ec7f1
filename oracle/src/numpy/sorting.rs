//! Sorting, as NumPy's `kind="stable"`.

use std::cmp::Ordering;

use cuprum_kernels::DType;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index, c_order};
use crate::core::value::Value;
use crate::table::{Arguments, Fault, counterparts};

/// Compares in NumPy's order. NaN sorts after all numbers; complex numbers are ordered by their parts, after which come
/// those with NaN: `R + Rj`, `R + NaN j`, `NaN + R j`, `NaN + NaN j`.
pub(crate) fn order(a: &Value, b: &Value) -> Ordering {
    let real = |x: f64, y: f64| x.is_nan().cmp(&y.is_nan()).then(x.partial_cmp(&y).unwrap_or(Ordering::Equal));
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => real(*x, *y),
        (Value::Complex(x), Value::Complex(y)) => (x.re.is_nan(), x.im.is_nan())
            .cmp(&(y.re.is_nan(), y.im.is_nan()))
            .then(real(x.re, y.re))
            .then(real(x.im, y.im)),
        _ => a.int().cmp(&b.int()),
    }
}

/// Returns the indices that sort elements; equal ones keep their order.
pub(crate) fn sorting_positions(values: &[Value]) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..values.len()).collect();
    positions.sort_by(|i, j| order(&values[*i], &values[*j]));
    positions
}

/// Returns the array and the axis of a call: without an axis, the flattened array.
pub(crate) fn along(a: &NdArray, axis: Option<isize>) -> Result<(NdArray, usize)> {
    match axis {
        Some(axis) => Ok((a.clone(), axis_index(axis, a.ndim())?)),
        None => Ok((a.reshape(&[-1], Order::C)?, 0)),
    }
}

/// Returns the elements of each 1-D slice along an axis, in C order of the other axes.
pub(crate) fn lines(a: &NdArray, axis: usize) -> Result<Vec<Vec<Value>>> {
    let n = a.shape()[axis];
    if a.size() == 0 {
        return Ok(vec![vec![]; a.shape().iter().enumerate().filter(|(i, _)| *i != axis).map(|(_, n)| n).product()]);
    }
    Ok(a.moveaxis(&[axis as isize], &[-1])?.values().chunks(n).map(<[Value]>::to_vec).collect())
}

/// Creates an array of a dtype from its 1-D slices along an axis, with memory in the order of `axes`, outermost first.
pub(crate) fn of_lines(
    dtype: DType,
    shape: &[usize],
    axis: usize,
    axes: &[usize],
    lines: &[Vec<Value>],
) -> Result<NdArray> {
    let mut moved = shape.to_vec();
    let n = moved.remove(axis);
    moved.push(n);
    let rows = NdArray::from_values(dtype, &moved, lines.iter().flatten().copied())?;
    let values = rows.moveaxis(&[-1], &[axis as isize])?.values();
    Ok(NdArray::from_order(dtype, shape, axes, &values))
}

/// Returns a sorted copy in the memory order of the operand; an `axis` of `None` sorts all elements.
///
/// # Errors
///
/// `AxisError` for an axis that does not exist.
pub fn sort(a: &NdArray, axis: Option<isize>) -> Result<NdArray> {
    let (a, axis) = along(a, axis)?;
    let sorted = lines(&a, axis)?.into_iter().map(|line| sorting_positions(&line).iter().map(|i| line[*i]).collect());
    of_lines(a.dtype(), a.shape(), axis, &a.order_axes(Order::K), &sorted.collect::<Vec<_>>())
}

/// Returns the indices that sort; a 0-d array is one element.
///
/// # Errors
///
/// As [`sort`].
pub fn argsort(a: &NdArray, axis: Option<isize>) -> Result<NdArray> {
    let a = if a.ndim() == 0 { a.reshape(&[1], Order::C)? } else { a.clone() };
    let (a, axis) = along(&a, axis)?;
    let position = |i: &usize| Value::Int(*i as i128);
    let sorted = lines(&a, axis)?.into_iter().map(|line| sorting_positions(&line).iter().map(position).collect());
    of_lines(DType::I64, a.shape(), axis, &c_order(a.ndim()), &sorted.collect::<Vec<_>>())
}

/// Returns a copy sorted along the last axis, as complex numbers.
///
/// # Errors
///
/// As [`sort`].
pub fn sort_complex(a: &NdArray) -> Result<NdArray> {
    let sorted = sort(a, Some(-1))?;
    Ok(match a.dtype() {
        DType::C64 | DType::C128 => sorted,
        DType::I8 | DType::U8 | DType::I16 | DType::U16 => sorted.astype(DType::C64, Order::K),
        _ => sorted.astype(DType::C128, Order::K),
    })
}

/// Checks the positions of `partition` and `argpartition`.
fn check_kth(a: &NdArray, kth: &[isize], axis: usize) -> Result<()> {
    let n = a.shape()[axis] as isize;
    if a.size() > 0 && kth.iter().any(|k| *k < -n || *k >= n) {
        return fail(ErrorKind::Value, format!("one of {kth:?} is out of bounds of {n}"));
    }
    Ok(())
}

/// Returns a copy partitioned at positions. NumPy leaves the order of the other elements undefined; here they are
/// sorted.
///
/// # Errors
///
/// As [`sort`]; `ValueError` for a position that is out of bounds.
pub fn partition(a: &NdArray, kth: &[isize], axis: Option<isize>) -> Result<NdArray> {
    let (lines, along) = along(a, axis)?;
    check_kth(&lines, kth, along)?;
    sort(a, axis)
}

/// Returns the indices that partition, with the same order of the other elements.
///
/// # Errors
///
/// As [`partition`].
pub fn argpartition(a: &NdArray, kth: &[isize], axis: Option<isize>) -> Result<NdArray> {
    let whole = if a.ndim() == 0 { a.reshape(&[1], Order::C)? } else { a.clone() };
    let (lines, along) = along(&whole, axis)?;
    check_kth(&lines, kth, along)?;
    argsort(a, axis)
}

/// Returns the indices that sort by several keys, the last of them being the primary one.
///
/// # Errors
///
/// `TypeError` without keys, `ValueError` for different shapes, `AxisError` for an axis that does not exist.
pub fn lexsort(keys: &[&NdArray], axis: isize) -> Result<NdArray> {
    let Some(first) = keys.first() else { return fail(ErrorKind::Type, "there are no keys") };
    if keys.iter().any(|key| key.shape() != first.shape()) {
        return fail(ErrorKind::Value, "the keys have unlike shapes");
    }
    if first.ndim() == 0 {
        axis_index(axis, 1)?;
        return NdArray::from_values(DType::I64, &[], [Value::Int(0)]);
    }
    let axis = axis_index(axis, first.ndim())?;
    let columns: Vec<Vec<Vec<Value>>> = keys.iter().map(|key| lines(key, axis)).collect::<Result<_>>()?;
    let count = columns[0].len();
    let sorted = (0..count).map(|line| {
        let mut positions: Vec<usize> = (0..columns[0][line].len()).collect();
        positions.sort_by(|i, j| {
            let by = |key: &Vec<Vec<Value>>| order(&key[line][*i], &key[line][*j]);
            columns.iter().rev().map(by).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        });
        positions.into_iter().map(|i| Value::Int(i as i128)).collect()
    });
    of_lines(DType::I64, first.shape(), axis, &c_order(first.ndim()), &sorted.collect::<Vec<_>>())
}

/// Checks `kind`: every sort is stable, and a kind that NumPy does not know is rejected.
fn check_kind(t: &Arguments) -> std::result::Result<(), Fault> {
    match t.or("kind", "quicksort")?.chars().next() {
        Some('q' | 'h' | 'm' | 's') => Ok(()),
        _ => fail(ErrorKind::Value, "there is no such kind").map_err(Fault::from),
    }
}

counterparts! {
    "numpy.sort" = |t| {
        check_kind(t)?;
        sort(t.get("a")?, t.or("axis", Some(-1))?)
    };
    "numpy.argsort" = |t| {
        check_kind(t)?;
        argsort(t.get("a")?, t.or("axis", Some(-1))?)
    };
    "numpy.ndarray.sort" = |t| {
        let (a, axis): (&NdArray, isize) = (t.get("a")?, t.or("axis", -1)?);
        axis_index(axis, a.ndim())?;
        a.check_writable()?;
        sort(a, Some(axis))
    };
    "numpy.msort" = |t| sort(t.get("a")?, Some(0));
    "numpy.sort_complex" = |t| sort_complex(t.get("a")?);
    "numpy.partition" = |t| partition(t.get("a")?, &t.get::<Vec<isize>>("kth")?, t.or("axis", Some(-1))?);
    "numpy.argpartition" = |t| argpartition(t.get("a")?, &t.get::<Vec<isize>>("kth")?, t.or("axis", Some(-1))?);
    "numpy.ndarray.partition" = |t| {
        let (a, axis): (&NdArray, isize) = (t.get("a")?, t.or("axis", -1)?);
        axis_index(axis, a.ndim())?;
        a.check_writable()?;
        partition(a, &t.get::<Vec<isize>>("kth")?, Some(axis))
    };
    "numpy.lexsort" = |t| lexsort(&t.get::<Vec<&NdArray>>("keys")?, t.or("axis", -1)?);
}
