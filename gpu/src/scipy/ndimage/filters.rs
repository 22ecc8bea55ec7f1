//! Filters, composed of windows along axes and over all axes.
//!
//! A filter that is separable is composed of passes along its axes, so that its cost is the sum of the lengths of the
//! window, not their product. Every result has the shape of the input, and its dtype unless the options name another.
//!
//! The weights of Sobel and Prewitt are those of the operators' definitions; the Gaussian is sampled and
//! normalised as SciPy does. Means and extremes of adjacent windows share the elements that they have in
//! common, so that their cost does not grow with the size of the window as a weighted sum's does.
//!
//! Lower bound: a pass along an axis reads the input and writes the result once; a separable filter of `n`
//! axes has `n` passes, with a temporary array between two of them.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};
use num_complex::Complex64;

use super::{
    AreaWindow, AxisOp, AxisWindow, FilterOptions, Plan, WindowOp, filter_area, filter_axes, filter_rank, for_axes,
    gaussian_weights, wrong,
};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::normalize_axis;
use crate::routines::math;
use crate::ufunc::{UfuncOptions, ufunc};

/// Standard deviations at which a Gaussian ends.
const TRUNCATE: f64 = 4.0;

impl Plan {
    fn window(&self, k: usize, op: AxisOp) -> AxisWindow {
        let cval = Complex64::from(self.cval);
        AxisWindow { axis: self.axes[k], op, origin: self.origins[k], mode: self.rules[k], cval }
    }

    /// Returns the window over all axes that has a shape along the filtered ones.
    fn area(&self, input: &Array, shape: &[usize], footprint: Vec<bool>, weights: Option<Vec<f64>>) -> AreaWindow {
        let mut window = AreaWindow {
            shape: vec![1; input.ndim()],
            footprint,
            weights,
            origins: vec![0; input.ndim()],
            modes: vec![super::BorderRule::Reflect; input.ndim()],
            cval: Complex64::from(self.cval),
        };
        for (k, &axis) in self.axes.iter().enumerate() {
            window.shape[axis] = shape[k];
            window.origins[axis] = self.origins[k];
            window.modes[axis] = self.rules[k];
        }
        window
    }
}

/// Correlates along an axis with weights: each result is the sum of the products of the weights with the elements
/// around it; SciPy's `scipy.ndimage.correlate1d`.
///
/// The result has the shape of the input. `weights` may have any length; its middle, rounded up, is at the element.
///
/// The dtype is that of the input unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{BorderRule, FilterOptions, correlate1d};
/// let a = cuprum::array([1.0, 2.0, 4.0])?;
/// let options = FilterOptions::new().mode(BorderRule::Constant);
/// assert_eq!(correlate1d(&a, &[1.0, 0.0, -1.0], 0, &options)?.to_vec::<f64>()?, [-2.0, -3.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) without a weight and for an origin outside the window;
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis).
#[signature]
pub fn correlate1d(input: &Array, weights: &[f64], axis: isize, options: &FilterOptions) -> Result<Array> {
    let plan = options.clone().axes(&[axis]).plan("correlate1d", input)?;
    filter_axes(input, &[plan.window(0, AxisOp::Weights(weights.into()))], &plan.out)?;
    Ok(plan.out)
}

/// Convolves along an axis with weights; SciPy's `scipy.ndimage.convolve1d`.
///
/// The result has the shape of the input, and its dtype unless the options name another. It is
/// [`correlate1d`] with the weights reversed and the origin negated, so that an impulse becomes a copy of
/// the weights.
///
/// ```
/// use cuprum::scipy::ndimage::{BorderRule, FilterOptions, convolve1d};
/// let a = cuprum::array([1.0, 2.0, 4.0])?;
/// let options = FilterOptions::new().mode(BorderRule::Constant);
/// assert_eq!(convolve1d(&a, &[1.0, 0.0, -1.0], 0, &options)?.to_vec::<f64>()?, [2.0, 3.0, -2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] without a weight and for an origin outside the window; [`ErrorKind::Axis`] for an
/// axis that is out of bounds.
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
#[signature]
pub fn convolve1d(input: &Array, weights: &[f64], axis: isize, options: &FilterOptions) -> Result<Array> {
    let mut plan = options.clone().axes(&[axis]).plan("convolve1d", input)?;
    plan.origins[0] = -plan.origins[0] - isize::from(weights.len().is_multiple_of(2));
    let weights = weights.iter().rev().copied().collect();
    filter_axes(input, &[plan.window(0, AxisOp::Weights(weights))], &plan.out)?;
    Ok(plan.out)
}

