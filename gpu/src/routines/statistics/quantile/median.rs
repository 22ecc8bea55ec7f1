//! Medians: quantiles whose two neighbours are averaged as a mean is.

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

/// What else [`median`] can be told.
#[derive(Clone, Debug, Default, Options)]
pub struct MedianOptions<'a> {
    /// The axes; all, unless said.
    #[from]
    pub axis: Axes,
    /// Whether the axes stay, with size 1.
    pub keepdims: bool,
    /// Where the result goes, instead of to a new array: of any dtype, of the result's shape. The result of [`nanmedian`]
    /// is broadcast to a larger one.
    pub out: Option<&'a Array>,
    /// Taken note of: the operand is left as it is.
    pub overwrite_input: bool,
}

/// The median along axes: the element in the middle, or the mean of the two there; NumPy's `median`.
///
/// Medians of integers and booleans are float64. A row with NaN gives NaN, and so does one without elements.
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
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that does not exist, [`ErrorKind::Value`](crate::ErrorKind::Value) for an `out` of another shape.
#[routine(method, keywords = "a axis out overwrite_input keepdims")]
pub fn median(a: &Array, options: MedianOptions<'_>) -> Result<Array> {
    call(a, &options, false)
}

/// The median of what is not NaN; NumPy's `nanmedian`. See [`median`]. A row of nothing but NaN gives NaN.
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
/// As [`median`].
///
/// # Synchronization
///
/// For floats and complex numbers the host waits for the number of NaNs.
#[routine(method, keywords = "a axis out overwrite_input keepdims")]
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

/// The medians of whole lines, as a column.
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

/// The medians of what is not NaN: it stands in front of the sorted lines.
fn of_numbers(lines: &Lines) -> Result<Array> {
    let table = lines.table()?;
    let counts = counts(&table)?;
    // Of nothing but NaN it is the last.
    let last = lines.length as i64 - 1;
    let middle = |&n: &i64| if n == 0 { [last, last] } else { [(n - 1) / 2, n / 2] };
    let positions: Vec<i64> = counts.iter().flat_map(middle).collect();
    let positions = make::of(table.device(), &positions, &[counts.len(), 2])?;
    let pairs = take_along(&sorted_table(&table)?, &positions)?;
    let mean = statistics::mean(&pairs, Reduce::axis(1).keepdims(true))?;
    let lines_of = |is: fn(i64) -> bool| {
        make::of(table.device(), &counts.iter().map(|&n| is(n)).collect::<Vec<bool>>(), &[counts.len(), 1])
    };
    // The one element in the middle is its own mean: twice it may be out of range.
    let first = pairs.index(s![.., 0..1])?;
    let own = statistics::mean(&first, Reduce::axis(1).keepdims(true))?;
    let median = searching::where_(&lines_of(|n| n % 2 == 1)?, &own, &mean)?;
    // Half a complex NaN is another.
    searching::where_(&lines_of(|n| n == 0)?, &first, &median)
}

/// From so many elements of a line on, NumPy goes through the lines one by one; shorter ones it takes together, masked.
const LONG_LINE: usize = 600;

/// The result in memory as NumPy's is: its axes in the order of those of a copy of the operand; where NaNs are left out, in
/// that of the operand itself, and of long lines in C order.
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
