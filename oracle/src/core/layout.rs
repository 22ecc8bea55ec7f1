//! Shapes, strides and memory order.

use crate::core::error::{ErrorKind, Result, fail};

/// The memory order of a new array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// The last axis is innermost.
    C,
    /// The first axis is innermost.
    F,
    /// Fortran order if the operands have it (and not C order too), else C order.
    A,
    /// As close to the operands' order as possible.
    #[default]
    K,
}

pub(crate) fn c_order(ndim: usize) -> Vec<usize> {
    (0..ndim).collect()
}

/// Returns the strides of a contiguous array with its axes in this order, outermost first. Axes of length 0 count as 1.
pub(crate) fn packed(shape: &[usize], item: usize, axes: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut step = item as isize;
    for &axis in axes.iter().rev() {
        strides[axis] = step;
        step *= shape[axis].max(1) as isize;
    }
    strides
}

/// Returns the byte offset of every element, in C order.
pub(crate) fn offsets(shape: &[usize], strides: &[isize], start: usize) -> Vec<usize> {
    let mut out = vec![start as isize];
    for (n, stride) in shape.iter().zip(strides) {
        out = out.iter().flat_map(|at| (0..*n as isize).map(move |i| at + i * stride)).collect();
    }
    out.into_iter().map(|at| at as usize).collect()
}

/// Returns the axes of one array by stride, the largest magnitude first; equal ones keep their order.
pub(crate) fn sorted_by_stride(strides: &[isize]) -> Vec<usize> {
    let mut axes = c_order(strides.len());
    axes.sort_by_key(|i| std::cmp::Reverse(strides[*i].unsigned_abs()));
    axes
}

/// Returns the axes, outermost first, in which several operands of one shape are iterated.
///
/// An insertion sort from C order: two axes are exchanged where the operands' strides all require it. Operands with
/// stride 0 along one of the two are ignored; where operands disagree, C order is kept. `strides` holds each operand's
/// strides, broadcast to the common shape, with 0 on axes of length 1.
pub(crate) fn walk_order(ndim: usize, strides: &[Vec<isize>]) -> Vec<usize> {
    // Innermost first while sorting.
    let mut axes: Vec<usize> = (0..ndim).rev().collect();
    for start in 1..ndim {
        let axis = axes[start];
        let mut slot = start;
        for other_at in (0..start).rev() {
            let other = axes[other_at];
            let votes = strides.iter().filter(|s| s[axis] != 0 && s[other] != 0);
            let mut votes = votes.map(|s| s[other].unsigned_abs() > s[axis].unsigned_abs()).peekable();
            if votes.peek().is_none() {
                continue;
            }
            if votes.all(|inner| inner) {
                slot = other_at;
            } else {
                break;
            }
        }
        axes[slot..=start].rotate_right(1);
    }
    axes.reverse();
    axes
}

/// Returns the broadcast shape of several shapes.
///
/// # Errors
///
/// `ValueError` if two lengths of an axis differ and neither is 1.
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Result<Vec<usize>> {
    let ndim = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let mut out = vec![1; ndim];
    for shape in shapes {
        for (o, n) in out.iter_mut().rev().zip(shape.iter().rev()) {
            match (*o, *n) {
                (a, b) if a == b => {}
                (_, 1) => {}
                (1, b) => *o = b,
                _ => {
                    let message = format!("operands could not be broadcast together with shapes {shapes:?}");
                    return fail(ErrorKind::Value, message);
                }
            }
        }
    }
    Ok(out)
}

/// Converts an axis that may be negative to an index.
///
/// # Errors
///
/// `AxisError` if it is out of bounds.
pub(crate) fn axis_index(axis: isize, ndim: usize) -> Result<usize> {
    let index = if axis < 0 { axis + ndim as isize } else { axis };
    if index < 0 || index >= ndim as isize {
        return fail(
            ErrorKind::Axis,
            format!(
                "axis {axis} is out of bounds for an array of {ndim} dimension{}",
                if ndim == 1 { "" } else { "s" }
            ),
        );
    }
    Ok(index as usize)
}

/// Converts several axes to indices.
///
/// # Errors
///
/// `AxisError` if one is out of bounds, `ValueError` for a repeated axis.
pub(crate) fn axis_indices(axes: &[isize], ndim: usize, what: &str) -> Result<Vec<usize>> {
    let out = axes.iter().map(|a| axis_index(*a, ndim)).collect::<Result<Vec<_>>>()?;
    if (1..out.len()).any(|i| out[..i].contains(&out[i])) {
        return fail(ErrorKind::Value, format!("repeated axis in {what}"));
    }
    Ok(out)
}