/// Reads weights of any real dtype.
pub(super) fn real_weights(function: &str, weights: &Array) -> Result<Vec<f64>> {
    if weights.dtype().is_complex() {
        let message = format!("{function}: weights are {}: filter by their real and imaginary parts", weights.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    weights.astype(DType::F64)?.to_vec::<f64>()
}

fn correlated(
    function: &str,
    input: &Array,
    weights: &Array,
    options: &FilterOptions,
    convolution: bool,
) -> Result<Array> {
    let mut plan = options.plan(function, input)?;
    if weights.ndim() != plan.axes.len() {
        return wrong(format!(
            "{function}: weights have {} axes, and {} are filtered",
            weights.ndim(),
            plan.axes.len()
        ));
    }
    let mut values = real_weights(function, weights)?;
    if convolution {
        values.reverse();
        for (origin, n) in plan.origins.iter_mut().zip(weights.shape()) {
            *origin = -*origin - isize::from(n % 2 == 0);
        }
    }
    let order = in_axis_order(&plan);
    let values = permuted(&values, weights.shape(), &order);
    // Elements without a weight are not read: an infinity there does not matter.
    let footprint = values.iter().map(|w| w.abs() > f64::EPSILON).collect();
    let window = plan.area(input, weights.shape(), footprint, Some(values));
    filter_area(input, &window, WindowOp::Weighted, &plan.out)?;
    Ok(plan.out)
}

/// Returns the order in which the filtered axes are those of the input.
fn in_axis_order(plan: &Plan) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plan.axes.len()).collect();
    order.sort_by_key(|&k| plan.axes[k]);
    order
}

/// Returns the elements of a C-ordered list with its axes in another order.
fn permuted<T: Copy>(values: &[T], shape: &[usize], order: &[usize]) -> Vec<T> {
    let mut steps = vec![1; shape.len()];
    for k in (1..shape.len()).rev() {
        steps[k - 1] = steps[k] * shape[k];
    }
    let at = |i: usize| {
        let mut rest = i;
        order.iter().rev().fold(0, |sum, &k| {
            let c = rest % shape[k];
            rest /= shape[k];
            sum + c * steps[k]
        })
    };
    (0..values.len()).map(|i| values[at(i)]).collect()
}

/// Correlates with an array of weights; SciPy's `scipy.ndimage.correlate`. Reads the weights, which synchronises.
///
/// The result has the shape of the input. The weights have as many axes as are filtered.
///
/// The dtype is that of the input unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{BorderRule, FilterOptions, correlate};
/// let (a, weights) = (cuprum::array([[1.0, 2.0], [3.0, 4.0]])?, cuprum::array([[1.0, 1.0]])?);
/// let options = FilterOptions::new().mode(BorderRule::Constant);
/// assert_eq!(correlate(&a, &weights, &options)?.to_vec::<f64>()?, [1.0, 3.0, 3.0, 7.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for weights with another number of axes than are filtered, and for an
/// origin outside them.
#[signature]
pub fn correlate(input: &Array, weights: &Array, options: &FilterOptions) -> Result<Array> {
    correlated("correlate", input, weights, options, false)
}

/// Convolves with an array of weights; SciPy's `scipy.ndimage.convolve`. Reads the weights, which synchronises.
///
/// The result has the shape of the input. It is a correlation with the weights reversed along each axis.
///
/// The dtype is that of the input unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{BorderRule, FilterOptions, convolve};
/// let (a, weights) = (cuprum::array([[1.0, 2.0], [3.0, 4.0]])?, cuprum::array([[1.0, 1.0]])?);
/// let options = FilterOptions::new().mode(BorderRule::Constant);
/// assert_eq!(convolve(&a, &weights, &options)?.to_vec::<f64>()?, [3.0, 2.0, 7.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`correlate`].
#[signature]
pub fn convolve(input: &Array, weights: &Array, options: &FilterOptions) -> Result<Array> {
    correlated("convolve", input, weights, options, true)
}

