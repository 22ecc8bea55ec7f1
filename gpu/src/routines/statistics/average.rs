//! Weighted averages and ranges.
//!
//! A weighted mean is two reductions: of the products with the weights, and of the weights.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine, unrecorded};
use smallvec::SmallVec;

use super::{max, mean, min};
use crate::array::{Array, AsArray, Axes, IntoArgument};
use crate::dtype::promote_types;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, normalize_axes, shape_text};
use crate::reduction::{Reduce, check_shape, is_inexact};
use crate::routines::creation;
use crate::routines::logic::{any, equal};
use crate::routines::math::{sum, true_divide};
use crate::ufunc::{UfuncOptions, ufunc};

/// Range of values, maximum minus minimum, along axes; NumPy's `ptp`. Integers wrap. Only the axes,
/// `keepdims` and `out` are supported.
///
/// The result has the shape of `a` without the reduced axes and the dtype of `a`.
///
/// ```
/// let a = cuprum::Array::from_slice(&[3.0, -1.0, 4.5], [3])?;
/// assert_eq!(cuprum::ptp(&a, ())?.item::<f64>()?, 5.5);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`max`]; [`ErrorKind::Type`] for booleans, which cannot be subtracted.
#[routine(keywords = "a axis out keepdims", method)]
pub fn ptp(a: &Array, options: Reduce) -> Result<Array> {
    let go = || {
        let out = options.out_argument();
        let (mut largest, smallest) = (max(a, options.same_axes())?, min(a, options.same_axes())?);
        // As if the maximum had been written to `out`, whose dtype the difference has; `out` may be the array itself,
        // and is unchanged if the difference is rejected.
        if let Some(out) = out {
            check_shape(out, largest.shape())?;
            largest = largest.astype(out.dtype())?;
        }
        ufunc("subtract")?
            .called(&[(&largest).into(), (&smallest).into()], &UfuncOptions { out, ..UfuncOptions::default() })
    };
    go().map_err(|e: Error| e.with_op("ptp"))
}

/// Options of [`average`].
///
/// Axes convert to options that set them alone.
///
/// ```
/// use cuprum::{AverageOptions, array, average};
/// let (a, weights) = (array([[1.0, 5.0]])?, array([3.0, 1.0])?);
/// assert_eq!(average(&a, AverageOptions::new().axis(1).weights(&weights))?.to_vec::<f64>()?, [2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, Options)]
pub struct AverageOptions<'a> {
    /// The axes; by default all.
    #[from]
    pub axis: Axes,
    /// The weights of the elements, of the shape of the array or of the averaged axes.
    pub weights: Option<&'a Array>,
    /// If true, the reduced axes are kept with size 1. By default `false`.
    pub keepdims: bool,
}

/// Weighted mean along axes; NumPy's `average`.
///
/// The result has the shape of `a` without the averaged axes, and the dtype to which `a`, the weights and,
/// for integers, float64 are promoted.
///
/// ```
/// use cuprum::{AverageOptions, array, average};
/// let (a, weights) = (array([1.0, 2.0, 4.0])?, array([1.0, 1.0, 2.0])?);
/// assert_eq!(average(&a, AverageOptions::new().weights(&weights))?.item::<f64>()?, 2.75);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::ZeroDivision`] where weights sum to zero, [`ErrorKind::Type`] and [`ErrorKind::Value`] where their
/// shape does not match; and those of [`mean`](crate::mean()).
///
/// # Synchronization
///
/// With weights, synchronises to check that no sum of them is zero.
pub fn average<'a>(a: impl AsArray, options: impl IntoArgument<AverageOptions<'a>>) -> Result<Array> {
    average_returned(a, options).map(|(average, _)| average)
}

/// Weighted mean, and the sum of the weights of each result; NumPy's `average` with `returned=True`.
///
/// Both results have the shape of `a` without the reduced axes, and the dtype to which `a`, the weights and, for
/// integers, float64 are promoted. Without weights the sum is the number of elements.
///
/// ```
/// use cuprum::{AverageOptions, array, average_returned};
/// let weights = array([1.0, 3.0])?;
/// let (mean, sum) = average_returned(array([2.0, 6.0])?, AverageOptions::new().weights(&weights))?;
/// assert_eq!((mean.item::<f64>()?, sum.item::<f64>()?), (5.0, 4.0));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`average`].
///
/// # Synchronization
///
/// Same as [`average`].
#[unrecorded("`numpy.average` with `returned`")]
pub fn average_returned<'a>(a: impl AsArray, options: impl IntoArgument<AverageOptions<'a>>) -> Result<(Array, Array)> {
    let AverageOptions { axis, weights, keepdims } = options.into();
    averaged(a.as_array(), weights, &Reduce::from(axis).keepdims(keepdims)).map_err(|e| e.with_op("average"))
}

fn averaged(a: &Array, weights: Option<&Array>, reduction: &Reduce) -> Result<(Array, Array)> {
    let Some(weights) = weights else {
        let average = mean(a, reduction.same_axes())?;
        if average.size() == 0 {
            let shape = shape_text(a.shape());
            let message = format!("an array of shape {shape} has nothing to average over these axes");
            return Err(Error::new(ErrorKind::ZeroDivision, message));
        }
        let count = a.size() as f64 / average.size() as f64;
        let counts = creation::full_like(&average, count, ())?;
        return Ok((average, counts));
    };
    let weights = fitted(a, weights, reduction)?;
    let dtype = promote_types(a.dtype(), weights.dtype());
    let dtype = if is_inexact(a.dtype()) { dtype } else { promote_types(dtype, DType::F64) };
    let scale = sum(&weights, reduction.same_axes().dtype(dtype))?;
    if any(&equal(&scale, 0)?, ())?.item::<bool>()? {
        return Err(Error::new(ErrorKind::ZeroDivision, "the weights add up to zero"));
    }
    let options = UfuncOptions { dtype: Some(dtype), ..UfuncOptions::default() };
    let weighed = ufunc("multiply")?.called(&[a.into(), (&weights).into()], &options)?;
    let average = true_divide(&sum(&weighed, reduction.same_axes())?, &scale)?;
    let scale =
        if scale.shape() == average.shape() { scale } else { scale.broadcast_to(average.shape())?.copy(Order::C)? };
    Ok((average, scale))
}

/// Returns the weights reshaped to the axes of `a`.
fn fitted(a: &Array, weights: &Array, options: &Reduce) -> Result<Array> {
    if weights.shape() == a.shape() {
        return Ok(weights.clone());
    }
    let Some(axes) = &options.axes else {
        let (has, own) = (shape_text(weights.shape()), shape_text(a.shape()));
        let message = format!("weights of shape {has} for an array of shape {own} need an axis");
        return Err(Error::new(ErrorKind::Type, message));
    };
    let axes = normalize_axes(axes, a.ndim())?;
    let wanted: Dims = axes.iter().map(|&x| a.shape()[x]).collect();
    if weights.shape() != wanted.as_slice() {
        let (has, needs) = (shape_text(weights.shape()), shape_text(&wanted));
        return Err(Error::new(
            ErrorKind::Value,
            format!("weights of shape {has} do not fit the axes of shape {needs}"),
        ));
    }
    let mut order: SmallVec<[usize; 6]> = (0..axes.len()).collect();
    order.sort_by_key(|&k| axes[k]);
    let order: SmallVec<[isize; 6]> = order.into_iter().map(|k| k as isize).collect();
    let shape: Dims = (0..a.ndim()).map(|x| if axes.contains(&x) { a.shape()[x] } else { 1 }).collect();
    weights.transpose(&order[..])?.reshape(shape.as_slice())
}
