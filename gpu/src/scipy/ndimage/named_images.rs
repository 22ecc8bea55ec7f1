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
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5, and coordinates whose first axis does not fit the input.
#[routine(namespace = "scipy.ndimage", no_programs = "takes coordinates, which its conformance cases pass")]
pub fn map_coordinates(input: &Array, coordinates: &Array, options: SplineOptions) -> Result<Array> {
    super::map_coordinates(input, coordinates, &spline(options)?)
}

/// Values of the input at a matrix times the indices, which is read: it synchronises.
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5, and a matrix that does not fit the input.
#[routine(namespace = "scipy.ndimage", no_programs = "takes a matrix, which its conformance cases pass")]
pub fn affine_transform(input: &Array, matrix: &Array, offset: f64, options: SplineOptions) -> Result<Array> {
    let matrix = matrix.astype(DType::F64)?.to_vec::<f64>()?;
    super::affine_transform(input, &matrix, &[offset], input.shape(), &spline(options)?)
}

/// Input with more or fewer elements along all axes.
///
/// The result has the dtype of the input.
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
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5.
#[routine(namespace = "scipy.ndimage", no_programs = "takes an angle, which its conformance cases pass")]
pub fn rotate(input: &Array, angle: f64, options: SplineOptions) -> Result<Array> {
    super::rotate(input, angle, [1, 0], true, &spline(options)?)
}

/// Coefficients of the spline through the elements along all axes.
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 2 to 5.
#[routine(namespace = "scipy.ndimage", no_programs = "takes an order, which its conformance cases pass")]
pub fn spline_filter(input: &Array, options: PrefilterOptions) -> Result<Array> {
    let PrefilterOptions { order, mode, .. } = options;
    super::spline_filter(input, &InterpolationOptions::new().order(order_of(order)?).mode(mode))
}

/// Coefficients of the spline through the elements along an axis.
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order that is not from 0 to 5, [`ErrorKind::Axis`].
#[routine(namespace = "scipy.ndimage", no_programs = "takes an order, which its conformance cases pass")]
pub fn spline_filter1d(input: &Array, options: PrefilterOptions) -> Result<Array> {
    let PrefilterOptions { order, axis, mode } = options;
    super::spline_filter1d(input, axis, &InterpolationOptions::new().order(order_of(order)?).mode(mode))
}

/// Connected components of the elements that are not 0: the label of each element, and the number of labels.
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex inputs.
#[routine(namespace = "scipy.ndimage", no_programs = "counts the components, which its conformance cases compare")]
pub fn label(input: &Array) -> Result<(Array, Array)> {
    let (labels, count) = super::label(input, &LabelOptions::new())?;
    Ok((labels, make::full(input.device(), &[], count as i64, DType::I64)?))
}

/// Boxes of the labels from 1 to `max_label`: of each along each axis the first coordinate and one more than the last, 0 for a label that does not occur.
///
/// # Errors
///
/// [`ErrorKind::Type`] for labels that are not integers.
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
    let found = super::distance_transform_cdt(input, &metric, &DistanceOptions::new())?;
    distances("distance_transform_cdt", found.distances)
}

/// Distance from the nearest element that is 0, in a metric.
///
/// # Errors
///
/// Errors of the device.
#[routine(namespace = "scipy.ndimage", no_programs = "takes a metric, which its conformance cases pass")]
pub fn distance_transform_bf(input: &Array, metric: DistanceMetric) -> Result<Array> {
    let found = super::distance_transform_bf(input, metric, &DistanceOptions::new())?;
    distances("distance_transform_bf", found.distances)
}

fn distances(function: &str, found: Option<Array>) -> Result<Array> {
    found.ok_or_else(|| Error::new(ErrorKind::Value, format!("{function}: no distances were computed")))
}
