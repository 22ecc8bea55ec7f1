//! Statistics of the elements with each label of a list.
//!
//! Labels are mapped to the positions of a list, and each statistic is one reduction over all elements for
//! all labels at once. Sums are computed in float64 in a fixed order, so that two calls return equal bits;
//! elements whose label is not in the list are skipped.
//!
//! Lower bound: the input and the labels are read once for a sum, an extreme or a histogram, and twice for
//! a variance.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::label::real;
use super::{filters::into, wrong};
use crate::array::Array;
use crate::engine::labels::{Extremes, Labelled, Summed, cast};
use crate::engine::make;
use crate::error::Result;
use crate::index::Ellipsis;
use crate::layout::broadcast_shapes;
use crate::routines::searching;

/// An input with the labels of its elements and the labels that results are computed for.
struct Measured {
    /// The elements, broadcast to the labels.
    input: Array,
    /// Slot of each element: the position of its label in the list.
    labelled: Labelled,
    /// Shape of the list, which results have.
    shape: Vec<usize>,
}

impl Measured {
    fn new(function: &str, input: &Array, labels: &Array, index: &Array, complex: bool) -> Result<Measured> {
        for (name, a) in [("labels", labels), ("index", index)] {
            real(function, name, a)?;
        }
        if !complex {
            real(function, "input", input)?;
        }
        let go = || {
            let shape = broadcast_shapes(&[input.shape(), labels.shape()])?;
            Ok(Measured {
                input: input.broadcast_to_shape(&shape)?,
                labelled: Labelled::new(labels, index, &shape)?,
                shape: index.shape().into(),
            })
        };
        go().map_err(|e: crate::error::Error| e.with_op(function))
    }

    /// Returns the values of slots for the labels of the list, in its shape.
    fn of_list(&self, values: &Array) -> Result<Array> {
        self.labelled.of_list(values)?.reshape(self.shape.as_slice())
    }

    /// Returns a sum for each slot.
    fn sums(&mut self, summed: Summed<'_>) -> Result<Array> {
        if !self.input.dtype().is_complex() {
            return self.labelled.sums(&self.input, summed);
        }
        let out = make::empty(self.input.device(), &[self.labelled.count()], DType::C128)?;
        for (from, to) in [(self.input.real(), out.real()), (self.input.imag()?, out.imag()?)] {
            crate::engine::copy(&self.labelled.sums(&from, summed)?, &to)?;
        }
        Ok(out)
    }

    /// Returns the number of elements of each slot, of float64.
    fn counts(&self) -> Result<Array> {
        cast(&self.labelled.counts()?, DType::F64)
    }

    fn means(&mut self) -> Result<Array> {
        let sums = self.sums(Summed::Elements)?;
        into("true_divide", &sums, &self.counts()?, &sums)?;
        Ok(sums)
    }

    fn variances(&mut self) -> Result<Array> {
        let means = self.means()?;
        let squares = self.labelled.sums(&self.input, Summed::Squares(&means))?;
        into("true_divide", &squares, &self.counts()?, &squares)?;
        Ok(squares)
    }

    fn extremes(&self, positions: [bool; 2]) -> Result<Extremes> {
        self.labelled.extremes(&self.input, positions)
    }
}

/// Sum of the elements with each label; SciPy's `scipy.ndimage.sum_labels`.
///
/// The result has the shape of `index`, and is float64, or complex128 for complex inputs; it is 0 for a label that does
/// not occur. Input and labels are broadcast. Sums are computed in float64, in an order that is the same for each call.
/// SciPy does not sum complex numbers by a list of labels.
///
/// ```
/// use cuprum::scipy::ndimage::sum_labels;
///
/// let (input, labels) = (cuprum::array([1.5, 2.0, 3.0])?, cuprum::array([1, 0, 1])?);
/// let sums = sum_labels(&input, &labels, &cuprum::array([1, 2])?)?;
/// assert_eq!(sums.to_vec::<f64>()?, [4.5, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that cannot be broadcast,
/// [`ErrorKind::Type`](crate::ErrorKind::Type) for complex labels.
pub fn sum_labels(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let mut all = Measured::new("sum_labels", input, labels, index, true)?;
    let sums = all.sums(Summed::Elements)?;
    all.of_list(&sums)
}

