//! Searches by breadth and by depth, and their trees.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::super::{CastTo, Format, Sparse};
use super::host::{NO_PREDECESSOR, NONE, Neighbours, vertices_array};
use super::{check_vertex, pair, vertices};
use crate::array::Array;
use crate::error::{Error, Result};
use crate::routines::indexing::take;
use crate::routines::searching::flatnonzero;
use crate::ufunc::apply;

/// Vertices in the order of a search.
///
/// SciPy returns a tuple.
#[derive(Clone, Debug)]
pub struct SearchOrder {
    /// The vertices that the search reaches, of int32, the first one at the beginning.
    pub order: Array,
    /// The vertex from which the search reached each vertex of the graph, of int32: -9999 for the first vertex and for
    /// those that it does not reach.
    pub predecessors: Array,
}

/// Returns the vertices in the order of a breadth-first search from a vertex; SciPy's `breadth_first_order`.
///
/// Neighbours of a vertex come in the order of their numbers. Unless `directed`, edges count in both directions, and
/// those along edges come before those against them. The search is sequential and runs on the host, with a copy of the
/// structure of the graph.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let graph = Sparse::from_dense(&cuprum::array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])?, Format::Csr)?;
/// let found = csgraph::breadth_first_order(&graph, 0, true)?;
/// assert_eq!(found.order.to_vec::<i32>()?, [0, 1, 2]);
/// assert_eq!(found.predecessors.to_vec::<i32>()?, [-9999, 0, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a matrix that is not square and a vertex out of range.
///
/// # Synchronization
///
/// Synchronises to copy the graph to the host.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn breadth_first_order(graph: &Sparse, i_start: usize, directed: bool) -> Result<SearchOrder> {
    search(graph, i_start, directed, by_breadth).map_err(|e: Error| e.with_op("csgraph.breadth_first_order"))
}

/// Returns the vertices in the order of a depth-first search from a vertex; SciPy's `depth_first_order`.
///
/// Otherwise as [`breadth_first_order`].
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let graph = Sparse::from_dense(&cuprum::array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])?, Format::Csr)?;
/// let found = csgraph::depth_first_order(&graph, 0, true)?;
/// assert_eq!(found.predecessors.to_vec::<i32>()?, [-9999, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`breadth_first_order`].
///
/// # Synchronization
///
/// As [`breadth_first_order`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn depth_first_order(graph: &Sparse, i_start: usize, directed: bool) -> Result<SearchOrder> {
    search(graph, i_start, directed, by_depth).map_err(|e: Error| e.with_op("csgraph.depth_first_order"))
}

/// Returns the tree of a breadth-first search from a vertex, of float64 in CSR format: the edge to each vertex from its
/// predecessor; SciPy's `breadth_first_tree`.
///
/// Unless `directed`, an edge has the shorter one of its lengths in both directions.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let graph = Sparse::from_dense(&cuprum::array([[0, 4, 3], [0, 0, 1], [0, 0, 0]])?, Format::Csr)?;
/// let tree = csgraph::breadth_first_tree(&graph, 0, true)?;
/// assert_eq!(tree.to_dense(())?.to_vec::<f64>()?, [0.0, 4.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`breadth_first_order`].
///
/// # Synchronization
///
/// As [`breadth_first_order`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn breadth_first_tree(graph: &Sparse, i_start: usize, directed: bool) -> Result<Sparse> {
    let go = || tree(graph, &search(graph, i_start, directed, by_breadth)?.predecessors, directed);
    go().map_err(|e: Error| e.with_op("csgraph.breadth_first_tree"))
}

/// Returns the tree of a depth-first search from a vertex, of float64 in CSR format: the edge to each vertex from its
/// predecessor; SciPy's `depth_first_tree`.
///
/// Otherwise as [`breadth_first_tree`].
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let graph = Sparse::from_dense(&cuprum::array([[0, 4, 3], [0, 0, 1], [0, 0, 0]])?, Format::Csr)?;
/// let tree = csgraph::depth_first_tree(&graph, 0, true)?;
/// assert_eq!(tree.to_dense(())?.to_vec::<f64>()?, [0.0, 4.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`breadth_first_order`].
///
/// # Synchronization
///
/// As [`breadth_first_order`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn depth_first_tree(graph: &Sparse, i_start: usize, directed: bool) -> Result<Sparse> {
    let go = || tree(graph, &search(graph, i_start, directed, by_depth)?.predecessors, directed);
    go().map_err(|e: Error| e.with_op("csgraph.depth_first_tree"))
}

/// Order and predecessors of a search on the host.
type Found = (Vec<usize>, Vec<usize>);

fn search(graph: &Sparse, first: usize, directed: bool, by: fn(&Neighbours, usize) -> Found) -> Result<SearchOrder> {
    check_vertex("i_start", first, vertices(graph)?)?;
    let neighbours = Neighbours::of(graph)?;
    let (order, before) = if directed { by(&neighbours, first) } else { by(&neighbours.undirected(), first) };
    let device = graph.device();
    Ok(SearchOrder {
        order: vertices_array(device, &order, NO_PREDECESSOR)?,
        predecessors: vertices_array(device, &before, NO_PREDECESSOR)?,
    })
}

fn by_breadth(graph: &Neighbours, first: usize) -> Found {
    let (mut before, mut seen) = (vec![NONE; graph.len()], vec![false; graph.len()]);
    seen[first] = true;
    let (mut order, mut at) = (vec![first], 0);
    while at < order.len() {
        let vertex = order[at];
        at += 1;
        for &next in graph.at(vertex) {
            if !std::mem::replace(&mut seen[next], true) {
                before[next] = vertex;
                order.push(next);
            }
        }
    }
    (order, before)
}

fn by_depth(graph: &Neighbours, first: usize) -> Found {
    let (mut before, mut seen) = (vec![NONE; graph.len()], vec![false; graph.len()]);
    seen[first] = true;
    // Each vertex of the path with its neighbours that are left.
    let (mut order, mut path) = (vec![first], vec![(first, graph.at(first).iter())]);
    while let Some((vertex, rest)) = path.last_mut() {
        let Some(&next) = rest.find(|&&next| !seen[next]) else {
            path.pop();
            continue;
        };
        seen[next] = true;
        before[next] = *vertex;
        order.push(next);
        path.push((next, graph.at(next).iter()));
    }
    (order, before)
}

/// The tree of predecessors: the length of the edge to each vertex from its predecessor, zero where there is none. Unless
/// `directed` an edge that neither direction stores, or with length zero, is infinitely long, as in SciPy.
pub(super) fn tree(graph: &Sparse, predecessors: &Array, directed: bool) -> Result<Sparse> {
    let n = vertices(graph)?;
    let graph = graph.to_format(Format::Csr)?;
    let to = flatnonzero(&apply("not_equal", [predecessors.into(), i64::from(NO_PREDECESSOR).into()])?)?;
    let from = take(predecessors, &to, ())?.to_dtype(DType::I64)?;
    let mut lengths = graph.points(&[&from, &to])?.to_dtype(DType::F64)?;
    if !directed {
        let back = graph.points(&[&to, &from])?.to_dtype(DType::F64)?;
        let stored = |a: &Array| {
            let is_missing = apply("equal", [a.into(), 0.into()])?;
            apply("where", [(&is_missing).into(), f64::INFINITY.into(), a.into()])
        };
        lengths = pair("minimum", &stored(&lengths)?, &stored(&back)?)?;
    }
    Sparse::coo(&lengths, &[&from, &to], &[n, n])?.to_format(Format::Csr)?.with_index_dtype(graph.index_dtype())
}
