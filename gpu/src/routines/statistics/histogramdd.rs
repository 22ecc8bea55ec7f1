//! Multidimensional histograms: `histogramdd` and `histogram2d`.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::bin_edges::{Outer, edge_dtype, unit, upload};
use super::bincount::{BincountOptions, bincount};
use super::histogram::{HistogramBins, check_edges, widths};
use crate::array::Array;
use crate::array::Index;
use crate::dtype::promote_types;
use crate::engine::{self, make};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{MAX_NDIM, Order, shape_text};
use crate::reduction::Reduce;
use crate::routines::searching::{Side, searchsorted};
use crate::routines::{logic, math};

/// Options of [`histogramdd`] and [`histogram2d`].
///
/// As for [`histogram`](super::histogram()), the last bin includes its right edge.
#[derive(Clone, Debug, Default, Options)]
pub struct PointOptions<'a> {
    /// The bins along each axis, or one value for all axes; by default 10 along each.
    #[from]
    pub bins: Vec<HistogramBins<'a>>,
    /// The outer edges of bins of equal width along each axis; by default the minimum and the maximum of the
    /// coordinates.
    pub range: Vec<Option<(f64, f64)>>,
    /// If true, the result is a probability density. By default `false`.
    pub density: bool,
    /// The weights of the points; by default 1.
    pub weights: Option<&'a Array>,
}

/// Computes the histogram of points in several dimensions: the count of each bin, as float64, and the edges along each
/// axis; NumPy's `histogramdd`. The points are the rows of an array of two axes; an array of one axis is a column of
/// coordinates.
///
/// The counts have one axis for each dimension; each array of edges has one element more than its axis has bins.
///
/// # Errors
///
/// [`ErrorKind::Value`] where the number of bins or ranges is not that of coordinates, for ends whose distance
/// overflows (NumPy uses one bin for these, whose edge is NaN), and as [`histogram`](super::histogram);
/// [`ErrorKind::Type`] for complex coordinates and weights, and for rules for the number of bins.
///
/// # Synchronization
///
/// Synchronises to read the extremes of the coordinates if no range is passed, to check the order of given edges, and
/// to read the largest bin number.
///
/// ```
/// let points = cuprum::array([[0.0, 0.0], [1.0, 2.0], [1.0, 1.9]])?;
/// let (counts, edges) = cuprum::histogramdd(&points, 2)?;
/// assert_eq!(counts.to_vec::<f64>()?, [1.0, 0.0, 0.0, 2.0]);
/// assert_eq!(edges[1].to_vec::<f64>()?, [0.0, 1.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(python(returns_list))]
pub fn histogramdd(sample: &Array, options: PointOptions<'_>) -> Result<(Array, Vec<Array>)> {
    let go = || {
        let sample = match sample.ndim() {
            2 => sample.clone(),
            1 => sample.expand_dims([1])?,
            0 => sample.expand_dims([0, 1])?,
            _ => {
                let shape = shape_text(sample.shape());
                return Err(Error::new(ErrorKind::Value, format!("a sample of shape {shape} must have two axes")));
            }
        };
        let columns = (0..sample.shape()[1]).map(|d| sample.index(s![.., d as i64])).collect::<Result<Vec<_>>>()?;
        compute(&columns, &options)
    };
    go().map_err(|e| e.with_op("histogramdd"))
}

/// Computes the two-dimensional histogram of coordinates in two arrays of one axis; NumPy's `histogram2d`. See
/// [`histogramdd`]. Returns the values and the edges along x and y.
///
/// The values are float64 with the shape of the bins along x and y.
///
/// # Errors
///
/// Same as [`histogramdd`]; [`ErrorKind::Value`] where the numbers of both coordinates differ.
///
/// # Synchronization
///
/// Same as [`histogramdd`].
///
/// ```
/// let (x, y) = (cuprum::array([0.0, 1.0, 1.0])?, cuprum::array([0.0, 2.0, 1.9])?);
/// let (counts, _, _) = cuprum::histogram2d(&x, &y, 2)?;
/// assert_eq!(counts.to_vec::<f64>()?, [1.0, 0.0, 0.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine]
pub fn histogram2d(x: &Array, y: &Array, options: PointOptions<'_>) -> Result<(Array, Array, Array)> {
    let go = || {
        if x.ndim() != 1 || x.shape() != y.shape() {
            let (x, y) = (shape_text(x.shape()), shape_text(y.shape()));
            return Err(Error::new(ErrorKind::Value, format!("coordinates of shapes {x} and {y} are no points")));
        }
        // NumPy joins both in one array.
        let dtype = promote_types(x.dtype(), y.dtype());
        let column = |of: &Array| if of.dtype() == dtype { Ok(of.clone()) } else { of.cast(dtype, Order::C) };
        let (values, edges) = compute(&[column(x)?, column(y)?], &options)?;
        let [x, y] = <[Array; 2]>::try_from(edges).expect("edges are made for each of two axes");
        Ok((values, x, y))
    };
    go().map_err(|e| e.with_op("histogram2d"))
}

