//! Quantiles that ignore NaN.
//!
//! Rows are sorted with their NaN at the end, and counted: the position of a quantile follows from the number of
//! elements that are left, which differs from row to row and stays on the device.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use super::{Lines, QuantileMethod, QuantileOptions, Quantiles, call, index, interpolated, sorted_table};
use crate::array::Array;
use crate::engine::make;
use crate::engine::sort::take_along;
use crate::error::Result;
use crate::index::s;
use crate::layout::Order;
use crate::reduction::Reduce;
use crate::routines::{logic, math};

/// Quantiles along axes, ignoring NaN; NumPy's `nanquantile`. See [`quantile`](super::quantile). The quantiles of a row
/// with only NaN are NaN.
///
/// The result has the axes of `q`, then those of `a` that are not reduced; a row with only NaN has the quantile NaN.
///
/// ```
/// use cuprum::{array, nanquantile};
/// let a = array([3.0, f64::NAN, 1.0])?;
/// assert_eq!(nanquantile(&a, 0.5, ())?.item::<f64>()?, 2.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`quantile`](super::quantile); where there are no elements the result is NaN.
///
/// # Synchronization
///
/// For floats, synchronises to count NaNs.
#[routine(
    keywords = "a q axis out overwrite_input method keepdims weights",
    python(keyword_only = 1, axis = AxisForm::Sequence, aliases = [("interpolation", "method")])
)]
pub fn nanquantile(a: &Array, q: Quantiles, options: QuantileOptions<'_>) -> Result<Array> {
    call(a, q, "1", &options, true)
}

/// Percentiles along axes, ignoring NaN; NumPy's `nanpercentile`. See [`nanquantile`].
///
/// The result has the axes of `q`, then those of `a` that are not reduced; a row with only NaN has the quantile NaN.
///
/// ```
/// let a = cuprum::array([1.0, f64::NAN, 3.0])?;
/// assert_eq!(cuprum::nanpercentile(&a, 50, ())?.item::<f64>()?, 2.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`nanquantile`].
///
/// # Synchronization
///
/// Same as [`nanquantile`].
#[routine(
    keywords = "a q axis out overwrite_input method keepdims weights",
    python(keyword_only = 1, axis = AxisForm::Sequence, aliases = [("interpolation", "method")])
)]
pub fn nanpercentile(a: &Array, q: Quantiles, options: QuantileOptions<'_>) -> Result<Array> {
    call(a, q.of_percents(), "100", &options, true)
}

/// Counts the elements of each row that are not NaN. Synchronises to read the counts.
pub(super) fn counts(table: &Array) -> Result<Vec<i64>> {
    math::sum(&logic::logical_not(&logic::isnan(table)?)?, Reduce::axis(1).dtype(DType::I64))?.to_vec()
}

/// Computes a table of rows and their quantiles; NaN is after the elements that count.
pub(super) fn quantiles(lines: &Lines, q: &Quantiles, method: QuantileMethod) -> Result<Array> {
    let table = lines.table()?;
    let counts = counts(&table)?;
    let found: Vec<_> = counts.iter().map(|&n| index::statistics(method, n.max(1) as usize, q)).collect();
    let (rows, n) = (counts.len(), q.values.len() as i64);
    let positions: Vec<i64> = found
        .iter()
        .flat_map(|row| row.iter().map(|s| s.lower).chain(row.iter().map(|s| s.upper)))
        .map(|r| r as i64)
        .collect();
    let positions = make::of(table.device(), &positions, &[rows, 2 * n as usize])?;
    let picked = take_along(&sorted_table(&table)?, &positions)?;
    let (lower, upper) = (picked.index(s![.., 0..n])?, picked.index(s![.., n..])?);
    if index::is_discrete(method, q) {
        return lower.copy(Order::C);
    }
    let weights: Vec<f64> = found.iter().flatten().map(|s| s.weight).collect();
    interpolated(&lower, &upper, &weights, &[rows, n as usize], q, method)?.copy(Order::C)
}