fn radius_of(sigma: f64) -> usize {
    (TRUNCATE * sigma + 0.5) as usize
}

/// Filters along an axis with a Gaussian of standard deviation `sigma`, or with its derivative of an order; SciPy's
/// `scipy.ndimage.gaussian_filter1d`. The Gaussian ends at 4 standard deviations.
///
/// The result has the shape of the input, and its dtype unless the options name another. SciPy's parameters
/// `truncate` and `radius` are not options here: [`gaussian_weights`] computes weights of any radius, which
/// [`correlate1d`] applies.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, gaussian_filter1d};
/// let impulse = cuprum::array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])?;
/// let slope = gaussian_filter1d(&impulse, 1.0, 0, 1, &FilterOptions::new())?.to_vec::<f64>()?;
/// assert!(slope[2] > 0.0 && slope[3] == 0.0 && slope[4] < 0.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that is out of bounds; [`ErrorKind::Value`] for a standard deviation so
/// large that the window has more than 2**29 elements.
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
#[signature]
pub fn gaussian_filter1d(
    input: &Array,
    sigma: f64,
    axis: isize,
    order: usize,
    options: &FilterOptions,
) -> Result<Array> {
    let plan = options.clone().axes(&[axis]).plan("gaussian_filter1d", input)?;
    let weights = gaussian_weights(sigma, order, radius_of(sigma))?;
    filter_axes(input, &[plan.window(0, AxisOp::Weights(weights))], &plan.out)?;
    Ok(plan.out)
}

/// Filters with a Gaussian of standard deviation `sigma`, one for all filtered axes or one for each; SciPy's
/// `scipy.ndimage.gaussian_filter`.
///
/// The result has the shape of the input. The window extends to four standard deviations, as SciPy's does by default.
///
/// The axes are filtered one after another, each result rounded to the dtype of the output, as in SciPy.
///
/// ```
/// use cuprum::scipy::ndimage::{BorderRule, FilterOptions, gaussian_filter};
/// let step = cuprum::array([0.0, 0.0, 1.0, 1.0])?;
/// let smooth = gaussian_filter(&step, &[0.5], &FilterOptions::new().mode(BorderRule::Nearest))?.to_vec::<f64>()?;
/// assert!(smooth.windows(2).all(|pair| pair[0] < pair[1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for lists that do not fit the axes.
#[signature]
pub fn gaussian_filter(input: &Array, sigma: &[f64], options: &FilterOptions) -> Result<Array> {
    gaussian_derivative("gaussian_filter", input, sigma, None, options)
}

/// Filters with a Gaussian, with its derivative of an order along one axis.
fn gaussian_derivative(
    function: &str,
    input: &Array,
    sigma: &[f64],
    derivative: Option<(usize, usize)>,
    options: &FilterOptions,
) -> Result<Array> {
    let plan = options.plan(function, input)?;
    let sigma = for_axes(function, "sigma", sigma, plan.axes.len())?;
    let mut windows = Vec::new();
    for (k, &sigma) in sigma.iter().enumerate().filter(|(_, sigma)| **sigma > 1e-15) {
        let order = derivative.map_or(0, |(axis, order)| if plan.axes[k] == axis { order } else { 0 });
        windows.push(plan.window(k, AxisOp::Weights(gaussian_weights(sigma, order, radius_of(sigma))?)));
    }
    filter_axes(input, &windows, &plan.out)?;
    Ok(plan.out)
}

/// Combines derivatives along the filtered axes: the sum of `derivative(axis, options)`, or the root of the sum of
/// squares.
fn combined(
    function: &str,
    input: &Array,
    options: &FilterOptions,
    squares: bool,
    derivative: impl Fn(usize, &FilterOptions) -> Result<Array>,
) -> Result<Array> {
    let plan = options.plan(function, input)?;
    let mut sum: Option<Array> = None;
    for &axis in &plan.axes {
        let single = FilterOptions { out: None, dtype: Some(plan.out.dtype()), ..options.clone() };
        let part = derivative(axis, &single)?;
        let part = if squares { math::multiply(&part, &part)? } else { part };
        sum = Some(match sum {
            None => part,
            Some(sum) => math::add(sum, part)?,
        });
    }
    let sum = sum.unwrap_or_else(|| input.clone());
    let sum = if squares && !plan.axes.is_empty() { math::sqrt(&sum)? } else { sum };
    crate::engine::copy(&sum, &plan.out)?;
    Ok(plan.out)
}

