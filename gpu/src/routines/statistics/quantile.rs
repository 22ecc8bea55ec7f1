//! Order statistics: medians, quantiles and percentiles.
//!
//! Short rows are sorted; for one long row, or a few, the required elements are selected. Interpolation between two
//! elements follows NumPy operation by operation, in the same dtypes, so that results are bitwise equal.

mod index;
mod median;
mod nan;
mod weighted;

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Choice, Options, routine};

use crate::array::{Array, AsArray, Axes, Operand};
use crate::dtype::Casting;
use crate::engine;
use crate::engine::make;
use crate::engine::sort::{pick_ranks, ranks_are_faster, sort_rows, take_along};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Dims, Order, normalize_axes, shape_text};
use crate::reduction::Reduce;
use crate::routines::sorting::rows_of;
use crate::routines::{logic, manipulation, math, searching, statistics};
use crate::scalar::Scalar;
use crate::table::{Argument, ParameterKind, Value};

use index::Statistic;
pub use median::{MedianOptions, median, nanmedian};
pub use nan::{nanpercentile, nanquantile};

/// Interpolation of quantiles between elements; NumPy's `method`.
///
/// The names are NumPy's strings for `method`; the first nine are the definitions of Hyndman and Fan, the last four
/// pick or average neighbours of the position that `Linear` computes.
///
/// For `n` sorted elements a method computes a position of the quantile `q`, counted from 0, and interpolates linearly
/// between the elements around it; the first three take an element, or the mean of two. Positions beyond either end are
/// clamped.
///
/// | method | definition of Hyndman and Fan | position |
/// |---|---|---|
/// | `InvertedCdf` | 1 | the first element at which the distribution function reaches `q` |
/// | `AveragedInvertedCdf` | 2 | as 1, the mean of two elements where it reaches `q` exactly |
/// | `ClosestObservation` | 3 | the element nearest to `n q - 1`, the even one of two counted from 1 |
/// | `InterpolatedInvertedCdf` | 4 | `n q - 1` |
/// | `Hazen` | 5 | `n q - 1/2` |
/// | `Weibull` | 6 | `(n + 1) q - 1` |
/// | `Linear` | 7, the default | `(n - 1) q` |
/// | `MedianUnbiased` | 8 | `(n + 1/3) q - 2/3` |
/// | `NormalUnbiased` | 9 | `(n + 1/4) q - 5/8` |
/// | `Lower`, `Higher`, `Nearest` | | `(n - 1) q`, rounded down, up, or to the nearest, the even one of two |
/// | `Midpoint` | | the mean of the elements around `(n - 1) q` |
///
/// ```
/// use cuprum::{QuantileMethod, QuantileOptions, array, quantile};
/// let a = array([1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!(quantile(&a, 0.5, ())?.item::<f64>()?, 2.5);
/// let lower = QuantileOptions::new().method(QuantileMethod::Lower);
/// assert_eq!(quantile(&a, 0.5, lower)?.item::<f64>()?, 2.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum QuantileMethod {
    /// `inverted_cdf`: definition 1, always an element.
    InvertedCdf,
    /// `averaged_inverted_cdf`: definition 2, with averages at discontinuities.
    AveragedInvertedCdf,
    /// `closest_observation`: definition 3, always an element.
    ClosestObservation,
    /// `interpolated_inverted_cdf`: definition 4, linear between the steps of the distribution function.
    InterpolatedInvertedCdf,
    /// `hazen`: definition 5, with the steps' midpoints.
    Hazen,
    /// `weibull`: definition 6, the expected share below an element.
    Weibull,
    /// `linear`: definition 7, the default of NumPy and of R.
    #[default]
    Linear,
    /// `median_unbiased`: definition 8, approximately median-unbiased for every distribution.
    MedianUnbiased,
    /// `normal_unbiased`: definition 9, approximately unbiased for normal numbers.
    NormalUnbiased,
    /// `lower`: the element before the position of `Linear`.
    Lower,
    /// `higher`: the element after the position of `Linear`.
    Higher,
    /// `midpoint`: the mean of the elements around the position of `Linear`.
    Midpoint,
    /// `nearest`: the element nearest to the position of `Linear`.
    Nearest,
}

/// Requested quantiles: a scalar, which takes the dtype of the array, several scalars, which are float64, or an array.
///
/// Scalars, arrays and slices of Rust numbers convert to it.
#[derive(Clone, Debug)]
pub struct Quantiles {
    values: Vec<f64>,
    shape: Vec<usize>,
    dtype: DType,
    /// True for a host scalar: only its kind counts in promotion.
    weak: bool,
}

