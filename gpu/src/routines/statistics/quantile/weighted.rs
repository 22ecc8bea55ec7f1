//! Weighted quantiles.
//!
//! A weighted quantile is the first element in sorted order at which the running sum of the weights reaches the
//! requested share of their total.

use cuprum_kernels::DType;

use super::{Lines, QuantileMethod, Quantiles, dense, nan_where_last_is};
use crate::array::Array;
use crate::engine::make;
use crate::engine::sort::{sort_rows, take_along};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::normalize_axes;
use crate::reduction::Reduce;
use crate::routines::{logic, math, searching};
use crate::scan::cumsum;

/// Checks the weights and broadcasts them to the shape of the array.
///
/// Synchronises: no weight may be negative.
pub(super) fn check(a: &Array, weights: &Array, options: &Reduce, method: QuantileMethod) -> Result<Array> {
    let value = |message: &str| Err(Error::new(ErrorKind::Value, message));
    if method != QuantileMethod::InvertedCdf {
        return value("weights go with QuantileMethod::InvertedCdf alone");
    }
    let mut weights = weights.clone();
    if weights.shape() != a.shape() {
        let Some(axes) = &options.axes else {
            return Err(Error::new(ErrorKind::Type, "weights of another shape need an axis"));
        };
        let axes = normalize_axes(axes, a.ndim())?;
        if weights.ndim() != axes.len() || axes.iter().zip(weights.shape()).any(|(&x, &n)| a.shape()[x] != n) {
            return value("weights have the shape of the array or of its axes");
        }
        let mut order: Vec<usize> = (0..axes.len()).collect();
        order.sort_by_key(|&i| axes[i]);
        let order: Vec<isize> = order.into_iter().map(|i| i as isize).collect();
        let shape: Vec<usize> = (0..a.ndim()).map(|x| if axes.contains(&x) { a.shape()[x] } else { 1 }).collect();
        weights = weights.transpose(&order)?.reshape(shape.as_slice())?.broadcast_to(a.shape())?;
    }
    if !weights.dtype().is_complex() && logic::any(&logic::less(&weights, 0)?, ())?.item::<bool>()? {
        return value("weights must not be negative");
    }
    Ok(weights)
}

/// Computes a table of rows and their quantiles: the first element at which the cumulative weight reaches its share of
/// the sum.
pub(super) fn quantiles(lines: &Lines, weights: &Lines, q: &Quantiles, without_nan: bool) -> Result<Array> {
    let (table, weights) = (lines.table()?, dense(&weights.table()?, DType::F64)?);
    let (rows, length) = (table.shape()[0], table.shape()[1]);
    if length == 0 {
        return Err(Error::new(ErrorKind::Index, "an array without elements has no quantile"));
    }
    let device = table.device();
    let sorted = make::empty(device, &[rows, length], table.dtype())?;
    let order = make::empty(device, &[rows, length], DType::I64)?;
    sort_rows(&table, length, Some(&sorted), Some(&order))?;
    let mut weights = take_along(&weights, &order)?;
    if without_nan && table.dtype().is_float() {
        // NaN has weight 0, unless all elements are NaN.
        let nan = logic::isnan(&sorted)?;
        let all = logic::all(&nan, Reduce::axis(1).keepdims(true))?.astype(DType::F64)?;
        weights = searching::where_(&nan, &all, &weights)?;
    }
    let sums = cumsum(&weights, 1)?;
    let shares = math::true_divide(&sums, &sums.index(s![.., -1..])?)?;
    if logic::any(&logic::isnan(&shares.index(s![.., -1..])?)?, ())?.item::<bool>()? {
        return Err(Error::new(ErrorKind::Value, "the weights of a row are all 0, or not all finite"));
    }
    let dtype = if q.dtype.is_float() { q.dtype } else { DType::F64 };
    let shares = shares.astype(dtype)?;
    // Leading elements of weight 0 are no quantile, not even the first.
    let shares = searching::where_(&logic::equal(&shares, 0)?, &make::full(device, &[1], -1.0, dtype)?, &shares)?;
    let wanted = make::of(device, &q.values, &[q.values.len(), 1])?.astype(dtype)?;
    let below = logic::less(&shares.expand_dims([1])?, &wanted)?;
    let positions = math::sum(&below, Reduce::axis(2).dtype(DType::I64))?;
    let positions = dense(&math::minimum(&positions, (length - 1) as i64)?, DType::I64)?;
    let result = take_along(&sorted, &positions)?;
    if without_nan { Ok(result) } else { nan_where_last_is(&result, &sorted.index(s![.., -1..])?) }
}