/// Returns the options of a filter along one axis, whose rules may be one for each filtered axis.
fn along(options: &FilterOptions, input: &Array, axis: usize) -> Result<FilterOptions> {
    let plan = options.plan("filter", input)?;
    let k = plan.axes.iter().position(|&a| a == axis).unwrap_or(0);
    Ok(options.clone().modes(&[plan.rules[k]]).axes(&[axis as isize]))
}

/// Laplacian by second differences along the filtered axes; SciPy's `scipy.ndimage.laplace`.
///
/// The result has the shape of the input, and its dtype unless the options name another. Each axis adds the
/// sum of the two neighbours less twice the element.
///
/// ```
/// use cuprum::scipy::ndimage::{BorderRule, FilterOptions, laplace};
/// let squares = cuprum::array([0.0, 1.0, 4.0, 9.0])?;
/// let options = FilterOptions::new().mode(BorderRule::Nearest);
/// assert_eq!(laplace(&squares, &options)?.to_vec::<f64>()?, [1.0, 2.0, 2.0, -5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for lists that do not fit the axes.
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
#[signature]
pub fn laplace(input: &Array, options: &FilterOptions) -> Result<Array> {
    combined("laplace", input, options, false, |axis, single| {
        correlate1d(input, &[1.0, -2.0, 1.0], axis as isize, &along(single, input, axis)?)
    })
}

/// Laplacian by second derivatives of a Gaussian; SciPy's `scipy.ndimage.gaussian_laplace`.
///
/// The result has the shape of the input, and its dtype unless the options name another. It is the sum over
/// the filtered axes of [`gaussian_filter`] with the second derivative along one of them.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, gaussian_laplace};
/// let impulse = cuprum::array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])?;
/// let curvature = gaussian_laplace(&impulse, &[1.0], &FilterOptions::new())?.to_vec::<f64>()?;
/// assert!(curvature[3] < 0.0 && curvature[1] > 0.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`gaussian_filter`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
#[signature]
pub fn gaussian_laplace(input: &Array, sigma: &[f64], options: &FilterOptions) -> Result<Array> {
    combined("gaussian_laplace", input, options, false, |axis, single| {
        gaussian_derivative("gaussian_laplace", input, sigma, Some((axis, 2)), single)
    })
}

/// Magnitude of the gradient by derivatives of a Gaussian; SciPy's `scipy.ndimage.gaussian_gradient_magnitude`.
///
/// The result has the shape of the input, and its dtype unless the options name another. It is the root of
/// the sum over the filtered axes of the squares of [`gaussian_filter`] with the first derivative along one
/// of them.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, gaussian_gradient_magnitude};
/// let edge = cuprum::array([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]])?;
/// let magnitude = gaussian_gradient_magnitude(&edge, &[1.0], &FilterOptions::new())?.to_vec::<f64>()?;
/// assert!(magnitude[1] > magnitude[0] && (magnitude[1] - magnitude[2]).abs() < 1e-12);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`gaussian_filter`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
#[signature]
pub fn gaussian_gradient_magnitude(input: &Array, sigma: &[f64], options: &FilterOptions) -> Result<Array> {
    combined("gaussian_gradient_magnitude", input, options, true, |axis, single| {
        gaussian_derivative("gaussian_gradient_magnitude", input, sigma, Some((axis, 1)), single)
    })
}

fn edges(function: &str, input: &Array, smooth: [f64; 3], axis: isize, options: &FilterOptions) -> Result<Array> {
    let plan = options.plan(function, input)?;
    let axis = normalize_axis(axis, input.ndim())?;
    let all = std::iter::once(axis).chain((0..input.ndim()).filter(|&d| d != axis));
    let window = |d: usize| {
        let weights: &[f64] = if d == axis { &[-1.0, 0.0, 1.0] } else { &smooth };
        plan.window(d, AxisOp::Weights(weights.into()))
    };
    filter_axes(input, &all.map(window).collect::<Vec<_>>(), &plan.out)?;
    Ok(plan.out)
}

