//! Insertion and deletion of elements along an axis, by one concatenation.
//!
//! The result is written once: [`insert`](fn@insert) and [`delete`](fn@delete) cut the array into the slices between
//! the positions and concatenate them, together with the values, by one launch.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use super::AlongOptions;
use crate::array::{Array, IntoInteger, Operand, integer};
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, Slice};
use crate::layout::{Dims, Layout, normalize_axis, shape_text};
use crate::routines::indexing::compress;
use crate::routines::logic;
use crate::table::{Argument, ParameterKind, Value};

/// Positions along an axis; negative ones count from its end.
///
/// Integers, ranges, lists, vectors and arrays convert to it, as in the example.
///
/// ```
/// use cuprum::{Positions, array, delete};
/// let a = array([1, 2, 3, 4])?;
/// assert_eq!(delete(&a, 0, ())?.to_vec::<i32>()?, [2, 3, 4]);
/// assert_eq!(delete(&a, [0, -1], ())?.to_vec::<i32>()?, [2, 3]);
/// assert_eq!(delete(&a, 1..3, ())?.to_vec::<i32>()?, [1, 4]);
/// assert_eq!(delete(&a, Positions::from(..).step(2), ())?.to_vec::<i32>()?, [2, 4]);
/// assert_eq!(delete(&a, &a.greater(2)?, ())?.to_vec::<i32>()?, [1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Positions {
    /// One index.
    At(isize),
    /// The indices of a slice.
    Slice(Slice),
    /// Several indices.
    List(Vec<isize>),
    /// The indices in an array of integers, or those where an array of booleans is true.
    Array(Array),
}

impl Positions {
    /// Returns the slice with a step.
    ///
    /// ```
    /// use cuprum::{Positions, array, delete};
    /// let every_second = Positions::from(..).step(2);
    /// assert_eq!(delete(&array([1, 2, 3, 4])?, every_second, ())?.to_vec::<i32>()?, [2, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    #[must_use]
    pub fn step(self, step: i64) -> Positions {
        match self {
            Positions::Slice(slice) => Positions::Slice(slice.step(step)),
            other => other,
        }
    }
}

impl<T: IntoInteger> From<T> for Positions {
    fn from(at: T) -> Positions {
        Positions::At(integer(at))
    }
}

impl<T: IntoInteger> From<&[T]> for Positions {
    fn from(all: &[T]) -> Positions {
        Positions::List(all.iter().copied().map(integer).collect())
    }
}

impl<T: IntoInteger, const N: usize> From<[T; N]> for Positions {
    fn from(all: [T; N]) -> Positions {
        Positions::from(all.as_slice())
    }
}

impl<T: IntoInteger> From<Vec<T>> for Positions {
    fn from(all: Vec<T>) -> Positions {
        Positions::from(all.as_slice())
    }
}

impl From<Slice> for Positions {
    fn from(slice: Slice) -> Positions {
        Positions::Slice(slice)
    }
}

impl From<std::ops::RangeFull> for Positions {
    fn from(_: std::ops::RangeFull) -> Positions {
        Positions::Slice(Slice::default())
    }
}

impl<T: IntoInteger> From<std::ops::Range<T>> for Positions {
    fn from(range: std::ops::Range<T>) -> Positions {
        Positions::Slice(Slice::from(integer(range.start) as i64..integer(range.end) as i64))
    }
}

impl From<Array> for Positions {
    fn from(a: Array) -> Positions {
        Positions::Array(a)
    }
}

impl From<&Array> for Positions {
    fn from(a: &Array) -> Positions {
        Positions::Array(a.clone())
    }
}

impl Argument<'_> for Positions {
    const KIND: ParameterKind = ParameterKind::Sections;

    fn read(value: &Value) -> Result<Positions> {
        match value {
            Value::Integers(all) => Ok(Positions::List(all.clone())),
            Value::Array(a) => Ok(Positions::Array(a.clone())),
            one => isize::read(one).map(Positions::At),
        }
    }

    fn value(&self) -> Value {
        match self {
            Positions::At(at) => at.value(),
            Positions::List(all) => Value::Integers(all.clone()),
            Positions::Array(a) => a.into(),
            Positions::Slice(_) => Value::None,
        }
    }
}

