//! Filters with one mode, one origin and one size for all axes, as the call table has them.
//!
//! The call table passes numbers, strings and arrays; these functions translate them to the options of
//! [`ndimage`](super).

use cuprum_macros::{Options, routine};

use super::filters::real_weights;
use super::{BorderRule, FilterOptions, MorphologyOptions};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

/// The border of a filter, and the offset of its window.
///
/// ```
/// use cuprum::scipy::ndimage::{BorderRule, named};
/// let a = cuprum::array([1, 5, 2])?;
/// let options = named::BorderOptions::new().mode(BorderRule::Constant).cval(9.0);
/// assert_eq!(named::maximum_filter(&a, 3, options)?.to_vec::<i32>()?, [9, 5, 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Options)]
pub struct BorderOptions {
    /// The continuation beyond the ends of an axis. By default [`BorderRule::Reflect`].
    #[from]
    pub mode: BorderRule,
    /// The value of a constant continuation. By default 0.
    pub cval: f64,
    /// The offset of the window from its centre along all axes. By default 0.
    pub origin: isize,
}

/// Options of filters along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct AlongOptions {
    /// The axis. By default the last one.
    #[from]
    pub axis: isize,
    /// The continuation beyond the ends of the axis. By default [`BorderRule::Reflect`].
    pub mode: BorderRule,
    /// The value of a constant continuation. By default 0.
    pub cval: f64,
    /// The offset of the window from its centre. By default 0.
    pub origin: isize,
}

impl Default for AlongOptions {
    fn default() -> Self {
        AlongOptions { axis: -1, mode: BorderRule::Reflect, cval: 0.0, origin: 0 }
    }
}

/// The axis and the border of a filter of edges, and of Gaussians.
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct EdgeOptions {
    /// The axis of the difference. By default the last one.
    #[from]
    pub axis: isize,
    /// The continuation beyond the ends of the axes. By default [`BorderRule::Reflect`].
    pub mode: BorderRule,
    /// The value of a constant continuation. By default 0.
    pub cval: f64,
}

impl Default for EdgeOptions {
    fn default() -> Self {
        EdgeOptions { axis: -1, mode: BorderRule::Reflect, cval: 0.0 }
    }
}

/// The border of a filter without an offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Options)]
pub struct ModeOptions {
    /// The continuation beyond the ends of an axis. By default [`BorderRule::Reflect`].
    #[from]
    pub mode: BorderRule,
    /// The value of a constant continuation. By default 0.
    pub cval: f64,
}

/// Options of binary morphology with the nearest neighbours as the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct IterationOptions {
    /// The number of iterations; 0 repeats until nothing changes. By default 1.
    #[from]
    pub iterations: isize,
    /// The value beyond the borders. By default `false`.
    pub border_value: bool,
}

impl Default for IterationOptions {
    fn default() -> Self {
        IterationOptions { iterations: 1, border_value: false }
    }
}

fn options(mode: BorderRule, cval: f64, origin: isize) -> FilterOptions {
    FilterOptions::new().mode(mode).cval(cval).origin(origin)
}

fn size_of(size: isize) -> Result<[usize; 1]> {
    match usize::try_from(size) {
        Ok(n) if n > 0 => Ok([n]),
        _ => {
            Err(Error::new(ErrorKind::Value, format!("a window of size {size} has no elements: it needs at least one")))
        }
    }
}

/// Mean of the elements in a box of one size along all axes.
///
/// The result has the shape and the dtype of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.uniform_filter` with one size, one mode and one origin;
/// [`ndimage::uniform_filter`](super::uniform_filter) takes one of each for each axis, and an output.
///
/// ```
/// use cuprum::scipy::ndimage::named::uniform_filter;
/// let a = cuprum::array([0.0, 3.0, 0.0])?;
/// assert_eq!(uniform_filter(&a, 3, ())?.to_vec::<f64>()?, [1.0, 1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a size less than 1, and for an origin outside the box.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn uniform_filter(input: &Array, size: isize, options: BorderOptions) -> Result<Array> {
    super::uniform_filter(input, &size_of(size)?, self::options(options.mode, options.cval, options.origin))
}

