//! Transforms of images by coordinates: zoom, shift, rotation, affine maps, and any coordinates.
//!
//! Coordinates of shifts, zooms and affine maps are computed by the kernel from the index of the result; none is
//! stored.
//!
//! Lower bound: the result is written once, and the input is read once from memory where the map is smooth;
//! the order of the spline decides the number of reads from the cache.

use cuprum_macros::{signature, unrecorded};

use super::interpolation::check_order;
use super::{InterpolationOptions, SampleMap, for_axes, sample, wrong};
use crate::array::Array;
use crate::engine::{copy, make};
use crate::error::Result;
use crate::layout::{normalize_axis, shape_text};

fn all_axes(function: &str, input: &Array, options: &InterpolationOptions) -> Result<Vec<usize>> {
    check_order(function, options.order, 0)?;
    if input.ndim() == 0 {
        return wrong(format!("{function}: the input has no axis: its rank must be at least 1"));
    }
    Ok((0..input.ndim()).collect())
}

/// Values of the input at coordinates; SciPy's `scipy.ndimage.map_coordinates`. The first axis of the coordinates,
/// which are float64 or are cast to it, has one number for each axis of the input, and the result has the shape of the
/// others and the dtype of the input.
///
/// ```
/// use cuprum::scipy::ndimage::{InterpolationOptions, map_coordinates};
/// let image = cuprum::array([[0.0, 1.0], [2.0, 3.0]])?;
/// let at = cuprum::array([[0.5, 1.0], [0.5, 0.0]])?;
/// let values = map_coordinates(&image, &at, &InterpolationOptions::new().order(1))?;
/// assert_eq!(values.to_vec::<f64>()?, [1.5, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for an order above 5, for coordinates whose first axis does not fit
/// the input, and for an output of another shape; [`ErrorKind::Type`](crate::ErrorKind::Type) for complex coordinates,
/// and for a complex input with a real output.
#[signature]
pub fn map_coordinates(input: &Array, coordinates: &Array, options: &InterpolationOptions) -> Result<Array> {
    let axes = all_axes("map_coordinates", input, options)?;
    if coordinates.ndim() < 2 || coordinates.shape()[0] != axes.len() {
        return wrong(format!(
            "map_coordinates: coordinates of shape {} do not fit an input of {} axes: the first axis has one coordinate for each of them",
            shape_text(coordinates.shape()),
            axes.len()
        ));
    }
    let out = options.output("map_coordinates", input, &coordinates.shape()[1..])?;
    sample(input, &axes, &SampleMap::Array(coordinates), options, &out)?;
    Ok(out)
}