/// Mean of the elements with each label; SciPy's `scipy.ndimage.mean`. As [`sum_labels`], with NaN for a label that
/// does not occur.
///
/// The result has the shape of `index` and is float64 for real inputs.
///
/// ```
/// use cuprum::{array, scipy::ndimage::mean};
///
/// let means = mean(&array([1.0, 2.0, 6.0])?, &array([1, 2, 2])?, &array([1, 2])?)?;
/// assert_eq!(means.to_vec::<f64>()?, [1.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`sum_labels`].
pub fn mean(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let mut all = Measured::new("mean", input, labels, index, true)?;
    let means = all.means()?;
    all.of_list(&means)
}

/// Variance of the elements with each label; SciPy's `scipy.ndimage.variance`. As [`sum_labels`], with NaN for a label
/// that does not occur: the mean of the squares of the differences from the mean, in a second pass.
///
/// The result has the shape of `index` and is float64 for real inputs.
///
/// ```
/// use cuprum::{array, scipy::ndimage::variance};
/// let (a, labels) = (array([1.0, 3.0, 5.0])?, array([1, 1, 2])?);
/// assert_eq!(variance(&a, &labels, &array([1, 2])?)?.to_vec::<f64>()?, [1.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`sum_labels`]; [`ErrorKind::Type`](crate::ErrorKind::Type) for complex inputs.
pub fn variance(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let mut all = Measured::new("variance", input, labels, index, false)?;
    let variances = all.variances()?;
    all.of_list(&variances)
}

/// Standard deviation of the elements with each label, the root of [`variance`]; SciPy's
/// `scipy.ndimage.standard_deviation`.
///
/// The result has the shape of `index`, is float64, and is NaN for a label that does not occur.
///
/// ```
/// use cuprum::scipy::ndimage::standard_deviation;
/// let (a, labels) = (cuprum::array([1.0, 3.0, 9.0])?, cuprum::array([1, 1, 2])?);
/// let spread = standard_deviation(&a, &labels, &cuprum::array([1, 2])?)?;
/// assert_eq!(spread.to_vec::<f64>()?, [1.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`variance`].
#[unrecorded("statistics by labels: compared with SciPy's in `gpu/python/tests/test_ndimage_measurements.py`")]
pub fn standard_deviation(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let mut all = Measured::new("standard_deviation", input, labels, index, false)?;
    let variances = all.variances()?;
    crate::routines::math::sqrt(all.of_list(&variances)?)
}

/// Minimum of the elements with each label; SciPy's `scipy.ndimage.minimum`.
///
/// The result has the shape of `index` and the dtype of the input; it is 0 for a label that does not occur. NaN is the
/// minimum only of elements that are all NaN.
///
/// ```
/// use cuprum::{array, scipy::ndimage::minimum};
///
/// let found = minimum(&array([7, 2, 5])?, &array([1, 2, 2])?, &array([2, 1, 3])?)?;
/// assert_eq!(found.to_vec::<i32>()?, [2, 7, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`variance`].
pub fn minimum(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let all = Measured::new("minimum", input, labels, index, false)?;
    all.of_list(&all.extremes([false; 2])?.least)
}

/// Maximum of the elements with each label; SciPy's `scipy.ndimage.maximum`. As [`minimum`], with NaN above all
/// numbers.
///
/// The result has the shape of `index` and the dtype of the input.
///
/// ```
/// use cuprum::{array, scipy::ndimage::maximum};
/// let (a, labels) = (array([1.0, 3.0, 5.0])?, array([1, 1, 2])?);
/// assert_eq!(maximum(&a, &labels, &array([1, 2])?)?.to_vec::<f64>()?, [3.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`variance`].
pub fn maximum(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let all = Measured::new("maximum", input, labels, index, false)?;
    all.of_list(&all.extremes([false; 2])?.most)
}