impl Quantiles {
    /// Reads quantiles from an array, whose dtype takes part in promotion.
    ///
    /// ```
    /// use cuprum::{Quantiles, array, quantile};
    /// let q = Quantiles::from_array(array([0.0, 1.0])?)?;
    /// assert_eq!(quantile(array([3.0, 1.0, 2.0])?, q, ())?.to_vec::<f64>()?, [1.0, 3.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for complex numbers.
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the array.
    pub fn from_array(q: impl AsArray) -> Result<Quantiles> {
        Quantiles::of_array(q.as_array()).map_err(|e| e.with_op("Quantiles::from_array"))
    }

    fn of_array(q: &Array) -> Result<Quantiles> {
        if q.dtype().is_complex() {
            return Err(Error::new(ErrorKind::Type, format!("quantiles are real numbers, not {}", q.dtype())));
        }
        // Booleans are the integers 0 and 1.
        let dtype = if q.dtype() == DType::Bool { DType::I64 } else { q.dtype() };
        Ok(Quantiles { values: q.astype(DType::F64)?.to_vec()?, shape: q.shape().to_vec(), dtype, weak: false })
    }

    /// Divides percentages by 100, rounded in their dtype.
    fn of_percents(self) -> Quantiles {
        let dtype = if self.dtype.is_float() { self.dtype } else { DType::F64 };
        let values = self.values.iter().map(|q| index::round(q / 100.0, dtype)).collect();
        Quantiles { values, dtype, ..self }
    }

    fn check(&self, most: &str) -> Result<()> {
        let Some(wrong) = self.values.iter().find(|q| !(0.0..=1.0).contains(*q)) else { return Ok(()) };
        // The value as it was passed: percentages have been divided by 100.
        let wrong = if most == "100" { wrong * 100.0 } else { *wrong };
        Err(Error::new(ErrorKind::Value, format!("{wrong} is not between 0 and {most}")))
    }
}

impl Argument<'_> for Quantiles {
    const KIND: ParameterKind = ParameterKind::Quantiles;

    fn read(value: &Value) -> Result<Quantiles> {
        match value {
            Value::Array(q) => Quantiles::of_array(q),
            Value::List(all) => {
                let values: Vec<f64> = all.iter().map(f64::read).collect::<Result<_>>()?;
                Ok(values.as_slice().into())
            }
            Value::Scalar(Scalar::Int(q)) => Ok(Quantiles { dtype: DType::I64, ..Quantiles::from(*q as f64) }),
            number => f64::read(number).map(Quantiles::from),
        }
    }

    fn value(&self) -> Value {
        Value::List(self.values.iter().map(|q| Value::from(*q)).collect())
    }
}

/// Implements the conversion from scalars of these types.
macro_rules! numbers {
    ($dtype:ident: $($number:ty),+) => {$(
        impl From<$number> for Quantiles {
            fn from(q: $number) -> Quantiles {
                Quantiles { values: vec![q.into()], shape: vec![], dtype: DType::$dtype, weak: true }
            }
        }
    )+};
}
numbers!(F64: f64, f32);
numbers!(I64: i32);

/// Implements the conversion from lists.
macro_rules! lists {
    ($([$($n:tt)*] $list:ty),+) => {$(
        impl<Q: Copy + Into<f64>, $($n)*> From<$list> for Quantiles {
            fn from(q: $list) -> Quantiles {
                let values: Vec<f64> = q.iter().map(|&q| q.into()).collect();
                Quantiles { shape: vec![values.len()], values, dtype: DType::F64, weak: false }
            }
        }
    )+};
}
lists!([] &[Q], [const N: usize] [Q; N], [const N: usize] &[Q; N], [] Vec<Q>, [] &Vec<Q>);

/// Options of [`quantile`] and [`percentile`].
///
/// By default all axes are reduced and the method is `Linear`.
#[derive(Clone, Debug, Default, Options)]
pub struct QuantileOptions<'a> {
    /// The axes; by default all.
    #[from]
    pub axis: Axes,
    /// If true, the reduced axes are kept with size 1. By default `false`.
    pub keepdims: bool,
    /// The interpolation between two elements. By default [`QuantileMethod::Linear`].
    pub method: QuantileMethod,
    /// The output array, of a shape to which the result can be broadcast and a dtype to which it can be cast; by
    /// default a new one.
    pub out: Option<&'a Array>,
    /// The weights of the elements, supported with [`QuantileMethod::InvertedCdf`] alone: of the shape of the array or
    /// of the reduced axes.
    pub weights: Option<&'a Array>,
    /// Accepted without effect: the operand is not modified.
    pub overwrite_input: bool,
}