/// Sobel filter: the difference along an axis, smoothed along all others; SciPy's `scipy.ndimage.sobel`.
///
/// The result has the shape of the input. Weights are -1, 0, 1 along the axis and 1, 2, 1 along the others.
///
/// The dtype is that of the input unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, sobel};
/// let ramp = cuprum::array([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])?;
/// assert_eq!(sobel(&ramp, 1, &FilterOptions::new())?.to_vec::<f64>()?[4], 8.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis).
#[signature]
pub fn sobel(input: &Array, axis: isize, options: &FilterOptions) -> Result<Array> {
    edges("sobel", input, [1.0, 2.0, 1.0], axis, options)
}

/// Prewitt filter: the difference along an axis, averaged along all others; SciPy's `scipy.ndimage.prewitt`.
///
/// The result has the shape of the input, and its dtype unless the options name another. Weights are -1, 0,
/// 1 along the axis and 1, 1, 1 along the others.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, prewitt};
/// let ramp = cuprum::array([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])?;
/// assert_eq!(prewitt(&ramp, 1, &FilterOptions::new())?.to_vec::<f64>()?, [3.0, 6.0, 3.0, 3.0, 6.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis).
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
#[signature]
pub fn prewitt(input: &Array, axis: isize, options: &FilterOptions) -> Result<Array> {
    edges("prewitt", input, [1.0; 3], axis, options)
}

/// Applies windows of sizes along the filtered axes.
pub(super) fn sized(
    function: &str,
    input: &Array,
    sizes: &[usize],
    options: &FilterOptions,
    op: fn(usize) -> AxisOp,
) -> Result<Array> {
    let plan = options.plan(function, input)?;
    let sizes = for_axes(function, "size", sizes, plan.axes.len())?;
    let windows: Vec<AxisWindow> =
        sizes.iter().enumerate().filter(|(_, n)| **n != 1).map(|(k, &n)| plan.window(k, op(n))).collect();
    filter_axes(input, &windows, &plan.out)?;
    Ok(plan.out)
}

macro_rules! sized {
    ($($name:ident, $name1d:ident, $op:ident, $what:literal;)+) => {$(
        #[doc = concat!($what, " of the elements in a box of sizes along the filtered axes, one for all or one for each; SciPy's `scipy.ndimage.", stringify!($name), "`.")]
        ///
        /// The result has the shape of the input, and its dtype unless the options name another. The box is a pass along
        /// each filtered axis, so that the cost is the sum of the sizes.
        ///
        /// ```
        #[doc = concat!("use cuprum::scipy::ndimage::{FilterOptions, ", stringify!($name), "};")]
        /// let ones = cuprum::ones([3, 3], ())?;
        #[doc = concat!("assert_eq!(", stringify!($name), "(&ones, &[3], &FilterOptions::new())?.to_vec::<f64>()?, [1.0; 9]);")]
        /// # Ok::<(), cuprum::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a size 0, lists that do not fit the axes, and an origin
        /// outside the box.
        #[signature]
        pub fn $name(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
            sized(stringify!($name), input, size, options, AxisOp::$op)
        }

        #[doc = concat!($what, " of a number of elements along an axis; SciPy's `scipy.ndimage.", stringify!($name1d), "`.")]
        ///
        /// The result has the shape of the input, and its dtype unless the options name another.
        ///
        /// ```
        #[doc = concat!("use cuprum::scipy::ndimage::{FilterOptions, ", stringify!($name1d), "};")]
        /// let ones = cuprum::ones([2, 3], ())?;
        #[doc = concat!("assert_eq!(", stringify!($name1d), "(&ones, 3, -1, &FilterOptions::new())?.to_vec::<f64>()?, [1.0; 6]);")]
        /// # Ok::<(), cuprum::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        #[doc = concat!("Same as for [`", stringify!($name), "`], and [`ErrorKind::Axis`](crate::ErrorKind::Axis).")]
        #[signature]
        pub fn $name1d(input: &Array, size: usize, axis: isize, options: &FilterOptions) -> Result<Array> {
            sized(stringify!($name1d), input, &[size], &options.clone().axes(&[axis]), AxisOp::$op)
        }
    )+};
}

sized! {
    uniform_filter, uniform_filter1d, Mean, "Mean";
    minimum_filter, minimum_filter1d, Minimum, "Minimum";
    maximum_filter, maximum_filter1d, Maximum, "Maximum";
}