/// Normalised positions.
struct Resolved {
    /// Indices on the axis, or past its end, in the given order.
    all: Vec<usize>,
    /// True for a single index, not a list.
    one: bool,
}

/// Normalises positions on an axis of `n` elements; up to `beyond` positions past the end are allowed. Synchronises if
/// the positions are an array.
fn resolve(obj: &Positions, n: usize, beyond: usize) -> Result<Resolved> {
    let (list, one) = match obj {
        Positions::At(at) => (vec![*at], true),
        Positions::List(all) => (all.clone(), false),
        Positions::Slice(slice) => {
            let (first, count, step) = slice.resolve(n)?;
            ((0..count as i64).map(|k| (first + k * step) as isize).collect(), false)
        }
        Positions::Array(a) if a.dtype() == DType::Bool => {
            if a.ndim() != 1 {
                let shape = shape_text(a.shape());
                let message = format!("a mask of shape {shape} does not index a single axis: it must be 1-D");
                return Err(Error::new(ErrorKind::Value, message));
            }
            let mask = a.to_vec::<bool>()?;
            ((0..mask.len() as isize).filter(|&i| mask[i as usize]).collect(), false)
        }
        Positions::Array(a) if a.ndim() > 1 => {
            let message = format!("an index array of shape {} has several axes: it must be 1-D", shape_text(a.shape()));
            return Err(Error::new(ErrorKind::Value, message));
        }
        Positions::Array(a) if a.dtype().is_integer() => (a.to_vec::<isize>()?, a.ndim() == 0),
        Positions::Array(a) if a.size() == 0 => (vec![], false),
        Positions::Array(a) => {
            return Err(Error::new(ErrorKind::Index, format!("indices are integers, not {}", a.dtype())));
        }
    };
    let resolve_one = |at: isize| {
        let found = usize::try_from(if at < 0 { at + n as isize } else { at }).ok().filter(|&p| p < n + beyond);
        found.ok_or_else(|| {
            Error::new(ErrorKind::Index, format!("index {at} is out of bounds for an axis of {n} elements"))
        })
    };
    Ok(Resolved { all: list.into_iter().map(resolve_one).collect::<Result<_>>()?, one })
}

/// Returns the array and the axis; without an axis the flattened array.
fn lines(arr: &Array, axis: Option<isize>) -> Result<(Array, usize)> {
    match axis {
        None => Ok((arr.in_one_axis()?, 0)),
        Some(axis) => Ok((arr.clone(), normalize_axis(axis, arr.ndim())?)),
    }
}

fn part(a: &Array, axis: usize, from: usize, to: usize) -> Result<Array> {
    let mut index = vec![Index::Slice(Slice::default()); axis + 1];
    index[axis] = Index::Slice(Slice::from(from as i64..to as i64));
    a.index(index)
}

/// Concatenates parts in an array that is laid out as `like`: in Fortran order if `like` is in that order alone.
fn put_together(parts: &[Array], like: &Array, axis: usize) -> Result<Array> {
    let out = result(like, axis, parts.iter().map(|p| p.shape()[axis]).sum())?;
    engine::concatenate(&parts.iter().collect::<Vec<_>>(), axis, &out)?;
    Ok(out)
}

fn result(like: &Array, axis: usize, n: usize) -> Result<Array> {
    let mut shape: Dims = like.shape().into();
    shape[axis] = n;
    let fortran = like.is_f_contiguous() && !like.is_c_contiguous();
    let layout =
        if fortran { Layout::f_order(&shape, like.itemsize()) } else { Layout::c_order(&shape, like.itemsize()) };
    Array::of_layout(like.device(), layout, like.dtype())
}

