//! Spanning trees of least length.
//!
//! O. Borůvka, 1926: in each round every component takes its shortest edge. Rounds at least halve the number of
//! components; lower bound of a round: the edges are read once.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;

use super::super::entries::counted;
use super::super::{CastTo, Format, Sparse};
use super::{EdgeList, pair, vertices};
use crate::array::Array;
use crate::engine::make;
use crate::engine::union_find::{Edges, components};
use crate::error::{Error, Result};
use crate::routines::indexing::take;
use crate::routines::manipulation::concatenate;
use crate::routines::searching::flatnonzero;
use crate::routines::sets::unique;
use crate::routines::sorting::{argsort, sort};
use crate::ufunc::{apply, ufunc};

/// Returns a spanning tree of least length of an undirected graph, or of each of its components, in CSR format; SciPy's
/// `minimum_spanning_tree`.
///
/// An edge counts whichever of its directions is stored; where both are, the shorter one does. Zeros are no edges. The
/// lengths have the dtype of floats, and are float64 of other dtypes. Of edges of equal length the one that is stored first
/// is preferred; SciPy may choose another.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// let graph = Sparse::from_dense(&cuprum::array([[0, 4, 1], [0, 0, 2], [0, 0, 0]])?, Format::Csr)?;
/// let tree = csgraph::minimum_spanning_tree(&graph)?;
/// assert_eq!(tree.to_dense(())?.to_vec::<f64>()?, [0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a matrix that is not square, [`ErrorKind::Type`](crate::ErrorKind::Type)
/// for complex lengths.
///
/// # Synchronization
///
/// Synchronises some times in each round.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn minimum_spanning_tree(graph: &Sparse) -> Result<Sparse> {
    tree(graph).map_err(|e: Error| e.with_op("csgraph.minimum_spanning_tree"))
}

fn tree(graph: &Sparse) -> Result<Sparse> {
    let n = vertices(graph)?;
    let dtype = if graph.dtype().is_float() { graph.dtype() } else { DType::F64 };
    let edges = EdgeList::of(graph, dtype)?;
    let is_edge = pair(
        "logical_and",
        &apply("not_equal", [(&edges.lengths).into(), 0.into()])?,
        &pair("not_equal", &edges.rows, &edges.columns)?,
    )?;
    let EdgeList { rows, columns, lengths } = edges.at(&flatnonzero(&is_edge)?)?;
    let m = rows.size();
    // Distinct ranks, so that the chosen edges close no cycle.
    let order = argsort(&lengths, -1)?;
    let rank = argsort(&order, -1)?;
    let mut chosen: Vec<Array> = vec![];
    let mut labels = counted(&rows, n, DType::I64)?;
    // Each round joins every tree that has an edge to another one: at most half as many are left.
    let rounds = if m == 0 { 0 } else { usize::BITS - n.leading_zeros() };
    for _ in 0..rounds {
        let ends = [take(&labels, &rows, ())?, take(&labels, &columns, ())?];
        let outside = pair("not_equal", &ends[0], &ends[1])?;
        let ranks = apply("where", [(&outside).into(), (&rank).into(), (m as i64).into()])?;
        let least = make::full(rows.device(), &[n], m as i64, DType::I64)?;
        for end in &ends {
            ufunc("minimum")?.at(&least, [end], &ranks)?;
        }
        let wanted = flatnonzero(&apply("less", [(&least).into(), (m as i64).into()])?)?;
        if wanted.is_empty() {
            break;
        }
        let picked = take(&order, &unique(&take(&least, &wanted, ())?, ())?.values, ())?;
        let [a, b] = [take(&ends[0], &picked, ())?, take(&ends[1], &picked, ())?];
        let [roots, _] = components(Edges::Pairs(&a, &b), n)?;
        labels = take(&roots.to_dtype(DType::I64)?, &labels, ())?;
        chosen.push(picked);
    }
    let none = make::zeros(rows.device(), &[0], DType::I64)?;
    let chosen: Vec<&Array> = [&none].into_iter().chain(&chosen).collect();
    let of = EdgeList { rows, columns, lengths }.at(&sort(&concatenate(&chosen, ())?, -1)?)?;
    let tree = Sparse::coo(&of.lengths, &[&of.rows, &of.columns], &[n, n])?.to_format(Format::Csr)?;
    tree.with_index_dtype(graph.index_dtype())
}
