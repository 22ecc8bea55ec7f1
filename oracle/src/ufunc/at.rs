//! `ufunc.at`: in-place updates at indices, executed one after the other.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{Order, broadcast_shapes};
use crate::core::value::{Flag, Value};
use crate::numpy::creation::basic::zeros;
use crate::numpy::searching::nonzero;
use crate::table::{Arguments, CallResult, counterparts};
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::loops::find;
use crate::ufunc::methods::strong;
use crate::ufunc::ufunc;

/// Checks that the function has `at`, and that the number of operands is right, before the operand itself is checked.
///
/// # Errors
///
/// `ValueError` for a function of several results and for a second operand too many or too few.
pub(crate) fn check(name: &str, operand: bool) -> Result<()> {
    let spec = find(name)?;
    if spec.loops.iter().any(|form| form.split(' ').any(|f| f.split("->").nth(1).is_some_and(|outs| outs.len() > 1))) {
        return fail(ErrorKind::Value, format!("{name} has several results"));
    }
    if spec.nin > 2 || spec.nin != 1 + usize::from(operand) {
        return fail(ErrorKind::Value, format!("{name} takes {} operands", spec.nin));
    }
    Ok(())
}

/// Computes `function.at(a, indices, operand)` and returns the changed `a`. `indices` are arrays of integers, or masks,
/// for the first axes of `a`. A scalar operand is an array of its own dtype.
///
/// # Errors
///
/// `IndexError` for an index out of bounds, arrays of other dtypes, or more of them than axes; `ValueError` for shapes
/// that do not broadcast, a second operand too many or too few, and functions of more results; `TypeError` where no loop
/// takes the dtypes.
pub fn at(name: &str, a: &NdArray, indices: &[NdArray], operand: Option<&NdArray>) -> Result<NdArray> {
    check(name, operand.is_some())?;
    a.check_writable()?;
    let step = |x: &NdArray, y: Option<&NdArray>| {
        let operands: Vec<Operand<'_>> = [x].into_iter().chain(y).map(Operand::Array).collect();
        Ok(ufunc(name, &operands, &UfuncOptions::default())?.astype(a.dtype(), Order::K))
    };
    // The existence of a loop does not depend on the number of elements.
    let none = |of: &NdArray| zeros(&[0], of.dtype(), Order::C);
    step(&none(a)?, operand.map(none).transpose()?.as_ref())?;

    // A mask is replaced by the indices of its true elements, one array for each of its axes.
    let mut expanded = vec![];
    for index in indices {
        if index.dtype() != DType::Bool {
            expanded.push(index.clone());
            continue;
        }
        let from = expanded.len();
        if index.ndim() == 0 || a.shape().get(from..from + index.ndim()) != Some(index.shape()) {
            return fail(ErrorKind::Index, format!("a mask of shape {:?} does not fit", index.shape()));
        }
        expanded.extend(nonzero(index)?);
    }
    let indices = &expanded[..];

    if indices.is_empty() || indices.len() > a.ndim() {
        return fail(ErrorKind::Index, format!("{} indices for {} axes", indices.len(), a.ndim()));
    }
    if let Some(other) = indices.iter().find(|i| !i.dtype().is_integer()) {
        return fail(ErrorKind::Index, format!("{} is no dtype of indices", other.dtype()));
    }
    let shapes: Vec<&[usize]> = indices.iter().map(NdArray::shape).collect();
    let Ok(shape) = broadcast_shapes(&shapes) else {
        return fail(ErrorKind::Index, "the arrays of indices do not go together");
    };
    let lists: Vec<Vec<i128>> = indices
        .iter()
        .map(|i| Ok(i.broadcast_to(&shape)?.values().into_iter().map(|v| v.int()).collect()))
        .collect::<Result<_>>()?;
    for (axis, list) in lists.iter().enumerate() {
        let n = a.shape()[axis] as i128;
        if let Some(i) = list.iter().find(|i| **i < -n || **i >= n) {
            return fail(ErrorKind::Index, format!("index {i} is out of bounds for axis {axis} of length {n}"));
        }
    }
    let inner = &a.shape()[indices.len()..];
    let operand = operand.map(|b| b.broadcast_to(&[&shape, inner].concat())).transpose()?;
    let mut out = a.clone();
    // An element that was undefined once stays undefined; the sign of a zero is undefined only after the last step.
    let mut open = zeros(a.shape(), DType::U8, Order::C)?;
    let mut any_open = false;
    let count: usize = shape.iter().product();
    for k in 0..count {
        let key: Vec<Index> = lists.iter().map(|list| Index::At(list[k] as isize)).collect();
        let with = operand.as_ref().map(|b| b.index(&position(&shape, k))).transpose()?;
        let changed = step(&out.index(&key)?, with.as_ref())?;
        any_open |= !changed.is_exact();
        if any_open {
            let flags = changed.flags().into_iter().zip(open.index(&key)?.values());
            let stays = |open: i128| if open < Flag::Ours as i128 { 0 } else { open };
            let both = flags.map(|(flag, open)| Value::Int((flag as i128).max(stays(open.int()))));
            open.assign(&key, &Operand::Array(&NdArray::from_values(DType::U8, changed.shape(), both)?))?;
        }
        out.assign(&key, &Operand::Array(&changed))?;
    }
    let all = [Flag::OurSign, Flag::AnySign, Flag::Ours, Flag::Any];
    let known = |open: i128| all.into_iter().find(|f| *f as i128 == open).unwrap_or_default();
    let flags = out.flags().into_iter().zip(open.values()).map(|(flag, open)| flag.max(known(open.int()))).collect();
    Ok(out.with_flags(flags))
}

/// Returns the index of element `k` of a shape in C order.
fn position(shape: &[usize], mut k: usize) -> Vec<Index> {
    let mut out = vec![Index::Ellipsis];
    for n in shape.iter().rev() {
        out.insert(0, Index::At((k % n) as isize));
        k /= n;
    }
    out
}
fn scatter(function: &str, t: &Arguments) -> CallResult<NdArray> {
    let (a, slices): (&NdArray, Vec<&NdArray>) = (t.get("a")?, t.get("slices")?);
    let value = strong(&t.get("value")?)?;
    let slices: Vec<NdArray> = slices.into_iter().cloned().collect();
    Ok(at(function, a, &slices, Some(&value))?.copy(Order::K))
}

counterparts! {
    "cupyx.scatter_add" = |t| scatter("add", t)?;
    "cupyx.scatter_max" = |t| scatter("maximum", t)?;
    "cupyx.scatter_min" = |t| scatter("minimum", t)?;
}
