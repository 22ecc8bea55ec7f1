//! Set operations of two arrays.
//!
//! Both operands are cast to the dtype to which they are promoted, concatenated and sorted together.

use cuprum_kernels::source::RunPick;
use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Options, routine, unrecorded};

use super::{UniqueOptions, joined, unique_elements};
use crate::array::{Array, AsArray, IntoArgument};
use crate::dtype::promote_types;
use crate::engine;
use crate::engine::sort::{RunParts, RunRequest, Runs, take_along};
use crate::engine::{make, one_device};
use crate::error::{Error, Result};
use crate::layout::{Layout, Order};
use crate::routines::sorting::sort_lines;
use crate::routines::{logic, math};

/// Options of set operations.
///
/// Both are false by default.
///
/// ```
/// use cuprum::{SetOptions, array, isin};
/// let (a, known) = (array([1, 2, 3])?, array([2])?);
/// assert_eq!(isin(&a, &known, SetOptions::new().invert(true))?.to_vec::<bool>()?, [true, false, true]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct SetOptions {
    /// If true, the operands are assumed to have no repeated elements; if they do, the result is nonetheless that of
    /// NumPy. By default `false`.
    pub assume_unique: bool,
    /// For [`isin`]: if true, the result is inverted. By default `false`.
    pub invert: bool,
}

fn unique_values(a: &Array) -> Result<Array> {
    Ok(unique_elements(a, &UniqueOptions::default())?.values)
}

/// Casts both to the dtype in which they are compared, in which different elements may become equal, even within one
/// array.
fn comparable(a: &Array, b: &Array) -> Result<(Array, Array)> {
    let dtype = promote_types(a.dtype(), b.dtype());
    let cast = |x: &Array| if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype) };
    Ok((cast(a)?, cast(b)?))
}

fn both(a: &Array, b: &Array, options: SetOptions) -> Result<(Array, Array)> {
    if options.assume_unique {
        return Ok((a.in_one_axis()?, b.in_one_axis()?));
    }
    let (a, b) = comparable(a, b)?;
    Ok((unique_values(&a)?, unique_values(&b)?))
}

/// Selects elements of both arrays, sorted together.
fn of_both(a: &Array, b: &Array, pick: RunPick, wanted: RunRequest) -> Result<RunParts> {
    let all = joined(a, b)?;
    let positions = if wanted.firsts {
        Some(Array::of_layout(all.device(), Layout::c_order(all.shape(), 8), DType::I64)?)
    } else {
        None
    };
    sort_lines(&all, 0, Some(&all), positions.as_ref())?;
    Runs { row: &all, positions: positions.as_ref(), mask: None, pick, nan_equal: false }.find(wanted)
}

fn values_of(found: RunParts, of: &Array) -> Result<Array> {
    found.values.map_or_else(|| make::empty(of.device(), &[0], of.dtype()), Ok)
}

/// Union of two arrays: the sorted unique elements of either; NumPy's `union1d`.
///
/// The result has one axis and the dtype to which both are promoted; the operands are flattened.
///
/// ```
/// let (a, b) = (cuprum::Array::from_vec(vec![3, 1])?, cuprum::Array::from_vec(vec![1, 2])?);
/// assert_eq!(cuprum::union1d(&a, &b)?.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the number of elements.
#[routine(names = "ar1 ar2", python(common_dtype, aliases = [("arr1", "ar1"), ("arr2", "ar2")]))]
pub fn union1d(a: &Array, b: &Array) -> Result<Array> {
    let run = || unique_values(&joined(a, b)?);
    run().map_err(|e: Error| e.with_op("union1d"))
}

/// Intersection of two arrays: the sorted unique elements of both; NumPy's `intersect1d`. NaN is in no intersection.
///
/// The result has one axis and the dtype to which both are promoted; the operands are flattened. uint64 and signed
/// integers meet in float64, where two of one operand may be equal: they are one element then, unlike in NumPy.
///
/// ```
/// use cuprum::Array;
/// let (a, b) = (Array::from_vec(vec![3, 1, 3])?, Array::from_vec(vec![3, 2])?);
/// assert_eq!(cuprum::intersect1d(&a, &b, ())?.to_vec::<i32>()?, [3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Same as [`union1d`].
pub fn intersect1d(a: impl AsArray, b: impl AsArray, options: impl IntoArgument<SetOptions>) -> Result<Array> {
    common(a.as_array(), b.as_array(), options.into()).map_err(|e| e.with_op("intersect1d"))
}