/// Minimum of the elements in a box of one size along all axes.
///
/// The result has the shape and the dtype of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.minimum_filter` with one size, one mode and one origin;
/// [`ndimage::minimum_filter`](super::minimum_filter) takes one of each for each axis, and an output.
///
/// ```
/// use cuprum::scipy::ndimage::named::minimum_filter;
/// let a = cuprum::array([4, 2, 7, 7, 7])?;
/// assert_eq!(minimum_filter(&a, 3, ())?.to_vec::<i32>()?, [2, 2, 2, 7, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a size less than 1, and for an origin outside the box.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn minimum_filter(input: &Array, size: isize, options: BorderOptions) -> Result<Array> {
    super::minimum_filter(input, &size_of(size)?, self::options(options.mode, options.cval, options.origin))
}

/// Maximum of the elements in a box of one size along all axes.
///
/// The result has the shape and the dtype of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.maximum_filter` with one size, one mode and one origin;
/// [`ndimage::maximum_filter`](super::maximum_filter) takes one of each for each axis, and an output.
///
/// ```
/// use cuprum::scipy::ndimage::named::maximum_filter;
/// let a = cuprum::array([4, 2, 7, 0, 0])?;
/// assert_eq!(maximum_filter(&a, 3, ())?.to_vec::<i32>()?, [4, 7, 7, 7, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a size less than 1, and for an origin outside the box.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn maximum_filter(input: &Array, size: isize, options: BorderOptions) -> Result<Array> {
    super::maximum_filter(input, &size_of(size)?, self::options(options.mode, options.cval, options.origin))
}

/// Median of the elements in a box of one size along all axes.
///
/// The result has the shape and the dtype of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.median_filter` with one size, one mode and one origin;
/// [`ndimage::median_filter`](super::median_filter) takes one of each for each axis, and an output.
///
/// ```
/// use cuprum::scipy::ndimage::named::median_filter;
/// let a = cuprum::array([1, 1, 9, 1, 2])?;
/// assert_eq!(median_filter(&a, 3, ())?.to_vec::<i32>()?, [1, 1, 1, 2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a size less than 1, and for an origin outside the box.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn median_filter(input: &Array, size: isize, options: BorderOptions) -> Result<Array> {
    super::median_filter(input, &size_of(size)?, self::options(options.mode, options.cval, options.origin))
}

/// Element of a rank in a box of one size along all axes.
///
/// The result has the shape and the dtype of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.rank_filter` with one size, one mode and one origin;
/// [`ndimage::rank_filter`](super::rank_filter) takes one of each for each axis, and an output.
///
/// ```
/// use cuprum::scipy::ndimage::named::rank_filter;
/// let a = cuprum::array([4, 2, 7, 1, 3])?;
/// assert_eq!(rank_filter(&a, -1, 3, ())?.to_vec::<i32>()?, [4, 7, 7, 7, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a rank that the box does not have, a size less than 1, and an origin outside the box.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn rank_filter(input: &Array, rank: isize, size: isize, options: BorderOptions) -> Result<Array> {
    super::rank_filter(input, rank, &size_of(size)?, self::options(options.mode, options.cval, options.origin))
}

/// Correlation along an axis with weights, which are read: it synchronises.
///
/// The result has the shape and the dtype of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.correlate1d`; [`ndimage::correlate1d`](super::correlate1d)
/// takes the weights from the host, and does not synchronise.
///
/// ```
/// use cuprum::scipy::ndimage::named::correlate1d;
/// let (a, weights) = (cuprum::array([1.0, 2.0, 4.0])?, cuprum::array([1.0, 0.0, -1.0])?);
/// assert_eq!(correlate1d(&a, &weights, ())?.to_vec::<f64>()?, [-1.0, -3.0, -2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] without a weight and for an origin outside the window; [`ErrorKind::Axis`]; [`ErrorKind::Type`]
/// for complex weights.
///
/// # Synchronization
///
/// Synchronises to read the weights.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn correlate1d(input: &Array, weights: &Array, options: AlongOptions) -> Result<Array> {
    let weights = real_weights("correlate1d", weights)?;
    super::correlate1d(input, &weights, options.axis, self::options(options.mode, options.cval, options.origin))
}

