//! Splines through the elements of arrays, and their values at coordinates.
//!
//! A spline of order 2 and above is a sum of B-splines whose coefficients a recurrence computes from the elements (the
//! prefilter); evaluating it at a coordinate weights the coefficients around it.
//!
//! Algorithm: the prefilter is that of M. Unser, A. Aldroubi and M. Eden ("B-Spline Signal Processing: Part II", IEEE
//! Trans. Signal Processing 41, 1993). Threads compute segments of a line, and the states at the ends of a segment are
//! sums of those of its neighbours: powers of the poles vanish in the rounding of float64 after a few segments.
//!
//! Lower bound: one pass over the input for each filtered axis, and for a sample (order + 1)**n
//! coefficients, which the cache holds for neighbouring results.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};
use num_complex::Complex64;

use super::windows::by_parts;
use super::{SampleMode, wrong};
use crate::array::Array;
use crate::engine::{AxisByAxis, Coordinates, Sampling, copy, fill, make, spline_coefficients};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, normalize_axis, shape_text};
use crate::scalar::Scalar;

/// Highest order of splines.
const HIGHEST: usize = 5;

/// Options of interpolation: the spline, the borders, and the result.
///
/// The methods return the options, so that calls are chained. Parameters have SciPy's names.
#[derive(Clone, Debug)]
pub struct InterpolationOptions {
    pub(super) order: usize,
    pub(super) mode: SampleMode,
    pub(super) cval: Complex64,
    pub(super) prefilter: bool,
    pub(super) dtype: Option<DType>,
    pub(super) out: Option<Array>,
}

crate::array::default_options!(InterpolationOptions);

impl Default for InterpolationOptions {
    fn default() -> Self {
        InterpolationOptions {
            order: 3,
            mode: SampleMode::Constant,
            cval: Complex64::default(),
            prefilter: true,
            dtype: None,
            out: None,
        }
    }
}