/// Inserts values before positions of an axis, or without one of the flattened array; NumPy's `insert`. The values are
/// cast to the dtype of the array. Before a single index, any number of values is inserted; before several indices, one
/// value before each, or as many as there are.
///
/// The result has the dtype of `arr` and its shape, with the axis longer by the number of insertions; without an axis
/// it has one axis. It is in Fortran order if the array is, and in C order otherwise.
///
/// ```
/// use cuprum::{array, insert};
/// let a = array([[1, 2], [3, 4]])?;
/// assert_eq!(insert(&a, 1, 9, ())?.to_vec::<i32>()?, [1, 9, 2, 3, 4]);
/// assert_eq!(insert(&a, [0, 2], array([8, 9])?, 1)?.to_vec::<i32>()?, [8, 1, 2, 9, 8, 3, 4, 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Index`] for an index that is out of bounds, [`ErrorKind::Axis`], [`ErrorKind::Value`] for values that
/// cannot be broadcast to the positions, and for a scalar that [`Array::assign`] rejects.
///
/// # Synchronization
///
/// Synchronises if the positions are an array.
#[routine(python(written = "values"))]
pub fn insert(arr: &Array, obj: Positions, values: Operand<'_>, options: AlongOptions) -> Result<Array> {
    let (a, axis) = lines(arr, options.axis)?;
    let n = a.shape()[axis];
    let indices = resolve(&obj, n, 1)?;
    let values = match values {
        Operand::Array(values) => values.clone(),
        Operand::Scalar(one) => {
            one.check_assigns(a.dtype())?;
            let value = make::empty(a.device(), &[], a.dtype())?;
            engine::fill(&value, one)?;
            value
        }
    };
    engine::one_device(&a, [&values])?;
    let mut shape: Dims = a.shape().into();
    let several = indices.all.len();
    if several == 1 {
        let at = indices.all[0];
        let new = a.ndim().saturating_sub(values.ndim());
        let values = values.expand_dims(0..new)?;
        let values = if indices.one { values.moveaxis(0, axis)? } else { values };
        shape[axis] = values.shape()[axis];
        let values = fitted(&values, &shape)?;
        return put_together(&[part(&a, axis, 0, at)?, values, part(&a, axis, at, n)?], &a, axis);
    }
    shape[axis] = several;
    let values = fitted(&values, &shape)?;
    let mut order: Vec<usize> = (0..several).collect();
    order.sort_by_key(|&k| indices.all[k]);
    let (mut parts, mut from) = (Vec::with_capacity(2 * several + 1), 0);
    for k in order {
        let at = indices.all[k];
        if at > from {
            parts.push(part(&a, axis, from, at)?);
            from = at;
        }
        parts.push(part(&values, axis, k, k + 1)?);
    }
    parts.push(part(&a, axis, from, n)?);
    put_together(&parts, &a, axis)
}

/// Broadcasts the values to a shape; additional leading axes of length 1 are dropped.
fn fitted(values: &Array, shape: &[usize]) -> Result<Array> {
    let more = values.ndim().saturating_sub(shape.len());
    let ones = values.shape()[..more].iter().all(|&n| n == 1);
    let seen = if ones { values.with_layout(values.layout().without_front(more)) } else { values.clone() };
    seen.broadcast_to_shape(shape).map_err(|_| {
        let (own, to) = (shape_text(values.shape()), shape_text(shape));
        Error::new(ErrorKind::Value, format!("values of shape {own} do not fit where {to} are inserted"))
    })
}

