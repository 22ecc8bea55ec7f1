//! Conversions of graphs from and to dense arrays, in which some elements are no edges.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};

use super::super::{CastTo, Format, Sparse};
use super::{EdgeList, pair, vertices};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;
use crate::routines::indexing::take;
use crate::routines::searching::flatnonzero;
use crate::ufunc::{apply, ufunc};

/// Elements of a dense graph that are no edges: options of [`csgraph_from_dense`] and [`csgraph_masked_from_dense`].
///
/// The names and defaults are SciPy's.
///
/// ```
/// use cuprum::scipy::sparse::csgraph::DenseGraphOptions;
/// assert_eq!(DenseGraphOptions::default().null_value, Some(0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DenseGraphOptions {
    /// The value of elements that are no edges: 0 by default.
    pub null_value: Option<f64>,
    /// True if NaN is no edge, the default.
    pub nan_null: bool,
    /// True if infinities are no edges, the default.
    pub infinity_null: bool,
}

crate::array::default_options!(DenseGraphOptions);

impl Default for DenseGraphOptions {
    fn default() -> Self {
        DenseGraphOptions { null_value: Some(0.0), nan_null: true, infinity_null: true }
    }
}

/// Returns the graph of a dense array, of float64 in CSR format; SciPy's `csgraph_from_dense`.
///
/// ```
/// use cuprum::scipy::sparse::csgraph;
/// let graph = csgraph::csgraph_from_dense(&cuprum::array([[0.0, 2.0], [f64::INFINITY, 0.0]])?, ())?;
/// assert_eq!((graph.nnz()?, graph.data().to_vec::<f64>()?), (1, vec![2.0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array that is not square.
///
/// # Synchronization
///
/// Synchronises to count the edges.
#[unrecorded("returns a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
#[signature]
pub fn csgraph_from_dense(graph: &Array, options: DenseGraphOptions) -> Result<Sparse> {
    let go = || {
        let is_missing = missing(graph, options)?;
        stored(graph, &is_missing)
    };
    go().map_err(|e: Error| e.with_op("csgraph.csgraph_from_dense"))
}

/// Returns the graph of a masked array, of float64 in CSR format: the elements at which the mask is false are edges;
/// SciPy's `csgraph_from_masked`, whose argument is a masked array of NumPy.
///
/// ```
/// use cuprum::{array, scipy::sparse::csgraph};
/// let mask = array([[true, false], [false, true]])?;
/// let graph = csgraph::csgraph_from_masked(&array([[0.0, 2.0], [0.0, 0.0]])?, &mask)?;
/// assert_eq!(graph.data().to_vec::<f64>()?, [2.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array that is not square, and a mask of another shape.
///
/// # Synchronization
///
/// Synchronises to count the edges.
#[unrecorded("returns a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn csgraph_from_masked(graph: &Array, mask: &Array) -> Result<Sparse> {
    let go = || {
        check_square(graph)?;
        if mask.shape() != graph.shape() {
            let (mask, graph) = (shape_text(mask.shape()), shape_text(graph.shape()));
            return Err(Error::new(
                ErrorKind::Value,
                format!("a mask of shape {mask} does not fit a graph of {graph}"),
            ));
        }
        stored(graph, mask)
    };
    go().map_err(|e: Error| e.with_op("csgraph.csgraph_from_masked"))
}

/// Returns the mask of a dense graph: booleans, true at elements that are no edges; SciPy's
/// `csgraph_masked_from_dense`, which returns a masked array of NumPy.
///
/// ```
/// use cuprum::{array, scipy::sparse::csgraph};
/// let mask = csgraph::csgraph_masked_from_dense(&array([[0.0, 2.0], [f64::NAN, 0.0]])?, ())?;
/// assert_eq!(mask.to_vec::<bool>()?, [true, false, true, true]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array that is not square.
#[unrecorded("a part of a masked array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
#[signature]
pub fn csgraph_masked_from_dense(graph: &Array, options: DenseGraphOptions) -> Result<Array> {
    missing(graph, options).map_err(|e: Error| e.with_op("csgraph.csgraph_masked_from_dense"))
}

