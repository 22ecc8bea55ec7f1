//! Repetition of elements: `tile`, `repeat` and `resize`.
//!
//! `tile` and `resize` are one copy from a broadcast view where the layout allows it, so that each element is read once
//! for every time that it is written; `repeat` with counts is a scan of the counts and a gather.

use cuprum_kernels::DType;
use cuprum_macros::routine;
use smallvec::SmallVec;

use super::AlongOptions;
use super::join::joined;
use crate::array::{Array, IntoShape, Operand, checked_shape};
use crate::dtype::{Casting, can_cast};
use crate::engine::{self, Formula, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, checked_bytes, normalize_axis, shape_text, size_of};
use crate::reduction::Reduce;
use crate::routines::statistics;
use crate::scan::{ScanOptions, cumsum};

/// Repeats an array a number of times along each axis; NumPy's `tile`. If there are fewer numbers than axes, they apply
/// to the last ones.
///
/// The result has the dtype of the array; each axis is as many times as long as its number.
///
/// ```
/// use cuprum::{array, tile};
/// let a = array([[1, 2]])?;
/// assert_eq!(tile(&a, 2)?.to_vec::<i32>()?, [1, 2, 1, 2]);
/// assert_eq!(tile(&a, (2, 1))?.shape(), [2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative number, and where the result exceeds the largest array.
#[routine(names = "A reps", method)]
pub fn tile(a: &Array, reps: impl IntoShape) -> Result<Array> {
    let reps = checked_shape(&reps.into_shape())?;
    let ndim = a.ndim().max(reps.len());
    if reps.iter().all(|&n| n == 1) {
        return a.expand_dims(0..ndim - a.ndim())?.copy(Order::K);
    }
    let mut seen: Dims = smallvec::smallvec![1; ndim - a.ndim()];
    seen.extend_from_slice(a.shape());
    let times = |x: usize| (x + reps.len()).checked_sub(ndim).map_or(1, |k| reps[k]);
    let too_large = || {
        let shape = shape_text(a.shape());
        Error::new(ErrorKind::Value, format!("{reps:?} times an array of shape {shape} is too large to be addressed"))
    };
    let shape: Dims = (0..ndim).map(|x| seen[x].checked_mul(times(x)).ok_or_else(too_large)).collect::<Result<_>>()?;
    let out = make::empty(a.device(), &shape, a.dtype())?;
    let formula = |x: usize| if times(x) == 1 { Formula::Same } else { Formula::Wrapped(0) };
    let formulas: SmallVec<[Formula; 6]> = (0..ndim).map(formula).collect();
    let a = a.expand_dims(0..ndim - a.ndim())?;
    engine::remap(&a, &formulas, None, [0; 16], &out)?;
    Ok(out)
}

