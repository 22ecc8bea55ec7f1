//! Interpolation, labels, measurements and distances with numbers for all axes, as the call table has them.
//!
//! The call table passes numbers, strings and arrays; these functions translate them to the options of
//! [`ndimage`](super).

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::{ChamferMetric, DistanceMetric, DistanceOptions, InterpolationOptions, LabelOptions, SampleMode, wrong};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};

/// The spline, and its continuation outside the input.
///
/// ```
/// use cuprum::scipy::ndimage::{SampleMode, named_images};
/// let a = cuprum::array([1.0, 2.0, 3.0])?;
/// let options = named_images::SplineOptions::new().order(1).mode(SampleMode::Nearest);
/// assert_eq!(named_images::shift(&a, 0.5, options)?.to_vec::<f64>()?, [1.0, 1.5, 2.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct SplineOptions {
    /// The order of the spline. By default 3.
    #[from]
    pub order: isize,
    /// The continuation at coordinates outside the input. By default [`SampleMode::Constant`].
    pub mode: SampleMode,
    /// The value of a constant continuation. By default 0.
    pub cval: f64,
    /// Compute the coefficients of the spline; otherwise they are the elements. By default `true`.
    pub prefilter: bool,
}

impl Default for SplineOptions {
    fn default() -> Self {
        SplineOptions { order: 3, mode: SampleMode::Constant, cval: 0.0, prefilter: true }
    }
}

/// The order of a spline, and the continuation of its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct PrefilterOptions {
    /// The order of the spline. By default 3.
    #[from]
    pub order: isize,
    /// The axis; all for a filter along all axes. By default the last one.
    pub axis: isize,
    /// The continuation of the samples. By default [`SampleMode::Mirror`].
    pub mode: SampleMode,
}

impl Default for PrefilterOptions {
    fn default() -> Self {
        PrefilterOptions { order: 3, axis: -1, mode: SampleMode::Mirror }
    }
}

fn order_of(order: isize) -> Result<usize> {
    match usize::try_from(order) {
        Ok(order) => Ok(order),
        Err(_) => wrong(format!("spline order {order} is not supported: it is from 0 to 5")),
    }
}

fn spline(options: SplineOptions) -> Result<InterpolationOptions> {
    let SplineOptions { order, mode, cval, prefilter } = options;
    Ok(InterpolationOptions::new().order(order_of(order)?).mode(mode).cval(cval).prefilter(prefilter))
}

/// Values of the input at coordinates.
///
/// The result has the dtype of the input and the shape of the coordinates without their first axis, which
/// has one number for each axis of the input. It corresponds to SciPy's `scipy.ndimage.map_coordinates`;
/// [`ndimage::map_coordinates`](super::map_coordinates) takes a dtype and an output too.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::map_coordinates;
/// let a = cuprum::array([[1.0, 2.0], [3.0, 4.0]])?;
/// let at = cuprum::array([[0.5], [0.5]])?;
/// assert_eq!(map_coordinates(&a, &at, 1)?.to_vec::<f64>()?, [2.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5, and coordinates whose first axis does not fit the input.
#[routine(namespace = "scipy.ndimage", no_programs = "takes coordinates, which its conformance cases pass")]
pub fn map_coordinates(input: &Array, coordinates: &Array, options: SplineOptions) -> Result<Array> {
    super::map_coordinates(input, coordinates, &spline(options)?)
}

/// Values of the input at a matrix times the indices, which is read: it synchronises.
///
/// The result has the shape and the dtype of the input. It corresponds to SciPy's
/// `scipy.ndimage.affine_transform` with one offset for all axes;
/// [`ndimage::affine_transform`](super::affine_transform) takes one for each, and another shape.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::affine_transform;
/// let a = cuprum::array([[1.0, 2.0], [3.0, 4.0]])?;
/// let swap = cuprum::array([[0.0, 1.0], [1.0, 0.0]])?;
/// assert_eq!(affine_transform(&a, &swap, 0.0, 1)?.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5, and a matrix that does not fit the input.
///
/// # Synchronization
///
/// Synchronises to read the matrix.
#[routine(namespace = "scipy.ndimage", no_programs = "takes a matrix, which its conformance cases pass")]
pub fn affine_transform(input: &Array, matrix: &Array, offset: f64, options: SplineOptions) -> Result<Array> {
    let matrix = matrix.astype(DType::F64)?.to_vec::<f64>()?;
    super::affine_transform(input, &matrix, &[offset], input.shape(), &spline(options)?)
}

/// Input with more or fewer elements along all axes.
///
/// The result has the dtype of the input.
///
/// The length of each axis is multiplied by the factor and rounded half to even. It corresponds to SciPy's
/// `scipy.ndimage.zoom` with one factor; [`ndimage::zoom`](super::zoom) takes one for each axis, and
/// `grid_mode`.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::zoom;
/// let a = cuprum::array([1.0, 3.0])?;
/// assert_eq!(zoom(&a, 1.5, 1)?.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5.
#[routine(
    namespace = "scipy.ndimage",
    names = "input zoom",
    no_programs = "takes a factor, which its conformance cases pass"
)]
pub fn zoom(input: &Array, factor: f64, options: SplineOptions) -> Result<Array> {
    super::zoom(input, &[factor], false, &spline(options)?)
}

