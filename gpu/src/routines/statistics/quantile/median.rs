//! Medians: quantiles whose two neighbours are averaged like a mean.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Options, routine};

use super::nan::counts;
use super::{Lines, at_ranks, dense, finished, merged, sorted_table};
use crate::array::{Array, Axes};
use crate::dtype::Casting;
use crate::engine;
use crate::engine::make;
use crate::engine::sort::take_along;
use crate::error::Result;
use crate::index::s;
use crate::layout::{Layout, Order, normalize_axes};
use crate::reduction::Reduce;
use crate::routines::{logic, searching, statistics};
use crate::scalar::Scalar;

/// Options of [`median`].
///
/// Axes convert to options that set them alone.
///
/// ```
/// use cuprum::{MedianOptions, array, median};
/// let a = array([[1.0, 3.0], [5.0, 7.0]])?;
/// assert_eq!(median(&a, 1)?.to_vec::<f64>()?, [2.0, 6.0]);
/// assert_eq!(median(&a, MedianOptions::new().axis(1).keepdims(true))?.shape(), [2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, Options)]
pub struct MedianOptions<'a> {
    /// The axes; by default all.
    #[from]
    pub axis: Axes,
    /// If true, the reduced axes are kept with size 1. By default `false`.
    pub keepdims: bool,
    /// The output array, of the result's shape and any dtype; by default a new one. The result of [`nanmedian`] is
    /// broadcast to a larger one.
    pub out: Option<&'a Array>,
    /// Accepted without effect: the operand is not modified.
    pub overwrite_input: bool,
}

/// Median along axes: the middle element, or the mean of the two middle ones; NumPy's `median`.
///
/// The median of integers and booleans is float64. The median of a row with NaN, or without elements, is NaN.
///
/// ```
/// use cuprum::{MedianOptions, array, median};
/// let a = array([[10, 7, 4], [3, 2, 1]])?;
/// assert_eq!(median(&a, ())?.item::<f64>()?, 3.5);
/// assert_eq!(median(&a, 0)?.to_vec::<f64>()?, [6.5, 4.5, 2.5]);
/// assert_eq!(median(&a, MedianOptions::new().axis(1).keepdims(true))?.shape(), [2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds,
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for an `out` of another shape.
#[routine(method, keywords = "a axis out overwrite_input keepdims", python(axis = AxisForm::Sequence))]
pub fn median(a: &Array, options: MedianOptions<'_>) -> Result<Array> {
    call(a, &options, false)
}

/// Median along axes, ignoring NaN; NumPy's `nanmedian`. See [`median`]. The median of a row with only NaN is NaN.
///
/// The result has the shape of `a` without the reduced axes and the dtype of [`median`].
///
/// ```
/// use cuprum::{array, nanmedian};
/// let a = array([3.0, f64::NAN, 1.0])?;
/// assert_eq!(nanmedian(&a, ())?.item::<f64>()?, 2.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`median`].
///
/// # Synchronization
///
/// For floats and complex numbers, synchronises to count NaNs.
#[routine(method, keywords = "a axis out overwrite_input keepdims", python(axis = AxisForm::Sequence))]
pub fn nanmedian(a: &Array, options: MedianOptions<'_>) -> Result<Array> {
    call(a, &options, true)
}

fn call(a: &Array, options: &MedianOptions<'_>, without_nan: bool) -> Result<Array> {
    let reduction = &Reduce::from(&options.axis).keepdims(options.keepdims);
    if without_nan && a.size() == 0 {
        return finished(statistics::mean(a, reduction.clone())?, options.out, Casting::Unsafe, true);
    }
    let lines = Lines::of(a, reduction)?;
    let has_nan = matches!(a.dtype().kind(), Kind::Float | Kind::Complex);
    let table = match () {
        () if lines.length == 0 => {
            let dtype = if has_nan { a.dtype() } else { DType::F64 };
            let nan = if dtype.is_complex() {
                num_complex::Complex64::new(f64::NAN, f64::NAN).into()
            } else {
                Scalar::Float(f64::NAN)
            };
            make::full(lines.rows.device(), &[lines.count(), 1], nan, dtype)?
        }
        () if without_nan && has_nan => of_numbers(&lines)?,
        () => of_all(&lines, has_nan)?,
    };
    let shaped = lines.shaped(table, &[], reduction.keepdims)?;
    let result = if reduction.axes.is_none() { shaped } else { as_operand(a, reduction, &shaped, without_nan)? };
    finished(result, options.out, Casting::Unsafe, !without_nan)
}