fn compute(columns: &[Array], options: &PointOptions<'_>) -> Result<(Array, Vec<Array>)> {
    let axes = columns.len();
    let (Some(first), true) = (columns.first(), axes <= MAX_NDIM) else {
        return Err(Error::new(ErrorKind::Value, format!("points cannot have {axes} coordinates")));
    };
    if options.bins.len() > 1 && options.bins.len() != axes || !options.range.is_empty() && options.range.len() != axes
    {
        let message = format!("{} bins and {} ranges for {axes} axes", options.bins.len(), options.range.len());
        return Err(Error::new(ErrorKind::Value, message));
    }
    if first.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, format!("points of {} fall into no bins", first.dtype())));
    }
    let (mut edges, mut units) = (Vec::with_capacity(axes), Vec::with_capacity(axes));
    for (d, column) in columns.iter().enumerate() {
        let bins = options.bins.get(d).or(options.bins.first()).copied().unwrap_or(HistogramBins::Count(10));
        let (along, unit) = edges_of(column, bins, options.range.get(d).copied().flatten())?;
        edges.push(along);
        units.push(unit);
    }
    let mut values = match counted(columns, &edges, &units, options)? {
        Some(counts) => counts,
        None => weighed(columns, &edges, options.weights)?,
    };
    if options.density {
        let total = math::sum(&values, Reduce::all())?;
        for (d, edges) in edges.iter().enumerate() {
            let mut along = vec![1i64; axes];
            along[d] = -1;
            values = math::true_divide(&values, &widths(edges)?.reshape(along)?)?;
        }
        values = math::true_divide(&values, &total)?;
    }
    Ok((values, edges))
}

/// Counts the points of each cell in one launch: for few axes, without weights, if float64 represents everything that
/// is compared.
fn counted(columns: &[Array], edges: &[Array], units: &[f64], options: &PointOptions<'_>) -> Result<Option<Array>> {
    let compared = columns.iter().chain(edges).all(|a| engine::holds_points(a.dtype()));
    if options.weights.is_some() || !engine::counts_points(edges) || !compared {
        return Ok(None);
    }
    let (outer, inner) = grid(edges);
    number_of(&outer)?;
    let along = |(d, e): (usize, &Array)| {
        let bins = options.bins.get(d).or(options.bins.first());
        let even = !matches!(bins, Some(HistogramBins::Edges(_)));
        Ok(engine::Edges { at: e.cast(DType::F64, Order::C)?, even, unit: units[d] })
    };
    let edges = edges.iter().enumerate().map(along).collect::<Result<Vec<_>>>()?;
    let counts = engine::points(columns, &edges)?;
    // The values have the layout of those of the search below.
    let values = make::zeros(counts.device(), &outer, DType::F64)?.index(inner)?;
    values.assign(&counts.reshape(values.shape())?)?;
    Ok(Some(values))
}

/// Returns the shape of a grid with an additional cell before the first and after the last bin of each axis, for
/// outliers, and the index of the inner cells.
fn grid(edges: &[Array]) -> (Vec<usize>, Vec<Index>) {
    edges.iter().map(|e| (e.size() + 1, Index::from(1..e.size() as i64))).unzip()
}

/// Returns the number of cells of a grid.
fn number_of(shape: &[usize]) -> Result<usize> {
    shape.iter().try_fold(1usize, |p, &n| p.checked_mul(n)).ok_or_else(|| {
        Error::new(ErrorKind::Value, format!("there are more bins than can be numbered: {}", shape_text(shape)))
    })
}

/// Sums the weights of the points of each cell, or counts them, by a search along each axis.
fn weighed(columns: &[Array], edges: &[Array], weights: Option<&Array>) -> Result<Array> {
    let (shape, inner) = grid(edges);
    let count = number_of(&shape)?;
    let mut flat_index = make::zeros(columns[0].device(), &[columns[0].size()], DType::I64)?;
    for ((column, edges), &bins) in columns.iter().zip(edges).zip(&shape) {
        let mut at = searchsorted(edges, column, Side::Right)?;
        if edges.size() > 0 {
            // The last bin includes its upper edge.
            let on_edge = logic::equal(column, &edges.index(s![-1])?)?;
            at = math::subtract(&at, &on_edge)?;
        }
        flat_index = math::add(&math::multiply(&flat_index, bins as i64)?, &at)?;
    }
    let values = bincount(&flat_index, BincountOptions { weights, minlength: count })?;
    values.cast(DType::F64, Order::C)?.reshape(&shape)?.index(inner)
}

/// Returns the edges along an axis, and the unit roundoff of the dtype that they were computed in if the error bound
/// shows that they are increasing, otherwise infinity.
fn edges_of(column: &Array, bins: HistogramBins<'_>, range: Option<(f64, f64)>) -> Result<(Array, f64)> {
    match bins {
        HistogramBins::Edges(edges) => {
            check_edges(edges)?;
            Ok((edges.clone(), f64::INFINITY))
        }
        HistogramBins::Count(0) => {
            Err(Error::new(ErrorKind::Value, "0 bins are no histogram: one is needed along each axis"))
        }
        HistogramBins::Count(number) => {
            let outer = Outer::of(column, range)?;
            // Ends from elements keep their dtype, scalars are float64.
            let dtype = if let Outer::Floats(..) = outer { edge_dtype(column.dtype()) } else { DType::F64 };
            if let Some((edges, _)) = outer.even(number, dtype, column.device())? {
                return Ok((edges, unit(dtype)));
            }
            let edges = outer.edges(number, dtype);
            if edges.iter().any(|edge| !edge.is_finite()) {
                let (first, last) = outer.ends();
                let message = format!(
                    "the range from {first:e} to {last:e} is larger than the largest number: there are no edges"
                );
                return Err(Error::new(ErrorKind::Value, message));
            }
            Ok((upload(&edges, dtype, column.device())?, f64::INFINITY))
        }
        HistogramBins::Estimated(_) => {
            Err(Error::new(ErrorKind::Type, "bins along an axis are a number or edges, not a rule"))
        }
    }
}