/// Minima, maxima, and their positions.
///
/// Each array has the shape of the list of labels.
#[derive(Clone, Debug)]
pub struct LabelExtrema {
    /// The minimum of each label, as of [`minimum`].
    pub minimum: Array,
    /// The maximum of each label, as of [`maximum`].
    pub maximum: Array,
    /// The first position of the minimum in C order, of int64.
    pub minimum_position: Array,
    /// The last position of the maximum in C order, of int64.
    pub maximum_position: Array,
}

/// Minima and maxima of the elements with each label, and their positions; SciPy's `scipy.ndimage.extrema`.
///
/// The results have the shape of `index`; positions are those of the flat input in C order, of int64, where SciPy
/// returns lists of tuples.
///
/// ```
/// use cuprum::scipy::ndimage::extrema;
///
/// let (input, labels) = (cuprum::array([3, 1, 3])?, cuprum::array([1, 1, 1])?);
/// let found = extrema(&input, &labels, &cuprum::array([1])?)?;
/// assert_eq!((found.minimum_position.item::<i64>()?, found.maximum_position.item::<i64>()?), (1, 2));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`variance`].
#[unrecorded("statistics by labels: compared with SciPy's in `gpu/python/tests/test_ndimage_measurements.py`")]
pub fn extrema(input: &Array, labels: &Array, index: &Array) -> Result<LabelExtrema> {
    let all = Measured::new("extrema", input, labels, index, false)?;
    let found = all.extremes([true; 2])?;
    let at = |a: &Option<Array>| a.as_ref().map_or_else(|| wrong("extrema: no positions".into()), |a| all.of_list(a));
    Ok(LabelExtrema {
        minimum: all.of_list(&found.least)?,
        maximum: all.of_list(&found.most)?,
        minimum_position: at(&found.least_at)?,
        maximum_position: at(&found.most_at)?,
    })
}

/// First position of the minimum of the elements with each label, in C order, of int64; SciPy's
/// `scipy.ndimage.minimum_position`, which returns tuples.
///
/// The result has the shape of `index`: positions in the flattened input, which
/// [`unravel_index`](fn@crate::unravel_index) converts to coordinates.
///
/// ```
/// use cuprum::scipy::ndimage::minimum_position;
/// let (a, labels) = (cuprum::array([[5, 2], [2, 8]])?, cuprum::array([[1, 1], [1, 2]])?);
/// assert_eq!(minimum_position(&a, &labels, &cuprum::array([1, 2])?)?.to_vec::<i64>()?, [1, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`variance`].
pub fn minimum_position(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let all = Measured::new("minimum_position", input, labels, index, false)?;
    match &all.extremes([true, false])?.least_at {
        Some(at) => all.of_list(at),
        None => wrong("minimum_position: no positions".into()),
    }
}

/// Last position of the maximum of the elements with each label, in C order, of int64; SciPy's
/// `scipy.ndimage.maximum_position`, which returns tuples.
///
/// The result has the shape of `index`: positions in the flattened input, which
/// [`unravel_index`](fn@crate::unravel_index) converts to coordinates.
///
/// ```
/// use cuprum::scipy::ndimage::maximum_position;
/// let (a, labels) = (cuprum::array([[5, 9], [9, 8]])?, cuprum::array([[1, 1], [1, 2]])?);
/// assert_eq!(maximum_position(&a, &labels, &cuprum::array([1, 2])?)?.to_vec::<i64>()?, [2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`variance`].
#[unrecorded("statistics by labels: compared with SciPy's in `gpu/python/tests/test_ndimage_measurements.py`")]
pub fn maximum_position(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let all = Measured::new("maximum_position", input, labels, index, false)?;
    match &all.extremes([false, true])?.most_at {
        Some(at) => all.of_list(at),
        None => wrong("maximum_position: no positions".into()),
    }
}

