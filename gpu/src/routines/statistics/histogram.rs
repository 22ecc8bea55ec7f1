//! Histograms of one array; NumPy's `histogram` and `histogram_bin_edges`.
//!
//! Uniform bins are found by arithmetic and corrected by a comparison with the edges, so that counts are those of
//! NumPy; other bins by a binary search.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::bin_edges::{Outer, edge_dtype, upload};
use super::bin_estimators::Estimator;
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::{self, Bins, Uniform};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, shape_text};
use crate::reduction::Reduce;
use crate::routines::{logic, math};
use crate::table::{Argument, Element, ParameterKind, Value};

/// The bins of a histogram.
///
/// A number, an array of edges and an [`Estimator`] convert to it.
#[derive(Clone, Copy, Debug)]
pub enum HistogramBins<'a> {
    /// A number of bins of equal width.
    Count(usize),
    /// Bins between consecutive edges, a nondecreasing array of one axis.
    Edges(&'a Array),
    /// Bins of equal width, their number estimated from the elements by a rule.
    Estimated(Estimator),
}

impl From<usize> for HistogramBins<'_> {
    fn from(number: usize) -> Self {
        HistogramBins::Count(number)
    }
}

impl<'a> From<&'a Array> for HistogramBins<'a> {
    fn from(edges: &'a Array) -> Self {
        HistogramBins::Edges(edges)
    }
}

impl From<Estimator> for HistogramBins<'_> {
    fn from(rule: Estimator) -> Self {
        HistogramBins::Estimated(rule)
    }
}

impl<'v> Argument<'v> for HistogramBins<'v> {
    const KIND: ParameterKind = ParameterKind::Bins;

    fn read(value: &'v Value) -> Result<Self> {
        match value {
            Value::Array(edges) => Ok(HistogramBins::Edges(edges)),
            Value::Text(rule) => rule.parse().map(HistogramBins::Estimated),
            number => usize::read(number).map(HistogramBins::Count),
        }
    }

    fn value(&self) -> Value {
        match self {
            HistogramBins::Count(number) => number.value(),
            HistogramBins::Edges(edges) => edges.value(),
            HistogramBins::Estimated(rule) => rule.value(),
        }
    }
}

/// Reads bins for all axes, or for each.
impl<'v> Element<'v> for HistogramBins<'v> {
    const LIST: ParameterKind = ParameterKind::BinsOfAxes;

    fn read_list(value: &'v Value) -> Result<Vec<Self>> {
        match value {
            Value::List(list) => list.iter().map(HistogramBins::read).collect(),
            one => Ok(vec![HistogramBins::read(one)?]),
        }
    }
}

/// Options of [`histogram`].
///
/// Whatever converts to [`HistogramBins`] converts to options that set the bins alone.
///
/// ```
/// use cuprum::{HistogramOptions, array, histogram};
/// let (counts, edges) = histogram(array([1.0, 2.0, 4.0])?, HistogramOptions::new().bins(2).range((0.0, 4.0)))?;
/// assert_eq!((counts.to_vec::<i64>()?, edges.to_vec::<f64>()?), (vec![1, 2], vec![0.0, 2.0, 4.0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct HistogramOptions<'a> {
    /// The bins; by default 10.
    #[from]
    pub bins: HistogramBins<'a>,
    /// The outer edges of bins of equal width; by default the minimum and the maximum of the elements.
    pub range: Option<(f64, f64)>,
    /// If true, the result is a probability density: its integral over the bins is 1. By default `false`.
    pub density: bool,
    /// The weights of the elements, of the shape of the array; by default 1.
    pub weights: Option<&'a Array>,
}

impl Default for HistogramOptions<'_> {
    fn default() -> Self {
        HistogramOptions { bins: HistogramBins::Count(10), range: None, density: false, weights: None }
    }
}