/// Values of the input at coordinates that a function computes for each index of the result; SciPy's
/// `scipy.ndimage.geometric_transform`. The function runs on the host, for one result after another, and writes a
/// coordinate for each axis of the input.
///
/// ```
/// use cuprum::scipy::ndimage::{InterpolationOptions, geometric_transform};
/// let x = cuprum::array([1.0, 2.0, 3.0])?;
/// let reverse = |index: &[usize], at: &mut [f64]| at[0] = 2.0 - index[0] as f64;
/// let y = geometric_transform(&x, reverse, &[3], &InterpolationOptions::new().order(1))?;
/// assert_eq!(y.to_vec::<f64>()?, [3.0, 2.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`map_coordinates`].
#[unrecorded("takes a function of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_interpolation.py`")]
#[signature]
pub fn geometric_transform(
    input: &Array,
    mut mapping: impl FnMut(&[usize], &mut [f64]),
    output_shape: &[usize],
    options: &InterpolationOptions,
) -> Result<Array> {
    let axes = all_axes("geometric_transform", input, options)?;
    let count: usize = output_shape.iter().product();
    let mut coordinates = vec![0.0; axes.len() * count];
    let (mut index, mut at) = (vec![0; output_shape.len()], vec![0.0; axes.len()]);
    for i in 0..count {
        mapping(&index, &mut at);
        for (d, x) in at.iter().enumerate() {
            coordinates[d * count + i] = *x;
        }
        for d in (0..index.len()).rev() {
            index[d] += 1;
            if index[d] < output_shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
    let shape: Vec<usize> = std::iter::once(axes.len()).chain(output_shape.iter().copied()).collect();
    let coordinates = make::of(input.device(), &coordinates, &shape)?;
    let out = options.output("geometric_transform", input, output_shape)?;
    sample(input, &axes, &SampleMap::Array(&coordinates), options, &out)?;
    Ok(out)
}

/// Values of the input at the coordinates `matrix` index + `offset`; SciPy's `scipy.ndimage.affine_transform`. The
/// matrix is in C order: it has a number for each axis of the input, which are its diagonal, or a row for each axis of
/// the input with a number for each axis of the result. `offset` has one number for all axes or one for each.
///
/// ```
/// use cuprum::scipy::ndimage::{InterpolationOptions, affine_transform};
/// let x = cuprum::array([[1.0, 2.0], [3.0, 4.0]])?;
/// let transposed = affine_transform(&x, &[0.0, 1.0, 1.0, 0.0], &[0.0], &[2, 2], &InterpolationOptions::new().order(1))?;
/// assert_eq!(transposed.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for an order above 5, a matrix or offsets that do not fit the axes,
/// and an output of another shape; [`ErrorKind::Type`](crate::ErrorKind::Type) for a complex input with a real output.
#[signature]
pub fn affine_transform(
    input: &Array,
    matrix: &[f64],
    offset: &[f64],
    output_shape: &[usize],
    options: &InterpolationOptions,
) -> Result<Array> {
    let axes = all_axes("affine_transform", input, options)?;
    let n = axes.len();
    let offsets = for_axes("affine_transform", "offset", offset, n)?;
    let is_diagonal = matrix.len() == n && output_shape.len() == n;
    if !is_diagonal && matrix.len() != n * output_shape.len() {
        return wrong(format!(
            "affine_transform: a matrix of {} numbers does not map {} axes of the result to {n} of the input",
            matrix.len(),
            output_shape.len()
        ));
    }
    let out = options.output("affine_transform", input, output_shape)?;
    if is_diagonal {
        let before: Vec<f64> = offsets.iter().zip(matrix).map(|(offset, scale)| offset / scale).collect();
        let map = SampleMap::Diagonal { before: &before, scales: matrix, after: &vec![0.0; n] };
        sample(input, &axes, &map, options, &out)?;
    } else {
        sample(input, &axes, &SampleMap::Affine { matrix, offsets: &offsets }, options, &out)?;
    }
    Ok(out)
}

/// Input moved by a number of elements, one for all axes or one for each; SciPy's `scipy.ndimage.shift`.
///
/// The result has the shape of the input and its dtype, unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{InterpolationOptions, shift};
/// let x = cuprum::array([1.0, 2.0, 3.0])?;
/// let moved = shift(&x, &[0.5], &InterpolationOptions::new().order(1))?;
/// assert_eq!(moved.to_vec::<f64>()?, [0.0, 1.5, 2.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`affine_transform`].
#[signature]
pub fn shift(input: &Array, shift: &[f64], options: &InterpolationOptions) -> Result<Array> {
    let axes = all_axes("shift", input, options)?;
    let before: Vec<f64> = for_axes("shift", "shift", shift, axes.len())?.into_iter().map(|s| -s).collect();
    let out = options.output("shift", input, input.shape())?;
    let n = axes.len();
    sample(
        input,
        &axes,
        &SampleMap::Diagonal { before: &before, scales: &vec![1.0; n], after: &vec![0.0; n] },
        options,
        &out,
    )?;
    Ok(out)
}

/// Input with more or fewer elements along its axes, by one factor for all or one for each; SciPy's
/// `scipy.ndimage.zoom`. The length of an axis is multiplied by its factor and rounded half to even. If `grid_mode` is
/// false, the centres of the first and of the last elements coincide, and otherwise their outer edges.
///
/// The result has the dtype of the input, unless the options name another.
///
/// ```
/// use cuprum::scipy::ndimage::{InterpolationOptions, zoom};
/// let x = cuprum::array([1.0, 2.0, 3.0])?;
/// let larger = zoom(&x, &[5.0 / 3.0], false, &InterpolationOptions::new().order(1))?;
/// assert_eq!(larger.to_vec::<f64>()?, [1.0, 1.5, 2.0, 2.5, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`affine_transform`].
#[signature]
pub fn zoom(input: &Array, zoom: &[f64], grid_mode: bool, options: &InterpolationOptions) -> Result<Array> {
    let axes = all_axes("zoom", input, options)?;
    let factors = for_axes("zoom", "zoom", zoom, axes.len())?;
    let shape: Vec<usize> =
        input.shape().iter().zip(&factors).map(|(n, z)| (*n as f64 * z).round_ties_even() as usize).collect();
    let out = options.output("zoom", input, &shape)?;
    if factors.iter().all(|z| *z == 1.0) && options.prefilter {
        copy(input, &out)?;
        return Ok(out);
    }
    let less = if grid_mode { 0.0 } else { 1.0 };
    let half = if grid_mode { 0.5 } else { 0.0 };
    let scale = |(n, m): (&usize, &usize)| {
        let divisor = *m as f64 - less;
        if divisor == 0.0 { 1.0 } else { (*n as f64 - less) / divisor }
    };
    let scales: Vec<f64> = input.shape().iter().zip(&shape).map(scale).collect();
    let n = axes.len();
    let map = SampleMap::Diagonal { before: &vec![half; n], scales: &scales, after: &vec![-half; n] };
    sample(input, &axes, &map, options, &out)?;
    Ok(out)
}

/// Sine and cosine of an angle in degrees, exact at multiples of a right angle.
fn sine_cosine(degrees: f64) -> (f64, f64) {
    // Reduced to the nearest right angle, from which it differs by 45 degrees at most.
    let reduced = degrees % 360.0;
    let quarters = (reduced / 90.0).round();
    let (s, c) = (reduced - 90.0 * quarters).to_radians().sin_cos();
    match (quarters as i32).rem_euclid(4) {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// Map of a rotation in the plane of two axes: the lengths of the plane after it, the matrix, and the
/// offsets.
///
/// The lengths are those of `plane` unless `reshape`, with which the rotated plane fits. The matrix is in C
/// order; it and the offsets are the arguments of [`affine_transform`] for the two axes. Sines and cosines
/// of multiples of 90 degrees are exact.
///
/// ```
/// use cuprum::scipy::ndimage::rotation;
/// let (plane, matrix, offsets) = rotation([2, 3], 90.0, true);
/// assert_eq!((plane, matrix, offsets), ([3, 2], [0.0, 1.0, -1.0, 0.0], [0.0, 2.0]));
/// ```
#[unrecorded("returns numbers of the host: compared with SciPy's in `gpu/python/tests/test_ndimage_interpolation.py`")]
pub fn rotation(plane: [usize; 2], degrees: f64, reshape: bool) -> ([usize; 2], [f64; 4], [f64; 2]) {
    let (s, c) = sine_cosine(degrees);
    let matrix = [c, s, -s, c];
    let [y, x] = plane.map(|n| n as f64);
    // Extents of the corners' projections.
    let extent = |one: f64, two: f64| {
        let corners = [0.0, one, two, one + two];
        corners.into_iter().fold(f64::MIN, f64::max) - corners.into_iter().fold(f64::MAX, f64::min)
    };
    let shape =
        if reshape { [(extent(c * y, s * x) + 0.5) as usize, (extent(-s * y, c * x) + 0.5) as usize] } else { plane };
    let [v, u] = shape.map(|n| (n as f64 - 1.0) / 2.0);
    let offsets = [(y - 1.0) / 2.0 - (c * v + s * u), (x - 1.0) / 2.0 - (-s * v + c * u)];
    (shape, matrix, offsets)
}

/// Input rotated by an angle in degrees in the plane of two axes; SciPy's `scipy.ndimage.rotate`. With `reshape` the
/// result is as large as the rotated plane. The planes along the other axes are interpolated on their own.
///
/// ```
/// use cuprum::scipy::ndimage::{InterpolationOptions, rotate};
/// let x = cuprum::array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
/// let rotated = rotate(&x, 90.0, [1, 0], true, &InterpolationOptions::new().order(1))?;
/// assert_eq!(rotated.shape(), [3, 2]);
/// assert_eq!(rotated.to_vec::<f64>()?, [3.0, 6.0, 2.0, 5.0, 1.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`](crate::ErrorKind::Axis), [`ErrorKind::Value`](crate::ErrorKind::Value) for one axis twice, and
/// same as for [`affine_transform`].
#[signature]
pub fn rotate(
    input: &Array,
    angle: f64,
    axes: [isize; 2],
    reshape: bool,
    options: &InterpolationOptions,
) -> Result<Array> {
    check_order("rotate", options.order, 0)?;
    let (one, two) = (normalize_axis(axes[0], input.ndim())?, normalize_axis(axes[1], input.ndim())?);
    if one == two {
        return wrong(format!("rotate: axes {axes:?} are one axis: a plane has two"));
    }
    let plane = [one.min(two), one.max(two)];
    let (lengths, matrix, offsets) = rotation(plane.map(|d| input.shape()[d]), angle, reshape);
    let mut shape = input.shape().to_vec();
    (shape[plane[0]], shape[plane[1]]) = (lengths[0], lengths[1]);
    let mut rows = vec![0.0; 2 * shape.len()];
    for k in 0..4 {
        rows[k / 2 * shape.len() + plane[k % 2]] = matrix[k];
    }
    let out = options.output("rotate", input, &shape)?;
    sample(input, &plane, &SampleMap::Affine { matrix: &rows, offsets: &offsets }, options, &out)?;
    Ok(out)
}