impl InterpolationOptions {
    /// Cubic splines, the constant 0 outside the input, and a new result with the dtype of the input.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{InterpolationOptions, shift};
    /// let a = cuprum::array([1.0, 2.0, 3.0])?;
    /// assert_eq!(shift(&a, &[1.0], &InterpolationOptions::new().order(0))?.to_vec::<f64>()?, [0.0, 1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new() -> InterpolationOptions {
        InterpolationOptions::default()
    }

    /// Sets the order of the spline, from 0 to 5.
    ///
    /// Order 0 takes the nearest element, 1 interpolates linearly, 3 is SciPy's default.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{InterpolationOptions, shift};
    /// let a = cuprum::array([0.0, 2.0, 4.0])?;
    /// assert_eq!(shift(&a, &[0.5], &InterpolationOptions::new().order(1))?.to_vec::<f64>()?, [0.0, 1.0, 3.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn order(mut self, order: usize) -> InterpolationOptions {
        self.order = order;
        self
    }

    /// Sets the continuation at coordinates outside the input.
    ///
    /// SciPy's parameter `mode`.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{InterpolationOptions, SampleMode, shift};
    /// let a = cuprum::array([1.0, 2.0, 3.0])?;
    /// let wrap = InterpolationOptions::new().order(1).mode(SampleMode::GridWrap);
    /// assert_eq!(shift(&a, &[1.0], &wrap)?.to_vec::<f64>()?, [3.0, 1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn mode(mut self, mode: SampleMode) -> InterpolationOptions {
        self.mode = mode;
        self
    }

    /// Sets the value outside the input of [`SampleMode::Constant`] and [`SampleMode::GridConstant`].
    ///
    /// By default it is 0.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{InterpolationOptions, shift};
    /// let a = cuprum::array([1.0, 2.0, 3.0])?;
    /// assert_eq!(shift(&a, &[1.0], &InterpolationOptions::new().order(1).cval(7.0))?.to_vec::<f64>()?, [7.0, 1.0, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn cval(mut self, value: impl Into<Complex64>) -> InterpolationOptions {
        self.cval = value.into();
        self
    }

    /// Takes the elements of the input as the coefficients of the spline if false, as [`spline_filter`] returns
    /// them.
    ///
    /// It has no effect on splines of order 0 and 1, whose coefficients are the elements. One prefilter serves
    /// several transforms of the same input:
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{InterpolationOptions, shift, spline_filter};
    /// let a = cuprum::array([1.0, 4.0, 2.0, 3.0])?;
    /// let coefficients = spline_filter(&a, &InterpolationOptions::new())?;
    /// let once = shift(&coefficients, &[0.5], &InterpolationOptions::new().prefilter(false))?;
    /// assert!(cuprum::allclose(&once, &shift(&a, &[0.5], &InterpolationOptions::new())?, ())?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn prefilter(mut self, prefilter: bool) -> InterpolationOptions {
        self.prefilter = prefilter;
        self
    }

    /// Sets the dtype of the result.
    ///
    /// By default it is that of the input. Integers are rounded half away from zero, as SciPy does.
    pub fn dtype(mut self, dtype: DType) -> InterpolationOptions {
        self.dtype = Some(dtype);
        self
    }

    /// Writes the result to an array, which may share memory with the input.
    ///
    /// Its shape is that of the result.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{InterpolationOptions, shift};
    /// let (a, out) = (cuprum::array([1.0, 2.0, 3.0])?, cuprum::zeros(3, cuprum::DType::I32)?);
    /// shift(&a, &[1.0], &InterpolationOptions::new().order(0).out(&out))?;
    /// assert_eq!(out.to_vec::<i32>()?, [0, 1, 2]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn out(mut self, out: &Array) -> InterpolationOptions {
        self.out = Some(out.clone());
        self
    }

    /// Returns the output that was passed, or a new one.
    pub(super) fn output(&self, function: &str, input: &Array, shape: &[usize]) -> Result<Array> {
        match &self.out {
            None => make::empty(input.device(), shape, self.dtype.unwrap_or(input.dtype())),
            Some(out) if out.shape() != shape => {
                let (one, two) = (shape_text(out.shape()), shape_text(shape));
                wrong(format!("{function}: output of shape {one} does not fit the result of shape {two}"))
            }
            Some(out) => Ok(out.clone()),
        }
    }
}

/// Map from the indices of results to coordinates in the input.
///
/// It is an affine map for shifts, zooms and matrices, and an array of coordinates otherwise.
#[derive(Clone, Debug)]
pub enum SampleMap<'a> {
    /// The coordinate along each sampled axis is (index + `before`) * `scales` + `after`, with the index along the same
    /// axis of the results. The lists have a number for each sampled axis.
    Diagonal {
        /// Summands of the indices.
        before: &'a [f64],
        /// Scales.
        scales: &'a [f64],
        /// Summands of the coordinates.
        after: &'a [f64],
    },
    /// The coordinates are a matrix, with a row for each sampled axis and a column for each axis of the results, times
    /// the indices, plus offsets.
    Affine {
        /// The matrix in C order.
        matrix: &'a [f64],
        /// The offsets, one for each sampled axis.
        offsets: &'a [f64],
    },
    /// The coordinates are those of an array, whose first axis is as long as there are sampled axes, and whose other
    /// axes are those of the results.
    Array(&'a Array),
}

impl SampleMap<'_> {
    /// Checks the numbers of axes.
    fn check(&self, sampled: usize, out: &Array) -> Result<()> {
        let fits = match self {
            SampleMap::Diagonal { before, scales, after } => {
                [before.len(), scales.len(), after.len()] == [sampled; 3] && out.ndim() >= sampled
            }
            SampleMap::Affine { matrix, offsets } => matrix.len() == sampled * out.ndim() && offsets.len() == sampled,
            SampleMap::Array(a) => a.shape().first() == Some(&sampled) && a.shape().get(1..) == Some(out.shape()),
        };
        if fits {
            return Ok(());
        }
        wrong(format!(
            "sample: the map does not fit {sampled} sampled axes and a result of shape {}",
            shape_text(out.shape())
        ))
    }
}