/// Input moved along all axes.
///
/// The result has the dtype of the input.
///
/// The result has the shape of the input. It corresponds to SciPy's `scipy.ndimage.shift` with one
/// distance; [`ndimage::shift`](super::shift) takes one for each axis.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::shift;
/// let a = cuprum::array([1.0, 2.0, 3.0])?;
/// assert_eq!(shift(&a, 1.0, 0)?.to_vec::<f64>()?, [0.0, 1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5.
#[routine(
    namespace = "scipy.ndimage",
    names = "input shift",
    no_programs = "takes a distance, which its conformance cases pass"
)]
pub fn shift(input: &Array, distance: f64, options: SplineOptions) -> Result<Array> {
    super::shift(input, &[distance], &spline(options)?)
}

/// Input rotated in the plane of its first two axes, with the shape of the rotated plane.
///
/// The result has the dtype of the input. It corresponds to SciPy's `scipy.ndimage.rotate` with `axes=(1,
/// 0)` and `reshape=True`; [`ndimage::rotate`](super::rotate) takes other axes and keeps the shape if
/// requested.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::rotate;
/// let a = cuprum::array([[1.0, 2.0], [3.0, 4.0]])?;
/// assert_eq!(rotate(&a, 90.0, 1)?.to_vec::<f64>()?, [2.0, 4.0, 1.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5.
#[routine(namespace = "scipy.ndimage", no_programs = "takes an angle, which its conformance cases pass")]
pub fn rotate(input: &Array, angle: f64, options: SplineOptions) -> Result<Array> {
    super::rotate(input, angle, [1, 0], true, &spline(options)?)
}

/// Coefficients of the spline through the elements along all axes.
///
/// The result has the shape of the input and is float64, or complex128 for a complex input; SciPy's
/// `scipy.ndimage.spline_filter`.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::spline_filter;
/// let ones = cuprum::ones([3, 4], ())?;
/// assert!(cuprum::allclose(&spline_filter(&ones, ())?, &ones, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 2 to 5.
#[routine(namespace = "scipy.ndimage", no_programs = "takes an order, which its conformance cases pass")]
pub fn spline_filter(input: &Array, options: PrefilterOptions) -> Result<Array> {
    let PrefilterOptions { order, mode, .. } = options;
    super::spline_filter(input, InterpolationOptions::new().order(order_of(order)?).mode(mode))
}

/// Coefficients of the spline through the elements along an axis.
///
/// The result has the shape of the input and is float64, or complex128 for a complex input; SciPy's
/// `scipy.ndimage.spline_filter1d`.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::spline_filter1d;
/// let a = cuprum::array([1.0, 2.0, 4.0])?;
/// assert_eq!(spline_filter1d(&a, 1)?.to_vec::<f64>()?, [1.0, 2.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5, [`ErrorKind::Axis`].
#[routine(namespace = "scipy.ndimage", no_programs = "takes an order, which its conformance cases pass")]
pub fn spline_filter1d(input: &Array, options: PrefilterOptions) -> Result<Array> {
    let PrefilterOptions { order, axis, mode } = options;
    super::spline_filter1d(input, axis, InterpolationOptions::new().order(order_of(order)?).mode(mode))
}

/// Connected components of the elements that are not 0: the label of each element, and the number of labels.
///
/// The labels are int32 with the shape of the input; the number is an array without axes. It corresponds to
/// SciPy's `scipy.ndimage.label` with the nearest neighbours as the structure, which
/// [`ndimage::label`](super::label) takes.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::label;
/// let (labels, count) = label(&cuprum::array([1, 0, 5, 5])?)?;
/// assert_eq!(labels.to_vec::<i32>()?, [1, 0, 2, 2]);
/// assert_eq!(count.item::<i64>()?, 2);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex inputs.
///
/// # Synchronization
///
/// Synchronises to read the number of components.
#[routine(namespace = "scipy.ndimage", no_programs = "counts the components, which its conformance cases compare")]
pub fn label(input: &Array) -> Result<(Array, Array)> {
    let (labels, count) = super::label(input, LabelOptions::new())?;
    Ok((labels, make::full(input.device(), &[], count as i64, DType::I64)?))
}