/// Repeats each element a number of times along an axis, or without one of the flattened array; NumPy's `repeat`. The
/// number is one for all elements, or an array of integers with one for each.
///
/// The result has the dtype of `a`, and the sum of the repeats along the axis; without an axis it has one axis.
///
/// ```
/// use cuprum::{array, repeat};
/// let a = array([[1, 2], [3, 4]])?;
/// assert_eq!(repeat(&a, 2, ())?.to_vec::<i32>()?, [1, 1, 2, 2, 3, 3, 4, 4]);
/// assert_eq!(repeat(&a, array([0, 2])?, 0)?.to_vec::<i32>()?, [3, 4, 3, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for numbers that are not integers, [`ErrorKind::Value`] for negative ones, for too few or too
/// many and for an array of them with several axes, [`ErrorKind::Axis`].
///
/// # Synchronization
///
/// With an array of repeats, synchronises to read their sum.
#[routine(method, python(indices = "repeats"))]
pub fn repeat(a: &Array, repeats: Operand<'_>, options: AlongOptions) -> Result<Array> {
    let (a, axis) = match options.axis {
        None => (a.in_one_axis()?, 0),
        Some(axis) if a.ndim() == 0 => (a.in_one_axis()?, normalize_axis(axis, 1)?),
        Some(axis) => (a.clone(), normalize_axis(axis, a.ndim())?),
    };
    let counts = match repeats {
        Operand::Array(counts) => counts,
        Operand::Scalar(one) => return repeated(&a, axis, one.as_i64().unwrap_or(one.real() as i64)),
    };
    engine::one_device(&a, [counts])?;
    if !can_cast(counts.dtype(), DType::I64, Casting::Safe) {
        let message = format!("numbers of repetitions are integers: {} is not cast to int64", counts.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    if counts.ndim() > 1 {
        let shape = shape_text(counts.shape());
        let message = format!("numbers of repetitions of shape {shape} have too many axes: one is needed");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let counts = counts.astype(DType::I64)?;
    if counts.size() == 1 {
        return repeated(&a, axis, counts.item()?);
    }
    if counts.size() != a.shape()[axis] {
        let (given, shape) = (counts.size(), shape_text(a.shape()));
        let message = format!("{given} numbers of repetitions do not go with axis {axis} of an array of shape {shape}");
        return Err(Error::new(ErrorKind::Value, message));
    }
    if counts.size() == 0 {
        return repeated(&a, axis, 1);
    }
    // For one axis, sums over blocks of counts are enough to locate the source of an element.
    let flat = a.ndim() == 1;
    let counts = if flat && !counts.is_c_contiguous() { counts.copy(Order::C)? } else { counts };
    let [sums, least] = if flat { engine::tiles_of_counts(&a, &counts)? } else { [counts.clone(), counts.clone()] };
    let ends = cumsum(&sums, ScanOptions::default())?;
    // Both values are read back in one transfer.
    let least = statistics::min(&least, Reduce::all().keepdims(true))?;
    let sizes_read = joined(&[&ends.index([(-1i64..).into()])?, &least], 0)?.to_vec::<i64>()?;
    if sizes_read[1] < 0 {
        return Err(negative(sizes_read[1]));
    }
    let out = result(&a, axis, sizes_read[0] as usize)?;
    if flat {
        engine::expand(&a, &counts, &ends, &out)?;
    } else if a.size() > 0 {
        let formulas = formulas(&a, axis, Formula::Counted);
        engine::remap(&a, &formulas, Some(&ends), [0; 16], &out)?;
    }
    Ok(out)
}

fn negative(count: i64) -> Error {
    Error::new(ErrorKind::Value, format!("an element cannot be repeated {count} times: use 0 or more"))
}

fn result(a: &Array, axis: usize, n: usize) -> Result<Array> {
    let mut shape: Dims = a.shape().into();
    shape[axis] = n;
    make::empty(a.device(), &shape, a.dtype())
}

fn formulas(a: &Array, axis: usize, formula: Formula) -> SmallVec<[Formula; 6]> {
    (0..a.ndim()).map(|x| if x == axis { formula } else { Formula::Same }).collect()
}

fn repeated(a: &Array, axis: usize, times: i64) -> Result<Array> {
    let times = usize::try_from(times).map_err(|_| negative(times))?;
    let n = a.shape()[axis].checked_mul(times).ok_or_else(|| {
        let shape = shape_text(a.shape());
        Error::new(ErrorKind::Value, format!("{times} times an array of shape {shape} is too large to be addressed"))
    })?;
    let out = result(a, axis, n)?;
    engine::remap(a, &formulas(a, axis, Formula::Repeated(times.max(1))), None, [0; 16], &out)?;
    Ok(out)
}

/// Resizes an array to a shape, repeating the elements in C order as needed; NumPy's `resize`. An empty array becomes
/// zeros. The result is always a new array: [`Array::resize`](crate::Array::resize) works in place.
///
/// The dtype stays.
///
/// ```
/// use cuprum::{array, resize};
/// let a = array([[1, 2], [3, 4]])?;
/// assert_eq!(resize(&a, (2, 3))?.to_vec::<i32>()?, [1, 2, 3, 4, 1, 2]);
/// assert_eq!(resize(&a, 3)?.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative size.
#[routine(names = "a new_shape")]
pub fn resize(a: &Array, new_shape: impl IntoShape) -> Result<Array> {
    let shape = checked_shape(&new_shape.into_shape())?;
    checked_bytes(&shape, a.itemsize())?;
    if a.size() == 0 {
        return make::zeros(a.device(), &shape, a.dtype());
    }
    let out = make::empty(a.device(), &[size_of(&shape)], a.dtype())?;
    engine::remap(&a.in_one_axis()?, &[Formula::Wrapped(0)], None, [0; 16], &out)?;
    out.reshape(&shape)
}