/// Computes medians of whole rows, as a column.
fn of_all(lines: &Lines, has_nan: bool) -> Result<Array> {
    let (n, middle) = (lines.length, lines.length / 2);
    let mut ranks = if n % 2 == 1 { vec![middle] } else { vec![middle - 1, middle] };
    let count = ranks.len() as i64;
    ranks.push(n - 1);
    let picked = at_ranks(&lines.table()?, &ranks)?;
    let mean = statistics::mean(&picked.index(s![.., 0..count])?, Reduce::axis(1).keepdims(true))?;
    if !has_nan {
        return Ok(mean);
    }
    let last = picked.index(s![.., count..])?;
    searching::where_(&logic::isnan(&last)?, &last, &mean)
}

/// Computes medians that ignore NaN, which is last in the sorted rows.
fn of_numbers(lines: &Lines) -> Result<Array> {
    let table = lines.table()?;
    let counts = counts(&table)?;
    // For a row with only NaN it is the last element.
    let last = lines.length as i64 - 1;
    let middle = |&n: &i64| if n == 0 { [last, last] } else { [(n - 1) / 2, n / 2] };
    let positions: Vec<i64> = counts.iter().flat_map(middle).collect();
    let positions = make::of(table.device(), &positions, &[counts.len(), 2])?;
    let pairs = take_along(&sorted_table(&table)?, &positions)?;
    let mean = statistics::mean(&pairs, Reduce::axis(1).keepdims(true))?;
    let lines_of = |is: fn(i64) -> bool| {
        make::of(table.device(), &counts.iter().map(|&n| is(n)).collect::<Vec<bool>>(), &[counts.len(), 1])
    };
    // The middle element of an odd number is used directly: doubling it could overflow.
    let first = pairs.index(s![.., 0..1])?;
    let own = statistics::mean(&first, Reduce::axis(1).keepdims(true))?;
    let median = searching::where_(&lines_of(|n| n % 2 == 1)?, &own, &mean)?;
    // Half of a complex NaN has other bits.
    searching::where_(&lines_of(|n| n == 0)?, &first, &median)
}

/// The length from which NumPy processes rows one by one; shorter ones are processed together, masked.
const LONG_LINE: usize = 600;

/// Gives the result NumPy's memory layout: axes in the order of those of a copy of the operand; or when NaN is ignored,
/// of the operand itself, and for long rows in C order.
fn as_operand(a: &Array, options: &Reduce, result: &Array, without_nan: bool) -> Result<Array> {
    let Some(axes) = &options.axes else { return Ok(result.clone()) };
    let gone = normalize_axes(axes, a.ndim())?;
    let source = if gone.len() == 1 { a.clone() } else { merged(a, &gone)? };
    let axis = if gone.len() == 1 { gone[0] } else { source.ndim() - 1 };
    let like = match (without_nan, source.shape()[axis]) {
        (false, _) => source.layout().in_order(a.itemsize(), Order::K),
        (true, 0..LONG_LINE) => source.layout().clone(),
        (true, _) => source.layout().in_order(a.itemsize(), Order::C),
    };
    let layout = Layout::like_reduced(&like.shape, &[axis], result.itemsize(), &[&like.strides]);
    let out = Array::of_layout(a.device(), layout, result.dtype())?;
    engine::copy(&dense(result, result.dtype())?.reshape(out.shape())?, &out)?;
    if !options.keepdims {
        return Ok(out);
    }
    let mut gone: Vec<isize> = gone.iter().map(|&x| x as isize).collect();
    gone.sort();
    out.expand_dims(&gone[..])
}