/// Computes the histogram of an array: the count of each bin, and the edges of the bins; NumPy's `histogram`. A bin
/// includes its lower edge and excludes its upper one, except the last, which includes both. For bins of equal width,
/// the arithmetic is NumPy's bit for bit.
///
/// Counts are int64. With weights the values are the sums of weights, in their dtype; they are added in float64, in an
/// order that depends on the numbers of elements and bins alone. bfloat16, which NumPy lacks, is computed as float32.
///
/// # Errors
///
/// [`ErrorKind::Value`] for a range that is not finite or is reversed, for no bins, for edges that decrease or do not
/// have one axis, for more bins than the dtype has numbers in the range, and for weights of another shape;
/// [`ErrorKind::Type`] for complex elements, for estimated bins with weights, and for boolean weights between given
/// edges.
///
/// # Synchronization
///
/// Synchronises to read the minimum and the maximum unless a range or edges are passed, to check the order of edges,
/// and to evaluate a rule.
///
/// ```
/// use cuprum::{HistogramOptions, array, histogram};
/// let a = array([1.0, 2.0, 1.0, 4.0])?;
/// let (counts, edges) = histogram(&a, 3)?;
/// assert_eq!(counts.to_vec::<i64>()?, [2, 1, 1]);
/// assert_eq!(edges.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
/// let (counts, _) = histogram(&a, &array([0, 2, 5])?)?;
/// assert_eq!(counts.to_vec::<i64>()?, [2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method, python(aliases = [("x", "a")]))]
pub fn histogram(a: &Array, options: HistogramOptions<'_>) -> Result<(Array, Array)> {
    compute(a, options)
}

/// Returns the edges that [`histogram`] would use; NumPy's `histogram_bin_edges`.
///
/// The result has one axis, one element more than there are bins, and dtype float64, or the dtype of given edges.
///
/// # Errors
///
/// Same as [`histogram`].
///
/// # Synchronization
///
/// Same as [`histogram`].
///
/// ```
/// let a = cuprum::array([0, 3, 10])?;
/// assert_eq!(cuprum::histogram_bin_edges(&a, 2)?.to_vec::<f64>()?, [0.0, 5.0, 10.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(keywords = "a bins range weights")]
pub fn histogram_bin_edges(a: &Array, options: HistogramOptions<'_>) -> Result<Array> {
    let go = || {
        check(a, &options)?;
        Ok(of(a, &options)?.0)
    };
    go().map_err(|e: Error| e.with_op("histogram_bin_edges"))
}

fn check(a: &Array, options: &HistogramOptions<'_>) -> Result<()> {
    let edges = if let HistogramBins::Edges(edges) = options.bins { Some(edges) } else { None };
    engine::one_device(a, edges.into_iter().chain(options.weights))?;
    if let Some(weights) = options.weights.filter(|w| w.shape() != a.shape()) {
        let (of, own) = (shape_text(weights.shape()), shape_text(a.shape()));
        return Err(Error::new(
            ErrorKind::Value,
            format!("weights of shape {of} do not go with an array of shape {own}"),
        ));
    }
    if a.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, format!("elements of {} fall into no bins", a.dtype())));
    }
    Ok(())
}

/// Returns the edges, and parameters for finding the bin of an element if they are evenly spaced.
fn of(a: &Array, options: &HistogramOptions<'_>) -> Result<(Array, Option<Uniform>)> {
    let (number, outer) = match options.bins {
        HistogramBins::Edges(edges) => {
            check_edges(edges)?;
            return Ok((edges.clone(), None));
        }
        HistogramBins::Count(0) => return Err(Error::new(ErrorKind::Value, "0 bins are no histogram: one is needed")),
        HistogramBins::Count(number) => (number, Outer::of(a, options.range)?),
        HistogramBins::Estimated(_) if options.weights.is_some() => {
            let message = "the number of bins cannot be estimated for weighted elements";
            return Err(Error::new(ErrorKind::Type, message));
        }
        HistogramBins::Estimated(estimator) => {
            let outer = Outer::of(a, options.range)?;
            (estimator.bins(a, outer, options.range)?, outer)
        }
    };
    between(a, outer, number)
}

/// Returns the result of [`of`] for a number of bins between two edges.
fn between(a: &Array, outer: Outer, number: usize) -> Result<(Array, Option<Uniform>)> {
    let dtype = edge_dtype(a.dtype());
    if let Some((edges, uniform)) = outer.even(number, dtype, a.device())? {
        return Ok((edges, Some(uniform)));
    }
    let edges = uniform_edges(outer, number, dtype)?;
    Ok((upload(&edges, dtype, a.device())?, Some(outer.uniform(&edges, dtype))))
}

