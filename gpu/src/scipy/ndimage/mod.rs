//! Filters, morphology, measurements and distance transforms of images with any number of axes; SciPy's
//! `scipy.ndimage`.
//!
//! A filter computes each element from those around it: a weighted sum, a mean, a minimum, a median. Beyond the ends of
//! an axis the input is continued by a [`BorderRule`]. Sums are computed in float64 and rounded once for each pass, as
//! SciPy does; minima, maxima and ranks are exact in every dtype. Complex inputs are filtered as their real and
//! imaginary parts. The result has the dtype of the input unless [`FilterOptions`] names another one or an output,
//! which may share memory with the input.
//!
//! | group | functions |
//! |---|---|
//! | weighted windows | [`correlate`], [`convolve`], [`uniform_filter`], [`gaussian_filter`], [`sobel`], [`prewitt`], [`laplace`] |
//! | ranks | [`median_filter`], [`rank_filter`], [`percentile_filter`], [`minimum_filter`], [`maximum_filter`] |
//! | of spectra | [`fourier_gaussian`], [`fourier_uniform`], [`fourier_ellipsoid`], [`fourier_shift`] |
//! | morphology | [`binary_erosion`], [`binary_dilation`], [`binary_fill_holes`], [`grey_opening`], [`white_tophat`] and others |
//! | interpolation | [`zoom`], [`shift`], [`rotate`], [`affine_transform`], [`map_coordinates`], [`spline_filter`] |
//! | labels | [`label`], [`find_objects`], [`watershed_ift`] |
//! | measurements | [`sum_labels`], [`mean`], [`variance`], [`median`], [`extrema`], [`center_of_mass`], [`histogram`] |
//! | distances | [`distance_transform_edt`], [`distance_transform_cdt`], [`distance_transform_bf`] |
//!
//! ```
//! use cuprum::scipy::ndimage::{BorderRule, FilterOptions, gaussian_filter, median_filter};
//!
//! let image = cuprum::array([[1.0, 1.0, 1.0], [1.0, 10.0, 1.0], [1.0, 1.0, 1.0]])?;
//! assert_eq!(median_filter(&image, &[3], &FilterOptions::new())?.to_vec::<f64>()?, [1.0; 9]);
//! let smooth = gaussian_filter(&image, &[1.0], &FilterOptions::new().mode(BorderRule::Nearest))?;
//! assert!(smooth.to_vec::<f64>()?[4] < 10.0);
//! # Ok::<(), cuprum::Error>(())
//! ```

mod distance;
mod filters;
mod fourier;
mod interpolation;
mod kernels;
mod label;
mod measurements;
mod morphology;
pub mod named;
pub mod named_images;
mod transforms;
mod watershed;
mod windows;

pub use crate::engine::{BorderRule, SampleMode};
pub use distance::{
    ChamferMetric, DistanceMetric, DistanceOptions, DistanceTransform, distance_transform_bf, distance_transform_cdt,
    distance_transform_edt,
};
pub use filters::{
    convolve, convolve1d, correlate, correlate1d, gaussian_filter, gaussian_filter1d, gaussian_gradient_magnitude,
    gaussian_laplace, laplace, maximum_filter, maximum_filter1d, median_filter, minimum_filter, minimum_filter1d,
    percentile_filter, prewitt, rank_filter, sobel, uniform_filter, uniform_filter1d,
};
pub use fourier::{FourierOptions, fourier_ellipsoid, fourier_gaussian, fourier_shift, fourier_uniform};
pub use interpolation::{InterpolationOptions, SampleMap, sample, spline_filter, spline_filter1d};
pub use kernels::gaussian_weights;
pub use label::{LabelBox, LabelOptions, find_objects, label};
pub use measurements::{
    LabelExtrema, center_of_mass, extrema, histogram, maximum, maximum_position, mean, median, minimum,
    minimum_position, standard_deviation, sum_labels, variance,
};
pub use morphology::{
    MorphologyOptions, binary_closing, binary_dilation, binary_erosion, binary_fill_holes, binary_hit_or_miss,
    binary_opening, binary_propagation, black_tophat, generate_binary_structure, grey_closing, grey_dilation,
    grey_erosion, grey_opening, iterate_structure, morphological_gradient, morphological_laplace, white_tophat,
};
pub use transforms::{affine_transform, geometric_transform, map_coordinates, rotate, rotation, shift, zoom};
pub use watershed::watershed_ift;
pub use windows::{
    AreaWindow, AxisOp, AxisWindow, WindowOp, correlate_at, erode, filter_area, filter_axes, filter_rank,
};

use cuprum_kernels::DType;

use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, normalize_axis, shape_text};

/// Options of filters: the axes, the borders, and the result.
///
/// The methods return the options, so that calls are chained. Parameters have SciPy's names.
///
/// ```
/// use cuprum::scipy::ndimage::{BorderRule, FilterOptions, maximum_filter};
/// let a = cuprum::array([[1, 5, 2], [3, 0, 4]])?;
/// let rows = FilterOptions::new().axes(&[1]).mode(BorderRule::Constant).cval(9.0);
/// assert_eq!(maximum_filter(&a, &[3], &rows)?.to_vec::<i32>()?, [9, 5, 9, 9, 4, 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FilterOptions {
    axes: Option<Vec<isize>>,
    modes: Vec<BorderRule>,
    cval: f64,
    origins: Vec<isize>,
    dtype: Option<DType>,
    out: Option<Array>,
}

crate::array::default_options!(FilterOptions);

impl FilterOptions {
    /// All axes, borders by [`BorderRule::Reflect`], centred windows, and a new result with the dtype of the input.
    pub fn new() -> FilterOptions {
        FilterOptions::default()
    }

