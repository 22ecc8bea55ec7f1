//! Graphs, whose edges are the entries of a square sparse matrix; SciPy's `scipy.sparse.csgraph`.
//!
//! Algorithms that the rows of a matrix express are products over other operations than addition and multiplication,
//! such as the minimum of sums, and run on the device.
//!
//! Components are found by union-find with one pass over the edges. Lower bound: the edges are read once.
//!
//! | result | function |
//! |---|---|
//! | lengths of paths | [`shortest_path`], [`dijkstra`], [`bellman_ford`], [`johnson`], [`floyd_warshall`], [`yen`] |
//! | orders and trees | [`breadth_first_order`], [`depth_first_order`], [`minimum_spanning_tree`], [`reverse_cuthill_mckee`] |
//! | components | [`connected_components`], [`strongly_connected_components`] |
//! | matchings, flows | [`maximum_bipartite_matching`], [`min_weight_full_bipartite_matching`], [`maximum_flow`] |
//! | matrices | [`laplacian`], [`csgraph_from_dense`], [`csgraph_to_dense`], [`construct_dist_matrix`] |
//!
//! Searches by breadth and depth, [`reverse_cuthill_mckee`], matchings, flows and [`yen`] follow one edge or path after
//! the other. They are sequential and run on the host, with a copy of the graph.

mod bipartite;
mod dense;
mod flow;
mod host;
mod laplacian;
mod matching;
mod ordering;
mod paths;
mod reconstruct;
mod search;
mod shortest;
mod spanning;
mod strong;

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

pub use bipartite::{PermType, maximum_bipartite_matching, structural_rank};
pub use dense::{
    DenseGraphOptions, csgraph_from_dense, csgraph_from_masked, csgraph_masked_from_dense, csgraph_to_dense,
    csgraph_to_masked,
};
pub use flow::{MaximumFlow, maximum_flow};
pub use laplacian::{Laplacian, LaplacianOptions, laplacian};
pub use matching::min_weight_full_bipartite_matching;
pub use ordering::reverse_cuthill_mckee;
pub use paths::{Path, YenOptions, yen};
pub use reconstruct::{construct_dist_matrix, reconstruct_path};
pub use search::{SearchOrder, breadth_first_order, breadth_first_tree, depth_first_order, depth_first_tree};
pub use shortest::{
    NearestPaths, ShortestPathOptions, ShortestPaths, bellman_ford, dijkstra, dijkstra_min_only, floyd_warshall,
    johnson, shortest_path,
};
pub use spanning::minimum_spanning_tree;
pub use strong::strongly_connected_components;

use super::{CastTo, Format, Sparse};
use crate::array::Array;
use crate::engine::compressed::gather_or_zero;
use crate::engine::make;
use crate::engine::sparse_product::Semiring;
use crate::engine::union_find::{Edges, components};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::shape_text;
use crate::routines::indexing::take;
use crate::ufunc::{AccumulateOptions, apply, ufunc};

/// Returns the number of the connected components of a graph, and the component of each vertex, of int32; SciPy's
/// `connected_components`.
///
/// An entry of the square matrix is an edge between its row and its column, whatever its value, in both directions:
/// components are the weak ones of a directed graph. They are numbered in the order of their first vertices.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Sparse, csgraph}};
/// let edges = [&array([0, 3])?, &array([2, 1])?];
/// let graph = Sparse::coo(&array([1, 1])?, &edges, &[5, 5])?;
/// let (n, labels) = csgraph::connected_components(&graph)?;
/// assert_eq!((n, labels.to_vec::<i32>()?), (3, vec![0, 1, 0, 1, 2]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a matrix that is not square.
///
/// # Synchronization
///
/// Synchronises to read the number of components.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn connected_components(graph: &Sparse) -> Result<(usize, Array)> {
    let go = || {
        let &[vertices, columns] = graph.shape() else { return Err(not_square(graph)) };
        if vertices != columns || vertices > u32::MAX as usize {
            return Err(not_square(graph));
        }
        let stored = match graph.format() {
            Format::Bsr | Format::Dia => graph.to_format(Format::Csr)?,
            _ => graph.clone(),
        };
        let [roots, first] = if let Ok(coords) = stored.coords() {
            components(Edges::Pairs(&coords[0], &coords[1]), vertices)?
        } else {
            components(Edges::Rows(&stored.indptr()?, &stored.indices()?), vertices)?
        };
        if vertices == 0 {
            return Ok((0, roots.to_dtype(DType::I32)?));
        }
        // The number of first vertices up to each vertex: one more than the number of the component of a first one.
        let numbers = make::empty(roots.device(), &[vertices], roots.dtype())?;
        let options = AccumulateOptions::new().dtype(roots.dtype()).out(&numbers);
        ufunc("add")?.accumulate(&first, 0, options)?;
        let labels = apply("subtract", [(&gather_or_zero(&[(&roots, &numbers)])?).into(), 1.into()])?;
        let count = numbers.index(s![-1])?.to_dtype(DType::I64)?.item::<i64>()?;
        Ok((count as usize, labels.to_dtype(DType::I32)?))
    };
    go().map_err(|e: Error| e.with_op("csgraph.connected_components"))
}