/// Quantiles along axes; NumPy's `quantile`. Axes convert to the options.
///
/// The axes of the quantiles come first in the result. The quantiles of a row with NaN are NaN.
///
/// The result has the axes of `q`, then those of `a` that are not reduced; its dtype is the one to which both are
/// promoted, float64 for integers. Integer quantiles of the method `linear` are elements, and have the dtype of `a`;
/// those of `weibull`, `averaged_inverted_cdf` and `interpolated_inverted_cdf`, unless they are a Python scalar, have the
/// dtype to which the integers are promoted.
///
/// ```
/// use cuprum::{QuantileMethod, QuantileOptions, array, quantile};
/// let a = array([[10.0f32, 7.0, 4.0], [3.0, 2.0, 1.0]])?;
/// assert_eq!(quantile(&a, 0.5, ())?.item::<f32>()?, 3.5);
/// let rows = quantile(&a, [0.5, 1.0], 1)?;
/// assert_eq!(rows.to_vec::<f64>()?, [7.0, 2.0, 10.0, 3.0]);
/// let lower = QuantileOptions::new().axis(0).method(QuantileMethod::Lower);
/// assert_eq!(quantile(&a, 0.5, lower)?.to_vec::<f32>()?, [3.0, 2.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for complex numbers, and for booleans where interpolation is needed; [`ErrorKind::Value`] for a
/// quantile outside `[0, 1]`, and weights that are negative, all 0 or not finite; [`ErrorKind::Index`] where there are
/// no elements; [`ErrorKind::Axis`].
///
/// # Synchronization
///
/// With weights, synchronises to check them.
#[routine(
    method, keywords = "a q axis out overwrite_input method keepdims weights",
    python(keyword_only = 1, axis = AxisForm::Sequence, aliases = [("interpolation", "method")])
)]
pub fn quantile(a: &Array, q: Quantiles, options: QuantileOptions<'_>) -> Result<Array> {
    call(a, q, "1", &options, false)
}

/// Percentiles along axes; NumPy's `percentile`. See [`quantile`], with a range of 0 to 100.
///
/// The result has the axes of `q`, then those of `a` that are not reduced; its dtype is the one to which both are
/// promoted, float64 for integers.
///
/// ```
/// use cuprum::{array, percentile};
/// let a = array([1, 2, 3, 4, 5, 7])?;
/// assert_eq!(percentile(&a, 40, ())?.item::<f64>()?, 3.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`quantile`].
///
/// # Synchronization
///
/// Same as [`quantile`].
#[routine(
    method, keywords = "a q axis out overwrite_input method keepdims weights",
    python(keyword_only = 1, axis = AxisForm::Sequence, aliases = [("interpolation", "method")])
)]
pub fn percentile(a: &Array, q: Quantiles, options: QuantileOptions<'_>) -> Result<Array> {
    call(a, q.of_percents(), "100", &options, false)
}

fn call(a: &Array, q: Quantiles, most: &str, options: &QuantileOptions<'_>, without_nan: bool) -> Result<Array> {
    let reduction = &Reduce::from(&options.axis).keepdims(options.keepdims);
    if a.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, "complex numbers have no order, and so no quantiles"));
    }
    q.check(most)?;
    if q.shape.len() > 2 {
        return Err(Error::new(ErrorKind::Value, "quantiles have at most two axes"));
    }
    let weights = options.weights.map(|w| weighted::check(a, w, reduction, options.method)).transpose()?;
    if without_nan && a.size() == 0 {
        return finished(statistics::mean(a, reduction.clone())?, options.out, Casting::SameKind, true);
    }
    let lines = Lines::of(a, reduction)?;
    let table = match weights {
        Some(weights) => weighted::quantiles(&lines, &Lines::of(&weights, reduction)?, &q, without_nan)?,
        None if without_nan && a.dtype().is_float() => nan::quantiles(&lines, &q, options.method)?,
        None => quantiles(&lines, &q, options.method)?,
    };
    // The axes of the quantiles come first, also in memory unless slices were checked for NaN one by one.
    let made = lines.shaped(table, &q.shape, reduction.keepdims)?;
    let by_line = without_nan && options.weights.is_none();
    finished(if by_line { made } else { made.copy(Order::C)? }, options.out, Casting::SameKind, false)
}

