//! Advanced indexing: arrays of integers and boolean masks as parts of an index.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::{Index, slice};
use crate::core::layout::{Order, broadcast_shapes};
use crate::core::value::{Flag, Value};
use crate::numpy::indexing::take::assigned;
use crate::numpy::searching::{multi_indices, nonzero};

/// One part of an index.
#[derive(Clone, Debug)]
pub enum Part {
    /// A part of a basic index.
    Basic(Index),
    /// A boolean.
    Truth(bool),
    /// An array of integers or booleans.
    Array(NdArray),
}

/// Index along one axis of the array for each element of the result.
enum Along {
    /// A single index.
    Fixed(usize),
    /// Start, step and the axis of the result: a slice, which has an axis of the result of its own.
    Walked(usize, isize, isize),
    /// Indices of the index arrays, counted from the front.
    Picked(Vec<usize>),
}

/// Shape of the result, the index of each of its elements in C order, and its memory layout.
struct Picked {
    shape: Vec<usize>,
    /// Indices of the elements; an error where an index is out of bounds, which is checked last.
    positions: Result<Vec<Vec<usize>>>,
    order: Vec<usize>,
}

fn resolve(a: &NdArray, parts: &[Part]) -> Result<Picked> {
    let axes_of = |part: &Part| match part {
        Part::Basic(Index::At(_) | Index::Slice(..)) => 1,
        Part::Array(mask) if mask.dtype() == DType::Bool => mask.ndim(),
        Part::Array(_) => 1,
        _ => 0,
    };
    let used: usize = parts.iter().map(axes_of).sum();
    let ellipses = parts.iter().filter(|p| matches!(p, Part::Basic(Index::Ellipsis))).count();
    if ellipses > 1 {
        return fail(ErrorKind::Index, "an index can only have a single ellipsis");
    }
    if used > a.ndim() {
        return fail(ErrorKind::Index, format!("too many indices: {used} for {} axes", a.ndim()));
    }

    // The selection along each axis; the remaining axes, each with its length and stride; the index arrays.
    let (mut along, mut rest, mut indices, mut shapes) = (vec![], vec![], vec![], vec![]);
    // Position of the index arrays among the remaining axes, and whether they are adjacent.
    let (mut first, mut after, mut apart) = (None, false, false);
    let end = Part::Basic(Index::Ellipsis);
    for part in parts.iter().chain((ellipses == 0).then_some(&end)) {
        let advanced = !matches!(part, Part::Basic(Index::Slice(..) | Index::NewAxis | Index::Ellipsis));
        if advanced {
            apart |= after;
            first = first.or(Some(rest.len()));
        } else {
            after = first.is_some();
        }
        let axis = along.len();
        match part {
            Part::Basic(Index::At(at)) => {
                let n = a.shape()[axis] as isize;
                if *at < -n || *at >= n {
                    return fail(ErrorKind::Index, format!("index {at} is out of bounds for axis {axis}"));
                }
                along.push(Along::Fixed(at.rem_euclid(n) as usize));
            }
            Part::Basic(Index::Slice(start, stop, step)) => {
                let (start, count, step) = slice(*start, *stop, *step, a.shape()[axis] as isize)?;
                along.push(Along::Walked(rest.len(), start, step));
                rest.push((count, a.strides()[axis] * step));
            }
            Part::Basic(Index::NewAxis) => rest.push((1, 0)),
            Part::Basic(Index::Ellipsis) => {
                for axis in axis..axis + a.ndim() - used {
                    along.push(Along::Walked(rest.len(), 0, 1));
                    rest.push((a.shape()[axis], a.strides()[axis]));
                }
            }
            Part::Truth(truth) => shapes.push(vec![usize::from(*truth)]),
            Part::Array(mask) if mask.dtype() == DType::Bool && mask.ndim() == 0 => {
                shapes.push(vec![usize::from(mask.get(&[]).truth())]);
            }
            Part::Array(mask) if mask.dtype() == DType::Bool => {
                // Lengths of 0 are not compared: such a mask selects no elements.
                let fits = |own: &[usize]| own.iter().zip(mask.shape()).all(|(own, n)| own == n || *n == 0);
                if !a.shape().get(axis..axis + mask.ndim()).is_some_and(fits) {
                    return fail(ErrorKind::Index, format!("a mask of shape {:?} does not fit", mask.shape()));
                }
                for found in nonzero(mask)? {
                    shapes.push(found.shape().to_vec());
                    indices.push((along.len(), found));
                    along.push(Along::Picked(vec![]));
                }
            }
            Part::Array(of) => {
                if !of.dtype().is_integer() {
                    return fail(ErrorKind::Index, format!("{} is no dtype of indices", of.dtype()));
                }
                shapes.push(of.shape().to_vec());
                indices.push((along.len(), of.clone()));
                along.push(Along::Picked(vec![]));
            }
        }
    }
    let together: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let Ok(picked) = broadcast_shapes(&together) else {
        return fail(ErrorKind::Index, "the arrays of indices do not go together");
    };
    let mut out_of_bounds = None;
    for (axis, of) in indices {
        let n = a.shape()[axis] as i128;
        let counted = of.broadcast_to(&picked)?.values().into_iter().map(|v| {
            // uint64 indices are reinterpreted as int64.
            let i = i128::from(v.int() as i64);
            if i < -n || i >= n {
                return fail(ErrorKind::Index, format!("index {i} is out of bounds for axis {axis} of length {n}"));
            }
            Ok(i.rem_euclid(n) as usize)
        });
        match counted.collect::<Result<_>>() {
            Ok(all) => along[axis] = Along::Picked(all),
            Err(e) => out_of_bounds = out_of_bounds.or(Some(e)),
        }
    }

    let at = if apart { 0 } else { first.unwrap_or(0) };
    let lengths: Vec<usize> = rest.iter().map(|(n, _)| *n).collect();
    let shape = [&lengths[..at], &picked, &lengths[at..]].concat();
    let of_result = |position: &Vec<usize>| {
        let (indices, left) =
            (&position[at..at + picked.len()], [&position[..at], &position[at + picked.len()..]].concat());
        let number = indices.iter().zip(&picked).fold(0, |number, (i, n)| number * n + i);
        let of_axis = |along: &Along| match along {
            Along::Fixed(at) => *at,
            Along::Walked(axis, start, step) => (start + left[*axis] as isize * step) as usize,
            Along::Picked(all) => all[number],
        };
        along.iter().map(of_axis).collect()
    };
    // In memory the axes of the index arrays are outermost; the others keep their order.
    let strides = rest.iter().map(|(_, stride)| *stride).collect();
    let inner = a.view(lengths.clone(), strides, 0).order_axes(Order::K);
    let name = |axis: usize| if axis < at { axis } else { axis + picked.len() };
    let order = (at..at + picked.len()).chain(inner.into_iter().map(name)).collect();
    let all = out_of_bounds.map_or_else(|| Ok(multi_indices(&shape).iter().map(of_result).collect()), Err);
    Ok(Picked { positions: all, shape, order })
}