fn common(a: &Array, b: &Array, options: SetOptions) -> Result<Array> {
    let (a, b) = both(a, b, options)?;
    let found = of_both(&a, &b, RunPick::EqualToNext, RunRequest { values: true, ..RunRequest::default() })?;
    values_of(found, &a)
}

/// Intersection of two arrays, with the first flat index of each element in both; NumPy's `intersect1d` with
/// `return_indices`.
///
/// The elements have the dtype to which both are promoted, the indices int64; all three have one axis.
///
/// ```
/// use cuprum::{array, intersect1d_indices};
/// let (both, at, bt) = intersect1d_indices(array([4, 7, 9])?, array([9, 4])?, ())?;
/// assert_eq!(both.to_vec::<i32>()?, [4, 9]);
/// assert_eq!((at.to_vec::<i64>()?, bt.to_vec::<i64>()?), (vec![0, 2], vec![1, 0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`intersect1d`].
///
/// # Synchronization
///
/// Same as [`union1d`].
#[unrecorded("`numpy.intersect1d` with `return_indices`")]
pub fn intersect1d_indices(
    a: impl AsArray,
    b: impl AsArray,
    options: impl IntoArgument<SetOptions>,
) -> Result<(Array, Array, Array)> {
    common_indices(a.as_array(), b.as_array(), options.into()).map_err(|e| e.with_op("intersect1d"))
}

fn common_indices(a: &Array, b: &Array, options: SetOptions) -> Result<(Array, Array, Array)> {
    let indexed = UniqueOptions { index: true, ..UniqueOptions::default() };
    let part = |x: &Array| -> Result<(Array, Option<Array>)> {
        if options.assume_unique {
            return Ok((x.in_one_axis()?, None));
        }
        let u = unique_elements(x, &indexed)?;
        Ok((u.values, u.index))
    };
    let (a, b) = comparable(a, b)?;
    let ((a, of_a), (b, of_b)) = (part(&a)?, part(&b)?);
    let wanted = RunRequest { values: true, firsts: true, seconds: true, ..RunRequest::default() };
    let found = of_both(&a, &b, RunPick::EqualToNext, wanted)?;
    let nothing = || make::empty(a.device(), &[0], DType::I64);
    let first = found.firsts.clone().map_or_else(nothing, Ok)?;
    let second = math::subtract(&found.seconds.clone().map_or_else(nothing, Ok)?, a.size() as i64)?;
    let origin = |index: Array, of: Option<Array>| of.map_or_else(|| Ok(index.clone()), |of| take_along(&of, &index));
    Ok((values_of(found, &a)?, origin(first, of_a)?, origin(second, of_b)?))
}

/// Symmetric difference of two arrays: the sorted elements of only one of them; NumPy's `setxor1d`.
///
/// The result has one axis and the dtype to which both are promoted; the operands are flattened.
///
/// ```
/// use cuprum::Array;
/// let (a, b) = (Array::from_vec(vec![3, 1])?, Array::from_vec(vec![3, 2])?);
/// assert_eq!(cuprum::setxor1d(&a, &b, ())?.to_vec::<i32>()?, [1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Same as [`union1d`].
#[routine(names = "ar1 ar2", keywords = "ar1 ar2 assume_unique")]
pub fn setxor1d(a: &Array, b: &Array, options: SetOptions) -> Result<Array> {
    let run = || {
        let (a, b) = both(a, b, options)?;
        let found = of_both(&a, &b, RunPick::WithoutEqual, RunRequest { values: true, ..RunRequest::default() })?;
        values_of(found, &a)
    };
    run().map_err(|e: Error| e.with_op("setxor1d"))
}