/// Returns the edges of bins of equal width, which must be increasing.
pub(super) fn uniform_edges(outer: Outer, number: usize, dtype: DType) -> Result<Vec<f64>> {
    let edges = outer.edges(number, dtype);
    if edges.windows(2).any(|w| w[0] >= w[1]) {
        let (first, last) = outer.ends();
        let message = format!("between {first} and {last} there are not {number} bins of a size in {dtype}");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(edges)
}

/// Checks that edges have one axis and do not decrease. Synchronises.
pub(super) fn check_edges(edges: &Array) -> Result<()> {
    if edges.ndim() != 1 {
        let shape = shape_text(edges.shape());
        return Err(Error::new(ErrorKind::Value, format!("edges of shape {shape} must have one axis")));
    }
    if edges.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, format!("edges of {} have no order", edges.dtype())));
    }
    if edges.size() > 1 {
        let falls = logic::greater(&edges.index(s![..-1])?, &edges.index(s![1..])?)?;
        if logic::any(&falls, Reduce::all())?.item::<bool>()? {
            return Err(Error::new(ErrorKind::Value, "edges must increase monotonically"));
        }
    }
    Ok(())
}

/// Number of elements from which the device counts floats before the host knows their minimum and maximum.
const AHEAD: usize = 1 << 18;

/// Returns the counts and the edges of bins of equal width between the minimum and the maximum of floats, computed without
/// a synchronisation between the two; otherwise the outer edges, if they are known.
fn ahead(a: &Array, number: usize) -> Result<Ahead> {
    let dtype = edge_dtype(a.dtype());
    let ([counts, edges], [first, last]) = engine::count_between_ends(a, number, dtype)?;
    let outer = Outer::Floats(first, last).not_alike(dtype)?;
    Ok(if outer.even_bins(number, dtype).is_some() {
        Ahead::Counted(Box::new((counts, edges)))
    } else {
        Ahead::Outer(outer)
    })
}

/// Result of [`ahead`].
enum Ahead {
    /// The counts and the edges.
    Counted(Box<(Array, Array)>),
    /// The outer edges, between which the host computes the edges.
    Outer(Outer),
}

fn compute(a: &Array, options: HistogramOptions<'_>) -> Result<(Array, Array)> {
    check(a, &options)?;
    let (edges, uniform) = match options.bins {
        HistogramBins::Count(number)
            if number > 0
                && options.range.is_none()
                && options.weights.is_none()
                && a.dtype().is_float()
                && a.size() >= AHEAD =>
        {
            match ahead(a, number)? {
                Ahead::Counted(found) => {
                    let (counts, edges) = *found;
                    return with_density(counts, edges, options.density);
                }
                Ahead::Outer(outer) => between(a, outer, number)?,
            }
        }
        _ => of(a, &options)?,
    };
    // Booleans are counted as integers.
    let element = if a.dtype() == DType::Bool { DType::U8 } else { a.dtype() };
    let compared = match uniform {
        Some(_) => edges.clone(),
        None => edges.cast(promote_types(element, edges.dtype()), Order::C)?,
    };
    let bins = match uniform {
        Some(uniform) => Bins::Uniform(&compared, uniform),
        None => Bins::Edges(&compared),
    };
    let values = match options.weights {
        None => engine::count(a, &bins, None)?,
        Some(weights) if uniform.is_none() && weights.dtype() == DType::Bool => {
            return Err(Error::new(ErrorKind::Type, "boolean weights have no sums between given edges"));
        }
        Some(weights) => {
            let sums = engine::weigh(a, &bins, weights)?;
            if sums.dtype() == weights.dtype() { sums } else { sums.cast(weights.dtype(), Order::C)? }
        }
    };
    with_density(values, edges, options.density)
}

/// Returns the counts or sums of the bins, as a probability density if `density`, and the edges.
fn with_density(values: Array, edges: Array, density: bool) -> Result<(Array, Array)> {
    if !density {
        return Ok((values, edges));
    }
    let widths = widths(&edges)?;
    let density = math::true_divide(&math::true_divide(&values, &widths)?, &math::sum(&values, Reduce::all())?)?;
    Ok((density, edges))
}

/// Returns the widths of bins, as float64.
pub(super) fn widths(edges: &Array) -> Result<Array> {
    let (upper, lower) = (edges.index(s![1..])?, edges.index(s![..-1])?);
    // Booleans cannot be subtracted; as in `diff`, the result is whether they differ.
    let widths =
        if edges.dtype() == DType::Bool { logic::not_equal(&upper, &lower)? } else { math::subtract(&upper, &lower)? };
    widths.cast(DType::F64, Order::C)
}