/// Correlation with an array of weights, which are read: it synchronises.
///
/// The result has the shape and the dtype of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.correlate` with one mode and one origin;
/// [`ndimage::correlate`](super::correlate) takes one of each for each axis, and an output.
///
/// ```
/// use cuprum::scipy::ndimage::named::correlate;
/// let (a, weights) = (cuprum::array([[1.0, 2.0], [3.0, 4.0]])?, cuprum::array([[1.0], [1.0]])?);
/// assert_eq!(correlate(&a, &weights, ())?.to_vec::<f64>()?, [2.0, 4.0, 4.0, 6.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for weights with other axes than the input, and for an origin outside them; [`ErrorKind::Type`]
/// for complex weights.
///
/// # Synchronization
///
/// Synchronises to read the weights.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn correlate(input: &Array, weights: &Array, options: BorderOptions) -> Result<Array> {
    super::correlate(input, weights, self::options(options.mode, options.cval, options.origin))
}

/// Gaussian filter of one standard deviation along all axes.
///
/// The result has the shape and the dtype of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.gaussian_filter` with one standard deviation, of order 0 and
/// truncated at 4 standard deviations; [`ndimage::gaussian_filter`](super::gaussian_filter) takes one for
/// each axis, and an output.
///
/// ```
/// use cuprum::scipy::ndimage::named::gaussian_filter;
/// let smooth = gaussian_filter(&cuprum::array([0.0, 1.0, 0.0])?, 1.0, ())?;
/// assert!((smooth.sum(())?.item::<f64>()? - 1.0).abs() < 1e-12);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn gaussian_filter(input: &Array, sigma: f64, options: ModeOptions) -> Result<Array> {
    super::gaussian_filter(input, &[sigma], self::options(options.mode, options.cval, 0))
}

/// Sobel filter along an axis.
///
/// The result has the shape and the dtype of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.sobel` with one mode; [`ndimage::sobel`](super::sobel) takes
/// one for each axis, and an output.
///
/// ```
/// use cuprum::scipy::ndimage::named::sobel;
/// let ramp = cuprum::array([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])?;
/// assert_eq!(sobel(&ramp, ())?.to_vec::<f64>()?, [4.0, 8.0, 4.0, 4.0, 8.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`].
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn sobel(input: &Array, options: EdgeOptions) -> Result<Array> {
    super::sobel(input, options.axis, self::options(options.mode, options.cval, 0))
}

fn iterated(options: IterationOptions) -> MorphologyOptions {
    MorphologyOptions::new().iterations(options.iterations.max(0) as usize).border_value(options.border_value)
}

/// Erosion of a binary image by the nearest neighbours.
///
/// The result is boolean and has the shape of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.binary_erosion` without a structure, mask or origin, which
/// [`ndimage::binary_erosion`](super::binary_erosion) takes.
///
/// ```
/// use cuprum::scipy::ndimage::named::binary_erosion;
/// let a = cuprum::array([true, true, true, false])?;
/// assert_eq!(binary_erosion(&a, ())?.to_vec::<bool>()?, [false, true, false, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex inputs.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn binary_erosion(input: &Array, options: IterationOptions) -> Result<Array> {
    super::binary_erosion(input, iterated(options))
}

/// Dilation of a binary image by the nearest neighbours.
///
/// The result is boolean and has the shape of the input.
///
/// It corresponds to SciPy's `scipy.ndimage.binary_dilation` without a structure, mask or origin, which
/// [`ndimage::binary_dilation`](super::binary_dilation) takes.
///
/// ```
/// use cuprum::scipy::ndimage::named::binary_dilation;
/// let a = cuprum::array([true, false, false, false])?;
/// assert_eq!(binary_dilation(&a, 2)?.to_vec::<bool>()?, [true, true, true, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex inputs.
#[routine(
    namespace = "scipy.ndimage",
    no_programs = "takes the size or the weights of a window, which its conformance cases pass"
)]
pub fn binary_dilation(input: &Array, options: IterationOptions) -> Result<Array> {
    super::binary_dilation(input, iterated(options))
}