/// Returns, for each row, the least sum of an entry and the element of `x` in the row of the entry's column: the
/// product over the semiring of minimum and sum, infinite for a row without entries. One step of the lengths of
/// shortest paths, for a column of `x` each.
///
/// The result has a row for each vertex and the dtype of both. Iterated from a column that is 0 for one
/// vertex and infinite for others it is the Bellman-Ford algorithm, as in [`shortest_path`].
///
/// ```
/// use cuprum::{array, scipy::sparse::{Sparse, Format, csgraph}};
/// // An edge of length 3 from vertex 0 to vertex 1, by the row that it leads to.
/// let into = Sparse::from_dense(&array([[0.0, 0.0], [3.0, 0.0]])?, Format::Csr)?;
/// assert_eq!(csgraph::min_plus(&into, &array([1.0, 9.0])?)?.to_vec::<f64>()?, [f64::INFINITY, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for shapes that do not fit, [`ErrorKind::Type`] for dtypes that are not the same
/// floating-point dtype.
#[unrecorded(
    "takes a sparse array: part of shortest paths, compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`"
)]
pub fn min_plus(graph: &Sparse, x: &Array) -> Result<Array> {
    let go = || {
        let [rows, columns] = graph.matrix_shape();
        if !matches!(x.ndim(), 1 | 2) || x.shape()[0] != columns {
            let (a, b) = (shape_text(graph.shape()), shape_text(x.shape()));
            return Err(Error::new(ErrorKind::Value, format!("the shapes {a} and {b} do not fit a matrix product")));
        }
        if x.dtype() != graph.dtype() || !matches!(x.dtype(), DType::F32 | DType::F64) {
            let message = format!("operands of {} and {}: both are float32 or float64", graph.dtype(), x.dtype());
            return Err(Error::new(ErrorKind::Type, message));
        }
        let shape: Vec<usize> = [rows].into_iter().chain(x.shape().get(1).copied()).collect();
        let out = make::full(x.device(), &shape, f64::INFINITY, x.dtype())?;
        if columns > 0 {
            let semiring = Semiring { sum: "minimum", product: "add", identity: f64::INFINITY.into() };
            graph.product_over(x, semiring, &out)?;
        }
        Ok(out)
    };
    go().map_err(|e: Error| e.with_op("csgraph.min_plus"))
}

/// Edges of a graph: entries by their coordinates.
struct EdgeList {
    /// The vertices that edges lead from, of int64.
    rows: Array,
    /// The vertices that edges lead to, of int64.
    columns: Array,
    /// The lengths of the edges.
    lengths: Array,
}

impl EdgeList {
    /// The entries of a matrix, with values of a dtype, in the order of its rows.
    fn of(graph: &Sparse, dtype: DType) -> Result<EdgeList> {
        if graph.dtype().is_complex() && !dtype.is_complex() && dtype != DType::Bool {
            let message = format!("edges of {}: lengths are real numbers", graph.dtype());
            return Err(Error::new(ErrorKind::Type, message));
        }
        let coo = graph.to_format(Format::Csr)?.to_format(Format::Coo)?;
        let coords = coo.coords()?;
        Ok(EdgeList {
            rows: coords[0].to_dtype(DType::I64)?,
            columns: coords[1].to_dtype(DType::I64)?,
            lengths: coo.data().to_dtype(dtype)?,
        })
    }

    /// The edges at positions.
    fn at(&self, positions: &Array) -> Result<EdgeList> {
        Ok(EdgeList {
            rows: take(&self.rows, positions, ())?,
            columns: take(&self.columns, positions, ())?,
            lengths: take(&self.lengths, positions, ())?,
        })
    }
}

/// Calls the ufunc of a name with two arrays.
fn pair(name: &str, a: &Array, b: &Array) -> Result<Array> {
    apply(name, [a.into(), b.into()])
}

/// Rejects a vertex out of range.
fn check_vertex(what: &str, vertex: usize, n: usize) -> Result<()> {
    if vertex < n {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Value, format!("{what} {vertex} is out of range for a graph of {n} vertices")))
}

/// Number of the vertices of a graph.
fn vertices(graph: &Sparse) -> Result<usize> {
    match *graph.shape() {
        [rows, columns] if rows == columns => Ok(rows),
        _ => Err(not_square(graph)),
    }
}

fn not_square(graph: &Sparse) -> Error {
    let shape = shape_text(graph.shape());
    Error::new(
        ErrorKind::Value,
        format!("the graph has the shape {shape}: a square matrix has a row and a column for each vertex"),
    )
}

#[cfg(test)]
mod tests;