/// Boxes of the labels from 1 to `max_label`: of each along each axis the first coordinate and one more than the last,
/// 0 for a label that does not occur.
///
/// The result has a row for each label, with two numbers for each axis. It corresponds to SciPy's
/// `scipy.ndimage.find_objects`, which returns slices; [`ndimage::find_objects`](super::find_objects)
/// returns them as a list.
///
/// The result is int64.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::find_objects;
/// let boxes = find_objects(&cuprum::array([0, 1, 1, 0, 2])?, 2)?;
/// assert_eq!(boxes.to_vec::<i64>()?, [1, 3, 4, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for labels that are not integers.
///
/// # Synchronization
///
/// Synchronises to read the boxes.
#[routine(namespace = "scipy.ndimage", no_programs = "takes a number of labels, which its conformance cases pass")]
pub fn find_objects(input: &Array, max_label: isize) -> Result<Array> {
    let count = max_label.max(0) as usize;
    let axes = input.ndim();
    let numbers: Vec<i64> = super::find_objects(input, count)?
        .into_iter()
        .flat_map(|found| found.unwrap_or_else(|| vec![(0, 0); axes]))
        .flat_map(|(first, last)| [first as i64, last as i64])
        .collect();
    make::of(input.device(), &numbers, &[count, axes, 2])
}

/// Defines the statistics of labels.
macro_rules! statistics {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Value`] for shapes that cannot be broadcast, [`ErrorKind::Type`] for complex labels.
        #[routine(namespace = "scipy.ndimage", no_programs = "takes labels, which its conformance cases pass")]
        pub fn $name(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
            super::$name(input, labels, index)
        }
    )+};
}
statistics! {
    /// Sum of the elements with each label.
    sum_labels;
    /// Variance of the elements with each label.
    variance;
    /// Centre of mass of the elements with each label: a row of coordinates.
    center_of_mass;
    /// Maximum of the elements with each label.
    maximum;
    /// Position of the first minimum of the elements with each label.
    minimum_position;
    /// Median of the elements with each label.
    median;
}

/// Exact Euclidean distance from the nearest element that is 0, with this distance between elements.
///
/// The result is float64 and has the shape of the input. It corresponds to SciPy's
/// `scipy.ndimage.distance_transform_edt` with one sampling distance for all axes;
/// [`ndimage::distance_transform_edt`](super::distance_transform_edt) takes one for each, and returns the
/// coordinates of the nearest elements.
///
/// ```
/// use cuprum::scipy::ndimage::named_images::distance_transform_edt;
/// let a = cuprum::array([0, 1, 1])?;
/// assert_eq!(distance_transform_edt(&a, 0.5)?.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
#[routine(namespace = "scipy.ndimage", no_programs = "takes a metric, which its conformance cases pass")]
pub fn distance_transform_edt(input: &Array, sampling: f64) -> Result<Array> {
    let options = DistanceOptions::new().sampling(&vec![sampling; input.ndim()]);
    distances("distance_transform_edt", super::distance_transform_edt(input, &options)?.distances)
}

/// Distance along axes (taxicab), or along diagonals too (chessboard), from the nearest element that is 0.
///
/// The result is int32 and has the shape of the input. It corresponds to SciPy's
/// `scipy.ndimage.distance_transform_cdt` with a named metric;
/// [`ndimage::distance_transform_cdt`](super::distance_transform_cdt) takes a structure too.
///
/// ```
/// use cuprum::scipy::ndimage::{DistanceMetric, named_images::distance_transform_cdt};
/// let a = cuprum::array([[0, 1, 1], [1, 1, 1]])?;
/// let far = distance_transform_cdt(&a, DistanceMetric::Taxicab)?;
/// assert_eq!(far.to_vec::<i32>()?, [0, 1, 2, 1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for the Euclidean metric.
#[routine(namespace = "scipy.ndimage", no_programs = "takes a metric, which its conformance cases pass")]
pub fn distance_transform_cdt(input: &Array, metric: DistanceMetric) -> Result<Array> {
    let metric = match metric {
        DistanceMetric::Taxicab => ChamferMetric::Taxicab,
        DistanceMetric::Chessboard => ChamferMetric::Chessboard,
        DistanceMetric::Euclidean => {
            return wrong("distance_transform_cdt: the metric is taxicab or chessboard, not euclidean".into());
        }
    };
    let found = super::distance_transform_cdt(input, &metric, DistanceOptions::new())?;
    distances("distance_transform_cdt", found.distances)
}

/// Distance from the nearest element that is 0, in a metric.
///
/// The result has the shape of the input, and is float64 for the Euclidean metric, uint32 for others;
/// SciPy's `scipy.ndimage.distance_transform_bf` without sampling distances.
///
/// ```
/// use cuprum::scipy::ndimage::{DistanceMetric, named_images::distance_transform_bf};
/// let a = cuprum::array([0, 1, 1])?;
/// let far = distance_transform_bf(&a, DistanceMetric::Chessboard)?;
/// assert_eq!(far.to_vec::<u32>()?, [0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
#[routine(namespace = "scipy.ndimage", no_programs = "takes a metric, which its conformance cases pass")]
pub fn distance_transform_bf(input: &Array, metric: DistanceMetric) -> Result<Array> {
    let found = super::distance_transform_bf(input, metric, DistanceOptions::new())?;
    distances("distance_transform_bf", found.distances)
}

fn distances(function: &str, found: Option<Array>) -> Result<Array> {
    found.ok_or_else(|| Error::new(ErrorKind::Value, format!("{function}: no distances were computed")))
}
