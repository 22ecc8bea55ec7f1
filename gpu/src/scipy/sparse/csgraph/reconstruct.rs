//! Paths from the predecessors that searches return.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::super::entries::counted;
use super::super::{CastTo, Sparse};
use super::dense::lengths;
use super::host::NO_PREDECESSOR;
use super::search::tree;
use super::{pair, vertices};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::shape_text;
use crate::reduction::{Reduce, reduced};
use crate::routines::indexing::take;
use crate::ufunc::apply;

/// Returns the lengths of the paths that a matrix of predecessors describes, from the vertex of each row to that of each
/// column; SciPy's `construct_dist_matrix`.
///
/// The predecessors are those of [`shortest_path`](super::shortest_path), of int32: the vertex before the last one of
/// each path, and -9999 where there is none, for which the length is `null_value`. An edge that the graph does not have is
/// infinitely long; unless `directed` it counts in both directions. The known parts of all paths double in each step.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph, csgraph::ShortestPathOptions};
/// let graph = Sparse::from_dense(&cuprum::array([[0, 2, 9], [0, 0, 3], [0, 0, 0]])?, Format::Csr)?;
/// let options = ShortestPathOptions { return_predecessors: true, ..Default::default() };
/// let found = csgraph::shortest_path(&graph, options)?;
/// let before = found.predecessors.expect("they were requested");
/// let lengths = csgraph::construct_dist_matrix(&graph, &before, true, f64::INFINITY)?;
/// assert_eq!(lengths.to_vec::<f64>()?, found.lengths.to_vec::<f64>()?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for predecessors that are not of int32; [`ErrorKind::Value`] for another shape than that of the
/// graph, which is square, a vertex out of range, and predecessors in a cycle.
///
/// # Synchronization
///
/// Synchronises to check the predecessors.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_flows.py`")]
pub fn construct_dist_matrix(graph: &Sparse, predecessors: &Array, directed: bool, null_value: f64) -> Result<Array> {
    let go = || path_lengths(graph, predecessors, directed, null_value);
    go().map_err(|e: Error| e.with_op("csgraph.construct_dist_matrix"))
}

/// Returns the tree of a list of predecessors, of float64 in CSR format: the edge to each vertex from its predecessor,
/// none for -9999; SciPy's `reconstruct_path`.
///
/// An edge has its length in the graph, zero where there is none. Unless `directed` it has the shorter one of both
/// directions, and is infinitely long where neither has a length that is not zero.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let graph = Sparse::from_dense(&cuprum::array([[0, 2], [0, 0]])?, Format::Csr)?;
/// let tree = csgraph::reconstruct_path(&graph, &cuprum::array([-9999, 0])?, true)?;
/// assert_eq!(tree.to_dense(())?.to_vec::<f64>()?, [0.0, 2.0, 0.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Index`] for a list of another length than the number of vertices and a vertex out of range,
/// [`ErrorKind::Value`] for a matrix that is not square.
///
/// # Synchronization
///
/// Synchronises to check the predecessors.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_flows.py`")]
pub fn reconstruct_path(graph: &Sparse, predecessors: &Array, directed: bool) -> Result<Sparse> {
    let go = || {
        let n = vertices(graph)?;
        let wrong = |message: String| Err(Error::new(ErrorKind::Index, message));
        if predecessors.shape() != [n] {
            let shape = shape_text(predecessors.shape());
            return wrong(format!("predecessors of shape {shape} do not fit a graph of {n} vertices"));
        }
        if !are_vertices(predecessors, n)? {
            return wrong(format!("predecessors must be vertices below {n}, or {NO_PREDECESSOR}"));
        }
        tree(graph, predecessors, directed)
    };
    go().map_err(|e: Error| e.with_op("csgraph.reconstruct_path"))
}

/// Returns true if all elements are vertices or no predecessor. Synchronises.
fn are_vertices(before: &Array, n: usize) -> Result<bool> {
    let is_none = apply("equal", [before.into(), i64::from(NO_PREDECESSOR).into()])?;
    let not_negative = apply("greater_equal", [before.into(), 0.into()])?;
    let below = apply("less", [before.into(), (n as i64).into()])?;
    let fits = pair("logical_or", &is_none, &pair("logical_and", &not_negative, &below)?)?;
    reduced("all", &fits, &Reduce::all())?.item::<bool>()
}

fn path_lengths(graph: &Sparse, predecessors: &Array, directed: bool, null_value: f64) -> Result<Array> {
    let n = vertices(graph)?;
    if predecessors.dtype() != DType::I32 {
        let message = format!("predecessors of {}: they must be of int32", predecessors.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let wrong = |message: String| Err(Error::new(ErrorKind::Value, message));
    if predecessors.shape() != [n, n] {
        let shape = shape_text(predecessors.shape());
        return wrong(format!("predecessors of shape {shape} do not fit a graph of {n} vertices"));
    }
    let mut steps = lengths(graph, f64::INFINITY)?;
    if n == 0 {
        return Ok(steps);
    }
    if !directed {
        steps = pair("minimum", &steps, &steps.t())?;
    }
    let every = counted(&steps, n, DType::I64)?;
    let (row, column) = (every.expand_dims(1)?, every.expand_dims(0)?);
    let is_own = pair("equal", &row, &column)?;
    let is_none = apply("equal", [predecessors.into(), i64::from(NO_PREDECESSOR).into()])?;
    let ends = pair("logical_or", &is_none, &is_own)?;
    let inner = apply("where", [(&ends).into(), i64::from(NO_PREDECESSOR).into(), predecessors.into()])?;
    if !are_vertices(&inner, n)? {
        return wrong(format!("predecessors must be vertices below {n}, or {NO_PREDECESSOR}"));
    }
    // A path ends where it begins, at its row's vertex, and where there is no predecessor.
    let mut to = apply("where", [(&ends).into(), (&column).into(), predecessors.into()])?.to_dtype(DType::I64)?;
    let flat =
        |first: &Array, second: &Array| pair("add", &apply("multiply", [first.into(), (n as i64).into()])?, second);
    let last = take(&steps, &flat(&to, &column)?, ())?;
    let mut length = apply("where", [(&ends).into(), 0.0.into(), (&last).into()])?;
    for _ in 0..usize::BITS - (n - 1).max(1).leading_zeros() {
        let at = flat(&row, &to)?;
        length = pair("add", &length, &take(&length, &at, ())?)?;
        to = take(&to, &at, ())?;
    }
    let is_ended = take(&ends, &flat(&row, &to)?, ())?;
    if !reduced("all", &is_ended, &Reduce::all())?.item::<bool>()? {
        return wrong("predecessors form a cycle".into());
    }
    let is_nowhere = pair("logical_and", &is_none, &apply("logical_not", [(&is_own).into()])?)?;
    apply("where", [(&is_nowhere).into(), null_value.into(), (&length).into()])
}