/// Samples a spline along axes of the input at coordinates, and writes the values to `out`.
///
/// If the sampled axes are not all, the others are the same in the input and the result. It is the basis of
/// the functions of coordinates: [`super::zoom`], [`super::affine_transform`], [`super::map_coordinates`]
/// and others.
///
/// The coefficients of a spline of order 2 or higher take a temporary array of float64, which the modes
/// [`SampleMode::Nearest`] and [`SampleMode::GridConstant`] extend by 12 elements at each border, as SciPy
/// does. Where that moves fewer bytes, each axis is filtered and sampled before the next one. A coordinate that is NaN reads the constant, as do infinite ones unless the mode is
/// [`SampleMode::Nearest`].
///
/// ```
/// use cuprum::scipy::ndimage::{InterpolationOptions, SampleMap, sample};
/// let (a, out) = (cuprum::array([[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]])?, cuprum::zeros([2, 2], ())?);
/// let map = SampleMap::Diagonal { before: &[0.5], scales: &[1.0], after: &[0.0] };
/// sample(&a, &[1], &map, &InterpolationOptions::new().order(1), &out)?;
/// assert_eq!(out.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order above 5, axes that are repeated, and a map that does not fit;
/// [`ErrorKind::Type`] for complex coordinates, and for a complex input with a real output.
#[unrecorded("takes a map of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_interpolation.py`")]
#[signature]
pub fn sample(
    input: &Array,
    axes: &[usize],
    map: &SampleMap<'_>,
    options: &InterpolationOptions,
    out: &Array,
) -> Result<()> {
    check_order("sample", options.order, 0)?;
    let all_axes = axes.len() == input.ndim();
    let same = |d: usize| axes.contains(&d) || input.shape().get(d) == out.shape().get(d);
    let unique = (0..axes.len()).all(|k| axes[k] < input.ndim() && !axes[..k].contains(&axes[k]));
    if axes.is_empty() || !unique || !(all_axes || (input.ndim() == out.ndim() && (0..input.ndim()).all(same))) {
        return wrong(format!(
            "sample: axes {axes:?} of an input of shape {} do not fit a result of shape {}",
            shape_text(input.shape()),
            shape_text(out.shape())
        ));
    }
    map.check(axes.len(), out)?;
    let cast;
    let coordinates = match map {
        SampleMap::Diagonal { before, scales, after } => Coordinates::Diagonal { before, scales, after },
        SampleMap::Affine { matrix, offsets } => Coordinates::Matrix { matrix, offsets },
        SampleMap::Array(a) if matches!(a.dtype(), DType::F32 | DType::F64) => Coordinates::Array(a),
        SampleMap::Array(a) if a.dtype().is_complex() => {
            return Err(Error::new(
                ErrorKind::Type,
                format!("sample: coordinates are {}, and complex ones are not supported", a.dtype()),
            ));
        }
        SampleMap::Array(a) => {
            cast = a.astype(DType::F64)?;
            Coordinates::Array(&cast)
        }
    };
    let src = separate(input, out)?;
    by_parts(&src, out, |src, out, imaginary| {
        let cval = if imaginary { options.cval.im } else { options.cval.re };
        if axes.iter().any(|&d| src.shape()[d] == 0) {
            return fill(out, Scalar::from(cval));
        }
        let (order, mode) = (options.order, options.mode);
        if !options.prefilter || order < 2 {
            return Sampling { src, axes, coordinates, order, mode, cval, pad: 0 }.run(out);
        }
        if let Coordinates::Diagonal { before, scales, after } = coordinates
            && let Some(passes) = AxisByAxis::plan(src, axes, (before, scales, after), mode, out)
        {
            return passes.run(src, order, mode, cval, out);
        }
        let pad = mode.pad();
        let shape: Dims =
            (0..src.ndim()).map(|d| src.shape()[d] + if axes.contains(&d) { 2 * pad } else { 0 }).collect();
        let coefficients = make::empty(src.device(), &shape, DType::F64)?;
        spline_coefficients(src, axes, order, (mode, pad, cval), &coefficients)?;
        Sampling { src: &coefficients, axes, coordinates, order, mode, cval, pad }.run(out)
    })
}

