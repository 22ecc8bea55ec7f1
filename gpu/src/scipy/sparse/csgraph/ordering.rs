//! Orders of vertices that lower the bandwidth of a matrix.

use cuprum_macros::unrecorded;

use super::super::Sparse;
use super::host::{NO_PREDECESSOR, Neighbours, vertices_array};
use super::vertices;
use crate::array::Array;
use crate::error::{Error, Result};

/// Returns a permutation of the vertices, of int32, which lowers the bandwidth of the matrix of a graph; SciPy's
/// `reverse_cuthill_mckee`. E. Cuthill, J. McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", 1969.
///
/// Edges count in both directions, and explicit zeros are no edges; with `symmetric_mode` the pattern is symmetric as
/// it is stored. Each component is searched by breadth from a vertex of the least degree, and the neighbours of a
/// vertex are ordered by their degrees; the order is reversed. The search is sequential and runs on the host, with a
/// copy of the structure of the graph.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, csgraph};
/// // The path 1 - 0 - 2.
/// let graph = Sparse::from_dense(&cuprum::array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])?, Format::Csr)?;
/// assert_eq!(csgraph::reverse_cuthill_mckee(&graph, true)?.to_vec::<i32>()?, [2, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a matrix that is not square.
///
/// # Synchronization
///
/// Synchronises to copy the graph to the host.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_graphs.py`")]
pub fn reverse_cuthill_mckee(graph: &Sparse, symmetric_mode: bool) -> Result<Array> {
    let go = || {
        vertices(graph)?;
        let order = if symmetric_mode {
            by_degrees(&Neighbours::of(graph)?)
        } else {
            by_degrees(&Neighbours::of(&graph.eliminate_zeros()?)?.symmetric())
        };
        vertices_array(graph.device(), &order, NO_PREDECESSOR)
    };
    go().map_err(|e: Error| e.with_op("csgraph.reverse_cuthill_mckee"))
}

fn by_degrees(graph: &Neighbours) -> Vec<usize> {
    let n = graph.len();
    // An edge of a vertex to itself counts twice.
    let degree = |v: usize| graph.at(v).len() + graph.at(v).iter().filter(|&&other| other == v).count();
    let degrees: Vec<usize> = (0..n).map(degree).collect();
    let mut seeds: Vec<usize> = (0..n).collect();
    seeds.sort_by_key(|&v| degrees[v]);
    let (mut seen, mut order, mut at) = (vec![false; n], Vec::with_capacity(n), 0);
    for seed in seeds {
        if std::mem::replace(&mut seen[seed], true) {
            continue;
        }
        order.push(seed);
        while at < order.len() {
            let first = order.len();
            for &next in graph.at(order[at]) {
                if !std::mem::replace(&mut seen[next], true) {
                    order.push(next);
                }
            }
            order[first..].sort_by_key(|&v| degrees[v]);
            at += 1;
        }
    }
    order.reverse();
    order
}