fn ranked(
    function: &str,
    input: &Array,
    size: &[usize],
    options: &FilterOptions,
    rank: impl Fn(usize) -> Result<usize>,
) -> Result<Array> {
    let plan = options.plan(function, input)?;
    let sizes = for_axes(function, "size", size, plan.axes.len())?;
    let elements = sizes.iter().product();
    let window = plan.area(input, &sizes, vec![true; elements], None);
    filter_rank(input, &window, rank(elements)?, &plan.out)?;
    Ok(plan.out)
}

/// Element of a rank in a box of sizes along the filtered axes, counted from the smallest, or from the largest if it is
/// negative; SciPy's `scipy.ndimage.rank_filter`.
///
/// The result has the shape of the input; a rank that is not in the box is an error.
///
/// The dtype is that of the input unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, rank_filter};
/// let a = cuprum::array([3.0, 1.0, 2.0])?;
/// assert_eq!(rank_filter(&a, 0, &[3], &FilterOptions::new())?.to_vec::<f64>()?, [1.0, 1.0, 1.0]);
/// assert_eq!(rank_filter(&a, -1, &[3], &FilterOptions::new())?.to_vec::<f64>()?, [3.0, 3.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a rank that the box does not have, and same as for
/// [`minimum_filter`].
#[signature]
pub fn rank_filter(input: &Array, rank: isize, size: &[usize], options: &FilterOptions) -> Result<Array> {
    ranked("rank_filter", input, size, options, |elements| {
        let from_start = if rank < 0 { rank + elements as isize } else { rank };
        usize::try_from(from_start)
            .or_else(|_| wrong(format!("rank_filter: the rank {rank} is outside a box of {elements} elements")))
    })
}

/// Median of the elements in a box of sizes along the filtered axes; SciPy's `scipy.ndimage.median_filter`.
///
/// The result has the shape and the dtype of the input. A box with an even number of elements has two
/// middle elements; the upper one is taken, as in SciPy.
///
/// On a GPU the kernel of a square of 7 to 13 rows is compiled in the background, which takes seconds. Until it is there,
/// medians are selected by the slower kernel of all other sizes; with `CUPRUM_FUSE_WAIT=1` the first call waits for it.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, median_filter};
/// let spike = cuprum::array([1, 1, 9, 1, 2])?;
/// assert_eq!(median_filter(&spike, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [1, 1, 1, 2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`minimum_filter`].
#[signature]
pub fn median_filter(input: &Array, size: &[usize], options: &FilterOptions) -> Result<Array> {
    ranked("median_filter", input, size, options, |elements| Ok(elements / 2))
}

/// Percentile of the elements in a box of sizes along the filtered axes; negative ones count from 100; SciPy's
/// `scipy.ndimage.percentile_filter`.
///
/// The result has the shape and the dtype of the input. The percentile selects an element and does not
/// interpolate: its rank is the percentile of the number of elements, rounded down.
///
/// ```
/// use cuprum::scipy::ndimage::{FilterOptions, percentile_filter};
/// let a = cuprum::array([3, 1, 2, 5, 4])?;
/// assert_eq!(percentile_filter(&a, 100.0, &[3], &FilterOptions::new())?.to_vec::<i32>()?, [3, 3, 5, 5, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a percentile outside -100 to 100, and same as for
/// [`minimum_filter`].
#[unrecorded("takes options for each axis: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
#[signature]
pub fn percentile_filter(input: &Array, percentile: f64, size: &[usize], options: &FilterOptions) -> Result<Array> {
    ranked("percentile_filter", input, size, options, |elements| {
        let p = if percentile < 0.0 { percentile + 100.0 } else { percentile };
        if !(0.0..=100.0).contains(&p) {
            return wrong(format!("percentile_filter: the percentile {percentile} is not from -100 to 100"));
        }
        Ok(((elements as f64 * p / 100.0) as usize).min(elements - 1))
    })
}

/// Replaces an array by the result of a binary ufunc with it as the output.
pub(super) fn into(name: &str, a: &Array, b: &Array, out: &Array) -> Result<()> {
    ufunc(name)?.called(&[a.into(), b.into()], &UfuncOptions::new().out(out)).map(|_| ())
}