/// Returns a copy of a complex input that shares memory with the output, since its parts are read one after the other.
fn separate(input: &Array, out: &Array) -> Result<Array> {
    if input.dtype().is_complex() && input.may_share_memory(out) {
        return input.copy(Order::C);
    }
    Ok(input.clone())
}

pub(super) fn check_order(function: &str, order: usize, lowest: usize) -> Result<()> {
    if (lowest..=HIGHEST).contains(&order) {
        return Ok(());
    }
    wrong(format!("{function}: spline order {order} is not supported: it is from {lowest} to {HIGHEST}"))
}

/// Coefficients along one axis of the spline through the elements; SciPy's `scipy.ndimage.spline_filter1d`. Orders 0
/// and 1 return the elements. The result has the dtype of the options, by default float64, or complex128 for a complex
/// input; `cval` and `prefilter` are not used.
///
/// A state of the recurrence is determined by at most 48 elements at each side, to the rounding of float64: an infinity
/// or NaN affects results up to that distance, and not the whole line as in SciPy.
///
/// In the modes [`SampleMode::Reflect`] and [`SampleMode::Nearest`] SciPy before 1.18 starts the recurrence of short
/// lines from a sum that deviates from the continued line's, by about 1e-5 of an element for four elements and cubic
/// splines; here it is that of the continued line.
///
/// ```
/// use cuprum::scipy::ndimage::{InterpolationOptions, SampleMode, spline_filter1d};
/// let x = cuprum::array([1.0, 1.0, 1.0, 1.0])?;
/// let c = spline_filter1d(&x, -1, &InterpolationOptions::new().mode(SampleMode::Mirror))?;
/// assert!(cuprum::allclose(&c, &x, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an order above 5, [`ErrorKind::Axis`], and [`ErrorKind::Type`] for a complex input with a
/// real output.
#[signature]
pub fn spline_filter1d(input: &Array, axis: isize, options: &InterpolationOptions) -> Result<Array> {
    check_order("spline_filter1d", options.order, 0)?;
    let axis = normalize_axis(axis, input.ndim())?;
    coefficients("spline_filter1d", input, &[axis], options)
}

/// Coefficients of the spline through the elements; SciPy's `scipy.ndimage.spline_filter`. The results along each axis
/// are rounded to the dtype of the output.
///
/// ```
/// use cuprum::scipy::ndimage::{InterpolationOptions, SampleMode, spline_filter};
/// let x = cuprum::ones([4, 5], ())?;
/// let c = spline_filter(&x, &InterpolationOptions::new().order(5).mode(SampleMode::Mirror))?;
/// assert!(cuprum::allclose(&c, &x, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`spline_filter1d`], and [`ErrorKind::Value`] for the orders 0 and 1.
#[signature]
pub fn spline_filter(input: &Array, options: &InterpolationOptions) -> Result<Array> {
    check_order("spline_filter", options.order, 2)?;
    coefficients("spline_filter", input, &(0..input.ndim()).collect::<Vec<_>>(), options)
}

fn coefficients(function: &str, input: &Array, axes: &[usize], options: &InterpolationOptions) -> Result<Array> {
    let dtype = if input.dtype().is_complex() { DType::C128 } else { DType::F64 };
    let options = InterpolationOptions { dtype: options.dtype.or(Some(dtype)), ..options.clone() };
    let out = options.output(function, input, input.shape())?;
    by_parts(&separate(input, &out)?, &out, |src, out, _| match options.order {
        0 | 1 => copy(src, out),
        order => spline_coefficients(src, axes, order, (options.mode, 0, 0.0), out),
    })?;
    Ok(out)
}