/// Returns the dense array of a graph, of float64, with `null_value` where there is no edge; SciPy's
/// `csgraph_to_dense`. Of parallel edges the shortest counts; an edge of length NaN is infinitely long.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let graph = Sparse::from_dense(&cuprum::array([[0, 2], [0, 0]])?, Format::Csr)?;
/// assert_eq!(csgraph::csgraph_to_dense(&graph, -1.0)?.to_vec::<f64>()?, [-1.0, 2.0, -1.0, -1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a matrix that is not square, [`ErrorKind::Type`] for complex lengths.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn csgraph_to_dense(graph: &Sparse, null_value: f64) -> Result<Array> {
    lengths(graph, null_value).map_err(|e: Error| e.with_op("csgraph.csgraph_to_dense"))
}

/// Returns the dense array of a graph, of float64 with NaN where there is no edge, and its mask; SciPy's
/// `csgraph_to_masked`, which returns a masked array of NumPy. Edges of a length that is not finite are masked, too.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let graph = Sparse::from_dense(&cuprum::array([[0, 2], [0, 0]])?, Format::Csr)?;
/// let [lengths, mask] = csgraph::csgraph_to_masked(&graph)?;
/// assert_eq!(mask.to_vec::<bool>()?, [true, false, true, true]);
/// assert_eq!(lengths.to_vec::<f64>()?[1], 2.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`csgraph_to_dense`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn csgraph_to_masked(graph: &Sparse) -> Result<[Array; 2]> {
    let go = || {
        let lengths = lengths(graph, f64::NAN)?;
        let mask = apply("logical_not", [(&apply("isfinite", [(&lengths).into()])?).into()])?;
        Ok([lengths, mask])
    };
    go().map_err(|e: Error| e.with_op("csgraph.csgraph_to_masked"))
}

fn check_square(graph: &Array) -> Result<usize> {
    match *graph.shape() {
        [rows, columns] if rows == columns => Ok(rows),
        _ => {
            let shape = shape_text(graph.shape());
            let message =
                format!("the graph has the shape {shape}: a square array has a row and a column for each vertex");
            Err(Error::new(ErrorKind::Value, message))
        }
    }
}

/// The elements that are no edges.
fn missing(graph: &Array, options: DenseGraphOptions) -> Result<Array> {
    check_square(graph)?;
    let null = options.null_value.unwrap_or(1.0);
    let mut mask = make::full(graph.device(), graph.shape(), false, DType::Bool)?;
    let mut add = |own: Result<Array>| -> Result<()> {
        mask = pair("logical_or", &mask, &own?)?;
        Ok(())
    };
    if options.null_value.is_some() && null.is_finite() {
        add(apply("equal", [graph.into(), null.into()]))?;
    }
    if options.nan_null || null.is_nan() {
        add(apply("isnan", [graph.into()]))?;
    }
    if options.infinity_null || null.is_infinite() {
        add(apply("isinf", [graph.into()]))?;
    }
    Ok(mask)
}

/// The elements at which a mask is false, in CSR format.
fn stored(graph: &Array, mask: &Array) -> Result<Sparse> {
    let n = graph.shape()[0];
    let at = flatnonzero(&apply("logical_not", [mask.into()])?)?;
    let lengths = take(graph, &at, ())?.to_dtype(DType::F64)?;
    let columns = (n as i64).max(1);
    let coords =
        [apply("floor_divide", [(&at).into(), columns.into()])?, apply("remainder", [(&at).into(), columns.into()])?];
    let index = super::super::index_dtype([n, at.size()]);
    Sparse::coo(&lengths, &[&coords[0], &coords[1]], &[n, n])?.to_format(Format::Csr)?.with_index_dtype(index)
}

pub(super) fn lengths(graph: &Sparse, null_value: f64) -> Result<Array> {
    let n = vertices(graph)?;
    let edges = EdgeList::of(graph, DType::F64)?;
    let lengths = make::full(graph.device(), &[n, n], f64::INFINITY, DType::F64)?;
    let is_stored = make::full(graph.device(), &[n, n], false, DType::Bool)?;
    let at = [&edges.rows, &edges.columns];
    ufunc("fmin")?.at(&lengths, at, &edges.lengths)?;
    ufunc("logical_or")?.at(&is_stored, at, true)?;
    apply("where", [(&is_stored).into(), (&lengths).into(), null_value.into()])
}