/// Deletes the elements at positions of an axis, or without one of the flattened array; NumPy's `delete`. An index may
/// occur several times.
///
/// The result has the dtype of `arr` and its shape, with the axis shorter by the number of different positions; without
/// an axis it has one axis.
///
/// ```
/// use cuprum::{array, delete};
/// let a = array([[1, 2, 3], [4, 5, 6]])?;
/// assert_eq!(delete(&a, 1, 1)?.to_vec::<i32>()?, [1, 3, 4, 6]);
/// assert_eq!(delete(&a, [0, -1], ())?.to_vec::<i32>()?, [2, 3, 4, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Index`] for an index that is out of bounds, [`ErrorKind::Axis`], [`ErrorKind::Value`] for a mask of
/// another length than the axis.
///
/// # Synchronization
///
/// Synchronises if the positions are an array.
#[routine]
pub fn delete(arr: &Array, obj: Positions, options: AlongOptions) -> Result<Array> {
    let (a, axis) = lines(arr, options.axis)?;
    let n = a.shape()[axis];
    if let Positions::Array(mask) = &obj
        && mask.dtype() == DType::Bool
    {
        if mask.shape() != [n] {
            let shape = shape_text(mask.shape());
            let message = format!("a mask of shape {shape} does not say of {n} elements which are deleted");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let order = outermost(&a, axis);
        return compress(logic::logical_not(mask)?, a.transpose(&order)?, 0)?
            .moveaxis((0..a.ndim()).collect::<Vec<_>>(), order);
    }
    if let Positions::Slice(slice) = &obj {
        return without_slice(&a, axis, slice.resolve(n)?);
    }
    let mut gone = resolve(&obj, n, 0)?.all;
    let several = gone.len() != 1;
    gone.sort_unstable();
    gone.dedup();
    let (mut parts, mut from) = (Vec::with_capacity(gone.len() + 1), 0);
    for at in gone {
        if at > from {
            parts.push(part(&a, axis, from, at)?);
        }
        from = at + 1;
    }
    parts.push(part(&a, axis, from, n)?);
    if !several {
        return put_together(&parts, &a, axis);
    }
    let order = outermost(&a, axis);
    let mut shape: Dims = order.iter().map(|&x| a.shape()[x as usize]).collect();
    shape[0] = parts.iter().map(|p| p.shape()[axis]).sum();
    let out = make::empty(a.device(), &shape, a.dtype())?.moveaxis((0..a.ndim()).collect::<Vec<_>>(), order)?;
    engine::concatenate(&parts.iter().collect::<Vec<_>>(), axis, &out)?;
    Ok(out)
}

/// Returns the memory order of the axes in the result of NumPy's advanced indexing along one axis: that axis outermost,
/// the others as in the array.
fn outermost(a: &Array, axis: usize) -> Vec<isize> {
    let mut order: Vec<isize> = (0..a.ndim() as isize).filter(|&x| x as usize != axis).collect();
    order.sort_by_key(|&x| std::cmp::Reverse(a.strides()[x as usize].unsigned_abs()));
    order.insert(0, axis as isize);
    order
}

/// Deletes a slice: keeps the elements before it, between its indices and after it, in a fixed number of copies.
fn without_slice(a: &Array, axis: usize, (first, count, step): (i64, usize, i64)) -> Result<Array> {
    let n = a.shape()[axis];
    // From the lowest index upwards.
    let each = step.unsigned_abs() as usize;
    let low = if step > 0 { first } else { first + (count as i64 - 1) * step } as usize;
    if count < 2 || each == 1 {
        let (low, end) = if count == 0 { (n, n) } else { (low, low + count) };
        return put_together(&[part(a, axis, 0, low)?, part(a, axis, end, n)?], a, axis);
    }
    let last = low + (count - 1) * each;
    let out = result(a, axis, n - count)?;
    engine::copy(&part(a, axis, 0, low)?, &part(&out, axis, 0, low)?)?;
    engine::copy(&part(a, axis, last + 1, n)?, &part(&out, axis, last + 1 - count, n - count)?)?;
    // Between the deleted indices: an axis of groups, and one of the elements kept of each.
    let from = grouped(&part(a, axis, low, last)?, axis, each);
    let to = grouped(&part(&out, axis, low, last + 1 - count)?, axis, each - 1);
    engine::copy(&part(&from, axis + 1, 1, each)?, &to)?;
    Ok(out)
}

/// Returns a view in which an axis is split into groups of `each` elements.
fn grouped(a: &Array, axis: usize, each: usize) -> Array {
    let mut layout = a.layout().clone();
    let (n, stride) = (layout.shape[axis], layout.strides[axis]);
    layout.shape[axis] = n / each;
    layout.strides[axis] = stride * each as i64;
    layout.shape.insert(axis + 1, each);
    layout.strides.insert(axis + 1, stride);
    a.with_layout(layout)
}