/// Difference of two arrays: the elements of the first that the second lacks, in the dtype of the first; NumPy's
/// `setdiff1d`. They are sorted and unique, unless `assume_unique` keeps them as they are.
///
/// ```
/// use cuprum::Array;
/// let (a, b) = (Array::from_vec(vec![3, 1, 3])?, Array::from_vec(vec![1])?);
/// assert_eq!(cuprum::setdiff1d(&a, &b, ())?.to_vec::<i32>()?, [3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Same as [`union1d`].
#[routine(names = "ar1 ar2", keywords = "ar1 ar2 assume_unique")]
pub fn setdiff1d(a: &Array, b: &Array, options: SetOptions) -> Result<Array> {
    let run = || {
        let a = if options.assume_unique { a.in_one_axis()?.copy(Order::C)? } else { unique_values(a)? };
        let mask = member_mask(&a, b, true)?;
        let runs = Runs { row: &a, positions: None, mask: Some(&mask), pick: RunPick::Masked, nan_equal: false };
        values_of(runs.find(RunRequest { values: true, ..RunRequest::default() })?, &a)
    };
    run().map_err(|e: Error| e.with_op("setdiff1d"))
}

/// Tests elementwise whether an array's elements are in another array; NumPy's `isin`. NaN never is.
///
/// ```
/// use cuprum::Array;
/// let (a, b) = (Array::from_vec(vec![3, 1])?, Array::from_vec(vec![1, 2])?);
/// assert_eq!(cuprum::isin(&a, &b, ())?.to_vec::<bool>()?, [false, true]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// Integers are compared by value, including int64 with uint64.
///
/// # Errors
///
/// Errors of the device.
#[routine(names = "element test_elements", python(extras = [("kind", Extra::Named(&["sort", "table"]))]))]
pub fn isin(a: &Array, among: &Array, options: SetOptions) -> Result<Array> {
    member_mask(a, among, options.invert).map_err(|e| e.with_op("isin"))
}

/// Tests whether flattened elements are in another array; CuPy's `in1d`, which NumPy had before version 2.4. See
/// [`isin`].
///
/// The result is boolean and has one axis, as many elements as `a`.
///
/// ```
/// use cuprum::{array, in1d};
/// assert_eq!(in1d(&array([[1, 2], [3, 4]])?, &array([2, 4])?, ())?.to_vec::<bool>()?, [false, true, false, true]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`isin`].
#[routine(names = "ar1 ar2")]
pub fn in1d(a: &Array, among: &Array, options: SetOptions) -> Result<Array> {
    let run = || member_mask(&a.in_one_axis()?, among, options.invert);
    run().map_err(|e: Error| e.with_op("in1d"))
}

fn member_mask(a: &Array, among: &Array, invert: bool) -> Result<Array> {
    one_device(a, [among])?;
    let (x, y) = (a.dtype(), among.dtype());
    let common = promote_types(x, y);
    // No integer dtype covers int64 and uint64: values of one that the other lacks are identified by their sign.
    let unlike = x.is_integer() && y.is_integer() && common.kind() == Kind::Float;
    let dtype = if !unlike {
        common
    } else if x == DType::U64 {
        DType::I64
    } else {
        DType::U64
    };
    let mut row = among.in_one_axis()?;
    if engine::members_need_order(dtype) {
        let sorted = Array::of_layout(row.device(), Layout::c_order(row.shape(), dtype.size()), dtype)?;
        engine::copy(&row, &sorted)?;
        sort_lines(&sorted, 0, Some(&sorted), None)?;
        row = sorted;
    }
    let found = make::empty(a.device(), a.shape(), DType::Bool)?;
    engine::members(&row, a, dtype, invert, &found)?;
    if !unlike {
        return Ok(found);
    }
    // Values that wrapped in the cast are negative as int64, and equal no number of the other dtype.
    let lost = logic::less(&if x == DType::U64 { a.view(DType::I64)? } else { a.clone() }, 0)?;
    if invert { logic::logical_or(&found, &lost) } else { logic::logical_and(&found, &logic::logical_not(&lost)?) }
}