/// The 1-D slices of a call as rows, each with the elements of one result.
struct Lines {
    /// The array in C order: the remaining axes, then the elements.
    rows: Array,
    length: usize,
    /// The shape of the operand, and its reduced axes.
    shape: Dims,
    gone: Dims,
}

impl Lines {
    fn of(a: &Array, options: &Reduce) -> Result<Lines> {
        let gone: Dims = match &options.axes {
            None => (0..a.ndim()).collect(),
            Some(axes) => normalize_axes(axes, a.ndim())?,
        };
        let (shape, length) = (Dims::from(a.shape()), gone.iter().map(|&x| a.shape()[x]).product());
        let rows = match (&options.axes, gone.as_slice()) {
            (None, _) => rows_of(&a.in_one_axis()?, 0)?,
            (_, &[axis]) => rows_of(a, axis)?,
            _ => {
                let merged = merged(a, &gone)?;
                rows_of(&merged, merged.ndim() - 1)?
            }
        };
        Ok(Lines { rows, length, shape, gone })
    }

    /// Returns the number of rows.
    fn count(&self) -> usize {
        self.kept_axes().iter().product()
    }

    fn kept_axes(&self) -> Vec<usize> {
        (0..self.shape.len()).filter(|x| !self.gone.contains(x)).map(|x| self.shape[x]).collect()
    }

    /// Returns the rows as a two-dimensional table.
    fn table(&self) -> Result<Array> {
        self.rows.reshape([self.count(), self.length])
    }

    /// Reshapes a table of rows and quantiles to a view with the quantiles' axes first, then the remaining ones.
    fn shaped(&self, table: Array, q: &[usize], keepdims: bool) -> Result<Array> {
        let shape: Vec<usize> = self.kept_axes().iter().chain(q).copied().collect();
        let table = table.reshape(shape.as_slice())?;
        let (kept, all) = (shape.len() - q.len(), shape.len());
        let axes: Vec<isize> = (kept..all).chain(0..kept).map(|x| x as isize).collect();
        let result = table.transpose(&axes)?;
        if !keepdims {
            return Ok(result);
        }
        let mut gone = self.gone.clone();
        gone.sort();
        result.expand_dims(gone.iter().map(|&x| (x + q.len()) as isize).collect::<Vec<_>>())
    }
}

/// Merges the reduced axes to one, after the remaining ones.
fn merged(a: &Array, gone: &[usize]) -> Result<Array> {
    let stay: Vec<usize> = (0..a.ndim()).filter(|x| !gone.contains(x)).collect();
    let mut others: Vec<usize> = gone.to_vec();
    others.sort();
    let axes: Vec<isize> = stay.iter().chain(&others).map(|&x| x as isize).collect();
    let mut shape: Vec<usize> = stay.iter().map(|&x| a.shape()[x]).collect();
    if shape.contains(&0) {
        // NumPy fails as well: it computes the length of the rows by division.
        return Err(Error::new(ErrorKind::Value, "no lines have no length"));
    }
    shape.push(others.iter().map(|&x| a.shape()[x]).product());
    a.transpose(&axes)?.reshape(shape.as_slice())
}

/// Returns the result, written to `out` if it is given: results that NumPy computes by `mean` must match its shape,
/// others are broadcast to a larger `out`.
fn finished(result: Array, out: Option<&Array>, casting: Casting, is_mean: bool) -> Result<Array> {
    let Some(out) = out else { return Ok(result) };
    let fits = out.shape() == result.shape() || !is_mean && result.broadcast_to(out.shape()).is_ok();
    if !fits {
        let message =
            format!("out has the shape {}, the result {}", shape_text(out.shape()), shape_text(result.shape()));
        return Err(Error::new(ErrorKind::Value, message));
    }
    out.check_writable()?;
    manipulation::copyto(out, &result, casting)?;
    Ok(out.clone())
}

/// Selects the elements of these ranks in each row of a table: a table of rows and ranks.
fn at_ranks(table: &Array, ranks: &[usize]) -> Result<Array> {
    let (rows, length) = (table.shape()[0], table.shape()[1]);
    let mut unlike = ranks.to_vec();
    unlike.sort();
    unlike.dedup();
    let picked = |from: &Array, positions: Vec<i64>| -> Result<Array> {
        take_along(from, &make::of(from.device(), &positions, &[positions.len()])?)
    };
    if rows > 0 && ranks_are_faster(table.dtype(), rows, length, unlike.len()) {
        let selected = pick_ranks(table, length, &unlike)?;
        return picked(&selected, ranks.iter().map(|r| unlike.partition_point(|u| u < r) as i64).collect());
    }
    picked(&sorted_table(table)?, ranks.iter().map(|&r| r as i64).collect())
}