/// Median of the elements with each label; SciPy's `scipy.ndimage.median`.
///
/// The result has the shape of `index`, and is float64 for integers and booleans, otherwise of the dtype of the input.
/// It is NaN for a label that does not occur, for which SciPy returns an element of another label. NaN is above all
/// numbers.
///
/// ```
/// use cuprum::{array, scipy::ndimage::median};
///
/// let medians = median(&array([7, 2, 5])?, &array([1, 2, 2])?, &array([1, 2])?)?;
/// assert_eq!(medians.to_vec::<f64>()?, [7.0, 3.5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`variance`].
pub fn median(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let all = Measured::new("median", input, labels, index, false)?;
    let [low, high, counts] = all.labelled.middles(&all.input)?;
    let dtype = if input.dtype().is_float() { input.dtype() } else { DType::F64 };
    let wide = if input.dtype().is_float() { low.dtype() } else { DType::F64 };
    let device = input.device();
    let (low, high) = (cast(&low, wide)?, cast(&high, wide)?);
    let sum = make::empty(device, low.shape(), wide)?;
    into("add", &low, &high, &sum)?;
    into("multiply", &sum, &make::full(device, low.shape(), 0.5, wide)?, &sum)?;
    let none = make::full(device, low.shape(), f64::NAN, wide)?;
    let medians = searching::where_(&crate::routines::logic::greater(&counts, 0)?, &sum, &none)?;
    cast(&all.of_list(&medians)?, dtype)
}

/// Centre of mass of the elements with each label: the mean of the coordinates, weighted by the elements; SciPy's
/// `scipy.ndimage.center_of_mass`.
///
/// The result is float64, has the shape of `index` and a last axis with the coordinates, and is NaN for a label that
/// does not occur.
///
/// ```
/// use cuprum::scipy::ndimage::center_of_mass;
///
/// let labels = cuprum::array([[0, 1], [0, 1]])?;
/// let centre = center_of_mass(&cuprum::array([[5.0, 1.0], [5.0, 3.0]])?, &labels, &cuprum::array([1])?)?;
/// assert_eq!(centre.to_vec::<f64>()?, [0.75, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`variance`].
pub fn center_of_mass(input: &Array, labels: &Array, index: &Array) -> Result<Array> {
    let mut all = Measured::new("center_of_mass", input, labels, index, false)?;
    let axes = all.input.ndim();
    let (total, sums) = all.labelled.coordinate_sums(&all.input)?;
    let shape: Vec<usize> = all.shape.iter().copied().chain([axes]).collect();
    let out = make::empty(input.device(), &shape, DType::F64)?;
    for (axis, sums) in sums.iter().enumerate() {
        into("true_divide", sums, &total, sums)?;
        crate::engine::copy(&all.of_list(sums)?, &out.index(crate::index::s![Ellipsis, axis as i64])?)?;
    }
    Ok(out)
}

/// Histogram of the elements with each label between edges that rise in equal steps; SciPy's `scipy.ndimage.histogram`.
///
/// The result is int64, has the shape of `index` and a last axis with the bins. Bins include their lower edge, the last
/// one both. It is 0 for a label that does not occur, where SciPy has `None`.
///
/// ```
/// use cuprum::scipy::ndimage::histogram;
///
/// let (input, labels) = (cuprum::array([0.5, 2.0, 1.5])?, cuprum::array([1, 1, 2])?);
/// let counts = histogram(&input, &[0.0, 1.0, 2.0], &labels, &cuprum::array([1, 2])?)?;
/// assert_eq!(counts.to_vec::<i64>()?, [1, 1, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`variance`]; [`ErrorKind::Value`](crate::ErrorKind::Value) for edges that fall.
pub fn histogram(input: &Array, edges: &[f64], labels: &Array, index: &Array) -> Result<Array> {
    if edges.is_empty() || edges.iter().any(|edge| edge.is_nan()) || edges.windows(2).any(|pair| pair[0] > pair[1]) {
        return wrong("histogram: the edges of the bins must not fall".into());
    }
    let all = Measured::new("histogram", input, labels, index, false)?;
    let bins = edges.len() - 1;
    let counts = all.labelled.histograms(&all.input, edges)?;
    let found = all.labelled.found();
    let rows = if bins == 0 || found.size() == 0 {
        make::zeros(input.device(), &[found.size(), bins], DType::I64)?
    } else {
        crate::routines::indexing::take(&counts, found, 0)?
    };
    let shape: Vec<usize> = all.shape.iter().copied().chain([bins]).collect();
    rows.reshape(shape.as_slice())
}