    /// Filters along these axes only.
    ///
    /// Other axes are not filtered; negative ones count from the end.
    pub fn axes(mut self, axes: &[isize]) -> FilterOptions {
        self.axes = Some(axes.into());
        self
    }

    /// Continues the input along all axes by one rule.
    pub fn mode(self, rule: BorderRule) -> FilterOptions {
        self.modes(&[rule])
    }

    /// Continues the input along each filtered axis by its rule.
    ///
    /// There is one rule for each filtered axis.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{BorderRule, FilterOptions, maximum_filter};
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// let rules = FilterOptions::new().modes(&[BorderRule::Nearest, BorderRule::Constant]).cval(9.0);
    /// assert_eq!(maximum_filter(&a, &[1, 3], &rules)?.to_vec::<i32>()?, [9, 9, 9, 9]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn modes(mut self, rules: &[BorderRule]) -> FilterOptions {
        self.modes = rules.into();
        self
    }

    /// Sets the value beyond the borders of [`BorderRule::Constant`]; by default 0.
    ///
    /// It is the real part of the constant of a complex input, whose imaginary part continues with 0; SciPy's
    /// `cval`.
    pub fn cval(mut self, value: f64) -> FilterOptions {
        self.cval = value;
        self
    }

    /// Moves the windows along all axes: positive numbers towards the beginning of the input.
    ///
    /// The magnitude is at most half of the window.
    pub fn origin(self, origin: isize) -> FilterOptions {
        self.origins(&[origin])
    }

    /// Moves the windows along each filtered axis.
    ///
    /// There is one offset for each filtered axis; positive ones move the window towards the beginning of the
    /// input.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{BorderRule, FilterOptions, maximum_filter};
    /// let a = cuprum::array([1, 2, 3])?;
    /// let ahead = FilterOptions::new().origins(&[-1]).mode(BorderRule::Nearest);
    /// assert_eq!(maximum_filter(&a, &[3], &ahead)?.to_vec::<i32>()?, [3, 3, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn origins(mut self, origins: &[isize]) -> FilterOptions {
        self.origins = origins.into();
        self
    }

    /// Sets the dtype of the result.
    ///
    /// Sums are rounded once to this dtype, which need not be that of the input: a uint8 image can be filtered
    /// to float32 without a conversion before.
    ///
    /// ```
    /// use cuprum::DType;
    /// use cuprum::scipy::ndimage::{FilterOptions, uniform_filter};
    /// let a = cuprum::array([1_u8, 2, 2])?;
    /// let mean = uniform_filter(&a, &[2], &FilterOptions::new().dtype(DType::F64))?;
    /// assert_eq!(mean.to_vec::<f64>()?, [1.0, 1.5, 2.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn dtype(mut self, dtype: DType) -> FilterOptions {
        self.dtype = Some(dtype);
        self
    }

    /// Writes the result to an array, which may share memory with the input.
    ///
    /// The result has the shape of the input. SciPy's parameter `output` is [`dtype`](FilterOptions::dtype) or
    /// this.
    ///
    /// ```
    /// use cuprum::scipy::ndimage::{FilterOptions, minimum_filter};
    /// let a = cuprum::array([3, 1, 2])?;
    /// minimum_filter(&a, &[3], &FilterOptions::new().out(&a))?;
    /// assert_eq!(a.to_vec::<i32>()?, [1, 1, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn out(mut self, out: &Array) -> FilterOptions {
        self.out = Some(out.clone());
        self
    }
}

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

/// Options that fit an input: a rule and an origin for each filtered axis.
#[derive(Debug)]
struct Plan {
    /// Filtered axes.
    axes: Dims,
    /// Border rule of each filtered axis.
    rules: Vec<BorderRule>,
    /// Offset of the window along each filtered axis.
    origins: Vec<isize>,
    /// Value of a constant border.
    cval: f64,
    /// Array that gets the result.
    out: Array,
}

/// Returns a value for each of the axes from a list of one or all.
fn for_axes<T: Copy>(function: &str, argument: &str, list: &[T], axes: usize) -> Result<Vec<T>> {
    match list {
        [one] => Ok(vec![*one; axes]),
        all if all.len() == axes => Ok(all.into()),
        all => wrong(format!(
            "{function}: {argument} has {} values for {axes} filtered axes: pass one, or one for each",
            all.len()
        )),
    }
}

impl FilterOptions {
    fn plan(&self, function: &str, input: &Array) -> Result<Plan> {
        let axes: Dims = match &self.axes {
            None => (0..input.ndim()).collect(),
            Some(axes) => axes.iter().map(|axis| normalize_axis(*axis, input.ndim())).collect::<Result<_>>()?,
        };
        if (1..axes.len()).any(|k| axes[..k].contains(&axes[k])) {
            return wrong(format!("{function}: axes must be unique"));
        }
        let rules = if self.modes.is_empty() { &[BorderRule::Reflect][..] } else { &self.modes };
        let origins = if self.origins.is_empty() { &[0][..] } else { &self.origins };
        Ok(Plan {
            rules: for_axes(function, "mode", rules, axes.len())?,
            origins: for_axes(function, "origin", origins, axes.len())?,
            axes,
            cval: self.cval,
            out: self.output(function, input, input.dtype())?,
        })
    }

    /// Returns the output that was passed, or a new one.
    fn output(&self, function: &str, input: &Array, dtype: DType) -> Result<Array> {
        match &self.out {
            None => make::empty(input.device(), input.shape(), self.dtype.unwrap_or(dtype)),
            Some(out) if out.shape() != input.shape() => {
                let (one, two) = (shape_text(out.shape()), shape_text(input.shape()));
                wrong(format!("{function}: output of shape {one} does not fit the input of shape {two}"))
            }
            Some(out) => Ok(out.clone()),
        }
    }
}