fn sorted_table(table: &Array) -> Result<Array> {
    let sorted = make::empty(table.device(), table.shape(), table.dtype())?;
    sort_rows(table, table.shape()[1], Some(&sorted), None)?;
    Ok(sorted)
}

/// Computes a table of rows and their quantiles.
fn quantiles(lines: &Lines, q: &Quantiles, method: QuantileMethod) -> Result<Array> {
    if lines.length == 0 {
        // As in NumPy, which reads the last element of floats to check for NaN, even if no quantile is requested.
        let dtype = lines.rows.dtype();
        if !q.values.is_empty() || dtype.is_float() {
            return Err(Error::new(ErrorKind::Index, "an array without elements has no quantile"));
        }
        let none = make::empty(lines.rows.device(), &[lines.count(), 0], dtype)?;
        return if index::is_discrete(method, q) {
            Ok(none)
        } else {
            interpolated(&none, &none, &[], [0].as_slice(), q, method)
        };
    }
    let found = index::statistics(method, lines.length, q);
    let n = found.len() as i64;
    // The lower and upper neighbours of the quantiles, and the last element, which is NaN if there is any.
    let ranks: Vec<usize> =
        found.iter().map(|s| s.lower).chain(found.iter().map(|s| s.upper)).chain([lines.length - 1]).collect();
    let picked = at_ranks(&lines.table()?, &ranks)?;
    let (lower, upper) = (picked.index(s![.., 0..n])?, picked.index(s![.., n..2 * n])?);
    let result = if index::is_discrete(method, q) {
        lower.copy(Order::C)?
    } else {
        let weights: Vec<f64> = found.iter().map(|s: &Statistic| s.weight).collect();
        interpolated(&lower, &upper, &weights, [weights.len()].as_slice(), q, method)?
    };
    nan_where_last_is(&result, &picked.index(s![.., 2 * n..])?)
}

/// Replaces the quantiles of rows whose last element is NaN.
fn nan_where_last_is(result: &Array, last: &Array) -> Result<Array> {
    if last.dtype().kind() != Kind::Float {
        return Ok(result.clone());
    }
    searching::where_(&logic::isnan(last)?, last, result)
}

/// Interpolates between two elements: the lower one plus a part of their difference, or, from the middle on, the upper
/// one minus the rest. Each operation is rounded, or wraps, in its own dtype.
fn interpolated(
    lower: &Array,
    upper: &Array,
    weights: &[f64],
    shape: &[usize],
    q: &Quantiles,
    method: QuantileMethod,
) -> Result<Array> {
    let distance = math::subtract(upper, lower)?;
    if !q.weak && q.dtype.is_integer() && index::has_integer_positions(method) {
        // Both neighbours are the same element; the steps of the interpolation only promote it.
        let none = make::zeros(lower.device(), &[1], q.dtype)?;
        return math::add(lower, &math::multiply(&distance, &none)?);
    }
    if q.weak && shape.iter().product::<usize>() == 1 {
        let t = weights.first().copied().unwrap_or(0.0);
        return if t >= 0.5 {
            math::subtract(upper, &math::multiply(&distance, 1.0 - t)?)
        } else {
            math::add(lower, &math::multiply(&distance, t)?)
        };
    }
    let t = make::of(lower.device(), weights, shape)?;
    // A host scalar takes the array's dtype, or float64 with integers.
    let dtype = if !q.weak {
        if q.dtype.is_float() { q.dtype } else { DType::F64 }
    } else if lower.dtype().is_float() {
        lower.dtype()
    } else {
        DType::F64
    };
    let (part, rest) = (t.astype(dtype)?, rest_of(&t, dtype, q.weak)?);
    let low = math::add(lower, &math::multiply(&distance, &part)?)?;
    let high = math::subtract(upper, &math::multiply(&distance, &rest)?)?;
    searching::where_(&logic::greater_equal(&t, 0.5)?, &high, &low)
}

/// Computes 1 - t: for host scalars in float64, otherwise in the dtype.
fn rest_of(t: &Array, dtype: DType, weak: bool) -> Result<Array> {
    let one = Operand::from(1.0);
    if weak { math::subtract(one, t)?.astype(dtype) } else { math::subtract(one, &t.astype(dtype)?) }
}

/// Copies `src` to a new array of another dtype in C order.
fn dense(src: &Array, dtype: DType) -> Result<Array> {
    let out = make::empty(src.device(), src.shape(), dtype)?;
    engine::copy(src, &out)?;
    Ok(out)
}