/// Returns a copy of the elements that an index selects: NumPy's `a[parts]`.
///
/// # Errors
///
/// `IndexError` for too many parts, arrays of other dtypes, arrays and masks that do not fit, and indices out of bounds;
/// `ValueError` for a step of 0.
pub fn pick(a: &NdArray, parts: &[Part]) -> Result<NdArray> {
    let picked = resolve(a, parts)?;
    let values: Vec<Value> = picked.positions?.iter().map(|position| a.get(position)).collect();
    Ok(NdArray::from_order(a.dtype(), &picked.shape, &picked.order, &values))
}

/// Assigns `a[parts] = value` and returns the changed array. Elements are written in C order, so that the last of
/// several values for one index is kept.
///
/// # Errors
///
/// As [`pick`]; `ValueError` for a value that does not broadcast; for a mask of the array's own shape `TypeError` for a value
/// of several axes and `ValueError` for another number of elements; as [`NdArray::assign`] for a scalar.
pub fn put_at(a: &NdArray, parts: &[Part], value: &Operand<'_>) -> Result<NdArray> {
    a.check_writable()?;
    let picked = resolve(a, parts)?;
    let whole =
        matches!(parts, [Part::Array(mask)] if mask.dtype() == DType::Bool && mask.ndim() == a.ndim() && a.ndim() > 0);
    if let (true, Operand::Array(v)) = (whole, value) {
        if v.ndim() > 1 {
            return fail(ErrorKind::Type, "what a mask picks has one axis");
        }
        let count: usize = picked.shape.iter().product();
        if v.size() != 1 && v.size() != count {
            return fail(ErrorKind::Value, format!("{} values for {count} elements", v.size()));
        }
    }
    let mut from = assigned(a, value)?;
    while from.ndim() > picked.shape.len() && from.shape()[0] == 1 {
        from = from.index(&[Index::At(0)])?;
    }
    let from = from.broadcast_to(&picked.shape)?;
    let (flags, all) = (from.flags(), picked.positions?);
    let mut elements = vec![None; a.size()];
    for ((position, value), flag) in all.iter().zip(from.values()).zip(flags) {
        let at = position.iter().zip(a.shape()).fold(0, |at, (i, n)| at * n + i);
        elements[at] = Some((value, flag));
    }
    let before: Vec<Flag> = a.flags();
    let after = a.with_elements(&elements);
    let flags = after.flags().into_iter().zip(before).zip(&elements);
    let flags = flags.map(|((now, before), e)| if e.is_some() { now } else { before }).collect();
    Ok(after.with_flags(flags))
}
